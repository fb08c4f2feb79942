/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.c - see bytes.h.
 */
#include "bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "tools/place.h"
#include "uapi/cape_bytes.h"

static bool is_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !errno && *end == '\0';
}

static const char *parse_at(struct attached_order *order, const char *text)
{
	const char *plus = strrchr(text, '+');
	char *place;
	bool found;

	if (!plus || plus == text || !is_number(plus + 1, &order->watched) || !order->watched)
		return "must be ADDRESS+LENGTH, and the length from 1 on";
	place = strndup(text, (size_t)(plus - text));
	if (!place)
		return strerror(ENOMEM);
	found = is_number(place, &order->address) ||
		place_find(order->pid, place, &order->address, NULL) == 0;
	free(place);
	return found ? NULL : "neither an address nor a symbol that can be found in the process";
}

const char *bytes_parse(struct attached_order *order, const char *text, bool at)
{
	const char *complaint = NULL;
	int error = 0;

	if (at)
		complaint = parse_at(order, text);
	else
		error = place_find(order->pid, text, &order->address, &order->watched);
	if (error)
		return error == ENOENT ? "no variable of that name can be found in the process"
				       : strerror(error);
	if (!complaint && order->watched == 0)
		return "its size is not known; use --at ADDRESS+LENGTH";
	if (!complaint && order->watched > CAPE_WATCH_MOST)
		return at ? "more than 32 bytes cannot be watched"
			  : "it is larger than the 32 bytes that can be watched; use --at "
			    "NAME+OFFSET+LENGTH for a part of it";
	return complaint;
}

static int complain(const struct attached *attached, const struct attached_order *order, int error,
		    const struct attached_streams *streams)
{
	const char *what = NULL;

	switch (error) {
	case ENOTTY:
		what = "the driver is too old for it";
		break;
	case E2BIG:
		what = "so badly aligned, they take more than the four breakpoints that there are";
		break;
	case ENOSPC:
		what = "a debugger or perf has taken too many of the four breakpoints";
		break;
	case EFAULT:
		what = "nothing is mapped there, or not everywhere";
		break;
	default:
		return attached_complain(attached, "record", error, streams);
	}
	return attached_fail(streams, "record: process %d, %" PRIu64 " bytes at 0x%" PRIx64 ": %s",
			     order->pid, order->watched, order->address, what);
}

int bytes_watch(struct attached *attached, const struct attached_order *order,
		const struct attached_streams *streams)
{
	struct cape_watch_bytes request = {.address = order->address, .length = order->watched};
	int error;

	if (ioctl(attached->descriptor, CAPE_WATCH_BYTES, &request) < 0)
		return complain(attached, order, errno, streams);
	error = instants_add(&attached->instants, 1, &attached->tracee);
	if (error) {
		bytes_end(attached);
		return attached_complain(attached, "record: its mappings", error, streams);
	}
	fprintf(streams->out,
		order->json ? "{\"pid\": %d, \"bytes\": %" PRIu64 ", \"address\": %" PRIu64
			      ", \"breakpoints\": %u, \"threads\": %u}\n"
			    : "process %d: %" PRIu64 " bytes at 0x%" PRIx64
			      " are watched (breakpoints: %u, threads: %u)\n",
		order->pid, order->watched, order->address, request.breakpoints,
		request.thread_count);
	return 0;
}

void bytes_end(const struct attached *attached)
{
	struct cape_watch_bytes none = {0};

	ioctl(attached->descriptor, CAPE_WATCH_BYTES, &none);
}
