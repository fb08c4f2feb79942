/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.c - the notify mode of the driver, made visible.
 */
#include "watch.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include "naming.h"
#include "print.h"

struct watching {
	struct attached attached;
	const struct attached_streams *streams;
	bool json;
	struct naming
		naming; /* of what was mapped at the lock; without files, there are no names */
};

#define NAME 512

/* The start of a name, or the address as a number; the names of mappings may be anything. */
static void put_name(const struct watching *watching, char name[NAME], uint64_t address,
		     void (*put)(const struct naming *naming, uint64_t address, FILE *out))
{
	FILE *out = fmemopen(name, NAME, "w");

	name[0] = '\0';
	if (!out)
		return;
	if (watching->naming.files)
		put(&watching->naming, address, out);
	else
		fprintf(out, "0x%" PRIx64, address);
	fclose(out);
	name[NAME - 1] = '\0';
	naming_clean(name, strlen(name));
}

static void print_write(const struct watching *watching, pid_t thread, uint64_t address)
{
	char code[NAME], place[NAME];
	struct user_regs_struct registers;
	struct print_write write = {
		.address = address,
		.thread = thread,
		.code = code,
		.place = place,
	};

	if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) == 0)
		write.instruction = registers.rip;
	put_name(watching, code, write.instruction, naming_code);
	put_name(watching, place, address, naming_data);
	print_written(watching->streams->out, watching->json, &write);
}

/* The page is captured, so that the process can write it and go on. */
static void page_written(void *context, pid_t thread, uint64_t address)
{
	struct watching *watching = context;
	struct cape_capture capture = {.address = address};

	if (ioctl(watching->attached.descriptor, CAPE_CAPTURE_PAGE, &capture) == 0 &&
	    capture.twin_state != CAPE_TWIN_NONE)
		print_write(watching, thread, address);
}

/* Until the process ends, or a signal comes. */
static void print_writes(struct watching *watching, const sigset_t *signals)
{
	int signal;

	while (!watching->attached.tracee.ended) {
		if (sigwait(signals, &signal) != 0 || signal != SIGCHLD)
			break;
		tracee_attend(&watching->attached.tracee);
	}
}

int watch(const struct attached_order *order, const struct attached_streams *streams)
{
	struct watching watching = {.streams = streams, .json = order->json};
	struct attached_streams quiet = *streams;
	sigset_t signals;
	int status;

	attached_block_signals(&signals);
	status = attached_open(&watching.attached, order, streams);
	if (status)
		return status;
	watching.attached.tracee.written = page_written;
	watching.attached.tracee.context = &watching;
	quiet.out = streams->error;
	status = attached_carry_out(&watching.attached, order, &quiet);
	if (!status) {
		/* Without names it is of use, too. */
		if (naming_open(&watching.naming, watching.attached.instants.instant->facts.maps) !=
		    0)
			watching.naming.files = NULL;
		print_writes(&watching, &signals);
		if (watching.naming.files)
			naming_close(&watching.naming);
	}
	attached_close(&watching.attached);
	return status;
}
