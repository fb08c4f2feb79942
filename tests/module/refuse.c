/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refuse.c - what the driver must refuse: by whom, on what process, with which fields.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

static unsigned char memory[16 * PAGE] __attribute__((aligned(4096)));
static const unsigned char constant[PAGE] __attribute__((aligned(4096))) = {1};

static const struct {
	const char *name;
	unsigned long number;
	size_t size;
} request[] = {
	{"lock", CAPE_LOCK, sizeof(struct cape_lock)},
	{"unlock a page", CAPE_UNLOCK_PAGE, sizeof(struct cape_page)},
	{"capture a page", CAPE_CAPTURE_PAGE, sizeof(struct cape_capture)},
	{"collect", CAPE_COLLECT, sizeof(struct cape_collect)},
	{"read a range", CAPE_READ_RANGE, sizeof(struct cape_access)},
	{"write a range", CAPE_WRITE_RANGE, sizeof(struct cape_access)},
	{"status", CAPE_GET_STATUS, sizeof(struct cape_status)},
	{"statistics", CAPE_GET_STATISTICS, sizeof(struct cape_statistics)},
};

#define REQUESTS (sizeof(request) / sizeof(request[0]))

static void nothing(void *argument)
{
	(void)argument;
}

static void become_another(void *argument)
{
	(void)argument;
	/* The tracer sees a SIGTRAP when it is done. */
	execl("/bin/sleep", "sleep", "1000", (char *)NULL);
}

/* Whether every request fails with ERROR; status and statistics may work with WITH_STATUS. */
static bool all_fail(int descriptor, int error, bool with_status)
{
	bool right = true;

	for (size_t i = 0; i < REQUESTS - (with_status ? 2 : 0); i++) {
		unsigned char bytes[512] = {0};

		if (request[i].number == CAPE_LOCK)
			((struct cape_lock *)bytes)->mode = CAPE_MODE_SNAPSHOT;
		if (request[i].number == CAPE_COLLECT) {
			((struct cape_collect *)bytes)->pages = (uintptr_t)memory;
			((struct cape_collect *)bytes)->page_capacity = 1;
		}
		errno = 0;
		if (ioctl(descriptor, request[i].number, bytes) == 0 || errno != error) {
			printf("# %s: %s\n", request[i].name, strerror(errno));
			right = false;
		}
	}
	return right && ioctl(descriptor, CAPE_UNLOCK, 0) < 0 && errno == error;
}

static void test_whom(int device)
{
	pid_t stranger = fork();
	int status;

	if (stranger == 0) {
		pause();
		_exit(0);
	}
	refuses(attach(device, stranger), EPERM, "a process that the caller does not trace");
	kill(stranger, SIGKILL);
	waitpid(stranger, &status, 0);
	refuses(attach(device, stranger), ESRCH, "a process that has ended");
	refuses(attach(device, getpid()), EPERM, "the caller itself");
	refuses(attach(device, 1), EPERM, "init");
	refuses(attach(device, 2), EPERM, "a kernel thread");
	refuses(attach(device, 0), ESRCH, "process 0");
	refuses(attach(device, -1), ESRCH, "process -1");
	refuses(attach(device, 0x7fffffff), ESRCH, "a process id beyond all");
	refuses(ioctl(device, CAPE_ATTACH, &(struct cape_attach){getpid(), 1}), EINVAL,
		"a flag without a name");
	refuses(ioctl(device, CAPE_ATTACH, NULL), EFAULT, "attach by a null pointer");
	refuses(ioctl(device, CAPE_LOCK, memory), ENOTTY, "a process's request on the device");
	refuses(ioctl(device, 0, 0), ENOTTY, "an unknown request on the device");
}

/* The fields of one request, all set to the same byte. */
static void test_fields(int descriptor)
{
	for (size_t i = 0; i < REQUESTS; i++) {
		unsigned char bytes[512];
		bool is_output = request[i].number == CAPE_GET_STATISTICS;
		bool is_zero_fine = is_output || request[i].number == CAPE_GET_STATUS ||
				    request[i].number == CAPE_READ_RANGE ||
				    request[i].number == CAPE_WRITE_RANGE;
		int result;

		refuses(ioctl(descriptor, request[i].number, NULL), EFAULT, "%s: a null pointer",
			request[i].name);
		refuses(ioctl(descriptor, request[i].number, (void *)-8l), EFAULT,
			"%s: a pointer into the kernel", request[i].name);
		memset(bytes, 0, sizeof(bytes));
		result = ioctl(descriptor, request[i].number, bytes);
		check(is_zero_fine ? result == 0
				   : result < 0 && (errno == EINVAL || errno == ENODATA),
		      "%s: every field zero", request[i].name);
		memset(bytes, 0xff, sizeof(bytes));
		result = ioctl(descriptor, request[i].number, bytes);
		check(is_output ? result == 0 : result < 0 && (errno == EINVAL || errno == ENODATA),
		      "%s: every field maximal", request[i].name);
		refuses(ioctl(descriptor, request[i].number + (1 << _IOC_SIZESHIFT), bytes), ENOTTY,
			"%s: another size", request[i].name);
	}
	refuses(ioctl(descriptor, CAPE_UNLOCK, 1), EINVAL, "unlock with an argument");
	refuses(ioctl(descriptor, _IO(CAPE_IOCTL_TYPE, 0x7f), 0), ENOTTY, "an unknown request");
}

