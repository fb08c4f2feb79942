/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dropped.c - what was not there at the lock is not there after a rollback: a process that touches
 * other memory in each run does not grow, and memory that userfaultfd provides is asked for again.
 * What it had yet to provide nobody invents.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define PART  (16ul << 20)
#define RUNS  3
#define PAGES 4

/* What child and test tell each other. */
static volatile struct {
	int provider; /* the child's userfaultfd */
	size_t run;
	unsigned char seen[PAGES];
	size_t asked; /* pages that were provided */
} * words;

static unsigned char *area, *file_area;
static int device;
static struct collected collected;
static struct notices notices;
static struct user_regs_struct registers;

static void touch_part(void *unused)
{
	(void)unused;
	memset(area + words->run * PART, 1, PART);
	memset(file_area, 1, PAGE);
	words->seen[0] = file_area[PAGE];
}

static int rollback(int descriptor, struct cape_rollback *request)
{
	*request = (struct cape_rollback){0};
	return ioctl(descriptor, CAPE_ROLLBACK, request);
}

/* Does this kernel let modules drop pages? */
static bool can_drop(void)
{
	struct cape_version version;

	return ioctl(device, CAPE_GET_VERSION, &version) == 0 &&
	       version.features & CAPE_FEATURE_DROP;
}

static uint64_t twins(int descriptor)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) < 0 ? 0 : status.twin_count;
}

/* As CAPE_READ_LOCKED and CAPE_READ_RANGE; the byte, or -1 and errno. */
static int byte_at(int descriptor, unsigned long number, const void *address)
{
	unsigned char value;
	struct cape_access access = {
		.address = (uintptr_t)address, .length = 1, .buffer = (uintptr_t)&value};

	return ioctl(descriptor, number, &access) < 0 ? -1 : value;
}

static void test_growth(void)
{
	pid_t child;
	int descriptor;
	struct cape_rollback request;
	char status[64];
	long before, grown = 0;
	uint64_t were;
	size_t put_back = 0;

	if (!can_drop()) {
		check(true, "growth # SKIP this kernel lets no module drop pages");
		return;
	}
	child = spawn(NULL, touch_part, NULL);
	descriptor = attach(device, child);
	snprintf(status, sizeof(status), "/proc/%d/status", child);
	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	ptrace(PTRACE_GETREGS, child, NULL, &registers);
	before = field(status, "VmRSS");
	were = twins(descriptor);
	for (words->run = 0; words->run < RUNS; words->run++) {
		run_child(child, descriptor, false, &notices);
		if (rollback(descriptor, &request) == 0)
			put_back += request.page_count >= PART / PAGE + 1;
		ptrace(PTRACE_SETREGS, child, NULL, &registers);
		grown = field(status, "VmRSS") - before;
	}
	check(put_back == RUNS, "%zu of %d runs were put back", put_back, RUNS);
	check(grown < (long)(PART >> 10), "the process has grown by %ld KB", grown);
	check(twins(descriptor) < were + 512, "no twins were made of zeros: %lu, then %lu",
	      (unsigned long)were, (unsigned long)twins(descriptor));
	check(byte_at(descriptor, CAPE_READ_RANGE, area) == 0 &&
		      byte_at(descriptor, CAPE_READ_RANGE, file_area) == 'f',
	      "there are zeros and the file's bytes again");
	check(collect(descriptor, 64, false, 0, &collected) &&
		      collected_within(&collected, area, RUNS * PART) == 0,
	      "and nothing is written");
	close(descriptor);
	reap(child);
}

static void await(void *start, size_t length)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register all = {.range = {(uintptr_t)start, length},
				      .mode = UFFDIO_REGISTER_MODE_MISSING};

	words->provider = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (words->provider < 0 || ioctl(words->provider, UFFDIO_API, &api) < 0 ||
	    ioctl(words->provider, UFFDIO_REGISTER, &all) < 0)
		abort();
}

static void await_area(void)
{
	await(area, PAGES * PAGE);
}

static void read_awaited(void *unused)
{
	(void)unused;
	words->seen[0] = area[0];
	words->seen[1] = area[PAGE];
	area[PAGE] = 'w';
}

