// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * death.c - where in its code a program dies of a signal, for the message to the user.
 *
 * The handler notes the place and returns; the access is made again, or the signal sent, and ends
 * the program as if there had been none.
 */
#include "replica/death.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include "base/method.h"
#include "channel/capture.h"
#include "need/need.h"
#include "system/libc.h"

int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

CAPE_PART(death, NULL);

/* Of the program's own code, by the linker. */
extern const char __executable_start[], _etext[];

static bool is_code(uint64_t address)
{
	return address >= (uintptr_t)__executable_start && address < (uintptr_t)_etext;
}

/* The word at ADDRESS, which may lie beyond a stack's end; or 0. */
static uint64_t read_word(uint64_t address)
{
	uint64_t word = 0;

	cape_copy_if_there(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

/* The code up to the instruction of the program's that a fault came of, or 0. */
static uint64_t code_after(const greg_t *registers)
{
	uint64_t code = (uint64_t)registers[REG_RIP];

	/* Else a function of a library that has nothing on the stack yet, such as memcpy(). */
	if (is_code(code))
		code++;
	else
		code = read_word((uint64_t)registers[REG_RSP]);
	return is_code(code) ? code : 0;
}

static void note(struct cape_runtime *runtime, int number, const siginfo_t *information,
		 const greg_t *registers)
{
	struct cape_death *death = runtime->death;
	struct cape_channel_death noted = {.after = 0};

	if (information->si_code > 0)
		noted.after = code_after(registers);
	if (death->report)
		death->report(runtime, number, information, &noted, (uint64_t)registers[REG_RSP]);
	/* Not in a child of fork(). */
	if (runtime->channel)
		runtime->channel->state.death = noted;
}

/* A fault comes again by itself, but for a report of memory that nobody has used. */
static bool comes_again(int number, const siginfo_t *information)
{
	return information->si_code > 0 &&
	       !(number == SIGBUS && information->si_code == BUS_MCEERR_AO);
}

static void on_death(int number, siginfo_t *information, void *context)
{
	static const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct cape_death *death = cape_runtime->death;
	int32_t own = (int32_t)syscall(SYS_gettid), first = 0;

	if (__atomic_compare_exchange_n(&death->thread, &first, own, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		note(cape_runtime, number, information,
		     ((const ucontext_t *)context)->uc_mcontext.gregs);
		__atomic_store_n(&death->reported, 1, __ATOMIC_RELEASE);
	}
	/* The death of this thread would be that of the other, which has not reported it yet. */
	while (first && first != own && !__atomic_load_n(&death->reported, __ATOMIC_ACQUIRE))
		syscall(SYS_sched_yield);
	__sigaction(number, &by_default, NULL);
	if (!comes_again(number, information))
		syscall(SYS_rt_tgsigqueueinfo, syscall(SYS_getpid), own, number, information);
}

/* The child of a fork() that a handler has made dies by itself. */
static void in_child(void)
{
	struct cape_death *death = cape_runtime->death;

	death->thread = 0;
	death->reported = 0;
	death->note = NULL;
}

static void handle(struct cape_runtime *runtime, int number)
{
	struct sigaction action = {.sa_sigaction = on_death, .sa_flags = SA_SIGINFO | SA_ONSTACK},
			 old;

	if (cape_need_action(runtime, number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
	    old.sa_handler == SIG_DFL)
		cape_need_action(runtime, number, &action, NULL);
}

void cape_death_start(struct cape_runtime *runtime)
{
	static const int number[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

	/* Methods that capture pages capture those of a handler's frames, too. */
	if (!runtime->by_itself && !runtime->method->publishes)
		return;
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		handle(runtime, number[i]);
	/* Of threads it is of interest which one; if nobody else reports it, abort() has said why.
	 */
	if (runtime->death->report && (runtime->channel || runtime->death->note))
		handle(runtime, SIGABRT);
	runtime->death->on = true;
	pthread_atfork(NULL, NULL, in_child);
}

void cape_death_hide(struct sigaction *action)
{
	if ((action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_death)
		*action = (struct sigaction){.sa_handler = SIG_DFL};
}

void cape_death_hide_stack(stack_t *stack)
{
	uint64_t start = (uint64_t)(uintptr_t)stack->ss_sp;

	if (start >= CAPE_PRIVATE_START && start < CAPE_PRIVATE_END)
		*stack = (stack_t){.ss_flags = SS_DISABLE};
}

/* -- between a program that was started by itself and the C library -------------------------- */

static int alone_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	int result = cape_runtime->death->next_sigaction(number, action, old);

	if (result == 0 && old)
		cape_death_hide(old);
	return result;
}

static __sighandler_t alone_signal(int number, __sighandler_t function)
{
	struct sigaction old = {.sa_flags = SA_SIGINFO};

	old.sa_sigaction = (void (*)(int, siginfo_t *, void *))(void (*)(
		void))cape_runtime->death->next_signal(number, function);
	cape_death_hide(&old);
	return old.sa_handler;
}

static int alone_sigaltstack(const stack_t *stack, stack_t *old)
{
	int result = cape_runtime->death->next_sigaltstack(stack, old);

	if (result == 0 && old)
		cape_death_hide_stack(old);
	return result;
}

void cape_death_stand_between(struct cape_runtime *runtime, struct cape_stand_in *first,
			      struct cape_stand_in *end)
{
	struct cape_death *death = runtime->death;
	const struct {
		const char *name;
		void *function, **next;
	} between[] = {
		{"sigaction", (void *)alone_sigaction, (void **)&death->next_sigaction},
		{"signal", (void *)alone_signal, (void **)&death->next_signal},
		{"sigaltstack", (void *)alone_sigaltstack, (void **)&death->next_sigaltstack},
	};

	for (struct cape_stand_in *at = first; at < end; at++)
		for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++)
			if (strcmp(at->name, between[i].name) == 0) {
				*between[i].next = at->function;
				at->function = between[i].function;
			}
}
