// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loop.c - polling, yielding, sleeping: the longer nothing comes, the more rarely it looks.
 *
 * Over MPI, no descriptor shows that messages of other nodes are there.
 */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"

/* Between looks, in milliseconds: it is to take next to nothing from a program that computes. */
#define SHORTEST_LOOK 1
#define LONGEST_LOOK  25

#define POLL_PASSES  2000  /* of a wait: about a millisecond of polling and yielding */
#define LOOK_EVERY   64	   /* passes between looks */
#define SERVE_EVERY  8	   /* passes between questions for events */
#define SHORTEST_NAP 50000 /* nanoseconds */
#define LONGEST_NAP  5000000

/* A yield that took so long ran others meanwhile, and a wait is then to sleep, for a while. */
#define CROWDED_NS     300000
#define CROWDED_FOR_NS 20000000
#define SPIN_PASSES    64    /* of polling, before it does */
#define CROWDED_NAP    10000 /* the first: the long yield may have been to the program's own */

/* Who asks for shorter turns than others gets them sooner. */
#define SLICE_NS       100000
#define TIMER_SLACK_NS 1000

#define EVENTS 8 /* taken at a time */

int loop_start(struct loop *loop)
{
	*loop = (struct loop){.interval = SHORTEST_LOOK};
	loop->events = epoll_create1(EPOLL_CLOEXEC);
	return loop->events < 0 ? -errno : 0;
}

/* The kernel's struct sched_attr, as far as Linux 3.14 has it. */
struct scheduling {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void loop_wake_quickly(void)
{
	struct scheduling own = {.size = sizeof(own)};

	/* Naps are to be as short as they are meant. */
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	if (syscall(SYS_sched_getattr, 0, &own, sizeof(own), 0) < 0 || own.policy != SCHED_OTHER)
		return;
	own.runtime = SLICE_NS;
	/* Before Linux 6.12 it changes nothing. */
	syscall(SYS_sched_setattr, 0, &own, 0);
}

void loop_stop(struct loop *loop)
{
	close(loop->events);
}

void loop_add(struct loop *loop, struct watcher *watcher)
{
	struct watcher **at = &loop->first;

	while (*at)
		at = &(*at)->next;
	watcher->next = NULL;
	*at = watcher;
}

int loop_watch(struct loop *loop, struct watcher *watcher, int descriptor, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = watcher};

	if (!events)
		return epoll_ctl(loop->events, EPOLL_CTL_DEL, descriptor, &event) < 0 ? -errno : 0;
	if (epoll_ctl(loop->events, EPOLL_CTL_MOD, descriptor, &event) == 0)
		return 0;
	if (errno != ENOENT || epoll_ctl(loop->events, EPOLL_CTL_ADD, descriptor, &event) < 0)
		return -errno;
	return 0;
}

bool loop_look(struct loop *loop)
{
	bool moved = false;

	if (loop->calling)
		return false;
	loop->calling = true;
	for (struct watcher *watcher = loop->first; watcher; watcher = watcher->next)
		moved |= watcher->look(watcher->context);
	loop->calling = false;
	loop->looked = clock_now();
	if (moved)
		loop->interval = SHORTEST_LOOK;
	return moved;
}

/* Calls those whose descriptors are ready; how many events came.  *ALL: everybody is to look. */
static int take_events(struct loop *loop, int milliseconds, bool *all)
{
	struct epoll_event event[EVENTS];
	int count;

	if (loop->calling)
		return 0;
	count = epoll_wait(loop->events, event, EVENTS, milliseconds);
	loop->calling = true;
	for (int i = 0; i < count; i++) {
		const struct watcher *watcher = event[i].data.ptr;

		if (watcher->ready)
			watcher->ready(watcher->context);
		else
			*all = true;
	}
	loop->calling = false;
	return count;
}

void loop_turn(struct loop *loop, bool idle)
{
	bool all = false;
	int count = take_events(loop, idle ? loop->interval : 0, &all);

	if (count > 0 || !idle)
		loop->interval = SHORTEST_LOOK;
	else if (loop->interval < LONGEST_LOOK)
		loop->interval =
			2 * loop->interval < LONGEST_LOOK ? 2 * loop->interval : LONGEST_LOOK;
	if (all || (idle && count == 0))
		loop_look(loop);
	else
		loop_pass(loop);
}

void loop_pass(struct loop *loop)
{
	if (clock_now() - loop->looked > LONGEST_LOOK * 1000000ull)
		loop_look(loop);
}

void loop_yield(struct loop *loop)
{
	uint64_t before = clock_now(), after;

	if (before < loop->crowded)
		return;
	sched_yield();
	after = clock_now();
	if (after - before > CROWDED_NS)
		loop->crowded = after + CROWDED_FOR_NS;
}

/* Sleeps until an event comes, for a while at most. */
static void nap(struct loop *loop, long shortest, unsigned passes, bool *all)
{
	struct timespec time = {.tv_nsec = shortest};
	/* In the middle of a call nobody takes what has come: it would be there each time. */
	struct pollfd events = {.fd = loop->calling ? -1 : loop->events, .events = POLLIN};

	for (unsigned i = 0; i < passes && time.tv_nsec < LONGEST_NAP; i += 20)
		time.tv_nsec += time.tv_nsec / 4;
	if (time.tv_nsec > LONGEST_NAP)
		time.tv_nsec = LONGEST_NAP;
	if (ppoll(&events, 1, &time, NULL) > 0)
		take_events(loop, 0, all);
	loop_pass(loop);
}

int loop_pause(struct loop *loop, struct patience *patience)
{
	const unsigned polling = loop->woken ? SPIN_PASSES : POLL_PASSES;
	bool all = false;

	patience->passes++;
	/* Who sleeps gets a processor at once when it wakes; who yields waits for its turn. */
	if (patience->passes >= polling)
		nap(loop, SHORTEST_NAP, patience->passes - polling, &all);
	else if (patience->passes > SPIN_PASSES && clock_now() < loop->crowded)
		nap(loop, CROWDED_NAP, patience->passes - SPIN_PASSES, &all);
	else if (patience->passes % SERVE_EVERY == 0)
		take_events(loop, 0, &all);
	loop_yield(loop);
	if (all || patience->passes % LOOK_EVERY == 0 || patience->passes > 2 * POLL_PASSES)
		loop_look(loop);
	return loop->cancelled ? -ECANCELED : 0;
}
