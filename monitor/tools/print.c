/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.c - text and JSON of what the driver says.
 */
#include "print.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "common/json.h"

#define DUMP_WIDTH 16
#define PAGE	   4096u
#define SHOWN	   4 /* variables of a page, on a line for people */

static const char *mode_name(uint32_t mode)
{
	static const char *const name[] = {
		[CAPE_MODE_UNLOCKED] = "unlocked",
		[CAPE_MODE_SNAPSHOT] = "snapshot",
		[CAPE_MODE_NOTIFY] = "notify",
		[CAPE_MODE_RECORD] = "record",
	};

	return mode < sizeof(name) / sizeof(name[0]) ? name[mode] : "unknown";
}

static const char *twin_name(const struct cape_dirty *page)
{
	if (page->flags & CAPE_DIRTY_AWAITED)
		return "awaited";
	if (page->twin_state == CAPE_TWIN_NONE)
		return "none";
	return page->twin_state == CAPE_TWIN_ZERO ? "zero" : "page";
}

/* A line with an object. */
static void print_object(FILE *out, const struct json_field *field, size_t count)
{
	fputc('{', out);
	json_fields(out, field, count);
	fputs("}\n", out);
}

void print_version(FILE *out, bool json, const struct cape_version *version)
{
	const char *snapshot = version->features & CAPE_FEATURE_SNAPSHOT ? "snapshot" : "";
	const char *notify = version->features & CAPE_FEATURE_NOTIFY ? " notify" : "";
	const char *rollback = version->features & CAPE_FEATURE_ROLLBACK ? " rollback" : "";
	const char *check = version->features & CAPE_FEATURE_CHECK ? " check" : "";
	const char *epochs = version->features & CAPE_FEATURE_EPOCHS ? " epochs" : "";
	const char *no_twins = version->features & CAPE_FEATURE_NO_TWINS ? " no-twins" : "";
	const struct json_field field[] = {
		{"version", .number = version->version},
		{"page_size", .number = version->page_size},
		{"features", .number = version->features},
		{"max_ranges", .number = version->max_ranges},
	};

	if (json)
		print_object(out, field, sizeof(field) / sizeof(field[0]));
	else
		fprintf(out,
			"driver version %u, pages of %u bytes, at most %u ranges: %s%s%s%s%s%s\n",
			version->version, version->page_size, version->max_ranges, snapshot, notify,
			rollback, check, epochs, no_twins);
}

void print_locked(FILE *out, bool json, pid_t pid, const struct cape_lock *lock)
{
	const struct json_field field[] = {
		{"pid", .number = (uint64_t)pid},
		{"mode", JSON_TEXT, .text = mode_name(lock->mode)},
		{"pages", .number = lock->page_count},
	};

	if (json)
		print_object(out, field, sizeof(field) / sizeof(field[0]));
	else
		fprintf(out, "process %d is locked (%s%s): %" PRIu64 " pages\n", pid,
			mode_name(lock->mode), lock->flags & CAPE_LOCK_NO_TWINS ? ", no twins" : "",
			(uint64_t)lock->page_count);
}

void print_epoch(FILE *out, bool json, pid_t pid, const struct cape_epoch *epoch)
{
	const struct json_field field[] = {
		{"pid", .number = (uint64_t)pid},
		{"epoch", .number = epoch->epoch},
		{"pages", .number = epoch->page_count},
	};

	if (json)
		print_object(out, field, sizeof(field) / sizeof(field[0]));
	else
		fprintf(out,
			"process %d: epoch %" PRIu64 " begins, %" PRIu64
			" pages were written in the one before\n",
			pid, (uint64_t)epoch->epoch, (uint64_t)epoch->page_count);
}