static void test_ranges(int descriptor)
{
	const uint64_t at = (uintptr_t)memory;
	struct cape_range wrong[][2] = {
		{{at + 1, PAGE}},
		{{at, PAGE + 1}},
		{{at, 0}},
		{{-PAGE, 2 * PAGE}},
		{{PAGE, -PAGE}},
		{{0xffff800000000000, PAGE}},
		{{at + PAGE, PAGE}, {at, PAGE}},
		{{at, 2 * PAGE}, {at + PAGE, PAGE}},
	};
	const char *name[] = {"misaligned",
			      "of a misaligned length",
			      "empty",
			      "that wraps",
			      "that wraps by its length",
			      "in the kernel",
			      "out of order",
			      "that overlap"};
	struct cape_lock request_far = {.mode = CAPE_MODE_SNAPSHOT, .ranges = 8, .range_count = 1};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses(lock(descriptor, CAPE_MODE_SNAPSHOT, wrong[i], i < 6 ? 1 : 2), EINVAL,
			"ranges %s", name[i]);
	refuses(lock(descriptor, 3, NULL, 0), EINVAL, "an unknown mode");
	refuses(lock(descriptor, CAPE_MODE_SNAPSHOT, wrong[0], 0xffffffff), E2BIG,
		"4294967295 ranges");
	refuses(ioctl(descriptor, CAPE_LOCK, &request_far), EFAULT, "ranges at a wild pointer");
	request_far.range_count = 0;
	refuses(ioctl(descriptor, CAPE_LOCK, &request_far), EINVAL, "no ranges, but a pointer");
}

static int access_range(int descriptor, unsigned long number, const void *at, uint64_t length,
			void *buffer)
{
	struct cape_access access = {
		.address = (uintptr_t)at,
		.length = length,
		.buffer = (uintptr_t)buffer,
	};

	return ioctl(descriptor, number, &access);
}

static void test_access(int descriptor, void *shared, const void *file)
{
	unsigned char bytes[3 * PAGE];
	unsigned char *past = memory + sizeof(memory) - 10;

	memset(bytes, 'x', sizeof(bytes));
	check(access_range(descriptor, CAPE_WRITE_RANGE, memory + 100, sizeof(bytes), bytes) == 0,
	      "write_range to private memory");
	memset(bytes, 0, sizeof(bytes));
	check(access_range(descriptor, CAPE_READ_RANGE, memory + 100, sizeof(bytes), bytes) == 0 &&
		      bytes[0] == 'x' && bytes[sizeof(bytes) - 1] == 'x' && past[0] == 0,
	      "read_range gives it back");
	refuses(access_range(descriptor, CAPE_WRITE_RANGE, constant, 1, bytes), EACCES,
		"write_range to read-only memory");
	refuses(access_range(descriptor, CAPE_WRITE_RANGE, shared, 1, bytes), EACCES,
		"write_range to shared memory");
	refuses(access_range(descriptor, CAPE_WRITE_RANGE, file, 1, bytes), EACCES,
		"write_range to a shared file mapping");
	refuses(access_range(descriptor, CAPE_READ_RANGE, (void *)8, 1, bytes), EFAULT,
		"read_range of what is not mapped");
	refuses(access_range(descriptor, CAPE_READ_RANGE, memory, 1, (void *)8), EFAULT,
		"read_range to a wild buffer");
	refuses(access_range(descriptor, CAPE_READ_RANGE, (void *)0xffff888000000000, 8, bytes),
		EINVAL, "read_range of the kernel");
	refuses(access_range(descriptor, CAPE_READ_RANGE, memory, UINT64_MAX, bytes), EINVAL,
		"read_range of more than there is");
	check(constant[0] == 1 && *(unsigned char *)shared == 0, "none of that was written");
}

static void test_other_callers(int descriptor)
{
	pid_t other = fork();
	int status;

	if (other == 0)
		_exit(all_fail(descriptor, EPERM, false) ? 0 : 1);
	waitpid(other, &status, 0);
	check(status == 0, "a process that is not the tracer, by an inherited descriptor");
}

static void test_gone(int device)
{
	pid_t child = spawn(become_another, NULL);
	int descriptor = attach(device, child), status;

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "a process is locked");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, &status, 0);
	check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP, "it calls execve");
	check(all_fail(descriptor, ESRCH, true), "after execve nothing works");
	close(descriptor);
	descriptor = attach(device, child);
	check(descriptor >= 0, "but attaching anew");
	reap(child);
	check(all_fail(descriptor, ESRCH, true), "after its end nothing works");
	close(descriptor);
}

static void *hammer(void *argument)
{
	int descriptor = *(int *)argument;

	for (int i = 0; i < 200; i++) {
		unsigned char bytes[512] = {0};

		lock(descriptor, 1 + (uint32_t)i % 2, NULL, 0);
		ioctl(descriptor, CAPE_GET_STATUS, bytes);
		access_range(descriptor, CAPE_WRITE_RANGE, memory, 100, bytes);
		ioctl(descriptor, CAPE_UNLOCK, 0);
	}
	return NULL;
}

static void test_threads(int descriptor)
{
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, hammer, &descriptor);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	ioctl(descriptor, CAPE_UNLOCK, 0);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0 &&
		      ioctl(descriptor, CAPE_UNLOCK, 0) == 0,
	      "8 threads at once leave it usable");
}

int main(void)
{
	int device = open_device(), file = open("/tmp/shared", O_RDWR | O_CREAT, 0600), descriptor;
	void *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *mapped;
	pid_t child;

	if (ftruncate(file, PAGE) < 0)
		return 1;
	mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	test_whom(device);
	child = spawn(nothing, NULL);
	descriptor = attach(device, child);
	check(descriptor >= 0, "a child that is traced");
	refuses(attach(device, child), EBUSY, "a second descriptor for it");
	test_fields(descriptor);
	test_ranges(descriptor);
	test_access(descriptor, shared, mapped);
	test_other_callers(descriptor);
	test_threads(descriptor);
	close(descriptor);
	reap(child);
	test_gone(device);
	return finish();
}
