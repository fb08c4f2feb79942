/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - empties the ring of the driver's records into a file while the process runs.
 */
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "bytes.h"
#include "recording.h"
#include "uapi/cape_stack.h"

#define PAGE   4096u
#define ROOM   (4ul << 20)  /* for records: half of what ulimit -l gives an ordinary user */
#define PLENTY (32ul << 20) /* the same, with stacks, for who may */

struct recorder {
	struct attached attached;
	const struct attached_streams *streams;
	int ring, signals, timer, rearm;
	const struct attached_order *order;
	size_t size; /* of HEADER and the records */
	uint32_t count, record_size;
	struct cape_record_control *control;
	const struct cape_record_header *header;
	uint64_t written, lost;
	uint64_t epoch, rounds; /* the newest, and how many there have been */
	int error;		/* of the output, or of an epoch */
};

static int fail(const struct recorder *recorder, const char *what)
{
	return attached_fail(recorder->streams, "record: process %d: %s: %s",
			     recorder->attached.tracee.pid, what, strerror(errno));
}

static void forget_ring(struct recorder *recorder)
{
	if (recorder->control != MAP_FAILED)
		munmap(recorder->control, PAGE);
	if (recorder->header != MAP_FAILED)
		munmap((void *)recorder->header, recorder->size);
	close(recorder->ring);
}

/* Records may be larger than those known here. */
static bool is_known(const struct recorder *recorder)
{
	const struct cape_record_header *header = recorder->header;
	const uint64_t stack = sizeof(struct cape_record_stack) + recorder->order->stack_bytes;

	return header->version == CAPE_RECORD_VERSION && header->records_offset == 2 * PAGE &&
	       header->record_count == recorder->count &&
	       header->record_size >= sizeof(struct cape_record) &&
	       (!recorder->order->stack_bytes ||
		(header->stack_offset >= sizeof(struct cape_record) &&
		 header->stack_offset + stack <= header->record_size));
}

/* At first the header alone, which says how large the others are.  0 or an errno. */
static int map_ring(struct recorder *recorder)
{
	const int ring = recorder->ring;

	recorder->size = PAGE;
	recorder->control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	recorder->header = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ring, PAGE);
	if (recorder->control == MAP_FAILED || recorder->header == MAP_FAILED)
		return errno;
	if (!is_known(recorder))
		return EPROTO;
	recorder->record_size = recorder->header->record_size;
	munmap((void *)recorder->header, PAGE);
	recorder->size = PAGE + recorder->count * (size_t)recorder->record_size;
	recorder->header = mmap(NULL, recorder->size, PROT_READ, MAP_SHARED, ring, PAGE);
	return recorder->header == MAP_FAILED ? errno : 0;
}

/* A ring of as many records as there is ROOM for: its descriptor, or -1 and errno. */
static int ask_for_ring(struct recorder *recorder, size_t room)
{
	const uint32_t stack = recorder->order->stack_bytes;
	const size_t record =
		sizeof(struct cape_record) + (stack ? sizeof(struct cape_record_stack) + stack : 0);
	struct cape_make_stack_recorder with_stacks = {.stack_bytes = stack};
	struct cape_make_recorder without = {0};
	uint32_t count = CAPE_RECORDS_LEAST;

	while (2 * count * record <= room)
		count *= 2;
	recorder->count = with_stacks.record_count = without.record_count = count;
	return stack ? ioctl(recorder->attached.descriptor, CAPE_MAKE_STACK_RECORDER, &with_stacks)
		     : ioctl(recorder->attached.descriptor, CAPE_MAKE_RECORDER, &without);
}

