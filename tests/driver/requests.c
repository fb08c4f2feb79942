/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.c - every request with every field zero, maximal, overflowing, misaligned and unknown:
 * the error that the interface promises, and nothing changed by it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_bytes.h"
#include "uapi/cape_epoch.h"
#include "uapi/cape_stack.h"

#define PAGES	 16
#define MAXIMUM	 UINT64_MAX
#define A_KERNEL 0xffff888000000000ull
/* Where user space ends if there are five levels of page tables. */
#define USER_END 0xfffffffffff000ull

/* The child's memory, of which it writes page 1; ranges and buffers of ours. */
static unsigned char *memory;
static struct cape_extent *ranges;
static unsigned char *buffer, *read_only;
static int device, descriptor;
static pid_t child;

union request {
	struct cape_version version;
	struct cape_attach attach;
	struct cape_lock lock;
	struct cape_page page;
	struct cape_capture capture;
	struct cape_collect collect;
	struct cape_rollback rollback;
	struct cape_make_recorder make_recorder;
	struct cape_make_stack_recorder make_stack_recorder;
	struct cape_access access;
	struct cape_status status;
	struct cape_statistics statistics;
	struct cape_epoch epoch;
	struct cape_epoch_number epoch_number;
	struct cape_rollback_to rollback_to;
	struct cape_diff diff;
	struct cape_epochs epochs;
	struct cape_watch_bytes watch_bytes;
};

