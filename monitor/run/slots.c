/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.c - counts machines and their slots in host files and lists.
 */
#include "slots.h"

#include <errno.h>
#include <stdbool.h>
#include "check/machines.h"

/* What is known in the end; frees MACHINES. */
static int count(struct machines *machines, struct slots *slots, int without, int error)
{
	*slots = (struct slots){.machines = (int)machines->count};
	for (size_t i = 0; i < machines->count && !error; i++) {
		const struct machine *machine = &machines->machine[i];
		int has = machine->slots + machine->bare * without;

		if ((machine->bare && !without) || has > MACHINES_SLOTS - slots->all)
			error = -ENODATA;
		slots->each = i && slots->each != has ? 0 : has;
		slots->all += has;
	}
	machines_free(machines);
	return !error && !slots->machines ? -ENODATA : error;
}

int slots_of_file(struct slots *slots, const char *path, int without)
{
	struct machines machines = {0};
	int error = machines_add_file(&machines, path);

	return count(&machines, slots, without, error);
}

int slots_of_list(struct slots *slots, const char *list)
{
	struct machines machines = {0};
	int error = machines_add_list(&machines, list);

	return count(&machines, slots, 0, error);
}
