/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workers.c - a process with a worker of the kernel's among its threads, as vhost makes them
 * (/dev/worker, toy/worker.c): no tracer can have it stand still, and none has to.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"

#define PAGES 16

static unsigned char *memory;
static int *error; /* of the child's open(); shared */
static struct notices notices;
static struct collected collected;

static void get_worker(void)
{
	memset(memory, 1, PAGES * PAGE);
	*error = open("/dev/worker", O_RDWR | O_CLOEXEC) < 0 ? errno : 0;
}

static void write_some(void *argument)
{
	(void)argument;
	for (int i = 0; i < PAGES; i += 2)
		memory[i * PAGE] = 2;
}

static bool is_as_it_was(int descriptor)
{
	static unsigned char now[PAGES * PAGE];
	struct cape_access access = {(uintptr_t)memory, sizeof(now), (uintptr_t)now, 0, 0, 0};

	if (ioctl(descriptor, CAPE_READ_RANGE, &access) < 0)
		return false;
	for (size_t i = 0; i < sizeof(now); i++)
		if (now[i] != 1)
			return false;
	return true;
}

static void test_worker(int device, uint32_t mode)
{
	struct cape_rollback request = {0};
	pid_t child = spawn(get_worker, write_some, NULL);
	char tasks[64];
	int descriptor = attach(device, child);

	snprintf(tasks, sizeof(tasks), "/proc/%d/status", child);
	if (*error == ENODEV) {
		check(true, "mode %u: a worker # SKIP this kernel makes it a process", mode);
		goto out;
	}
	check(*error == 0 && field(tasks, "Threads") == 2, "mode %u: there is a worker", mode);
	check(lock(descriptor, mode, NULL, 0) == 0, "lock");
	check(run_child(child, descriptor, false, &notices), "the process writes");
	check(collect(descriptor, 64, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == PAGES / 2,
	      "what it wrote is told");
	check(ioctl(descriptor, CAPE_ROLLBACK, &request) == 0,
	      "rollback, though the worker does not stand still");
	check(is_as_it_was(descriptor), "the memory is as it was");
out:
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	error = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!load("/worker.ko")) {
		check(false, "there is /dev/worker");
		return finish();
	}
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++)
		test_worker(device, mode);
	return finish();
}