static int make_ring(struct recorder *recorder)
{
	const bool stacks = recorder->order->stack_bytes > 0;

	recorder->ring = ask_for_ring(recorder, stacks ? PLENTY : ROOM);
	if (stacks && recorder->ring < 0 && errno == ENOMEM)
		recorder->ring = ask_for_ring(recorder, ROOM);
	if (stacks && recorder->ring < 0 && errno == ENOTTY)
		return attached_fail(recorder->streams,
				     "record: the driver is too old for --dwarf");
	if (recorder->ring < 0 && errno == ENOMEM)
		return attached_fail(recorder->streams,
				     "record: no memory for the records, or 4 MB are more than "
				     "ulimit -l lets this user lock");
	if (recorder->ring < 0)
		return fail(recorder, "the driver makes no recorder");
	errno = map_ring(recorder);
	if (!errno)
		return 0;
	fail(recorder, "the ring of records cannot be used");
	forget_ring(recorder);
	return 1;
}

static void put(struct recorder *recorder, const void *bytes, size_t size)
{
	if (!recorder->error && size && fwrite(bytes, size, 1, recorder->streams->out) != 1)
		recorder->error = errno;
}

/* One run of all that is there, and room for others. */
static void write_run(struct recorder *recorder)
{
	const char *records = (const char *)recorder->header + PAGE;
	const uint64_t head = __atomic_load_n(&recorder->header->head, __ATOMIC_ACQUIRE);
	struct recording_run run = {.count = head - recorder->written};

	recorder->lost = __atomic_load_n(&recorder->header->lost, __ATOMIC_RELAXED);
	run.lost = recorder->lost;
	if (run.count)
		put(recorder, &run, sizeof(run));
	for (; recorder->written < head; recorder->written++)
		put(recorder, records + recorder->written % recorder->count * recorder->record_size,
		    recorder->record_size);
	__atomic_store_n(&recorder->control->tail, head, __ATOMIC_RELEASE);
}

static void write_end(struct recorder *recorder)
{
	const struct recording_run end = {.lost = recorder->lost};

	put(recorder, &end, sizeof(end));
}

static void write_header(struct recorder *recorder)
{
	const struct core_facts *facts = &recorder->attached.instants.instant->facts;
	const struct recording_header header = {
		.magic = RECORDING_MAGIC,
		.version = recorder->order->stack_bytes ? RECORDING_STACKS : RECORDING_VERSION,
		.record_size = recorder->record_size,
		.pid = (uint64_t)recorder->attached.tracee.pid,
		.maps_size = facts->maps_size,
	};
	const struct recording_stacks stacks = {
		.stack_offset = recorder->header->stack_offset,
		.stack_bytes = recorder->order->stack_bytes,
	};

	put(recorder, &header, sizeof(header));
	if (stacks.stack_bytes)
		put(recorder, &stacks, sizeof(stacks));
	put(recorder, facts->maps, facts->maps_size);
}

/* False: it is time to end. */
static bool take_signal(struct recorder *recorder)
{
	struct signalfd_siginfo signal;

	if (read(recorder->signals, &signal, sizeof(signal)) != sizeof(signal) ||
	    signal.ssi_signo != SIGCHLD)
		return false;
	tracee_attend(&recorder->attached.tracee);
	return !recorder->attached.tracee.ended;
}

/*
 * Has the first write to each page recorded once more.  False if that cannot be; a process that has
 * ended tells so by itself.
 */
static bool rearm(struct recorder *recorder)
{
	struct cape_epoch_number before = {.epoch = recorder->epoch};
	struct cape_epoch epoch = {0};
	uint64_t times;

	if (read(recorder->rearm, &times, sizeof(times)) != sizeof(times))
		return true;
	if (ioctl(recorder->attached.descriptor, CAPE_EPOCH, &epoch) < 0)
		return errno == ESRCH;
	recorder->epoch = epoch.epoch;
	recorder->rounds++;
	return ioctl(recorder->attached.descriptor, CAPE_DROP_EPOCH, &before) == 0 ||
	       errno == ESRCH;
}

static void end_recording(const struct recorder *recorder)
{
	if (recorder->order->watched)
		bytes_end(&recorder->attached);
	else
		ioctl(recorder->attached.descriptor, CAPE_UNLOCK, 0);
}