static const struct {
	unsigned long number;
	const char *name;
	bool on_device;
} known[] = {
	{CAPE_GET_VERSION, "GET_VERSION", true},
	{CAPE_ATTACH, "ATTACH", true},
	{CAPE_LOCK, "LOCK", false},
	{CAPE_UNLOCK, "UNLOCK", false},
	{CAPE_UNLOCK_PAGE, "UNLOCK_PAGE", false},
	{CAPE_CAPTURE_PAGE, "CAPTURE_PAGE", false},
	{CAPE_COLLECT, "COLLECT", false},
	{CAPE_READ_RANGE, "READ_RANGE", false},
	{CAPE_WRITE_RANGE, "WRITE_RANGE", false},
	{CAPE_GET_STATUS, "GET_STATUS", false},
	{CAPE_GET_STATISTICS, "GET_STATISTICS", false},
	{CAPE_ROLLBACK, "ROLLBACK", false},
	{CAPE_READ_LOCKED, "READ_LOCKED", false},
	{CAPE_CHECK, "CHECK", false},
	{CAPE_MAKE_RECORDER, "MAKE_RECORDER", false},
	{CAPE_EPOCH, "EPOCH", false},
	{CAPE_DROP_EPOCH, "DROP_EPOCH", false},
	{CAPE_VIEW, "VIEW", false},
	{CAPE_READ_EPOCH, "READ_EPOCH", false},
	{CAPE_SEEK_EPOCH, "SEEK_EPOCH", false},
	{CAPE_ROLLBACK_TO, "ROLLBACK_TO", false},
	{CAPE_DIFF, "DIFF", false},
	{CAPE_GET_EPOCHS, "GET_EPOCHS", false},
	{CAPE_WATCH_BYTES, "WATCH_BYTES", false},
	{CAPE_MAKE_STACK_RECORDER, "MAKE_STACK_RECORDER", false},
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

/* One field of a request that is good but for that. */
struct trial {
	unsigned long number;
	const char *field;
	size_t offset, width;
	uint64_t value;
	int error; /* 0: it is to succeed */
};

#define TRIAL(number, type, member, value, error)                                                  \
	{                                                                                          \
		number, #number ", " #member " = " #value, offsetof(struct type, member),          \
			sizeof(((struct type *)0)->member), value, error                           \
	}
#define ATTACH(...)	 TRIAL(CAPE_ATTACH, cape_attach, __VA_ARGS__)
#define LOCK(...)	 TRIAL(CAPE_LOCK, cape_lock, __VA_ARGS__)
#define UNLOCK_PAGE(...) TRIAL(CAPE_UNLOCK_PAGE, cape_page, __VA_ARGS__)
#define CAPTURE(...)	 TRIAL(CAPE_CAPTURE_PAGE, cape_capture, __VA_ARGS__)
#define COLLECT(...)	 TRIAL(CAPE_COLLECT, cape_collect, __VA_ARGS__)
#define READ(...)	 TRIAL(CAPE_READ_RANGE, cape_access, __VA_ARGS__)
#define LOCKED(...)	 TRIAL(CAPE_READ_LOCKED, cape_access, __VA_ARGS__)
#define WRITE(...)	 TRIAL(CAPE_WRITE_RANGE, cape_access, __VA_ARGS__)
#define ROLLBACK(...)	 TRIAL(CAPE_ROLLBACK, cape_rollback, __VA_ARGS__)
#define RECORDER(...)	 TRIAL(CAPE_MAKE_RECORDER, cape_make_recorder, __VA_ARGS__)
#define STATUS(...)	 TRIAL(CAPE_GET_STATUS, cape_status, __VA_ARGS__)
#define EPOCH(...)	 TRIAL(CAPE_EPOCH, cape_epoch, __VA_ARGS__)
#define DROP(...)	 TRIAL(CAPE_DROP_EPOCH, cape_epoch_number, __VA_ARGS__)
#define VIEW(...)	 TRIAL(CAPE_VIEW, cape_epoch_number, __VA_ARGS__)
#define TO(...)		 TRIAL(CAPE_ROLLBACK_TO, cape_rollback_to, __VA_ARGS__)
#define DIFF(...)	 TRIAL(CAPE_DIFF, cape_diff, __VA_ARGS__)
#define EPOCHS(...)	 TRIAL(CAPE_GET_EPOCHS, cape_epochs, __VA_ARGS__)

static const struct trial when_unlocked[] = {
	ATTACH(pid, 0, ESRCH),
	ATTACH(pid, MAXIMUM, ESRCH),
	ATTACH(pid, INT32_MAX, ESRCH),
	ATTACH(pid, INT32_MIN, ESRCH),
	ATTACH(flags, 1, EINVAL),
	ATTACH(flags, MAXIMUM, EINVAL),
	LOCK(mode, 0, EINVAL),
	LOCK(mode, 3, ENXIO),
	LOCK(mode, 4, EINVAL),
	LOCK(mode, MAXIMUM, EINVAL),
	LOCK(flags, 3, EINVAL),
	LOCK(flags, 4, EINVAL),
	LOCK(flags, 1u << 31, EINVAL),
	LOCK(flags, MAXIMUM, EINVAL),
	LOCK(ranges, 0, EINVAL),
	LOCK(ranges, 8, EFAULT),
	LOCK(ranges, MAXIMUM, EFAULT),
	LOCK(ranges, MAXIMUM - 15, EFAULT),
	LOCK(ranges, A_KERNEL, EFAULT),
	LOCK(range_count, 0, EINVAL),
	LOCK(range_count, 3, EFAULT),
	LOCK(range_count, 65536, EFAULT),
	LOCK(range_count, 65537, E2BIG),
	LOCK(range_count, 1u << 28, E2BIG),
	LOCK(range_count, MAXIMUM, E2BIG),
	LOCK(reserved, 1, EINVAL),
	LOCK(reserved, MAXIMUM, EINVAL),
	UNLOCK_PAGE(address, 0, ENODATA),
	CAPTURE(flags, 0, ENODATA),
	COLLECT(flags, 0, ENODATA),
	LOCKED(flags, 0, ENODATA),
	ROLLBACK(flags, 0, ENODATA),
	RECORDER(record_count, 0, EINVAL),
	RECORDER(record_count, 17, EINVAL),
	RECORDER(record_count, 8, EINVAL),
	RECORDER(record_count, 1u << 21, EINVAL),
	RECORDER(record_count, MAXIMUM, EINVAL),
	RECORDER(flags, 1, EINVAL),
	RECORDER(flags, MAXIMUM, EINVAL),
};

static const struct trial when_locked[] = {
	LOCK(mode, 2, EBUSY),
	LOCK(mode, 4, EINVAL),
	UNLOCK_PAGE(address, 0, ENOENT),
	UNLOCK_PAGE(address, MAXIMUM, ENOENT),
	UNLOCK_PAGE(address, A_KERNEL, ENOENT),
	CAPTURE(address, 0, ENOENT),
	CAPTURE(address, MAXIMUM, ENOENT),
	CAPTURE(address, A_KERNEL, ENOENT),
	CAPTURE(twin, 0, 0),
	CAPTURE(twin, 8, EFAULT),
	CAPTURE(twin, MAXIMUM, EFAULT),
	CAPTURE(twin, A_KERNEL, EFAULT),
	CAPTURE(flags, 3, EINVAL),
	CAPTURE(flags, 2, EINVAL),
	CAPTURE(flags, MAXIMUM, EINVAL),
	CAPTURE(twin_state, MAXIMUM, 0),
	COLLECT(cursor, 1, EINVAL),
	COLLECT(cursor, 4095, EINVAL),
	COLLECT(cursor, MAXIMUM - 1, EINVAL),
	COLLECT(cursor, MAXIMUM - 4095, 0),
	COLLECT(cursor, A_KERNEL, 0),
	COLLECT(cursor, USER_END, 0),
	COLLECT(cursor, MAXIMUM, 0),
	COLLECT(pages, 0, EFAULT),
	COLLECT(pages, MAXIMUM, EFAULT),
	COLLECT(pages, MAXIMUM - 15, EFAULT),
	COLLECT(pages, A_KERNEL, EFAULT),
	COLLECT(twins, 0, EINVAL),
	COLLECT(twins, 8, EFAULT),
	COLLECT(twins, MAXIMUM, EFAULT),
	COLLECT(twins, A_KERNEL, EFAULT),
	COLLECT(page_capacity, 0, EINVAL),
	COLLECT(page_capacity, MAXIMUM, 0),
	COLLECT(twin_capacity, 0, EINVAL),
	COLLECT(twin_capacity, MAXIMUM, 0),
	COLLECT(flags, 2, EINVAL),
	COLLECT(flags, MAXIMUM, EINVAL),
	COLLECT(page_count, MAXIMUM, 0),
	COLLECT(twin_count, MAXIMUM, 0),
	COLLECT(reserved, 1, EINVAL),
	COLLECT(reserved, MAXIMUM, EINVAL),
	READ(address, 0, EFAULT),
	READ(address, MAXIMUM, EINVAL),
	READ(address, A_KERNEL, EINVAL),
	READ(address, USER_END - 99, EINVAL),
	READ(length, 0, 0),
	READ(length, PAGE *PAGES, EFAULT),
	READ(length, MAXIMUM, EINVAL),
	READ(length, 1ull << 27, EFAULT),
	READ(buffer, 0, EFAULT),
	READ(buffer, MAXIMUM, EFAULT),
	READ(buffer, A_KERNEL, EFAULT),
	READ(flags, 1, EINVAL),
	READ(flags, MAXIMUM, EINVAL),
	READ(reserved, 1, EINVAL),
	READ(reserved, MAXIMUM, EINVAL),
	READ(done, MAXIMUM, 0),
	LOCKED(address, 0, EFAULT),
	LOCKED(address, MAXIMUM, EINVAL),
	LOCKED(address, A_KERNEL, EINVAL),
	LOCKED(address, USER_END - 99, EINVAL),
	LOCKED(length, 0, 0),
	LOCKED(length, PAGE + 1, EFAULT),
	LOCKED(length, MAXIMUM, EINVAL),
	LOCKED(buffer, 0, EFAULT),
	LOCKED(buffer, MAXIMUM, EFAULT),
	LOCKED(buffer, A_KERNEL, EFAULT),
	LOCKED(flags, 1, EINVAL),
	LOCKED(reserved, MAXIMUM, EINVAL),
	LOCKED(done, MAXIMUM, 0),
	WRITE(address, 0, EFAULT),
	WRITE(address, MAXIMUM, EINVAL),
	WRITE(address, A_KERNEL, EINVAL),
	WRITE(address, USER_END - 99, EINVAL),
	WRITE(length, 0, 0),
	WRITE(length, MAXIMUM, EINVAL),
	WRITE(length, 1ull << 27, EFAULT),
	WRITE(buffer, 0, EFAULT),
	WRITE(buffer, MAXIMUM, EFAULT),
	WRITE(buffer, A_KERNEL, EFAULT),
	WRITE(flags, 1, EINVAL),
	WRITE(flags, MAXIMUM, EINVAL),
	WRITE(reserved, 1, EINVAL),
	WRITE(reserved, MAXIMUM, EINVAL),
	WRITE(done, MAXIMUM, 0),
	STATUS(pid, MAXIMUM, 0),
	STATUS(mode, MAXIMUM, 0),
	STATUS(ranges, 0, EINVAL),
	STATUS(ranges, MAXIMUM, EFAULT),
	STATUS(ranges, A_KERNEL, EFAULT),
	STATUS(range_capacity, 0, EINVAL),
	STATUS(range_capacity, MAXIMUM, 0),
	STATUS(range_count, MAXIMUM, 0),
	STATUS(reserved, 1, EINVAL),
	STATUS(reserved, MAXIMUM, EINVAL),
};

/* When all else was tried, as it undoes what the process wrote. */
static const struct trial at_last[] = {
	ROLLBACK(flags, 1, EINVAL),
	ROLLBACK(flags, MAXIMUM, EINVAL),
	ROLLBACK(reserved, 1, EINVAL),
	ROLLBACK(reserved, MAXIMUM, EINVAL),
	ROLLBACK(page_count, MAXIMUM, 0),
	ROLLBACK(new_bytes, MAXIMUM, 0),
	ROLLBACK(address, MAXIMUM, 0),
	DIFF(to, 0, EINVAL),
	DROP(epoch, 1, EBUSY),
	EPOCH(flags, 1, EINVAL),
	EPOCH(flags, MAXIMUM, EINVAL),
	EPOCH(reserved, MAXIMUM, EINVAL),
	EPOCH(epoch, MAXIMUM, 0),
	EPOCH(page_count, MAXIMUM, 0),
	DIFF(cursor, 1, EINVAL),
	DIFF(cursor, MAXIMUM - 4095, 0),
	DIFF(cursor, MAXIMUM, 0),
	DIFF(from, 0, EINVAL),
	DIFF(from, MAXIMUM, ENOENT),
	DIFF(to, MAXIMUM, ENOENT),
	DIFF(to, 1, EINVAL),
	DIFF(capacity, 0, EINVAL),
	DIFF(capacity, MAXIMUM, 0),
	DIFF(count, MAXIMUM, 0),
	DIFF(flags, MAXIMUM, EINVAL),
	DIFF(reserved, 1, EINVAL),
	EPOCHS(entries, 0, EINVAL),
	EPOCHS(entries, 8, EFAULT),
	EPOCHS(entries, MAXIMUM, EFAULT),
	EPOCHS(entries, A_KERNEL, EFAULT),
	EPOCHS(capacity, 0, EINVAL),
	EPOCHS(capacity, MAXIMUM, 0),
	EPOCHS(count, MAXIMUM, 0),
	EPOCHS(view, MAXIMUM, 0),
	EPOCHS(flags, 1, EINVAL),
	EPOCHS(reserved, MAXIMUM, EINVAL),
	VIEW(epoch, MAXIMUM, ENOENT),
	VIEW(flags, MAXIMUM, EINVAL),
	VIEW(reserved, 1, EINVAL),
	VIEW(epoch, 0, 0),
	DROP(epoch, MAXIMUM, ENOENT),
	DROP(flags, 1, EINVAL),
	DROP(reserved, MAXIMUM, EINVAL),
	DROP(epoch, 0, 0),
	TO(epoch, MAXIMUM, ENOENT),
	TO(flags, 1, EINVAL),
	TO(reserved, MAXIMUM, EINVAL),
	TO(page_count, MAXIMUM, 0),
	TO(new_bytes, MAXIMUM, 0),
	TO(address, MAXIMUM, 0),
	TO(epoch, 0, 0),
};

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

static union request good(unsigned long number)
{
	union request request;

	memset(&request, 0, sizeof(request));
	switch (number) {
	case CAPE_ATTACH:
		request.attach.pid = child;
		break;
	case CAPE_LOCK:
		request.lock.mode = CAPE_MODE_SNAPSHOT;
		request.lock.ranges = ADDRESS(ranges);
		request.lock.range_count = 2;
		break;
	case CAPE_UNLOCK_PAGE:
		request.page.address = ADDRESS(memory);
		break;
	case CAPE_CAPTURE_PAGE:
		request.capture.address = ADDRESS(memory + PAGE + 77);
		request.capture.twin = ADDRESS(buffer);
		request.capture.flags = CAPE_CAPTURE_KEEP;
		break;
	case CAPE_COLLECT:
		request.collect.pages = ADDRESS(buffer + PAGE);
		request.collect.twins = ADDRESS(buffer);
		request.collect.page_capacity = request.collect.twin_capacity = 1;
		break;
	case CAPE_READ_LOCKED:
		request.access.address = ADDRESS(memory + PAGE);
		request.access.length = PAGE;
		request.access.buffer = ADDRESS(buffer + 1);
		break;
	case CAPE_READ_RANGE:
	case CAPE_WRITE_RANGE:
		request.access.address = ADDRESS(memory + 5 * PAGE - 50);
		request.access.length = 100;
		request.access.buffer = ADDRESS(buffer + 1);
		break;
	case CAPE_MAKE_RECORDER:
		request.make_recorder.record_count = CAPE_RECORDS_LEAST;
		break;
	case CAPE_WATCH_BYTES:
		request.watch_bytes.address = ADDRESS(memory);
		request.watch_bytes.length = 8;
		break;
	case CAPE_DROP_EPOCH:
	case CAPE_VIEW:
		request.epoch_number.epoch = 1;
		break;
	case CAPE_ROLLBACK_TO:
		request.rollback_to.epoch = 1;
		break;
	case CAPE_DIFF:
		request.diff.from = 1;
		request.diff.extents = ADDRESS(buffer);
		request.diff.capacity = 1;
		break;
	case CAPE_GET_EPOCHS:
		request.epochs.entries = ADDRESS(buffer);
		request.epochs.capacity = 1;
		break;
	case CAPE_GET_STATUS:
		request.status.ranges = ADDRESS(buffer);
		request.status.range_capacity = 2;
		break;
	}
	return request;
}

static uint32_t mode_now(void)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 ? status.mode : UINT32_MAX;
}

