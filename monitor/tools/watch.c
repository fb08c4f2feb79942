/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.c - the notify mode of the driver, made visible.
 */
#include "watch.h"

#include <signal.h>
#include <sys/ioctl.h>
#include "print.h"

struct watching {
	struct attached attached;
	const struct attached_streams *streams;
	bool json;
};

/* The page is captured, so that the process can write it and go on. */
static void page_written(void *context, uint64_t address)
{
	struct watching *watching = context;
	struct cape_capture capture = {.address = address};

	if (ioctl(watching->attached.descriptor, CAPE_CAPTURE_PAGE, &capture) == 0 &&
	    capture.twin_state != CAPE_TWIN_NONE)
		print_written(watching->streams->out, watching->json, address);
}

int watch(const struct attached_order *order, const struct attached_streams *streams)
{
	struct watching watching = {.streams = streams, .json = order->json};
	struct attached_streams quiet = *streams;
	sigset_t signals;
	int signal, status;

	attached_block_signals(&signals);
	status = attached_open(&watching.attached, order->pid, streams);
	if (status)
		return status;
	watching.attached.tracee.written = page_written;
	watching.attached.tracee.context = &watching;
	quiet.out = streams->error;
	status = attached_carry_out(&watching.attached, order, &quiet);
	while (!status && !watching.attached.tracee.ended) {
		if (sigwait(&signals, &signal) != 0 || signal != SIGCHLD)
			break;
		tracee_attend(&watching.attached.tracee);
	}
	attached_close(&watching.attached);
	return status;
}
