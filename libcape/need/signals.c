// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * signals.c - SIGSEGV is the run time's, and a program that handles it, blocks it, or has a stack
 * for handlers is led to believe that all is as it asked.
 *
 * The signal is never blocked, be it by the mask of another signal's handler; for in sequential
 * code memory that only one node has may be reached anywhere.  What is not the run time's matter
 * goes on to the program's handler.  Handlers run on a stack of the run time's, lest what is below
 * the program's stack, or on a stack that it made in shared memory, were each node's own.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "base/method.h"
#include "need/parts.h"
#include "profile/profile.h"
#include "system/libc.h"

#define STACK_SIZE   (1ul << 18)
#define FAULT	     (1ul << (SIGSEGV - 1)) /* in a mask, as the kernel has it */
#define FAULT_WRITES 2			    /* a bit of the processor's error code */
#define SIGNALS	     64
#define STACK_LEAST  2048u /* bytes; the kernel's MINSIGSTKSZ */

int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

static bool is_taken(const struct cape_runtime *runtime)
{
	return cape_need_is_on(runtime) && cape_is_member(runtime);
}

static long set_mask(int how, const uint64_t *set, uint64_t *old)
{
	return syscall(SYS_rt_sigprocmask, how, set, old, sizeof(*old));
}

/* The first word of a set is all that the kernel knows. */
static uint64_t *word_of(sigset_t *set)
{
	return (uint64_t *)(void *)set;
}

static bool has_fault(const sigset_t *set)
{
	return *(const uint64_t *)(const void *)set & FAULT;
}

/* -- masks ---------------------------------------------------------------------------------- */

uint64_t cape_need_mask(struct cape_runtime *runtime, int how, uint64_t set)
{
	if (!is_taken(runtime))
		return set;
	if (cape_is_initial_thread(runtime) && (how == SIG_SETMASK || (set & FAULT)))
		runtime->need->signals.blocked = (set & FAULT) && how != SIG_UNBLOCK;
	return how == SIG_UNBLOCK ? set : set & ~FAULT;
}

uint64_t cape_need_believed_mask(const struct cape_runtime *runtime, uint64_t mask)
{
	return is_taken(runtime) && cape_is_initial_thread(runtime) &&
			       runtime->need->signals.blocked
		       ? mask | FAULT
		       : mask;
}

sigset_t cape_need_open_set(const struct cape_runtime *runtime, const sigset_t *set)
{
	sigset_t open = *set;

	if (is_taken(runtime))
		*word_of(&open) &= ~FAULT;
	return open;
}

/* -- handlers ------------------------------------------------------------------------------- */

static int take_action(struct cape_need_signals *signals, const struct sigaction *action,
		       struct sigaction *old)
{
	struct sigaction before = signals->next;

	if (action)
		signals->next = *action;
	if (old)
		*old = before;
	return 0;
}

int cape_need_action(struct cape_runtime *runtime, int number, const struct sigaction *action,
		     struct sigaction *old)
{
	struct cape_need_signals *signals = &runtime->need->signals;
	uint64_t bit = number > 0 && number <= SIGNALS ? 1ul << (number - 1) : 0;
	bool masked = signals->masked & bit;
	struct sigaction open;
	int result;

	if (!cape_need_is_on(runtime))
		return __sigaction(number, action, old);
	if (number == SIGSEGV)
		return take_action(signals, action, old);
	if (action)
		open = *action;
	if (action)
		*word_of(&open.sa_mask) &= ~FAULT;
	result = __sigaction(number, action ? &open : NULL, old);
	if (result < 0)
		return result;
	if (old && masked)
		*word_of(&old->sa_mask) |= FAULT;
	if (action)
		signals->masked =
			(signals->masked & ~bit) | (has_fault(&action->sa_mask) ? bit : 0);
	return 0;
}

/* As if the run time had no handler. */
static void hand_on(struct cape_need_signals *signals, int number, siginfo_t *information,
		    void *context)
{
	struct sigaction by_default = {.sa_handler = SIG_DFL}, next = signals->next;
	uint64_t mask = *word_of(&((ucontext_t *)context)->uc_sigmask);
	bool fault = information->si_code > 0;

	mask |= *word_of(&next.sa_mask) & ~FAULT;
	if (next.sa_flags & SA_RESETHAND)
		signals->next = by_default;
	if (fault && signals->blocked)
		next = by_default;
	set_mask(SIG_SETMASK, &mask, NULL);
	if (next.sa_flags & SA_SIGINFO) {
		next.sa_sigaction(number, information, context);
	} else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
		next.sa_handler(number);
	} else if (next.sa_handler == SIG_DFL || fault) {
		/* The access is made again; what somebody sent is sent again. */
		__sigaction(number, &by_default, NULL);
		if (!fault)
			syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
	}
}