static void make_trials(const struct trial *trial, size_t count)
{
	uint32_t mode = mode_now();

	for (; count--; trial++) {
		union request request = good(trial->number);
		int on = trial->number == CAPE_ATTACH ? device : descriptor;
		int result;

		memcpy((char *)&request + trial->offset, &trial->value, trial->width);
		errno = 0;
		result = ioctl(on, trial->number, &request);
		check((trial->error ? result < 0 : result == 0) && errno == trial->error &&
			      mode_now() == mode,
		      "%s: %s", trial->field,
		      trial->error ? strerrorname_np(trial->error) : "succeeds");
	}
}

/* Two ranges, of which something is wrong. */
static void try_ranges(void)
{
	const uint64_t start = ADDRESS(memory), all = PAGES * PAGE;
	const struct {
		const char *name;
		struct cape_extent range[2];
	} wrong[] = {
		{"a start within a page", {{start + 1, PAGE}, {start + 2 * PAGE, PAGE}}},
		{"a length within a page", {{start, PAGE - 1}, {start + 2 * PAGE, PAGE}}},
		{"an empty range", {{start, 0}, {start + PAGE, PAGE}}},
		{"descending ranges", {{start + PAGE, PAGE}, {start, PAGE}}},
		{"overlapping ranges", {{start, 2 * PAGE}, {start + PAGE, PAGE}}},
		{"the same range twice", {{start, all}, {start, all}}},
		{"a range that overflows", {{start, PAGE}, {start + PAGE, -PAGE}}},
		{"a range that ends at 2^64", {{start, PAGE}, {-PAGE, PAGE}}},
		{"a range beyond user space", {{start, PAGE}, {USER_END, PAGE}}},
		{"a range of the kernel", {{start, PAGE}, {A_KERNEL, PAGE}}},
		{"a maximal range", {{0, MAXIMUM}, {MAXIMUM, MAXIMUM}}},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct cape_extent range[2];

		memcpy(range, wrong[i].range, sizeof(range));
		refuses(lock(descriptor, CAPE_MODE_SNAPSHOT, range, 2), EINVAL,
			"lock: %s is refused", wrong[i].name);
	}
	check(mode_now() == CAPE_MODE_UNLOCKED, "nothing is locked after all these");
}

