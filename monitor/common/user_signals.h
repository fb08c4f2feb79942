/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_signals.h - the signals by which a user ends a command.
 */
#ifndef CAPE_COMMON_USER_SIGNALS_H
#define CAPE_COMMON_USER_SIGNALS_H

#include <signal.h>

/*
 * Adds SIGINT, SIGTERM, SIGHUP and SIGQUIT to SET, but those that are ignored: so nohup and shells,
 * for what they start in the background, protect a command, and blocked they would come all the
 * same.
 */
void user_signals_add(sigset_t *set);

#endif
