/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - where the run keeps its files on this machine, and for how long.
 */
#ifndef CAPE_RUN_PLACE_H
#define CAPE_RUN_PLACE_H

#include "options.h"

struct place {
	char **environment; /* as it was before */
	char *folder;
	bool cramped; /* there is little room for it */
	bool here;    /* all nodes are on this machine */
	int lock;     /* of the folder, inherited by the launcher */
	int aside;    /* a file there, for what mpirun says itself; -1: the user is to see it */
};

/*
 * Makes the folder and starts its keeper.  0 or -1: a message says why.
 */
int place_make(struct place *place, const struct run_options *options);

/*
 * The run is over: lets the folder go, and waits, not for long, until it is removed.  The
 * environment is as it was.
 */
void place_leave(struct place *place);

/*
 * Makes the folder of --save-checkpoints, *PATH, unless it is there, and holds no checkpoints yet;
 * *PATH becomes its absolute path, to be freed.  False: a message says why not.
 */
bool place_prepare_checkpoints(const char **path);

#endif
