// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mappings.c - reading /proc/PID/maps.
 */
#include "mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "common/list.h"
#include "system/ranges.h"

static bool parse(const char *line, struct mapping *mapping)
{
	char access[5];
	unsigned long inode;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %lu", &mapping->start, &mapping->end,
		   access, &inode) != 4)
		return false;
	mapping->prot = (access[0] == 'r' ? PROT_READ : 0) | (access[1] == 'w' ? PROT_WRITE : 0) |
			(access[2] == 'x' ? PROT_EXEC : 0);
	mapping->private = access[3] == 'p';
	mapping->anonymous = inode == 0;
	mapping->stack = strstr(line, "[stack]") != NULL;
	return true;
}

static struct mapping *new_entry(struct mappings *mappings)
{
	struct mapping *list =
		list_room(mappings->list, mappings->count, &mappings->capacity, sizeof(*list));

	if (!list)
		return NULL;
	mappings->list = list;
	return &mappings->list[mappings->count++];
}

int mappings_read(struct mappings *mappings, pid_t process)
{
	char path[64], *line = NULL;
	size_t size = 0;
	int error = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", process);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	mappings->count = 0;
	while (!error && getline(&line, &size, file) > 0) {
		struct mapping mapping, *entry;

		if (!parse(line, &mapping)) {
			error = -EPROTO;
			break;
		}
		entry = new_entry(mappings);
		if (entry)
			*entry = mapping;
		else
			error = -ENOMEM;
	}
	free(line);
	fclose(file);
	return error;
}

void mappings_free(struct mappings *mappings)
{
	free(mappings->list);
	*mappings = (struct mappings){.list = NULL};
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t address)
{
	size_t at =
		cape_ranges_find(mappings->list, mappings->count, sizeof(*mappings->list), address);

	return at < mappings->count ? &mappings->list[at] : NULL;
}