static void on_fault(int number, siginfo_t *information, void *context)
{
	struct cape_runtime *runtime = cape_runtime;
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_FETCH);
	bool writes = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES;
	int saved = errno;
	bool done = information->si_code > 0 &&
		    runtime->need->signals.handle(
			    runtime, (uint64_t)(uintptr_t)information->si_addr, writes);

	cape_profile_phase(runtime, phase);
	if (!done)
		hand_on(&runtime->need->signals, number, information, context);
	errno = saved;
}

/* -- stacks --------------------------------------------------------------------------------- */

static bool is_stack(const stack_t *stack)
{
	return stack->ss_sp && !(stack->ss_flags & SS_DISABLE);
}

/* Gives handlers SIZE bytes of the run time's, or as much as they have. */
static void use_stack(struct cape_runtime *runtime, size_t size)
{
	stack_t *own = &runtime->need->signals.own_stack;

	if (own->ss_size < size)
		*own = (stack_t){.ss_sp = cape_must_reserve(runtime, size), .ss_size = size};
	syscall(SYS_sigaltstack, own, NULL);
}

int cape_need_stack(struct cape_runtime *runtime, const stack_t *stack, stack_t *old)
{
	stack_t before = runtime->need->signals.stack, disabled = {.ss_flags = SS_DISABLE};

	/* Methods that capture pages capture those of a handler's frames, too. */
	if (!runtime->channel || runtime->nodes == 1 || !runtime->method->publishes ||
	    !cape_is_initial_thread(runtime))
		return (int)syscall(SYS_sigaltstack, stack, old);
	if (stack && (stack->ss_flags & ~(SS_DISABLE | SS_ONSTACK))) {
		errno = EINVAL;
		return -1;
	}
	if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < STACK_LEAST) {
		errno = ENOMEM;
		return -1;
	}
	if (stack)
		runtime->need->signals.stack = *stack;
	if (stack && is_stack(stack))
		use_stack(runtime, stack->ss_size > STACK_SIZE ? stack->ss_size : STACK_SIZE);
	else if (stack && !cape_need_is_on(runtime))
		syscall(SYS_sigaltstack, &disabled, NULL);
	if (old)
		*old = before.ss_sp ? before : disabled;
	return 0;
}

/* -- begin and end -------------------------------------------------------------------------- */

/* Takes SIGSEGV out of the masks of all handlers that there are. */
static void open_handlers(struct cape_runtime *runtime)
{
	for (int number = 1; number <= SIGNALS; number++) {
		struct sigaction action;

		if (number != SIGSEGV && __sigaction(number, NULL, &action) == 0 &&
		    has_fault(&action.sa_mask))
			cape_need_action(runtime, number, &action, NULL);
	}
}

/* While a page comes no handler of the program's may need another. */
void cape_need_catch_faults(struct cape_runtime *runtime, cape_need_handler handle)
{
	struct cape_need_signals *signals = &runtime->need->signals;
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
	uint64_t fault = FAULT, mask = 0;

	signals->handle = handle;
	*word_of(&action.sa_mask) = ~FAULT;
	use_stack(runtime, STACK_SIZE);
	__sigaction(SIGSEGV, &action, &signals->next);
	open_handlers(runtime);
	set_mask(SIG_UNBLOCK, &fault, &mask);
	signals->blocked = mask & FAULT;
}

void cape_need_release_faults(struct cape_runtime *runtime)
{
	struct cape_need_signals *signals = &runtime->need->signals;
	stack_t disabled = {.ss_flags = SS_DISABLE};
	uint64_t fault = FAULT;

	if (!is_stack(&signals->stack))
		syscall(SYS_sigaltstack, &disabled, NULL);
	__sigaction(SIGSEGV, &signals->next, NULL);
	for (int number = 1; number <= SIGNALS; number++) {
		struct sigaction action;

		if (!(signals->masked >> (number - 1) & 1) ||
		    __sigaction(number, NULL, &action) < 0)
			continue;
		*word_of(&action.sa_mask) |= FAULT;
		__sigaction(number, &action, NULL);
	}
	if (signals->blocked)
		set_mask(SIG_BLOCK, &fault, NULL);
}
