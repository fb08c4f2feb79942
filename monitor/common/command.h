/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - how cape-run hands the program's command to the monitors through mpirun.
 */
#ifndef CAPE_COMMON_COMMAND_H
#define CAPE_COMMON_COMMAND_H

/*
 * Stands before each word of the program's command, so that mpirun reads nothing into it: a lone
 * ":" would begin another program for it to start.
 */
#define CAPE_WORD_VEIL '='

#endif
