/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instants.c - see instants.h.
 */
#include "instants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int instants_add(struct instants *instants, uint64_t epoch, const struct tracee *tracee)
{
	struct instant *instant =
		realloc(instants->instant, (instants->count + 1) * sizeof(*instants->instant));
	int error;

	if (!instant)
		return ENOMEM;
	instants->instant = instant;
	instant += instants->count;
	instant->epoch = epoch;
	error = registers_save(&instant->registers, tracee);
	if (error)
		return error;
	error = core_save(&instant->facts, tracee->pid);
	if (error) {
		registers_free(&instant->registers);
		return error;
	}
	instants->count++;
	return 0;
}

struct instant *instants_find(const struct instants *instants, uint64_t epoch)
{
	if (epoch == 0)
		return instants->count ? &instants->instant[instants->count - 1] : NULL;
	for (size_t i = 0; i < instants->count; i++)
		if (instants->instant[i].epoch == epoch)
			return &instants->instant[i];
	return NULL;
}

void instants_drop(struct instants *instants, struct instant *instant)
{
	struct instant *end = instants->instant + instants->count--;

	registers_free(&instant->registers);
	core_free(&instant->facts);
	memmove(instant, instant + 1, (size_t)(end - instant - 1) * sizeof(*instant));
}

void instants_free(struct instants *instants)
{
	while (instants->count > 0)
		instants_drop(instants, &instants->instant[instants->count - 1]);
	free(instants->instant);
	*instants = (struct instants){0};
}
