/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * death.h - where in its code a program dies of a signal, for the message to the user.
 */
#ifndef CAPE_DEATH_H
#define CAPE_DEATH_H

#include <signal.h>
#include "base/context.h"

/* Bytes of a thread's stack for handlers; a program's that has asked for none may use them. */
#define CAPE_DEATH_STACK (256ul << 10)

struct cape_death {
	/*
	 * Of threads: records in *DEATH who dies of what, and reports to the user if nobody else
	 * does. NULL: a node, whose monitor does.
	 */
	void (*report)(struct cape_runtime *runtime, int number, const siginfo_t *information,
		       struct cape_channel_death *death, uint64_t stack_pointer);
	struct cape_death_note *note;	/* for cape-run, where there is no monitor; or NULL */
	const struct cape_place *place; /* that is in the note */
	uint64_t load_bias;		/* of threads: where the program's own image was loaded */
	bool on;
	int32_t thread;	   /* the kernel's number of the first that died, once it has ... */
	uint32_t reported; /* ... and whether it has reported that */

	/* In a program that was started by itself: the C library's, or what was loaded before. */
	int (*next_sigaction)(int number, const struct sigaction *action, struct sigaction *old);
	__sighandler_t (*next_signal)(int number, __sighandler_t function);
	int (*next_sigaltstack)(const stack_t *stack, stack_t *old);
};

/* From now on; a handler of the program's own goes before. */
void cape_death_start(struct cape_runtime *runtime);

/* ACTION and STACK, as a program sees them: the run time's are none. */
void cape_death_hide(struct sigaction *action);
void cape_death_hide_stack(stack_t *stack);

/*
 * In a program that was started by itself, whose stand-ins from FIRST to before END were left to
 * the C library: code that asks for handlers does not see the run time's.
 */
void cape_death_stand_between(struct cape_runtime *runtime, struct cape_stand_in *first,
			      struct cape_stand_in *end);

#endif
