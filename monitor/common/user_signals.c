// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_signals.c - which of them this process was started to heed.
 */
#include "user_signals.h"

#include <stddef.h>

void user_signals_add(sigset_t *set)
{
	static const int list[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (sigaction(list[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(set, list[i]);
}
