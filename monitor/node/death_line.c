/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death_line.c - the line about the death of a program that has no monitor, for cape-run.
 */
#include "death_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "channel/channel.h"
#include "debug/death.h"

int death_line(const char *note, const char *program, const char *signal)
{
	const struct cape_death_note *left =
		mmap(NULL, sizeof(*left), PROT_READ, MAP_SHARED, atoi(note), 0);
	char text[2048];

	if (left == MAP_FAILED)
		return 1;
	death_tell(program, left->load_bias, &left->state, atoi(signal), NULL, text, sizeof(text));
	return fprintf(stderr, "cape-run: %s\n", text) < 0;
}