/* Until it is time to end, or the output cannot be written. */
static void write_records(struct recorder *recorder)
{
	struct pollfd ready[] = {
		{.fd = recorder->ring, .events = POLLIN},
		{.fd = recorder->signals, .events = POLLIN},
		{.fd = recorder->timer, .events = POLLIN},
		{.fd = recorder->rearm, .events = POLLIN},
	};

	while (!recorder->error) {
		if (poll(ready, 4, -1) < 0 && errno != EINTR)
			break;
		write_run(recorder);
		if (ready[3].revents && !rearm(recorder)) {
			recorder->error = errno;
			break;
		}
		if ((ready[1].revents && !take_signal(recorder)) || ready[2].revents ||
		    ready[0].revents & POLLHUP)
			break;
	}
	/* Nothing comes any more; what came is there still. */
	end_recording(recorder);
	write_run(recorder);
}

/* Where it does not disturb. */
static void print_end(const struct recorder *recorder)
{
	const struct attached_order *order = recorder->order;
	FILE *out = recorder->streams->error;

	if (order->json)
		fprintf(out, "{\"pid\": %d, \"records\": %" PRIu64 ", \"lost\": %" PRIu64,
			order->pid, recorder->written, recorder->lost);
	else
		fprintf(out, "process %d: %" PRIu64 " %s, %" PRIu64 " lost", order->pid,
			recorder->written, order->watched ? "writes" : "first writes",
			recorder->lost);
	if (order->every)
		fprintf(out, order->json ? ", \"rounds\": %" PRIu64 : ", in %" PRIu64 " rounds",
			recorder->rounds + 1);
	fputs(order->json ? "}\n" : "\n", out);
}

/* The lock says how many pages where it does not disturb. */
static int record_to_end(struct recorder *recorder, const struct attached_order *order)
{
	const struct attached_streams quiet = {recorder->streams->in, recorder->streams->error,
					       recorder->streams->error};
	int status = attached_carry_out(&recorder->attached, order, &quiet);

	if (status)
		return status;
	recorder->epoch = recorder->attached.instants.instant->epoch;
	write_header(recorder);
	write_records(recorder);
	write_end(recorder);
	if (!recorder->error && fflush(recorder->streams->out) != 0)
		recorder->error = errno;
	errno = recorder->error;
	if (errno)
		return fail(recorder, "cannot write the output, or begin another round");
	print_end(recorder);
	return 0;
}

static int open_events(struct recorder *recorder, const sigset_t *signals)
{
	const struct itimerspec end = {.it_value = {.tv_sec = (time_t)recorder->order->length}};
	const struct timespec every = {
		.tv_sec = (time_t)(recorder->order->every / 1000000000),
		.tv_nsec = (long)(recorder->order->every % 1000000000),
	};
	const struct itimerspec again = {.it_interval = every, .it_value = every};

	recorder->signals = signalfd(-1, signals, SFD_CLOEXEC);
	recorder->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	recorder->rearm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (recorder->signals >= 0 && recorder->timer >= 0 && recorder->rearm >= 0 &&
	    timerfd_settime(recorder->timer, 0, &end, NULL) == 0 &&
	    timerfd_settime(recorder->rearm, 0, &again, NULL) == 0)
		return 0;
	return fail(recorder, "cannot wait for its end");
}

static void close_events(struct recorder *recorder)
{
	if (recorder->signals >= 0)
		close(recorder->signals);
	if (recorder->timer >= 0)
		close(recorder->timer);
	if (recorder->rearm >= 0)
		close(recorder->rearm);
}

int record(const struct attached_order *order, const struct attached_streams *streams)
{
	struct recorder recorder = {
		.streams = streams,
		.order = order,
		.signals = -1,
		.timer = -1,
		.rearm = -1,
	};
	sigset_t signals;
	int status;

	if (isatty(fileno(streams->out)))
		return attached_fail(streams, "record: its output is not text; use -o FILE");
	attached_block_signals(&signals);
	status = attached_open(&recorder.attached, order, streams);
	if (status)
		return status;
	status = open_events(&recorder, &signals);
	if (!status)
		status = make_ring(&recorder);
	if (!status) {
		status = record_to_end(&recorder, order);
		forget_ring(&recorder);
	}
	close_events(&recorder);
	attached_close(&recorder.attached);
	return status;
}
