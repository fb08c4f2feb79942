/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attached.c - capectl's orders, carried out on a process through /dev/cape.
 */
#include "attached.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/process_state.h"
#include "common/user_signals.h"
#include "diff.h"
#include "naming.h"
#include "pidfd.h"
#include "tools/time/bytes.h"
#include "tools/time/epochs.h"
#include "print.h"

#define DIRTY_BATCH	256
#define TRANSFER_BUFFER 65536

void attached_block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	user_signals_add(signals);
	sigaddset(signals, SIGINT);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

int attached_fail(const struct attached_streams *streams, const char *format, ...)
{
	va_list arguments;

	fputs("capectl: ", streams->error);
	va_start(arguments, format);
	vfprintf(streams->error, format, arguments);
	va_end(arguments);
	fputc('\n', streams->error);
	return 1;
}

static int open_device(const struct attached_streams *streams)
{
	int device = open(CAPE_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		attached_fail(streams, "no %s: load the driver first (insmod kmod/cape.ko)",
			      CAPE_DEVICE);
	else if (device < 0)
		attached_fail(streams, "%s: %s; it belongs to root", CAPE_DEVICE, strerror(errno));
	return device;
}

static int attach_driver(struct attached *attached, const struct attached_streams *streams)
{
	struct cape_attach attach = {.pid = attached->tracee.pid};
	int device = open_device(streams);

	if (device < 0)
		return 1;
	attached->descriptor = ioctl(device, CAPE_ATTACH, &attach);
	close(device);
	if (attached->descriptor < 0)
		return attached_fail(streams, "the driver does not attach to process %d: %s",
				     attach.pid, strerror(errno));
	return 0;
}

static int complain_seize(pid_t pid, int error, const struct attached_streams *streams)
{
	pid_t tracer = (pid_t)process_number(pid, "TracerPid", 10);

	if (error == -ESRCH)
		return attached_fail(streams, "there is no process %d", pid);
	if (tracer)
		return attached_fail(streams,
				     "process %d is traced by process %d; end that first, the "
				     "driver obeys only the tracer",
				     pid, tracer);
	return attached_fail(streams, "cannot trace process %d: %s", pid, strerror(-error));
}

int attached_open(struct attached *attached, const struct attached_order *order,
		  const struct attached_streams *streams)
{
	int error = tracee_seize(&attached->tracee, order->pid);

	attached->instants = (struct instants){0};
	if (!error && order->by_pidfd && !pidfd_lives(order->pidfd)) {
		/* This one may be another that has got the number. */
		tracee_release(&attached->tracee);
		error = -ESRCH;
	}
	if (error)
		return complain_seize(order->pid, error, streams);
	if (attach_driver(attached, streams)) {
		tracee_release(&attached->tracee);
		return 1;
	}
	return 0;
}

void attached_close(struct attached *attached)
{
	close(attached->descriptor);
	instants_free(&attached->instants);
	tracee_release(&attached->tracee);
}

int attached_complain(const struct attached *attached, const char *what, int error,
		      const struct attached_streams *streams)
{
	pid_t pid = attached->tracee.pid;

	switch (error) {
	case ESRCH:
		return attached_fail(streams, "%s: process %d has ended or runs another program",
				     what, pid);
	case ENODATA:
		return attached_fail(streams, "%s: process %d is not locked; capectl lock %d", what,
				     pid, pid);
	case ENOENT:
		return attached_fail(streams,
				     "%s: process %d has no such epoch; capectl status %d "
				     "lists them",
				     what, pid, pid);
	case EBUSY:
		return attached_fail(streams, "%s: process %d is locked already", what, pid);
	case EOPNOTSUPP:
		return attached_fail(streams,
				     "%s: process %d is locked with --no-twins, so that its old "
				     "contents are not kept, or a device has got its memory",
				     what, pid);
	case ENOMEM:
		return attached_fail(
			streams,
			"%s: process %d: no memory for it, or more than ulimit -l lets "
			"this user lock",
			what, pid);
	default:
		return attached_fail(streams, "%s: process %d: %s", what, pid, strerror(error));
	}
}

void attached_let_go_on(struct attached *attached, const struct attached_streams *streams)
{
	tracee_continue(&attached->tracee);
	fprintf(streams->error, "process %d was stopped for %.3f ms\n", attached->tracee.pid,
		(double)(clock_now() - attached->stopped_at) / 1e6);
	fflush(streams->error);
}

/* Locks the process, and saves what it is at that instant beside its memory. */
static int lock(struct attached *attached, struct cape_lock *lock,
		const struct attached_streams *streams)
{
	struct cape_epoch_entry first;
	struct cape_epochs epochs = {.entries = (uintptr_t)&first, .capacity = 1};
	int error;

	error = ioctl(attached->descriptor, CAPE_LOCK, lock) < 0 ? errno : 0;
	if (error == EOPNOTSUPP)
		return attached_fail(streams,
				     "lock: a device has, or has had, translations of its own of "
				     "the memory of process %d",
				     attached->tracee.pid);
	if (error)
		return attached_complain(attached, "lock", error, streams);
	error = ioctl(attached->descriptor, CAPE_GET_EPOCHS, &epochs) < 0 ? errno : 0;
	if (!error)
		error = instants_add(&attached->instants, first.epoch, &attached->tracee);
	if (!error)
		return 0;
	ioctl(attached->descriptor, CAPE_UNLOCK, 0);
	return attached_complain(attached, "lock: its registers and mappings", error, streams);
}

static int carry_out_lock(struct attached *attached, const struct attached_order *order,
			  const struct attached_streams *streams)
{
	struct cape_lock request = {
		.mode = order->mode,
		.flags = order->flags,
		.ranges = order->range_count ? (uintptr_t)order->range : 0,
		.range_count = order->range_count,
	};

	if (lock(attached, &request, streams))
		return 1;
	print_locked(streams->out, order->json, order->pid, &request);
	return 0;
}

/* Who writes, be it to pages or to certain bytes. */
static int carry_out_record(struct attached *attached, const struct attached_order *order,
			    const struct attached_streams *streams)
{
	if (order->watched)
		return bytes_watch(attached, order, streams);
	return carry_out_lock(attached, order, streams);
}

/* As lock, for who wants to look at what was there at that instant. */
static int carry_out_freeze(struct attached *attached, const struct attached_order *order,
			    const struct attached_streams *streams)
{
	int status = carry_out_lock(attached, order, streams);

	if (!status)
		attached_let_go_on(attached, streams);
	return status;
}

/* Why no core file was written: a negative ERROR is that of the file. */
static int complain_core(const struct attached *attached, int error,
			 const struct attached_streams *streams)
{
	pid_t pid = attached->tracee.pid;

	if (error < 0)
		return attached_fail(streams, "core: process %d: cannot write the file: %s", pid,
				     strerror(-error));
	if (error == ESTALE)
		return attached_fail(
			streams, "core: process %d: old contents were dropped; lock it again", pid);
	return attached_complain(attached, "core", error, streams);
}

/* Locks the process, and lets it go on.  An exit status. */
static int take_instant(struct attached *attached, const struct attached_streams *streams)
{
	struct cape_lock request = {.mode = CAPE_MODE_SNAPSHOT};

	if (lock(attached, &request, streams))
		return 1;
	attached_let_go_on(attached, streams);
	return 0;
}

/* The process runs on meanwhile.  If it is not locked, it is now, and as long as this takes. */
static int carry_out_core(struct attached *attached, const struct attached_order *order,
			  const struct attached_streams *streams)
{
	struct core_source source = {
		.descriptor = attached->descriptor,
		.tracee = &attached->tracee,
		.epoch = order->epoch,
	};
	const bool locked = attached->instants.count > 0;
	const struct instant *instant;
	int error;

	if (!locked && take_instant(attached, streams))
		return 1;
	instant = instants_find(&attached->instants, order->epoch);
	error = instant ? 0 : ENOENT;
	if (!error) {
		source.registers = &instant->registers;
		source.facts = &instant->facts;
		error = core_write(&source, streams->out);
	}
	if (!locked) {
		ioctl(attached->descriptor, CAPE_UNLOCK, 0);
		instants_free(&attached->instants);
	}
	return error ? complain_core(attached, error, streams) : 0;
}

static int carry_out_unlock(struct attached *attached, const struct attached_order *order,
			    const struct attached_streams *streams)
{
	if (ioctl(attached->descriptor, CAPE_UNLOCK, 0) < 0)
		return attached_complain(attached, "unlock", errno, streams);
	instants_free(&attached->instants);
	if (order->json)
		fprintf(streams->out, "{\"pid\": %d, \"mode\": \"unlocked\"}\n", order->pid);
	return 0;
}

/* Names for the addresses of the newest epoch; NULL: without names most is of use, too. */
static struct naming *open_names(const struct attached *attached, struct naming *naming)
{
	const struct instant *instant = instants_find(&attached->instants, 0);

	return instant && naming_open(naming, instant->facts.maps) == 0 ? naming : NULL;
}

static void close_names(struct naming *naming)
{
	if (naming)
		naming_close(naming);
}

static int print_dirty_pages(const struct attached *attached, struct print_list *list)
{
	struct cape_dirty page[DIRTY_BATCH];
	struct cape_collect collect = {.pages = (uintptr_t)page, .page_capacity = DIRTY_BATCH};

	do {
		if (ioctl(attached->descriptor, CAPE_COLLECT, &collect) < 0)
			return errno;
		for (uint32_t i = 0; i < collect.page_count; i++)
			print_dirty(list, &page[i]);
	} while (collect.cursor != CAPE_CURSOR_END);
	return 0;
}

static int carry_out_dirty(struct attached *attached, const struct attached_order *order,
			   const struct attached_streams *streams)
{
	struct naming naming, *names = open_names(attached, &naming);
	struct print_list list;
	int error;

	print_list_begin(&list, streams->out, order->json, order->pid, "pages");
	list.variables.naming = names;
	error = print_dirty_pages(attached, &list);
	print_list_end(&list);
	close_names(names);
	return error ? attached_complain(attached, "dirty", error, streams) : 0;
}

static int carry_out_diff(struct attached *attached, const struct attached_order *order,
			  const struct attached_streams *streams)
{
	struct naming naming, *names;
	struct print_list list;
	int error;

	if (order->epoch)
		return epochs_diff(attached, order, streams);
	names = open_names(attached, &naming);
	print_list_begin(&list, streams->out, order->json, order->pid, "changes");
	list.naming = names;
	error = diff_print(attached->descriptor, &list);
	print_list_end(&list);
	close_names(names);
	return error ? attached_complain(attached, "diff", error, streams) : 0;
}

static int complain_rollback(const struct attached *attached, uint64_t address, int error,
			     const struct attached_streams *streams)
{
	pid_t pid = attached->tracee.pid;

	if (error == ESTALE)
		return attached_fail(streams,
				     "rollback: process %d at 0x%" PRIx64
				     ": memory that was mapped there no longer is, or its old "
				     "contents were dropped; nothing was changed",
				     pid, address);
	if (error == EBUSY)
		return attached_fail(streams,
				     "rollback: process %d has a thread that runs; try again", pid);
	if (address)
		return attached_fail(streams,
				     "rollback: process %d at 0x%" PRIx64
				     ": %s; some of its memory may be restored: roll back again, "
				     "or end the process",
				     pid, address, strerror(error));
	return attached_complain(attached, "rollback", error, streams);
}

static int carry_out_rollback(struct attached *attached, const struct attached_order *order,
			      const struct attached_streams *streams)
{
	struct cape_rollback_to rollback = {.epoch = order->epoch};
	const struct instant *instant = instants_find(&attached->instants, order->epoch);
	int error;

	if (!instant)
		return attached_complain(attached, "rollback",
					 attached->instants.count ? ENOENT : ENODATA, streams);
	if (attached->instants.count > 1)
		rollback.epoch = instant->epoch;
	if (!registers_fit(&instant->registers, &attached->tracee))
		return attached_fail(streams,
				     "rollback: process %d has other threads than when it was "
				     "locked, or is making one; nothing was changed",
				     order->pid);
	if (ioctl(attached->descriptor, CAPE_ROLLBACK_TO, &rollback) < 0)
		return complain_rollback(attached, rollback.address, errno, streams);
	error = registers_restore(&instant->registers, &attached->tracee);
	epochs_keep_known(attached);
	if (error)
		return attached_complain(attached, "rollback: its registers", error, streams);
	print_rollback(streams->out, order->json, order->pid, &rollback);
	return 0;
}

/* Twins that have changed, without the process's having written there. */
static int carry_out_check(struct attached *attached, const struct attached_order *order,
			   const struct attached_streams *streams)
{
	struct cape_dirty page[DIRTY_BATCH];
	struct cape_check check = {.pages = (uintptr_t)page, .page_capacity = DIRTY_BATCH};
	struct print_list list;
	int error = 0;

	print_list_begin(&list, streams->out, order->json, order->pid, "pages");
	while (!error && check.cursor != CAPE_CURSOR_END) {
		error = ioctl(attached->descriptor, CAPE_CHECK, &check) < 0 ? errno : 0;
		for (uint32_t i = 0; !error && i < check.page_count; i++)
			print_changed_twin(&list, &page[i]);
	}
	print_list_end(&list);
	if (error == EOPNOTSUPP)
		return attached_fail(streams,
				     "check: process %d is locked without --check; capectl unlock "
				     "%d, and lock it again with --check",
				     order->pid, order->pid);
	if (error)
		return attached_complain(attached, "check", error, streams);
	return list.count ? ATTACHED_FOUND : 0;
}

static int complain_access(const struct attached *attached, const char *what,
			   const struct attached_order *order, uint64_t done, int error,
			   const struct attached_streams *streams)
{
	if (error == ESRCH || error == EOPNOTSUPP)
		return attached_complain(attached, what, error, streams);
	return attached_fail(
		streams, "%s: process %d at 0x%" PRIx64 ": %s, after %" PRIu64 " bytes", what,
		order->pid, order->address + done,
		error == EACCES ? "memory is shared, or not writable" : strerror(error), done);
}

/* As it was at the beginning of EPOCH; the process has no part in it.  0 or an errno. */
static int read_then(const struct attached *attached, struct cape_access *access, uint64_t epoch)
{
	struct cape_read_epoch request = {
		.address = access->address,
		.length = access->length,
		.buffer = access->buffer,
		.epoch = epoch,
	};
	const int error = ioctl(attached->descriptor, CAPE_READ_EPOCH, &request) < 0 ? errno : 0;

	access->done = request.done;
	return error;
}

/* The same, as it is now. */
static int read_now(const struct attached *attached, struct cape_access *access)
{
	return ioctl(attached->descriptor, CAPE_READ_RANGE, access) < 0 ? errno : 0;
}

static int carry_out_read(struct attached *attached, const struct attached_order *order,
			  const struct attached_streams *streams)
{
	const char *what = order->then ? "read --then" : "read";
	unsigned char buffer[TRANSFER_BUFFER];
	struct print_list list;
	uint64_t done = 0;
	int error = 0;

	if (order->then && !instants_find(&attached->instants, order->epoch))
		return attached_complain(attached, what,
					 attached->instants.count ? ENOENT : ENODATA, streams);
	print_bytes_begin(&list, streams->out, order->json, order->address);
	while (!error && done < order->length) {
		uint64_t left = order->length - done;
		struct cape_access access = {
			.address = order->address + done,
			.length = left < sizeof(buffer) ? left : sizeof(buffer),
			.buffer = (uintptr_t)buffer,
		};

		error = order->then ? read_then(attached, &access, order->epoch)
				    : read_now(attached, &access);
		print_bytes(&list, buffer, access.done);
		done += access.done;
	}
	print_bytes_end(&list);
	return error ? complain_access(attached, what, order, done, error, streams) : 0;
}

static int carry_out_write(struct attached *attached, const struct attached_order *order,
			   const struct attached_streams *streams)
{
	unsigned char buffer[TRANSFER_BUFFER];
	uint64_t done = 0;
	size_t got;

	while ((got = fread(buffer, 1, sizeof(buffer), streams->in)) > 0) {
		struct cape_access access = {
			.address = order->address + done,
			.length = got,
			.buffer = (uintptr_t)buffer,
		};
		int error = ioctl(attached->descriptor, CAPE_WRITE_RANGE, &access) < 0 ? errno : 0;

		done += access.done;
		if (error)
			return complain_access(attached, "write", order, done, error, streams);
	}
	if (ferror(streams->in))
		return attached_fail(streams,
				     "write: cannot read standard input, after %" PRIu64 " bytes",
				     done);
	if (order->json)
		fprintf(streams->out,
			"{\"pid\": %d, \"address\": %" PRIu64 ", \"written\": %" PRIu64 "}\n",
			order->pid, order->address, done);
	return 0;
}

static int carry_out_status(struct attached *attached, const struct attached_order *order,
			    const struct attached_streams *streams)
{
	struct cape_extent range[ATTACHED_RANGES];
	struct cape_status status = {
		.ranges = (uintptr_t)range,
		.range_capacity = ATTACHED_RANGES,
	};
	struct cape_epoch_entry entry[CAPE_EPOCHS_MOST];
	struct cape_epochs epochs = {
		.entries = (uintptr_t)entry,
		.capacity = CAPE_EPOCHS_MOST,
	};
	struct cape_statistics statistics = {0};

	if (ioctl(attached->descriptor, CAPE_GET_STATUS, &status) < 0 ||
	    ioctl(attached->descriptor, CAPE_GET_EPOCHS, &epochs) < 0 ||
	    ioctl(attached->descriptor, CAPE_GET_STATISTICS, &statistics) < 0)
		return attached_complain(attached, "status", errno, streams);
	print_status(streams->out, order->json, &status, range, &epochs, &statistics);
	return 0;
}

static int (*const carry_out[])(struct attached *attached, const struct attached_order *order,
				const struct attached_streams *streams) = {
	[COMMAND_LOCK] = carry_out_lock,     [COMMAND_FREEZE] = carry_out_freeze,
	[COMMAND_UNLOCK] = carry_out_unlock, [COMMAND_DIRTY] = carry_out_dirty,
	[COMMAND_DIFF] = carry_out_diff,     [COMMAND_ROLLBACK] = carry_out_rollback,
	[COMMAND_CHECK] = carry_out_check,   [COMMAND_CORE] = carry_out_core,
	[COMMAND_READ] = carry_out_read,     [COMMAND_WRITE] = carry_out_write,
	[COMMAND_WATCH] = carry_out_lock,    [COMMAND_RECORD] = carry_out_record,
	[COMMAND_STATUS] = carry_out_status, [COMMAND_EPOCH] = epochs_begin,
	[COMMAND_DROP] = epochs_drop,
};

/* Does it need only what is kept of the instant of the lock?  Then nobody has to stand still. */
static bool reads_then(const struct attached *attached, const struct attached_order *order)
{
	return (order->command == COMMAND_CORE && attached->instants.count > 0) ||
	       (order->command == COMMAND_DIFF && order->other_epoch) ||
	       order->command == COMMAND_DROP || (order->command == COMMAND_READ && order->then);
}

int attached_carry_out(struct attached *attached, const struct attached_order *order,
		       const struct attached_streams *streams)
{
	int status;

	attached->stopped_at = clock_now();
	if (reads_then(attached, order) ? attached->tracee.ended : !tracee_stop(&attached->tracee))
		return attached_fail(streams, "process %d has ended", order->pid);
	/* A keeper is sent its orders. */
	if ((size_t)order->command < sizeof(carry_out) / sizeof(carry_out[0]) &&
	    carry_out[order->command])
		status = carry_out[order->command](attached, order, streams);
	else
		status = attached_fail(streams, "no such command");
	tracee_continue(&attached->tracee);
	if ((fflush(streams->out) < 0 || ferror(streams->out)) && !status)
		return attached_fail(streams, "cannot write the output: %s", strerror(errno));
	return status;
}

int attached_version(bool json, const char *before, const struct attached_streams *streams)
{
	struct cape_version version;
	int device = open_device(streams), result;

	if (device < 0)
		return 1;
	result = ioctl(device, CAPE_GET_VERSION, &version);
	close(device);
	if (result < 0)
		return attached_fail(streams, "%s: %s; it is not CAPE's driver", CAPE_DEVICE,
				     strerror(errno));
	fputs(before, streams->out);
	print_version(streams->out, json, &version);
	return 0;
}
