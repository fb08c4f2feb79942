/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults.c - death and haste: who holds a lock is killed, and nothing may stay behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES  2048
#define CYCLES 10000

static unsigned char *memory;
static struct notices notices;

static void write_all(void *argument)
{
	(void)argument;
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE]++;
}

static void write_for_ever(void *argument)
{
	for (;;)
		write_all(argument);
}

static int module_users(void)
{
	FILE *file = fopen("/sys/module/cape/refcnt", "re");
	int users = -1;

	if (!file || fscanf(file, "%d", &users) != 1)
		users = -1;
	if (file)
		fclose(file);
	return users;
}

/* The process, running and locked, dies. */
static void test_process_dies(int device, uint32_t mode)
{
	pid_t child = spawn(write_for_ever, NULL);
	int descriptor = attach(device, child);
	struct cape_status status = {0};

	check(lock(descriptor, mode, NULL, 0) == 0, "mode %u: a process is locked", mode);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	usleep(20000);
	reap(child);
	check(ioctl(descriptor, CAPE_GET_STATUS, &status) == 0 && status.pid <= child,
	      "mode %u: it was killed: its descriptor still tells", mode);
	check(close(descriptor) == 0, "mode %u: and closes", mode);
}

/* The monitor dies while it has a process locked; that one must go on undisturbed. */
static void test_monitor_dies(int device, uint32_t mode)
{
	volatile int *told =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t monitor = fork(), child;
	int status;

	if (monitor == 0) {
		child = fork();
		if (child == 0)
			write_for_ever(NULL);
		ptrace(PTRACE_SEIZE, child, NULL, NULL);
		ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
		waitpid(child, &status, 0);
		status = attach(device, child);
		if (status >= 0 && lock(status, mode, NULL, 0) == 0) {
			told[0] = child;
			ptrace(PTRACE_CONT, child, NULL, NULL);
		}
		pause();
	}
	for (int i = 0; i < 500 && !told[0]; i++)
		usleep(10000);
	child = told[0];
	check(child > 0, "mode %u: a monitor locks its process", mode);
	kill(monitor, SIGKILL);
	waitpid(monitor, NULL, 0);
	usleep(300000);
	check(child > 0 && kill(child, 0) == 0, "mode %u: killed: its process lives on", mode);
	if (child > 0)
		kill(child, SIGKILL);
}

static void test_close(int device, uint32_t mode)
{
	pid_t child = spawn(write_all, NULL);
	int descriptor = attach(device, child);

	check(lock(descriptor, mode, NULL, 0) == 0 && close(descriptor) == 0,
	      "mode %u: the descriptor is closed while locked", mode);
	check(run_child(child, -1, false, &notices) && notices.count == 0,
	      "mode %u: the process is not locked any more", mode);
	reap(child);
}

static void test_remove(int device)
{
	pid_t child = spawn(write_all, NULL);
	int descriptor = attach(device, child);

	refuses(syscall(SYS_delete_module, "cape", O_NONBLOCK), EWOULDBLOCK,
		"rmmod while the device is open");
	lock(descriptor, CAPE_MODE_NOTIFY, NULL, 0);
	refuses(syscall(SYS_delete_module, "cape", O_NONBLOCK), EWOULDBLOCK,
		"rmmod while a process is locked");
	close(descriptor);
	reap(child);
}

/* MemAvailable moves by itself, but not by a page for each cycle. */
static void test_leak(int device)
{
	const long allowed = CYCLES * (long)PAGE / 1024 / 8;
	pid_t child = spawn(write_all, NULL);
	int descriptor = attach(device, child), failed = 0;
	struct cape_range range = {(uintptr_t)memory, 16 * PAGE};
	long before = 0, after;

	for (int i = 0; i < CYCLES; i++) {
		failed += lock(descriptor, CAPE_MODE_SNAPSHOT + (uint32_t)i % 2, &range, 1) ||
			  ioctl(descriptor, CAPE_UNLOCK, 0);
		if (i == CYCLES / 10)
			before = field("/proc/meminfo", "MemAvailable");
	}
	after = field("/proc/meminfo", "MemAvailable");
	check(failed == 0, "%d times locked and unlocked, in both modes", CYCLES);
	check(before - after < allowed, "no memory is lost by that (%ld kB)", before - after);
	close(descriptor);
	reap(child);
}

/* Everything was written, so a twin that stays behind would be a page. */
static void test_leak_of_twins(int device, uint32_t mode)
{
	long before = 0, after = 0;

	for (int i = 0; i < 12; i++) {
		pid_t child = spawn(write_all, NULL);
		int descriptor = attach(device, child);

		lock(descriptor, mode, NULL, 0);
		run_child(child, -1, false, &notices);
		reap(child);
		close(descriptor);
		after = field("/proc/meminfo", "MemAvailable");
		if (i == 1)
			before = after;
	}
	check(before - after < 5 * PAGES * (long)PAGE / 1024,
	      "mode %u: no twin outlives its process (%ld kB)", mode, before - after);
}

int main(void)
{
	int device = open_device(), users;

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	memset(memory, 1, PAGES * PAGE);
	users = module_users();
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++) {
		test_process_dies(device, mode);
		test_monitor_dies(device, mode);
		test_close(device, mode);
		test_leak_of_twins(device, mode);
	}
	test_leak(device);
	test_remove(device);
	check(module_users() == users, "nothing holds on to the module");
	return finish();
}
