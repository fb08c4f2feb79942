// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * death.c - where in its code a program dies of a signal, for the line that tells the user.
 *
 * The handler notes the place and returns; the access is made again, or the signal sent, and ends
 * the program as if there had been none.
 */
#include "replica/death.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include "base/method.h"
#include "need/need.h"
#include "system/libc.h"

/* Of the program's own code, by the linker. */
extern const char __executable_start[], __etext[];

static bool is_code(uint64_t address)
{
	return address >= (uintptr_t)__executable_start && address < (uintptr_t)__etext;
}

static void on_death(int number, siginfo_t *information, void *context)
{
	const struct cape_runtime *runtime = cape_runtime;
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t code = (uint64_t)registers[REG_RIP];

	if (information->si_code <= 0) {
		syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
		return;
	}
	/* A child of fork(). */
	if (!runtime->channel)
		return;
	/* A function of a library that has nothing on the stack yet, such as memcpy(). */
	if (is_code(code))
		code++;
	else
		code = *(const uint64_t *)(uintptr_t)registers[REG_RSP];
	if (is_code(code))
		runtime->channel->state.died_behind = code;
}

void cape_death_start(struct cape_runtime *runtime)
{
	static const int number[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	struct sigaction action = {.sa_sigaction = on_death,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND},
			 old;

	/* Methods that capture pages capture those of a handler's frames, too. */
	if (!runtime->method->publishes)
		return;
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		if (cape_need_action(runtime, number[i], NULL, &old) == 0 &&
		    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
			cape_need_action(runtime, number[i], &action, NULL);
}

void cape_death_hide(struct sigaction *action)
{
	if ((action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_death)
		*action = (struct sigaction){.sa_handler = SIG_DFL};
}
