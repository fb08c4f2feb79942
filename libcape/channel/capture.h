/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * capture.h - what a program and its monitor share when the monitor captures pages: which memory
 * to lock, what was captured, and the system calls that a monitor has the program make.
 *
 * For the methods that have an agent (memory/agent.h).  The monitor stores, libcape compares.
 */
#ifndef CAPE_CAPTURE_H
#define CAPE_CAPTURE_H

#include <stdbool.h>
#include "channel/channel.h"
#include "channel/range.h"

/* Offsets in the channel. */
#define CAPE_CHANNEL_AGENT     (1ull << 28) /* struct cape_agent_slot[] */
#define CAPE_CHANNEL_REGISTERS (CAPE_CHANNEL_AGENT + (1ull << 27))
#define CAPE_CHANNEL_RANGES    (1ull << 29) /* struct cape_range[]: pages to lock */
#define CAPE_CHANNEL_CAPTURED  (2ull << 40) /* struct cape_captured[] */
#define CAPE_CHANNEL_TWINS     (CAPE_CHANNEL_CAPTURED + (1ull << 36))
#define CAPE_CHANNEL_IMAGE     (CAPE_CHANNEL_CAPTURED + (1ull << 39)) /* complete: memory at save */

#define CAPE_RANGES_LIMIT    ((CAPE_CHANNEL_OUT - CAPE_CHANNEL_RANGES) / 16)
#define CAPE_CAPTURED_LIMIT  ((1ull << 36) / 32)
#define CAPE_TWINS_LIMIT     ((1ull << 38))
#define CAPE_REGISTERS_LIMIT (1ull << 20)

/* The run time's own memory (base/private.h), which no checkpoint holds. */
#define CAPE_PRIVATE_START 0x320000000000ull
#define CAPE_PRIVATE_END   (CAPE_PRIVATE_START + (32ull << 40))

/*
 * Memory that was captured: whole pages, in the order of addresses.  TWIN: where in the channel
 * their contents are as they were when memory was locked; 0: zeros.  IMAGE: where their contents
 * are as they were at the save; 0: memory itself still holds them.
 */
struct cape_captured {
	uint64_t address;
	uint64_t length;
	uint64_t twin;
	uint64_t image;
};

/* A system call for the agent.  NUMBER -1: the end of the list. */
struct cape_agent_call {
	int64_t number;
	uint64_t argument[6];
	int64_t result;
};

/* What the agent puts back at its end, in the order in which it does. */
struct cape_agent_frame {
	uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, r12;
	uint64_t rip, cs, rflags, rsp, ss;
};

#define CAPE_AGENT_SLOTS 256 /* threads of a program that can be traced at once */
#define CAPE_AGENT_CALLS 56

/* One thread's. */
struct cape_agent_slot {
	unsigned char selector; /* 1: system calls of this thread stop for the monitor */
	unsigned char zero[7];
	struct cape_agent_frame frame;
	unsigned char scratch[320]; /* for results of system calls */
	struct cape_agent_call call[CAPE_AGENT_CALLS + 1];
};

_Static_assert(sizeof(struct cape_agent_slot) == 4096, "a slot is a page");

static inline struct cape_agent_slot *cape_agent_slot(struct cape_channel *channel, unsigned which)
{
	return (struct cape_agent_slot *)((char *)channel + CAPE_CHANNEL_AGENT) + which;
}

static inline struct cape_range *cape_channel_ranges(struct cape_channel *channel)
{
	return (struct cape_range *)((char *)channel + CAPE_CHANNEL_RANGES);
}

static inline struct cape_captured *cape_channel_captured(struct cape_channel *channel)
{
	return (struct cape_captured *)((char *)channel + CAPE_CHANNEL_CAPTURED);
}

/* Which of the COUNT entries is the first that ends after ADDRESS; COUNT: none is. */
static inline uint64_t cape_captured_find(const struct cape_captured *list, uint64_t count,
					  uint64_t address)
{
	uint64_t low = 0, high = count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (list[middle].address + list[middle].length <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
