// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * show.c - show: which memory a checkpoint holds, and what is in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include "command.h"
#include "common/json.h"
#include "content.h"
#include "label.h"
#include "print.h"

static void show_member(struct print_list *list, const struct cape_member *member, bool brief)
{
	uint64_t end = member->address + member->length;
	char size[PRINT_SIZE];

	if (!list->json)
		printf("%#" PRIx64 "-%#" PRIx64 "  %s, time-stamp %" PRIu64 " of node %" PRIu32
		       "\n",
		       member->address, end, print_size(member->length, size), member->stamp.time,
		       member->stamp.node);
	if (brief && list->json) {
		printf("%s\n  {\"address\": %" PRIu64 ", \"size\": %" PRIu64 ", \"time\": %" PRIu64
		       ", \"node\": %" PRIu32 "}",
		       list->count++ ? "," : "", member->address, member->length,
		       member->stamp.time, member->stamp.node);
		return;
	}
	list->stamp = &member->stamp;
	for (uint64_t at = member->address; at < end && !brief;)
		at = print_element(list, at, end);
}

static void show_operand_json(const struct cape_operand *operand, const struct label_part *part,
			      bool first)
{
	struct json_field fields[] = {
		{"address", JSON_NUMBER, operand->address, NULL},
		{"count", JSON_NUMBER, operand->count, NULL},
		{"operator", JSON_TEXT, 0, command_operator_name(operand->op)},
		{"type", JSON_TEXT, 0, command_type_name(operand->type)},
		{"node", JSON_NUMBER, operand->stamp.node, NULL},
		{"name", JSON_TEXT, 0, part->name},
		{"declared", JSON_TEXT, 0, part->place},
	};

	printf("%s\n  {", first ? "" : ",");
	json_fields(stdout, fields, part->name[0] ? part->place[0] ? 7 : 6 : 5);
	printf("}");
}

static void show_operand(const struct cape_operand *operand, const struct label_part *part)
{
	printf("%#" PRIx64 "  ", operand->address);
	if (part->name[0])
		printf("%s", part->name);
	if (part->place[0])
		printf(" (%s)", part->place);
	printf("%sreduction by %s of %" PRIu64 " value%s of %s\n", part->name[0] ? "  " : "",
	       command_operator_name(operand->op), operand->count, operand->count == 1 ? "" : "s",
	       command_type_name(operand->type));
}

static void show_operands(const struct cape_checkpoint *checkpoint, struct label *label, bool json)
{
	for (size_t i = 0; i < checkpoint->operands; i++) {
		const struct cape_operand *operand = &checkpoint->operand[i];
		struct label_part part;

		label_find(label, operand->address, &part);
		if (json)
			show_operand_json(operand, &part, !i);
		else
			show_operand(operand, &part);
	}
}

int command_show(const struct order *order)
{
	struct content content;
	struct content_cursor cursor = {.checkpoint = &content.checkpoint};
	struct label label;
	struct print_list list = {.json = order->json, .label = &label, .side = {&cursor}};

	if (!content_read(&content, order->file[0]))
		return STATUS_TROUBLE;
	label_open(&label, content.reader);
	printf(order->json ? "{\"memory\": [" : "");
	for (size_t i = 0; i < content.checkpoint.members; i++)
		show_member(&list, &content.checkpoint.member[i], order->brief);
	printf(order->json ? "], \"reductions\": [" : "");
	show_operands(&content.checkpoint, &label, order->json);
	if (!order->json && !content.checkpoint.members && !content.checkpoint.operands)
		printf("nothing has changed\n");
	printf(order->json ? "]}\n" : "");
	label_close(&label);
	content_free(&content);
	return STATUS_SAME;
}
