// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print.c - sizes, and the bytes at an address, as text and in JSON.
 */
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include "common/json.h"

/* A line shows no more bytes of what has no type. */
#define SHOWN 16

const char *print_size(uint64_t bytes, char *text)
{
	static const char unit[][3] = {"KB", "MB", "GB", "TB", "PB"};
	double size = (double)bytes / 1e3;
	size_t i = 0;

	if (bytes < 1000) {
		snprintf(text, PRINT_SIZE, "%" PRIu64 " B", bytes);
		return text;
	}
	for (; size >= 999.95 && i < 4; i++)
		size /= 1e3;
	snprintf(text, PRINT_SIZE, "%.1f %s", size, unit[i]);
	return text;
}

static void print_hex(const unsigned char *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
}

/* NULL: this side does not have them. */
static void print_text_value(struct label_part *part, const unsigned char *bytes)
{
	char text[128];

	if (!bytes) {
		printf("-");
	} else if (part->typed) {
		debug_show(&part->type, bytes, part->size, text, sizeof(text));
		printf("%s", text);
	} else {
		print_hex(bytes, part->size < SHOWN ? part->size : SHOWN);
		printf(part->size > SHOWN ? "..." : "");
	}
}

static void print_json_value(struct label_part *part, const char *name, const unsigned char *bytes)
{
	char text[128];

	printf(", \"%s\": ", name);
	if (!bytes) {
		printf("null");
		return;
	}
	printf("{\"bytes\": \"");
	print_hex(bytes, part->size);
	printf("\"");
	if (part->typed) {
		debug_show(&part->type, bytes, part->size, text, sizeof(text));
		printf(", \"value\": ");
		json_text(stdout, text);
	}
	printf("}");
}

static void print_json(const struct print_list *list, struct label_part *part,
		       const unsigned char *const bytes[2])
{
	printf("%s\n  {\"address\": %" PRIu64 ", \"size\": %" PRIu64, list->count ? "," : "",
	       part->address, part->size);
	if (list->stamp)
		printf(", \"time\": %" PRIu64 ", \"node\": %" PRIu32, list->stamp->time,
		       list->stamp->node);
	if (part->name[0]) {
		printf(", \"name\": ");
		json_text(stdout, part->name);
	}
	if (part->place[0]) {
		printf(", \"declared\": ");
		json_text(stdout, part->place);
	}
	print_json_value(part, "a", bytes[0]);
	if (list->side[1])
		print_json_value(part, "b", bytes[1]);
	printf("}");
}

static void print_line(const struct print_list *list, struct label_part *part,
		       const unsigned char *const bytes[2])
{
	printf("  %#" PRIx64 "  ", part->address);
	if (part->name[0])
		printf("%s", part->name);
	if (part->place[0])
		printf(" (%s)", part->place);
	printf("%s", part->name[0] ? "  " : "");
	print_text_value(part, bytes[0]);
	if (list->side[1]) {
		printf("  |  ");
		print_text_value(part, bytes[1]);
	}
	putchar('\n');
}

/* Which bytes there are; whether each side has all or none of them. */
static bool find_bytes(const struct print_list *list, struct label_part *part,
		       const unsigned char *bytes[2])
{
	bool whole = true;

	for (int i = 0; i < 2; i++) {
		bytes[i] = NULL;
		if (!list->side[i])
			continue;
		bytes[i] = content_bytes(list->side[i], part->address, part->size);
		for (uint64_t at = 0; !bytes[i] && whole && at < part->size; at++)
			whole = !content_bytes(list->side[i], part->address + at, 1);
	}
	return whole;
}

uint64_t print_element(struct print_list *list, uint64_t address, uint64_t end)
{
	const unsigned char *bytes[2];
	struct label_part part;

	label_find(list->label, address, &part);
	/* The value of a part of it is not known. */
	if (!find_bytes(list, &part, bytes)) {
		uint64_t stop = part.address + part.size;

		part.typed = false;
		part.address = address;
		part.size = (stop < end ? stop : end) - address;
		find_bytes(list, &part, bytes);
	} else if (!part.typed && part.size > end - part.address) {
		part.size = end - part.address;
	}
	if (list->json)
		print_json(list, &part, bytes);
	else
		print_line(list, &part, bytes);
	list->count++;
	return part.address + part.size;
}
