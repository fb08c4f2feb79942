/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bypass.c - who writes to a locked page without a page fault is told by CAPE_CHECK, by the example
 * of /dev/toy, and nobody else is.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES 1024

/* Pages of the toy's, of which the process itself writes one meanwhile. */
enum { KEPT = 10, REPLACED = 700, TOYS = 2 };
static const size_t toy_page[TOYS] = {KEPT, REPLACED};

static unsigned char *memory;
static int toy[TOYS];
static struct cape_dirty changed[PAGES];
static struct collected collected;
static struct notices notices;

/* Twins that have changed, or -1; found CAPACITY at a time.  LOOKED_AT: of how many. */
static long find_changed(int descriptor, uint32_t capacity, uint64_t *looked_at)
{
	struct cape_check request = {.page_capacity = capacity};
	size_t count = 0;

	*looked_at = 0;
	do {
		request.pages = (uintptr_t)(changed + count);
		if (count + capacity > PAGES || ioctl(descriptor, CAPE_CHECK, &request) < 0)
			return -1;
		count += request.page_count;
		*looked_at += request.twin_count;
	} while (request.cursor != CAPE_CURSOR_END);
	return (long)count;
}

static int lock_to_check(int descriptor, uint32_t mode)
{
	struct cape_lock request = {.mode = mode, .flags = CAPE_LOCK_CHECK};

	return ioctl(descriptor, CAPE_LOCK, &request) < 0 ? -1 : (int)request.page_count;
}

static void own_memory(void)
{
	memset(memory, 1, PAGES * PAGE);
}

/* All ways to write that go by the page table. */
static void write_well(void *argument)
{
	int channel[2];
	pid_t child;

	(void)argument;
	for (size_t i = 0; i < PAGES; i += 7)
		memory[i * PAGE] = 2;
	if (pipe(channel) < 0 || write(channel[1], "written", 7) != 7 ||
	    read(channel[0], memory + 20 * PAGE, 7) != 7)
		abort();
	child = fork();
	if (child == 0) {
		memset(memory, 3, PAGES * PAGE);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	madvise(memory + 30 * PAGE, 5 * PAGE, MADV_DONTNEED);
	munmap(memory + 40 * PAGE, PAGE);
	madvise(memory + 50 * PAGE, 50 * PAGE, MADV_PAGEOUT);
}

static void test_well(int device, uint32_t mode)
{
	pid_t child = spawn(own_memory, write_well, NULL);
	int descriptor = attach(device, child), twins = lock_to_check(descriptor, mode);
	uint64_t looked_at;
	long count;

	check(twins >= PAGES, "mode %u: lock with sums", mode);
	check(run_child(child, descriptor, false, &notices), "the process writes as one should");
	count = find_changed(descriptor, 16, &looked_at);
	check(count == 0 && looked_at == (uint64_t)twins,
	      "none of the twins has changed (%ld of %lu)", count, (unsigned long)looked_at);
	close(descriptor);
	reap(child);
}

static void take_toys(void)
{
	own_memory();
	for (size_t i = 0; i < TOYS; i++)
		if (ioctl(toy[i], 0, memory + toy_page[i] * PAGE) < 0)
			abort();
}

/* A write by the process, then some of the device's. */
static void write_by_toys(void *argument)
{
	(void)argument;
	memory[REPLACED * PAGE + 100] = 2;
	for (size_t i = 0; i < TOYS; i++)
		if (write(toy[i], "device", 6) != 6)
			abort();
	memory[0] = memory[KEPT * PAGE] == 'd' && memory[REPLACED * PAGE] == 1;
}

static void check_found(int descriptor, uint32_t capacity)
{
	uint64_t looked_at;

	check(find_changed(descriptor, capacity, &looked_at) == 2 &&
		      changed[0].address == (uintptr_t)(memory + KEPT * PAGE) &&
		      changed[0].twin_state == CAPE_TWIN_NONE && changed[0].flags == 0,
	      "what it wrote, and the process sees, is told (%u at a time)", capacity);
	check(changed[1].address == (uintptr_t)(memory + REPLACED * PAGE) &&
		      changed[1].twin_state == CAPE_TWIN_PAGE,
	      "so is what it wrote where the process has another page by now");
}

static void test_toys(int device)
{
	pid_t child;
	struct cape_page page = {(uintptr_t)(memory + KEPT * PAGE)};
	uint64_t looked_at;
	unsigned char seen;
	struct cape_access access = {(uintptr_t)memory, 1, (uintptr_t)&seen, 0, 0, 0};
	int descriptor;

	for (size_t i = 0; i < TOYS; i++)
		toy[i] = open("/dev/toy", O_RDWR | O_CLOEXEC);
	child = spawn(take_toys, write_by_toys, NULL);
	descriptor = attach(device, child);
	check(lock_to_check(descriptor, CAPE_MODE_SNAPSHOT) >= PAGES,
	      "lock of a process whose pages a device has");
	check(run_child(child, descriptor, false, &notices), "the device writes to them");
	check(ioctl(descriptor, CAPE_READ_RANGE, &access) == 0 && seen == 1,
	      "as the process sees, but for a page that it wrote itself before");
	check(collect(descriptor, 64, true, 0, &collected) &&
		      !collected_page(&collected, memory + KEPT * PAGE),
	      "collect does not tell of it");
	check_found(descriptor, 16);
	check_found(descriptor, 1);
	check(ioctl(descriptor, CAPE_UNLOCK_PAGE, &page) == 0 &&
		      find_changed(descriptor, 16, &looked_at) == 1,
	      "not of a page that is unlocked");
	close(descriptor);
	reap(child);
	for (size_t i = 0; i < TOYS; i++)
		close(toy[i]);
}

static void test_errors(int device)
{
	pid_t child = spawn(own_memory, write_well, NULL);
	int descriptor = attach(device, child);
	struct cape_check request = {.page_capacity = PAGES, .pages = (uintptr_t)changed};
	struct cape_lock bad = {.mode = CAPE_MODE_SNAPSHOT, .flags = CAPE_LOCK_NO_TWINS << 1};

	refuses(ioctl(descriptor, CAPE_LOCK, &bad), EINVAL, "lock with a flag without a name");
	refuses(ioctl(descriptor, CAPE_CHECK, &request), ENODATA, "check of what is not locked");
	lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);
	refuses(ioctl(descriptor, CAPE_CHECK, &request), EOPNOTSUPP, "check without sums");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	lock_to_check(descriptor, CAPE_MODE_SNAPSHOT);
	request.flags = 1;
	refuses(ioctl(descriptor, CAPE_CHECK, &request), EINVAL, "check with a flag");
	request = (struct cape_check){.pages = (uintptr_t)changed};
	refuses(ioctl(descriptor, CAPE_CHECK, &request), EINVAL, "check without room");
	request = (struct cape_check){.page_capacity = 1, .pages = (uintptr_t)changed, .cursor = 1};
	refuses(ioctl(descriptor, CAPE_CHECK, &request), EINVAL, "check from within a page");
	close(descriptor);
	reap(child);
}

