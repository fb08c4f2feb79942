/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - what a monitor does whenever it waits: it calls those that watch something.
 *
 * A part of the monitor adds a watcher, and says which descriptors it is to be called for.  What is
 * called does what can be done at once and returns; it never waits, so that the loop, which calls
 * nobody while it calls somebody, has no part entered in the middle of itself.  Waits are for those
 * who carry out a request, and for the start and the end.
 */
#ifndef CAPE_MONITOR_LOOP_H
#define CAPE_MONITOR_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct watcher {
	/* Called now and then.  Whether something moved. */
	bool (*look)(void *context);
	/* Called when one of its descriptors is ready.  NULL: then everybody looks. */
	void (*ready)(void *context);
	void *context;
	struct watcher *next; /* the loop's */
};

struct loop {
	int events; /* epoll */
	struct watcher *first;
	bool calling;	/* a watcher */
	bool cancelled; /* waits are over: the run has failed */
	bool woken;   /* all that is waited for comes as an event: a wait need not poll for long */
	int interval; /* milliseconds until it looks next */
	uint64_t looked;  /* nanoseconds: when it did last */
	uint64_t crowded; /* until when others are taken to need the processors */
};

/* How long a wait has lasted without progress; all zero when it begins. */
struct patience {
	unsigned passes;
};

/* 0 or -errno. */
int loop_start(struct loop *loop);
void loop_stop(struct loop *loop);

/*
 * From now on the process, which mostly sleeps, gets a processor soon where others compute; not
 * those that it has started.
 */
void loop_wake_quickly(void);

/* WATCHER is called from now on, after those that were added before. */
void loop_add(struct loop *loop, struct watcher *watcher);

/*
 * WATCHER, which need not be added, is called when EVENTS (EPOLLIN, ...) come to DESCRIPTOR; 0: not
 * any more.  0 or -errno.
 */
int loop_watch(struct loop *loop, struct watcher *watcher, int descriptor, uint32_t events);

/* Calls what descriptors ask for, and, now and then, all.  IDLE: sleeps if there is nothing. */
void loop_turn(struct loop *loop, bool idle);

/* The same for one who has no time even to ask: calls all if nobody has for long. */
void loop_pass(struct loop *loop);

/* Has everybody look.  Whether something moved. */
bool loop_look(struct loop *loop);

/* Lets others run that are ready to; nothing where they would run for long. */
void loop_yield(struct loop *loop);

/*
 * For a wait in which nothing moved: a turn, and a little sleep, the longer, the longer nothing has
 * moved, so that the processor is there for programs.  0, or -ECANCELED when the run has failed.
 */
int loop_pause(struct loop *loop, struct patience *patience);

#endif
