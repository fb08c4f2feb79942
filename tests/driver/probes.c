/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.c - breakpoints that the kernel puts into the text of a process, and takes away again
 * (uprobes), are no writes of the process's: they are not collected, and a rollback neither brings
 * them back nor takes them away.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define TRACING "/sys/kernel/tracing/"

extern char __executable_start[];

static volatile int *seen;
static int device;
static struct collected collected;
static struct user_regs_struct registers;

__attribute__((noinline, aligned(64))) static int probed(int number)
{
	__asm__ volatile("nop; nop; nop; nop");
	return number + 1;
}

static void call(void *unused)
{
	(void)unused;
	for (;;) {
		seen[0] = probed(seen[0]);
		pause_here();
	}
}

static bool enable(bool on)
{
	bool done = put(TRACING "events/uprobes/probed/enable", on ? "1" : "0");

	usleep(100000);
	return done;
}

/* How often it was hit. */
static long hits(void)
{
	FILE *profile = fopen(TRACING "uprobe_profile", "re");
	long count = -1;

	if (profile && fscanf(profile, "%*s %*s %ld", &count) != 1)
		count = -1;
	if (profile)
		fclose(profile);
	return count;
}

static bool is_told(int descriptor)
{
	return !collect(descriptor, 64, true, 0, &collected) ||
	       collected_page(&collected, (const void *)probed);
}

static bool rolls_back(int descriptor, pid_t child)
{
	struct cape_rollback request = {0};
	bool done = ioctl(descriptor, CAPE_ROLLBACK, &request) == 0;

	ptrace(PTRACE_SETREGS, child, NULL, &registers);
	return done;
}

/* To its own next stop: a breakpoint of which the kernel knows nothing would be a SIGTRAP. */
static bool runs_on(pid_t child)
{
	int status;

	ptrace(PTRACE_CONT, child, NULL, NULL);
	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGSTOP;
}

/* A child that is locked; the probe is there, or not. */
static pid_t begin(bool on, int *descriptor)
{
	pid_t child;

	enable(on);
	child = spawn(NULL, call, NULL);
	*descriptor = attach(device, child);
	if (lock(*descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) < 0)
		abort();
	ptrace(PTRACE_GETREGS, child, NULL, &registers);
	return child;
}

static void end(pid_t child, int descriptor)
{
	close(descriptor);
	reap(child);
	enable(false);
}

static void test_ended(void)
{
	int descriptor;
	pid_t child = begin(true, &descriptor);
	struct cape_capture capture = {.address = (uintptr_t)probed, .flags = CAPE_CAPTURE_KEEP};

	check(runs_on(child) && hits() > 0, "a probe is there at the lock, and is hit");
	enable(false);
	check(!is_told(descriptor), "when it has ended, its page is not collected");
	check(ioctl(descriptor, CAPE_CAPTURE_PAGE, &capture) == 0 &&
		      capture.twin_state == CAPE_TWIN_NONE,
	      "nor captured");
	check(rolls_back(descriptor, child), "rollback");
	check(runs_on(child) && runs_on(child),
	      "the process runs on: the breakpoint has not come back");
	check(!is_told(descriptor), "and its page is not written");
	end(child, descriptor);
}

static void test_begun(void)
{
	int descriptor;
	pid_t child = begin(false, &descriptor);
	long before;

	enable(true);
	before = hits();
	check(runs_on(child) && hits() == before + 1, "a probe comes after the lock, and is hit");
	check(!is_told(descriptor), "its page is not collected");
	check(rolls_back(descriptor, child) && !is_told(descriptor), "rollback");
	check(runs_on(child) && hits() == before + 2, "the probe is there still, and is hit again");
	end(child, descriptor);
}

/* What the process's tracer, or the process itself, writes in the text is another thing. */
static void test_written(void)
{
	int descriptor;
	pid_t child = begin(true, &descriptor);
	unsigned long *place = (unsigned long *)((uintptr_t)probed + 32);
	long were = ptrace(PTRACE_PEEKTEXT, child, place, NULL);

	check(ptrace(PTRACE_POKETEXT, child, place, 0x1122334455667788) == 0 && is_told(descriptor),
	      "what the tracer writes in the text is collected");
	check(rolls_back(descriptor, child) &&
		      ptrace(PTRACE_PEEKTEXT, child, place, NULL) == were && !is_told(descriptor),
	      "and put back");
	end(child, descriptor);
}

int main(void)
{
	unsigned long offset = (uintptr_t)probed - (uintptr_t)__executable_start;
	char definition[128];

	snprintf(definition, sizeof(definition), "p:probed /bin/probes:%#lx", offset);
	seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device = open_device();
	if (!put(TRACING "uprobe_events", definition)) {
		check(true, "probes # SKIP this kernel has no uprobes");
		return finish();
	}
	test_ended();
	test_begun();
	test_written();
	put(TRACING "uprobe_events", "\n");
	return finish();
}
