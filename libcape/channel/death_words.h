/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * death_words.h - the words for a death by a signal, whoever reports it: the program
 * itself or who has waited for it.
 */
#ifndef CAPE_DEATH_WORDS_H
#define CAPE_DEATH_WORDS_H

#include <stddef.h>
#include "channel/channel.h"

/* A sentence of LENGTH bytes in TEXT, which has room for SIZE; what has none is left out. */
struct cape_death_words {
	char *text;
	size_t size, length;
};

/* Appends what printf() would print.  Allocates nothing, and may be called by handlers of signals.
 */
void cape_death_say(struct cape_death_words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ", in sequential code, after the construct at prog.c:12" */
void cape_death_say_place(struct cape_death_words *words, const struct cape_channel_state *state);

/*
 * The address that was used, and how a stack that is full is made larger, as far as DEATH tells.
 * BY: what has filled it, or NULL: nobody knows.
 */
void cape_death_say_memory(struct cape_death_words *words, const struct cape_channel_death *death,
			   const char *by);

#endif
