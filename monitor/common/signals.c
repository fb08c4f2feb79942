// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals.c - which signals are ignored and blocked: taken, given, and those of no concern.
 */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

#define LAST 64

static uint64_t bit_of(int number)
{
	return 1ull << (number - 1);
}

void signals_take(struct signals *signals)
{
	struct sigaction action;
	sigset_t blocked;

	*signals = (struct signals){0};
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	/* The C library has none for those it keeps to itself. */
	for (int number = 1; number <= LAST; number++) {
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			signals->ignored |= bit_of(number);
		if (sigismember(&blocked, number) == 1)
			signals->blocked |= bit_of(number);
	}
}

void signals_give(const struct signals *signals)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (int number = 1; number <= LAST; number++) {
		signal(number, signals->ignored & bit_of(number) ? SIG_IGN : SIG_DFL);
		if (signals->blocked & bit_of(number))
			sigaddset(&blocked, number);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

void signals_ignore_talk(void)
{
	static const int talk[] = {SIGUSR1, SIGUSR2,   SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
				   SIGPWR,  SIGSTKFLT, SIGTSTP, SIGTTIN,   SIGTTOU};

	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		signal(talk[i], SIG_IGN);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, SIG_IGN);
}