/* Not traced, as capectl is to do that; has the device write whenever it gets SIGUSR1. */
static pid_t start_program(void)
{
	sigset_t signals;
	pid_t child;
	int got;

	toy[0] = open("/dev/toy", O_RDWR | O_CLOEXEC);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigprocmask(SIG_BLOCK, &signals, NULL);
		own_memory();
		if (ioctl(toy[0], 0, memory) < 0)
			abort();
		raise(SIGSTOP);
		while (sigwait(&signals, &got) == 0) {
			if (write(toy[0], "device", 6) != 6)
				abort();
			raise(SIGSTOP);
		}
	}
	close(toy[0]);
	waitpid(child, NULL, WUNTRACED);
	kill(child, SIGCONT);
	return child;
}

/* Exit status of a command; its output is in OUTPUT. */
static int command(char *output, size_t size, const char *format, pid_t process)
{
	char line[128];
	size_t length;
	int status;
	FILE *pipe;

	snprintf(line, sizeof(line), format, process);
	pipe = popen(line, "r");
	length = pipe ? fread(output, 1, size - 1, pipe) : 0;
	output[length] = '\0';
	status = pipe ? pclose(pipe) : -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_capectl(void)
{
	char output[4096], expected[64];
	pid_t program = start_program();

	check(command(output, sizeof(output), "capectl lock %d --check", program) == 0,
	      "capectl lock --check");
	check(command(output, sizeof(output), "capectl check %d", program) == 0 && !*output,
	      "capectl check: nothing at first");
	kill(program, SIGUSR1);
	waitpid(program, NULL, WUNTRACED);
	kill(program, SIGCONT);
	snprintf(expected, sizeof(expected), "0x%012lx kept\n", (unsigned long)(uintptr_t)memory);
	check(command(output, sizeof(output), "capectl check %d", program) == 3 &&
		      strcmp(output, expected) == 0,
	      "capectl check: the page that the device wrote, and exit status 3");
	check(command(output, sizeof(output), "capectl --json check %d", program) == 3 &&
		      strstr(output, "\"page\": \"kept\", \"pinned\": false, \"mapping\": \"\""),
	      "in JSON, too");
	command(output, sizeof(output), "capectl unlock %d", program);
	command(output, sizeof(output), "capectl lock %d", program);
	check(command(output, sizeof(output), "capectl check %d 2>&1", program) == 1 &&
		      strstr(output, "is locked without --check"),
	      "capectl check of what is locked without --check says so");
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
}

int main(void)
{
	int device = open_device();

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	start_swap();
	test_well(device, CAPE_MODE_SNAPSHOT);
	test_well(device, CAPE_MODE_NOTIFY);
	test_errors(device);
	if (!load("/toy.ko")) {
		check(false, "there is a toy");
		return finish();
	}
	test_toys(device);
	test_capectl();
	return finish();
}
