/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - how many machines there are, with how many slots each.
 */
#ifndef CAPE_RUN_SLOTS_H
#define CAPE_RUN_SLOTS_H

struct slots {
	int machines;
	int all;
	int each; /* of each machine; 0: not all have as many */
};

/*
 * The host file PATH, as mpirun reads it; WITHOUT: the slots that a line stands for which says
 * none, or 0: nobody knows.  Lines of one machine add up.  0, -errno, or -ENODATA: it names no
 * machine, or it is not known how many slots one has.
 */
int slots_of_file(struct slots *slots, const char *path, int without);

/* The same of a list of machines, "a:2,b". */
int slots_of_list(struct slots *slots, const char *list);

#endif