/* The pointer to the struct itself. */
static void try_arguments(void)
{
	const uint64_t bad[] = {0, 8, MAXIMUM, A_KERNEL, USER_END - 1, ADDRESS(read_only)};

	for (size_t i = 0; i < KNOWN; i++) {
		unsigned long number = known[i].number;
		int on = known[i].on_device ? device : descriptor;

		for (size_t j = 0; j < 6 && _IOC_SIZE(number); j++) {
			union request request = good(number);

			/* Only a reply needs memory that can be written; CAPE_LOCK gives none now.
			 */
			if (bad[j] == ADDRESS(read_only) &&
			    (!(_IOC_DIR(number) & _IOC_READ) || number == CAPE_LOCK))
				continue;
			mprotect(read_only, PAGE, PROT_READ | PROT_WRITE);
			memcpy(read_only, &request, sizeof(request));
			mprotect(read_only, PAGE, PROT_READ);
			refuses(ioctl(on, number, bad[j]), EFAULT, "%s at %#llx: EFAULT",
				known[i].name, (unsigned long long)bad[j]);
		}
	}
	refuses(ioctl(descriptor, CAPE_UNLOCK, 1), EINVAL, "UNLOCK with an argument: EINVAL");
	refuses(ioctl(descriptor, CAPE_UNLOCK, MAXIMUM), EINVAL, "UNLOCK with -1: EINVAL");
}

