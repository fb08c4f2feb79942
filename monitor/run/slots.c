// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slots.c - counts machines and their slots in host files and lists.
 */
#include "slots.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SLOTS_LIMIT 1000000 /* no sum of so many overflows */

struct machine {
	char *name;
	int slots;
};

struct table {
	struct machine *list;
	int count, slots;
};

/* The machine NAME, of SIZE bytes, has SLOTS more.  0 or -errno. */
static int add(struct table *table, const char *name, size_t size, int slots)
{
	struct machine *more;

	if (slots < 1 || slots > SLOTS_LIMIT - table->slots)
		return -ENODATA;
	table->slots += slots;
	for (int i = 0; i < table->count; i++)
		if (strlen(table->list[i].name) == size &&
		    strncasecmp(table->list[i].name, name, size) == 0) {
			table->list[i].slots += slots;
			return 0;
		}
	more = realloc(table->list, ((size_t)table->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	table->list = more;
	more[table->count].name = strndup(name, size);
	more[table->count].slots = slots;
	return more[table->count++].name ? 0 : -ENOMEM;
}

/* What is known in the end; frees TABLE. */
static int finish(struct table *table, struct slots *slots, int error)
{
	*slots = (struct slots){.machines = table->count, .all = table->slots};
	if (table->count)
		slots->each = table->list[0].slots;
	for (int i = 0; i < table->count; i++) {
		if (table->list[i].slots != table->list[0].slots)
			slots->each = 0;
		free(table->list[i].name);
	}
	free(table->list);
	return !error && !slots->machines ? -ENODATA : error;
}

static int add_line(struct table *table, char *line, int without)
{
	const char *name, *slots;
	size_t size;

	line[strcspn(line, "#\r\n")] = '\0';
	name = line + strspn(line, " \t");
	size = strcspn(name, " \t");
	slots = strstr(name + size, "slots=");
	/* Not that of max_slots. */
	if (slots && slots[-1] != ' ' && slots[-1] != '\t')
		slots = NULL;
	return size ? add(table, name, size, slots ? atoi(slots + strlen("slots=")) : without) : 0;
}

int slots_of_file(struct slots *slots, const char *path, int without)
{
	FILE *file = fopen(path, "re");
	struct table table = {0};
	char *line = NULL;
	size_t room = 0;
	int error = file ? 0 : -errno;

	while (!error && getline(&line, &room, file) >= 0)
		error = add_line(&table, line, without);
	if (file && ferror(file))
		error = -errno;
	free(line);
	if (file)
		fclose(file);
	return finish(&table, slots, error);
}

int slots_of_list(struct slots *slots, const char *list)
{
	struct table table = {0};
	int error = 0;

	while (!error && *list) {
		size_t size = strcspn(list, ","), name = strcspn(list, ":,");

		if (name)
			error = add(&table, list, name, name < size ? atoi(list + name + 1) : 1);
		list += size + (list[size] == ',');
	}
	return finish(&table, slots, error);
}
