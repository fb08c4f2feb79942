/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewind.c - what it costs to put a process back to what it was (CAPE_ROLLBACK), beside a fork of
 * it, and to begin an epoch (CAPE_EPOCH); no test.
 *
 * Arguments: megabytes that the process has (64), pages that it writes each time (100).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

#define ROUNDS 50

static unsigned char *memory;
static size_t pages, written = 100;
static struct notices notices;
/* Of the child's, in memory that both have. */
static volatile double *fork_seconds;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The best of some forks, each with the end of the one before out of the way. */
static void own_memory(void)
{
	sigset_t ends;

	/* Each would stop us for the tracer. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	memset(memory, 1, pages * PAGE);
	*fork_seconds = 1e9;
	for (int i = 0; i < ROUNDS; i++) {
		double began = now(), took;
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		took = now() - began;
		waitpid(child, NULL, 0);
		if (took < *fork_seconds)
			*fork_seconds = took;
	}
	/* As it was before the first fork. */
	memset(memory, 2, pages * PAGE);
}

static void write_pages(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < written; i++)
		memory[i * (pages / written) * PAGE]++;
}

static bool is_back(int descriptor)
{
	unsigned char byte = 0;
	struct cape_access access = {(uintptr_t)memory, 1, (uintptr_t)&byte, 0, 0, 0};

	return ioctl(descriptor, CAPE_READ_RANGE, &access) == 0 && byte == 2;
}

/* The objects in a slab cache of the kernel's; 0 if that cannot be told. */
static unsigned long objects(const char *cache)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	size_t length = strlen(cache);
	unsigned long count = 0;
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, cache, length) == 0 && line[length] == ' ')
			count = strtoul(line + length, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

static uint64_t twins(int descriptor)
{
	struct cape_status status = {0};

	return ioctl(descriptor, CAPE_GET_STATUS, &status) < 0 ? 0 : status.twin_count;
}

/* An epoch after each round, and back to the first. */
static bool measure_epochs(pid_t child, int descriptor, const struct user_regs_struct *registers)
{
	struct cape_rollback_to to = {.epoch = 1};
	double best = 1e9, back = 1e9, began;
	unsigned long nodes = 0;
	uint64_t pages_written = 0, kept = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct cape_epoch epoch = {0};
		unsigned long nodes_before = objects("radix_tree_node");
		uint64_t twins_before = twins(descriptor);

		if (!run_child(child, -1, false, &notices))
			return false;
		began = now();
		if (ioctl(descriptor, CAPE_EPOCH, &epoch) < 0)
			return false;
		best = now() - began < best ? now() - began : best;
		pages_written = epoch.page_count;
		kept = twins(descriptor) - twins_before;
		nodes = objects("radix_tree_node") - nodes_before;
		began = now();
		if (ioctl(descriptor, CAPE_ROLLBACK_TO, &to) < 0)
			return false;
		back = now() - began < back ? now() - began : back;
		ptrace(PTRACE_SETREGS, child, NULL, registers);
		if (!is_back(descriptor))
			return false;
	}
	printf("epoch_us %.0f\nepoch_pages %lu\nepoch_twins %lu\nepoch_nodes %ld\n", best * 1e6,
	       (unsigned long)pages_written, (unsigned long)kept, (long)nodes);
	printf("rollback_to_us %.0f\n", back * 1e6);
	return true;
}

int main(int argc, char **argv)
{
	struct user_regs_struct registers;
	struct cape_rollback request = {0};
	double best = 1e9, round = 1e9;
	int descriptor;
	pid_t child;

	pages = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 8;
	written = argc > 2 ? strtoul(argv[2], NULL, 10) : written;
	if (written == 0 || written > pages)
		return 1;
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	fork_seconds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = spawn(own_memory, write_pages, NULL);
	descriptor = attach(open_device(), child);
	if (lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) < 0)
		return 1;
	ptrace(PTRACE_GETREGS, child, NULL, &registers);
	for (int i = 0; i < ROUNDS; i++) {
		double began = now(), stopped;

		if (!run_child(child, -1, false, &notices))
			return 1;
		stopped = now();
		if (ioctl(descriptor, CAPE_ROLLBACK, &request) < 0)
			return 1;
		best = now() - stopped < best ? now() - stopped : best;
		ptrace(PTRACE_SETREGS, child, NULL, &registers);
		round = now() - began < round ? now() - began : round;
		if (!is_back(descriptor))
			return 1;
	}
	printf("rewind_mb %zu\nrewind_pages %llu\nrollback_us %.0f\nfork_us %.0f\n", pages >> 8,
	       (unsigned long long)request.page_count, best * 1e6, *fork_seconds * 1e6);
	printf("rollback_by_fork %.3f\nround_us %.0f\n", best / *fork_seconds, round * 1e6);
	if (!measure_epochs(child, descriptor, &registers))
		return 1;
	close(descriptor);
	reap(child);
	return 0;
}