static int with_read_only(unsigned long number, const union request *request)
{
	mprotect(read_only, PAGE, PROT_READ | PROT_WRITE);
	memcpy(read_only, request, sizeof(*request));
	mprotect(read_only, PAGE, PROT_READ);
	return ioctl(descriptor, number, read_only);
}

/* What the caller cannot be told of is not done. */
static void try_lock_without_reply(void)
{
	union request request = good(CAPE_LOCK);

	refuses(with_read_only(CAPE_LOCK, &request), EFAULT, "LOCK without a reply: EFAULT");
	check(mode_now() == CAPE_MODE_UNLOCKED, "and nothing is locked");
}

static void try_unlocking_without_reply(void)
{
	union request request = good(CAPE_CAPTURE_PAGE);

	request.capture.flags = 0;
	refuses(with_read_only(CAPE_CAPTURE_PAGE, &request), EFAULT,
		"CAPTURE_PAGE without a reply: EFAULT");
	request = good(CAPE_COLLECT);
	request.collect.flags = CAPE_COLLECT_UNLOCK;
	refuses(with_read_only(CAPE_COLLECT, &request), EFAULT,
		"COLLECT and unlock without a reply: EFAULT");
	request.collect.flags = 0;
	check(ioctl(descriptor, CAPE_COLLECT, &request) == 0 && request.collect.page_count == 1,
	      "and the page is locked still");
}

