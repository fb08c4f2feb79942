/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death.c - the sentence about a program that died of a signal: who, where, and what of a stack
 * that is full.
 */
#include "death.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "debug_info.h"

/* A variable below this part of a full stack is not the one to blame. */
#define SMALL_PART 8

struct sentence {
	char *text;
	size_t size, length;
};

static void say(struct sentence *sentence, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct sentence *sentence, const char *format, ...)
{
	size_t room = sentence->size - sentence->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(sentence->text + sentence->length, room, format, arguments);
	va_end(arguments);
	if (length > 0)
		sentence->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* ", in f() at prog.c:12", as far as debug information tells. */
static void say_code(struct sentence *sentence, const struct debug_info *info, uint64_t code)
{
	char function[128] = "", line[256] = "";

	if (code && debug_function(info, code, function, sizeof(function)) &&
	    debug_line(info, code, line, sizeof(line)))
		say(sentence, "%s%s%s at %s", function[0] ? ", in " : ",", function,
		    function[0] ? "()" : "", line);
}

static void say_place(struct sentence *sentence, const struct cape_channel_state *state)
{
	if (!state->line)
		say(sentence, ", before its first construct");
	else
		say(sentence, ", %s the construct at %.230s:%d",
		    state->in_region ? "in a parallel region, at or after"
				     : "in sequential code, after",
		    state->file, state->line);
}

static void say_stack(struct sentence *sentence, const struct debug_info *info, uint64_t code,
		      const struct cape_channel_death *death)
{
	unsigned long long kilobytes = cape_stack_enough(death) >> 10;
	struct debug_variable variable;
	uint64_t size;

	say(sentence, "; its stack of %llu kB is full, ",
	    (unsigned long long)death->stack_size >> 10);
	if (code && debug_large_variable(info, code, &variable, &size) &&
	    size > death->stack_size / SMALL_PART)
		say(sentence, "of which %s (line %d) takes %llu kB: ", variable.name, variable.line,
		    (unsigned long long)size >> 10);
	else
		say(sentence, "by a recursion or by large private variables: ");
	if (death->full == CAPE_STACK_SETTING)
		say(sentence,
		    "OMP_STACKSIZE=%lluM makes it larger, and ulimit -s %llu that of the first "
		    "thread",
		    kilobytes >> 10, kilobytes);
	else
		say(sentence, "ulimit -s %llu makes it larger", kilobytes);
}

void death_tell(const char *program, uint64_t bias, const struct cape_channel_state *state,
		int signal, const char *who, char *text, size_t size)
{
	struct sentence sentence = {text, size, 0};
	const struct cape_channel_death *death = &state->death;
	uint64_t code = death->behind ? death->behind - bias : 0;
	struct debug_info info;

	if (who)
		say(&sentence, "%s: ", who);
	else if (death->threads && state->in_region)
		say(&sentence, "thread %u of %u: ", death->thread, death->threads);
	say(&sentence, "the program was killed by signal %d (%s)", signal, strsignal(signal));
	debug_info_open(&info, program);
	say_code(&sentence, &info, code);
	say_place(&sentence, state);
	if (death->has_reached)
		say(&sentence, "; it used address %#llx", (unsigned long long)death->reached);
	if (death->full)
		say_stack(&sentence, &info, code, death);
	debug_info_close(&info);
}