/* Whoever asks gets the letter X. */
static void *provide(void *provider)
{
	static char letters[PAGE];
	struct uffd_msg message;

	memset(letters, 'X', PAGE);
	while (read(*(int *)provider, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {
			.dst = message.arg.pagefault.address & -PAGE,
			.src = (uintptr_t)letters,
			.len = PAGE,
		};

		words->asked++;
		ioctl(*(int *)provider, UFFDIO_COPY, &copy);
	}
	return NULL;
}

/* The child's userfaultfd here. */
static int take_provider(pid_t child)
{
	int process = (int)syscall(SYS_pidfd_open, child, 0);
	int provider = (int)syscall(SYS_pidfd_getfd, process, words->provider, 0);

	close(process);
	return provider;
}

static void check_awaited_page(int descriptor)
{
	const struct cape_dirty *page;

	check(collect(descriptor, 64, true, 0, &collected) &&
		      (page = collected_page(&collected, area)) &&
		      page->twin_state == CAPE_TWIN_ZERO && page->flags == CAPE_DIRTY_AWAITED,
	      "what was provided is told to have been awaited");
	refuses(byte_at(descriptor, CAPE_READ_LOCKED, area), EFAULT,
		"what it would have been is not known: EFAULT");
}

/* The child has read what was awaited. */
static void check_rollback(int descriptor, pid_t child)
{
	struct cape_rollback request;
	struct cape_epoch epoch = {0};
	struct cape_rollback_to to = {.epoch = 1};

	check(rollback(descriptor, &request) == 0, "rollback");
	refuses(byte_at(descriptor, CAPE_READ_RANGE, area), EFAULT,
		"it is awaited again: no zeros were made of it");
	check(collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, area, PAGES * PAGE) == 0,
	      "and is not written");
	ptrace(PTRACE_SETREGS, child, NULL, &registers);
	words->seen[0] = words->seen[1] = 0;
	check(run_child(child, descriptor, false, &notices) && words->seen[0] == 'X' &&
		      words->seen[1] == 'X' && words->asked == 4,
	      "the process runs from there once more, and it is provided again");
	check(ioctl(descriptor, CAPE_EPOCH, &epoch) == 0 &&
		      byte_at(descriptor, CAPE_READ_LOCKED, area + PAGE) == 'w' &&
		      byte_at(descriptor, CAPE_READ_LOCKED, area + 2 * PAGE) == -1 &&
		      ioctl(descriptor, CAPE_ROLLBACK_TO, &to) == 0 &&
		      byte_at(descriptor, CAPE_READ_RANGE, area + PAGE) == -1,
	      "an epoch has what was there by then, and the one before it has not");
}

static void test_awaited(void)
{
	pid_t child = spawn(await_area, read_awaited, NULL);
	int descriptor = attach(device, child), provider = take_provider(child);
	struct cape_rollback request;
	pthread_t thread;

	words->asked = 0;
	pthread_create(&thread, NULL, provide, &provider);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock memory that is awaited");
	refuses(byte_at(descriptor, CAPE_READ_RANGE, area), EFAULT, "it cannot be read: EFAULT");
	refuses(byte_at(descriptor, CAPE_READ_LOCKED, area), EFAULT, "nor as it was: EFAULT");
	ptrace(PTRACE_GETREGS, child, NULL, &registers);
	check(run_child(child, descriptor, false, &notices) && words->seen[0] == 'X' &&
		      words->asked == 2,
	      "it is provided when the process reads it");
	check_awaited_page(descriptor);
	if (can_drop())
		check_rollback(descriptor, child);
	else
		refuses(rollback(descriptor, &request), ESTALE,
			"rollback, by a kernel that lets no module drop pages: ESTALE");
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	close(provider);
	close(descriptor);
	reap(child);
}
static void await_file(void)
{
	await(file_area, PAGES * PAGE);
}

/* Of a file in memory, holes are awaited, and what is there is not. */
static void test_file(void)
{
	pid_t child;
	int descriptor, file = memfd_create("bytes", MFD_CLOEXEC);

	if (write(file, "ffff", 4) != 4 || ftruncate(file, PAGES * PAGE) < 0)
		abort();
	mmap(file_area, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
	child = spawn(await_file, touch_part, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      byte_at(descriptor, CAPE_READ_LOCKED, file_area) == 'f',
	      "what a file in memory has is read");
	refuses(byte_at(descriptor, CAPE_READ_LOCKED, file_area + PAGE), EFAULT,
		"its hole, which userfaultfd is to fill, is not: EFAULT");
	close(descriptor);
	reap(child);
}

int main(void)
{
	device = open_device();
	words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	area = mmap(NULL, RUNS * PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	file_area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, make_file(), 0);
	test_growth();
	test_awaited();
	test_file();
	return finish();
}