static bool is_known(int on, unsigned long number)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].number == number && known[i].on_device == (on == device))
			return true;
	return false;
}

static void try_unknown(int on, const char *name)
{
	unsigned tried = 0, wrong = 0;

	for (unsigned number = 0; number < 256; number++)
		for (unsigned direction = 0; direction < 4; direction++)
			for (size_t i = 0; i < KNOWN + 3; i++) {
				size_t size = i < KNOWN ? _IOC_SIZE(known[i].number)
							: (size_t[]){1, 96, 16383}[i - KNOWN];
				unsigned long request =
					_IOC(direction, CAPE_IOCTL_TYPE, number, size);

				if (is_known(on, request))
					continue;
				tried++;
				wrong += ioctl(on, request, buffer) != -1 || errno != ENOTTY;
			}
	check(tried > 10000 && wrong == 0, "%s: %u unknown requests give ENOTTY (%u do not)", name,
	      tried, wrong);
	refuses(ioctl(on, _IO('T', 0x11), 0), ENOTTY, "%s: so does another driver's", name);
	check(read(on, buffer, 8) < 0, "%s: cannot be read at 0", name);
	refuses(write(on, buffer, 8), EINVAL, "%s: cannot be written", name);
	check(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, on, 0) == MAP_FAILED, "%s: cannot be mapped",
	      name);
}

