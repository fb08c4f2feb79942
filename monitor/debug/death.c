/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death.c - the sentence about a program that died of a signal: who, where, and what of a stack
 * that is full.
 */
#include "death.h"

#include <stdio.h>
#include <string.h>
#include "channel/death_words.h"
#include "debug_info.h"

/* A variable below this part of a full stack is not the one to blame. */
#define SMALL_PART 8

/* ", in f() at prog.c:12", as far as debug information says. */
static void say_code(struct cape_death_words *words, const struct debug_info *info, uint64_t code)
{
	char function[128] = "", line[256] = "";

	if (code && debug_function(info, code, function, sizeof(function)) &&
	    debug_line(info, code, line, sizeof(line)))
		cape_death_say(words, "%s%s%s at %s", function[0] ? ", in " : ",", function,
			       function[0] ? "()" : "", line);
}

/* The variable that takes much of a full stack, to TEXT; or NULL. */
static const char *large_variable(const struct debug_info *info, uint64_t code,
				  const struct cape_channel_death *death, char *text, size_t size)
{
	struct debug_variable variable;
	uint64_t bytes;

	if (!death->full || !code || !debug_large_variable(info, code, &variable, &bytes) ||
	    bytes <= death->stack_size / SMALL_PART)
		return NULL;
	snprintf(text, size, "of which %s (line %d) takes %llu kB", variable.name, variable.line,
		 (unsigned long long)bytes >> 10);
	return text;
}

void death_tell(const char *program, uint64_t bias, const struct cape_channel_state *state,
		int signal, const char *who, char *text, size_t size)
{
	struct cape_death_words words = {text, size, 0};
	const struct cape_channel_death *death = &state->death;
	uint64_t code = death->after ? death->after - bias : 0;
	struct debug_info info;
	char large[512];

	if (who)
		cape_death_say(&words, "%s: ", who);
	else if (death->threads && state->in_region)
		cape_death_say(&words, "thread %u of %u: ", death->thread, death->threads);
	cape_death_say(&words, "the program was killed by signal %d (%s)", signal,
		       strsignal(signal));
	debug_info_open(&info, program);
	say_code(&words, &info, code);
	cape_death_say_place(&words, state);
	cape_death_say_memory(&words, death,
			      large_variable(&info, code, death, large, sizeof(large)));
	debug_info_close(&info);
}