void print_rollback(FILE *out, bool json, pid_t pid, const struct cape_rollback_to *rollback)
{
	const struct json_field field[] = {
		{"pid", .number = (uint64_t)pid},
		{"pages", .number = rollback->page_count},
		{"new_bytes", .number = rollback->new_bytes},
	};

	if (json) {
		print_object(out, field, sizeof(field) / sizeof(field[0]));
		return;
	}
	fprintf(out, "process %d is as it was when ", pid);
	if (rollback->epoch)
		fprintf(out, "epoch %" PRIu64 " began", (uint64_t)rollback->epoch);
	else
		fputs("it was locked", out);
	fprintf(out, ": %" PRIu64 " pages\n", (uint64_t)rollback->page_count);
	if (rollback->new_bytes)
		fprintf(out, "%" PRIu64 " bytes that it has mapped since stay, as new\n",
			(uint64_t)rollback->new_bytes);
}

static void print_ranges(FILE *out, bool json, const struct cape_status *status,
			 const struct cape_extent *range)
{
	uint32_t count = status->range_count;

	if (count > status->range_capacity)
		count = status->range_capacity;

	for (uint32_t i = 0; i < count; i++)
		if (json)
			fprintf(out, "%s{\"start\": %" PRIu64 ", \"length\": %" PRIu64 "}",
				i ? ", " : "", (uint64_t)range[i].start, (uint64_t)range[i].length);
		else
			fprintf(out, "  range            0x%" PRIx64 "-0x%" PRIx64 "\n",
				(uint64_t)range[i].start,
				(uint64_t)(range[i].start + range[i].length));
	if (!json && count < status->range_count)
		fprintf(out, "  and %u more ranges\n", status->range_count - count);
}

static void print_epochs(FILE *out, bool json, const struct cape_epochs *epochs)
{
	const struct cape_epoch_entry *entry =
		(const struct cape_epoch_entry *)(uintptr_t)epochs->entries;

	for (uint32_t i = 0; i < epochs->count && i < epochs->capacity; i++)
		if (json)
			fprintf(out, "%s{\"epoch\": %" PRIu64 ", \"twins\": %" PRIu64 "}",
				i ? ", " : "", (uint64_t)entry[i].epoch,
				(uint64_t)entry[i].twin_count);
		else
			fprintf(out, "  epoch %-10" PRIu64 " %12" PRIu64 "\n",
				(uint64_t)entry[i].epoch, (uint64_t)entry[i].twin_count);
}

void print_status(FILE *out, bool json, const struct cape_status *status,
		  const struct cape_extent *range, const struct cape_epochs *epochs,
		  const struct cape_statistics *statistics)
{
	const struct json_field field[] = {
		{"twins", .number = status->twin_count},
		{"open_pages", .number = status->open_count},
		{"threads", .number = status->thread_count},
		{"locks", .number = statistics->locks},
		{"unlocks", .number = statistics->unlocks},
		{"pages_locked", .number = statistics->pages_locked},
		{"pages_captured", .number = statistics->pages_captured},
		{"pages_unlocked", .number = statistics->pages_unlocked},
		{"pages_collected", .number = statistics->pages_collected},
		{"faults_notified", .number = statistics->faults_notified},
		{"faults_ignored", .number = statistics->faults_ignored},
		{"bytes_read", .number = statistics->bytes_read},
		{"bytes_written", .number = statistics->bytes_written},
		{"lock_ns", .number = statistics->lock_ns},
		{"collect_ns", .number = statistics->collect_ns},
	};
	size_t count = sizeof(field) / sizeof(field[0]);

	if (!json) {
		fprintf(out, "process %d: %s\n", status->pid, mode_name(status->mode));
		print_ranges(out, json, status, range);
		print_epochs(out, json, epochs);
		for (size_t i = 0; i < count; i++)
			fprintf(out, "  %-16s %12" PRIu64 "\n", field[i].name, field[i].number);
		return;
	}
	fprintf(out, "{\"pid\": %d, \"mode\": \"%s\", \"ranges\": [", status->pid,
		mode_name(status->mode));
	print_ranges(out, json, status, range);
	fputs("], \"epochs\": [", out);
	print_epochs(out, json, epochs);
	fputs("], ", out);
	json_fields(out, field, count);
	fputs("}\n", out);
}

