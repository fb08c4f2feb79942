// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * death_words.c - the parts of the sentence about a death by a signal.
 */
#include "channel/death_words.h"

#include <stdarg.h>
#include <stdio.h>

void cape_death_say(struct cape_death_words *words, const char *format, ...)
{
	size_t room = words->size - words->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(words->text + words->length, room, format, arguments);
	va_end(arguments);
	if (length > 0)
		words->length += (size_t)length < room ? (size_t)length : room - 1;
}

void cape_death_say_place(struct cape_death_words *words, const struct cape_channel_state *state)
{
	const char *where = state->in_region ? "in a parallel region, at or"
			    : state->whole
				    ? "in a parallel region that every node runs in whole, at or"
				    : "in sequential code,";

	if (!state->line)
		cape_death_say(words, ", before its first construct");
	else
		cape_death_say(words, ", %s after the construct at %.230s:%d", where, state->file,
			       state->line);
}

/* Bytes of a stack for which that of DEATH was too small, as far as is known. */
static uint64_t enough(const struct cape_channel_death *death)
{
	uint64_t enough = 2 * death->stack_size;

	while (enough < death->stack_used + death->stack_used / 4)
		enough *= 2;
	/* In whole megabytes, in the words for the user. */
	return (enough + (1u << 20) - 1) >> 20 << 20;
}

void cape_death_say_memory(struct cape_death_words *words, const struct cape_channel_death *death,
			   const char *by)
{
	unsigned long long kilobytes = enough(death) >> 10;

	if (death->has_reached)
		cape_death_say(words, "; it used address %#llx",
			       (unsigned long long)death->reached);
	if (!death->full)
		return;
	cape_death_say(words, "; its stack of %llu kB is full, %s: ",
		       (unsigned long long)death->stack_size >> 10,
		       by ? by : "by a recursion or by large private variables");
	if (death->full == CAPE_STACK_SETTING)
		cape_death_say(words,
			       "OMP_STACKSIZE=%lluM makes it larger, and ulimit -s %llu that of "
			       "the first thread",
			       kilobytes >> 10, kilobytes);
	else
		cape_death_say(words, "ulimit -s %llu makes it larger", kilobytes);
}