static bool all_zero(const void *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((const char *)from)[i])
			return false;
	return true;
}

static void check_replies(void)
{
	struct cape_version version;
	struct cape_statistics statistics;

	memset(&version, 0xff, sizeof(version));
	check(ioctl(device, CAPE_GET_VERSION, &version) == 0 &&
		      version.version == CAPE_VERSION_NUMBER && version.page_size == PAGE &&
		      version.reserved == 0,
	      "the version's reply is whole, and zero where reserved");
	memset(&statistics, 0xff, sizeof(statistics));
	check(ioctl(descriptor, CAPE_GET_STATISTICS, &statistics) == 0 && statistics.locks == 1 &&
		      all_zero(statistics.reserved, sizeof(statistics.reserved)),
	      "so is that of the statistics");
}

static void write_one_page(void *argument)
{
	(void)argument;
	memory[PAGE] = 2;
}

/* LENGTH bytes that end where nothing is mapped. */
static void *at_the_edge(size_t length)
{
	unsigned char *pages =
		mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 7 * PAGE, PAGE);
	return pages + 7 * PAGE - length;
}

int main(void)
{
	static struct notices notices;

	device = open_device();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	memset(memory, 1, PAGES * PAGE);
	buffer = at_the_edge(2 * PAGE);
	read_only = at_the_edge(PAGE);
	ranges = at_the_edge(2 * sizeof(*ranges));
	ranges[0] = (struct cape_extent){ADDRESS(memory), 2 * PAGE};
	ranges[1] = (struct cape_extent){ADDRESS(memory) + 3 * PAGE, PAGE};
	child = spawn(NULL, write_one_page, NULL);
	descriptor = attach(device, child);
	check(descriptor >= 0, "attach");
	refuses(attach(device, child), EBUSY, "a second attach descriptor: EBUSY");
	make_trials(when_unlocked, sizeof(when_unlocked) / sizeof(when_unlocked[0]));
	try_ranges();
	refuses(ioctl(descriptor, CAPE_UNLOCK, 0), ENODATA, "unlock without lock: ENODATA");
	try_lock_without_reply();
	ioctl(descriptor, CAPE_UNLOCK, 0);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, ranges, 2) == 0, "a good lock");
	check(run_child(child, -1, false, &notices), "the process runs on");
	make_trials(when_locked, sizeof(when_locked) / sizeof(when_locked[0]));
	try_arguments();
	try_unlocking_without_reply();
	try_unknown(device, CAPE_DEVICE);
	try_unknown(descriptor, "the attach descriptor");
	check(mode_now() == CAPE_MODE_SNAPSHOT, "it is still locked after all these");
	make_trials(at_last, sizeof(at_last) / sizeof(at_last[0]));
	check_replies();
	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0, "unlock");
	reap(child);
	return finish();
}