static const char *change_name(uint32_t state)
{
	return state == CAPE_TWIN_NONE ? "kept" : "replaced";
}

/* Both the pages and the mappings come in the order of addresses. */
static const char *mapping_of(struct print_list *list, uint64_t address)
{
	char line[512];

	while (list->maps && address >= list->map_end && fgets(line, sizeof(line), list->maps)) {
		list->map_name[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %255[^\n]",
			   &list->map_start, &list->map_end, list->map_name) < 2)
			break;
	}
	return address >= list->map_start && address < list->map_end ? list->map_name : "";
}

void print_list_begin(struct print_list *list, FILE *out, bool json, pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	*list = (struct print_list){.out = out, .json = json, .maps = fopen(path, "re")};
	if (json)
		fprintf(out, "{\"pid\": %d, \"%s\": [", pid, name);
}

/* As "counter", or "table+4096" if it begins before PAGE. */
static void name_of(const struct variable *variable, uint64_t page, char *name, size_t size)
{
	if (variable->start >= page)
		snprintf(name, size, "%s", variable->name);
	else
		snprintf(name, size, "%s+%" PRIu64, variable->name, page - variable->start);
	naming_clean(name, strlen(name));
}

static void print_variables(struct print_list *list, uint64_t page)
{
	size_t count;
	const struct variable *variable =
		variables_find(&list->variables, page, page + PAGE, &count);
	char name[256];

	if (list->json)
		fputs(", \"variables\": [", list->out);
	for (size_t i = 0; i < count && (list->json || i < SHOWN); i++) {
		name_of(&variable[i], page, name, sizeof(name));
		if (list->json) {
			fputs(i ? ", " : "", list->out);
			json_text(list->out, name);
		} else {
			fprintf(list->out, "%s%s", i ? ", " : " ", name);
		}
	}
	if (list->json)
		fputc(']', list->out);
	else if (count > SHOWN)
		fprintf(list->out, ", and %zu more", count - SHOWN);
}

/* KEY: what WORD, which is said of the page, is called in JSON. */
static void print_page(struct print_list *list, const struct cape_dirty *page, const char *key,
		       const char *word)
{
	const char *mapping = mapping_of(list, page->address);
	bool pinned = page->flags & CAPE_DIRTY_PINNED;
	const struct json_field field[] = {
		{"address", .number = page->address},
		{key, JSON_TEXT, .text = word},
		{"pinned", JSON_FLAG, .number = pinned},
		{"mapping", JSON_TEXT, .text = mapping},
	};

	if (!list->json) {
		fprintf(list->out, "0x%012" PRIx64 " %s%s", (uint64_t)page->address, word,
			pinned ? " pinned" : "");
		print_variables(list, page->address);
		fprintf(list->out, "%s%s\n", *mapping ? " " : "", mapping);
	} else {
		fputs(list->count ? ", {" : "{", list->out);
		json_fields(list->out, field, sizeof(field) / sizeof(field[0]));
		print_variables(list, page->address);
		fputc('}', list->out);
	}
	list->count++;
}

void print_dirty(struct print_list *list, const struct cape_dirty *page)
{
	print_page(list, page, "twin", twin_name(page));
}

void print_changed_twin(struct print_list *list, const struct cape_dirty *page)
{
	print_page(list, page, "page", change_name(page->twin_state));
}

void print_list_end(struct print_list *list)
{
	if (list->json)
		fputs("]}\n", list->out);
	if (list->maps)
		fclose(list->maps);
	variables_free(&list->variables);
}

/* "" if there is none that is known. */
static void name_variable(const struct print_list *list, uint64_t address, char *name, size_t size)
{
	FILE *out = list->naming ? fmemopen(name, size, "w") : NULL;

	name[0] = '\0';
	if (!out)
		return;
	naming_variable(list->naming, address, out);
	fclose(out);
	name[size - 1] = '\0';
	naming_clean(name, strlen(name));
}

