/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - how cape-run hands the program's environment to the monitors through mpirun.
 */
#ifndef CAPE_COMMON_COMMAND_H
#define CAPE_COMMON_COMMAND_H

/*
 * Before the name of a variable that is the run's folder for mpirun: what it is for the program, if
 * it is to have it.
 */
#define CAPE_KEPT_VARIABLE "CAPE_KEPT_"

#endif
