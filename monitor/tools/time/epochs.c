/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epochs.c - see epochs.h.
 */
#include "epochs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include "tools/diff.h"
#include "tools/print.h"

void epochs_keep_known(struct attached *attached)
{
	struct instants *instants = &attached->instants;
	struct cape_epoch_entry entry[CAPE_EPOCHS_MOST] = {0};
	struct cape_epochs epochs = {
		.entries = (uintptr_t)entry,
		.capacity = CAPE_EPOCHS_MOST,
	};

	if (ioctl(attached->descriptor, CAPE_GET_EPOCHS, &epochs) < 0)
		return;
	for (size_t i = instants->count; i-- > 0;) {
		uint32_t j = 0;

		while (j < epochs.count && entry[j].epoch != instants->instant[i].epoch)
			j++;
		if (j == epochs.count)
			instants_drop(instants, &instants->instant[i]);
	}
}

static int complain(const struct attached *attached, const char *what, int error,
		    const struct attached_streams *streams)
{
	pid_t pid = attached->tracee.pid;

	switch (error) {
	case ENOSPC:
		return attached_fail(streams,
				     "%s: process %d has %d epochs, and can have no more; capectl "
				     "drop %d EPOCH",
				     what, pid, CAPE_EPOCHS_MOST, pid);
	case EOPNOTSUPP:
		return attached_fail(streams,
				     "%s: process %d is locked with --check or --no-twins, or a "
				     "device has got its memory; lock it again without",
				     what, pid);
	case EBUSY:
		return attached_fail(streams,
				     "%s: it is the only epoch of process %d; capectl unlock %d",
				     what, pid, pid);
	case EINVAL:
		return attached_fail(streams,
				     "%s: process %d: the second epoch must be younger than the "
				     "first",
				     what, pid);
	default:
		return attached_complain(attached, what, error, streams);
	}
}

static int drop(const struct attached *attached, uint64_t epoch)
{
	struct cape_epoch_number number = {.epoch = epoch};

	return ioctl(attached->descriptor, CAPE_DROP_EPOCH, &number) < 0 ? errno : 0;
}

int epochs_begin(struct attached *attached, const struct attached_order *order,
		 const struct attached_streams *streams)
{
	struct cape_epoch epoch = {0};
	int error;

	if (ioctl(attached->descriptor, CAPE_EPOCH, &epoch) < 0)
		return complain(attached, "epoch", errno, streams);
	error = instants_add(&attached->instants, epoch.epoch, &attached->tracee);
	if (error) {
		drop(attached, epoch.epoch);
		return complain(attached, "epoch: its registers and mappings", error, streams);
	}
	attached_let_go_on(attached, streams);
	print_epoch(streams->out, order->json, order->pid, &epoch);
	return 0;
}

int epochs_drop(struct attached *attached, const struct attached_order *order,
		const struct attached_streams *streams)
{
	int error = drop(attached, order->epoch);

	if (error)
		return complain(attached, "drop", error, streams);
	epochs_keep_known(attached);
	if (order->json)
		fprintf(streams->out, "{\"pid\": %d, \"dropped\": %" PRIu64 "}\n", order->pid,
			order->epoch);
	return 0;
}

/* From the epoch to the one at which the process stands, which is there for as long as it takes. */
static int diff_to_now(struct attached *attached, uint64_t from, struct print_list *list,
		       const struct attached_streams *streams)
{
	struct cape_epoch now = {0};
	int error;

	if (ioctl(attached->descriptor, CAPE_EPOCH, &now) < 0)
		return errno;
	attached_let_go_on(attached, streams);
	error = diff_epochs(attached->descriptor, from, now.epoch, list);
	drop(attached, now.epoch);
	return error;
}

int epochs_diff(struct attached *attached, const struct attached_order *order,
		const struct attached_streams *streams)
{
	const struct instant *instant = instants_find(&attached->instants, order->epoch);
	struct naming naming = {0};
	struct print_list list;
	int error;

	if (!instant)
		return complain(attached, "diff", attached->instants.count ? ENOENT : ENODATA,
				streams);
	/* Without names it is of use, too. */
	if (naming_open(&naming, instant->facts.maps) != 0)
		naming.files = NULL;
	print_list_begin(&list, streams->out, order->json, order->pid, "changes");
	list.naming = naming.files ? &naming : NULL;
	if (order->other_epoch)
		error = diff_epochs(attached->descriptor, order->epoch, order->other_epoch, &list);
	else
		error = diff_to_now(attached, order->epoch, &list, streams);
	print_list_end(&list);
	if (naming.files)
		naming_close(&naming);
	return error ? complain(attached, "diff", error, streams) : 0;
}