/* AFTER: "" if it cannot be read. */
static void print_line(struct print_list *list, uint64_t address, const char *before,
		       const char *after)
{
	const char *mapping = mapping_of(list, address);
	char variable[256];
	const struct json_field field[] = {
		{"address", .number = address},
		{"before", JSON_TEXT, .text = before},
		{"after", JSON_TEXT, .text = after},
		{"size", .number = strlen(before) / 2},
		{"variable", JSON_TEXT, .text = variable},
		{"mapping", JSON_TEXT, .text = mapping},
	};

	name_variable(list, address, variable, sizeof(variable));
	if (!list->json) {
		fprintf(list->out, "0x%012" PRIx64 " %s%s%s%s%s%s%s\n", address, before,
			*before ? " -> " : "", *after ? after : "cannot be read",
			*variable ? " " : "", variable, *mapping ? " " : "", mapping);
	} else {
		fputs(list->count ? ", {" : "{", list->out);
		json_fields(list->out, field, sizeof(field) / sizeof(field[0]));
		fputc('}', list->out);
	}
	list->count++;
}

void print_change(struct print_list *list, uint64_t address, const unsigned char *before,
		  const unsigned char *after, size_t count)
{
	char old[2 * DUMP_WIDTH + 1] = "", new[2 * DUMP_WIDTH + 1] = "";

	for (size_t i = 0; i < count && i < DUMP_WIDTH; i++) {
		snprintf(old + 2 * i, 3, "%02x", before[i]);
		snprintf(new + 2 * i, 3, "%02x", after[i]);
	}
	print_line(list, address, old, new);
}

void print_unreadable(struct print_list *list, uint64_t address)
{
	print_line(list, address, "", "");
}

void print_bytes_begin(struct print_list *list, FILE *out, bool json, uint64_t address)
{
	*list = (struct print_list){
		.out = out,
		.json = json,
		.dump = !json && isatty(fileno(out)),
		.address = address,
	};
	if (json)
		fprintf(out, "{\"address\": %" PRIu64 ", \"bytes\": \"", address);
}

static void dump_line(FILE *out, uint64_t address, const unsigned char *bytes, size_t count)
{
	fprintf(out, "%012" PRIx64 " ", address);
	for (size_t i = 0; i < DUMP_WIDTH; i++)
		if (i < count)
			fprintf(out, " %02x", bytes[i]);
		else
			fputs("   ", out);
	fputs("  ", out);
	for (size_t i = 0; i < count; i++)
		fputc(isprint(bytes[i]) ? bytes[i] : '.', out);
	fputc('\n', out);
}

void print_bytes(struct print_list *list, const unsigned char *bytes, size_t count)
{
	if (!list->json && !list->dump) {
		fwrite(bytes, 1, count, list->out);
		return;
	}
	for (size_t i = 0; list->json && i < count; i++)
		fprintf(list->out, "%02x", bytes[i]);
	for (size_t i = 0; list->dump && i < count; i += DUMP_WIDTH)
		dump_line(list->out, list->address + i, bytes + i,
			  count - i < DUMP_WIDTH ? count - i : DUMP_WIDTH);
	list->address += count;
}

void print_bytes_end(struct print_list *list)
{
	if (list->json)
		fputs("\"}\n", list->out);
}

void print_written(FILE *out, bool json, const struct print_write *write)
{
	const struct json_field field[] = {
		{"address", .number = write->address},
		{"thread", .number = (uint64_t)write->thread},
		{"instruction", .number = write->instruction},
		{"code", JSON_TEXT, .text = write->code},
		{"place", JSON_TEXT, .text = write->place},
	};

	if (json)
		print_object(out, field, sizeof(field) / sizeof(field[0]));
	else
		fprintf(out, "0x%012" PRIx64 " thread %d  %s  %s\n", write->address, write->thread,
			write->code, write->place);
	fflush(out);
}
