/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * channel.c - the hand-over between a program and its monitor: an eventfd there, which is needed
 * only when the monitor sleeps, a futex back.
 */
#include "channel/channel.h"

#include <errno.h>
#include <sched.h>
#include "channel/capture.h"
#include "channel/futex.h"
#include "system/libc.h"

/* If system calls stop for the monitor (channel/capture.h), these need not. */
static unsigned char select_calls(struct cape_channel *channel, unsigned char selector)
{
	struct cape_agent_slot *slot = cape_agent_slot(channel, 0);
	unsigned char before;

	if (!channel->agent.start)
		return 0;
	before = slot->selector;
	slot->selector = selector;
	return before;
}

void cape_channel_request(struct cape_channel *channel, enum cape_channel_request request)
{
	unsigned char selector = select_calls(channel, 0);
	int saved_errno = errno;
	uint64_t one = 1;
	uint32_t seen;

	channel->expected++;
	channel->processor = (uint32_t)sched_getcpu();
	/* Either the monitor sees the request before it sleeps, or this sees that it sleeps. */
	__atomic_store_n(&channel->request, request, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&channel->sleeping, __ATOMIC_SEQ_CST) &&
	       syscall(SYS_write, CAPE_BELL_FD, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	while ((seen = __atomic_load_n(&channel->reply, __ATOMIC_ACQUIRE)) != channel->expected)
		cape_futex_wait(&channel->reply, seen, NULL);
	errno = saved_errno;
	select_calls(channel, selector);
}

enum cape_channel_request cape_channel_take(struct cape_channel *channel, bool sleeping)
{
	__atomic_store_n(&channel->sleeping, sleeping, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&channel->request, __ATOMIC_SEQ_CST) == CAPE_REQUEST_NONE)
		return CAPE_REQUEST_NONE;
	channel->sleeping = 0;
	return __atomic_exchange_n(&channel->request, CAPE_REQUEST_NONE, __ATOMIC_SEQ_CST);
}

void cape_channel_reply(struct cape_channel *channel)
{
	__atomic_store_n(&channel->reply, channel->expected, __ATOMIC_RELEASE);
	cape_futex_wake_all(&channel->reply);
}

void cape_channel_call(struct cape_channel *channel, uint32_t tag)
{
	__atomic_store_n(&channel->called[tag], 1, __ATOMIC_RELEASE);
	cape_futex_wake_all(&channel->called[tag]);
}

bool cape_channel_await(struct cape_channel *channel, uint32_t tag, uint64_t microseconds)
{
	struct timespec longest = {(time_t)(microseconds / 1000000),
				   (long)(microseconds % 1000000) * 1000};
	uint32_t *called = &channel->called[tag];

	if (!microseconds)
		while (!__atomic_load_n(called, __ATOMIC_ACQUIRE))
			cape_futex_wait(called, 0, NULL);
	else if (!__atomic_load_n(called, __ATOMIC_ACQUIRE))
		cape_futex_wait(called, 0, &longest);
	return __atomic_exchange_n(called, 0, __ATOMIC_ACQUIRE);
}
