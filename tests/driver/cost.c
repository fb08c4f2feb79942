/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c - what a written page costs in either mode of the driver, twin included; no test.
 *
 * Beside them the way without a driver that needs nothing of the process but its registers: its
 * tracer has it call mprotect(), and reads each page before it is written.  Every other page of
 * memory is written, so that mprotect() splits mappings.
 *
 * Of the recorder it is told what it adds to the faults, which are there without it: the time of
 * the process alone, beside a lock in which nothing is told.
 *
 * Argument: pages (8192).  Pin it to one processor to compare.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"

#define ROUNDS	      5
#define RECORD_ROUNDS 11
#define STRIDE	      (2 * PAGE)
#define RECORDS	      8192u
#define MODE_INJECTED 1000u /* none of the driver's */

/* Where the child is sent to make a system call. */
extern const char injected_call[];
__asm__(".text\n"
	"injected_call:\n\t"
	"syscall\n\t"
	"int3");

static unsigned char *memory;
static size_t pages = 8192;
static struct notices notices;
static struct collected collected;

static void own_memory(void)
{
	memset(memory, 1, pages * STRIDE);
}

static void write_all(void *argument)
{
	(void)argument;
	for (;;) {
		for (size_t i = 0; i < pages; i++)
			memory[i * STRIDE]++;
		pause_here();
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long mappings(pid_t child)
{
	char name[32], line[512];
	long count = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", child);
	file = fopen(name, "r");
	while (file && fgets(line, sizeof(line), file))
		count++;
	if (file)
		fclose(file);
	return count;
}

static int next_stop(pid_t child)
{
	int status;

	ptrace(PTRACE_CONT, child, NULL, NULL);
	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) ? WSTOPSIG(status) : -1;
}

/* The child, which stands still, makes mprotect() say PROT of LENGTH bytes at START. */
static bool inject(pid_t child, uint64_t start, uint64_t length, int prot)
{
	struct user_regs_struct before, call, after;

	ptrace(PTRACE_GETREGS, child, NULL, &before);
	call = before;
	call.rip = (uintptr_t)injected_call;
	call.orig_rax = (unsigned long long)-1;
	call.rax = SYS_mprotect;
	call.rdi = start;
	call.rsi = length;
	call.rdx = (unsigned long long)prot;
	ptrace(PTRACE_SETREGS, child, NULL, &call);
	if (next_stop(child) != SIGTRAP)
		return false;
	ptrace(PTRACE_GETREGS, child, NULL, &after);
	ptrace(PTRACE_SETREGS, child, NULL, &before);
	return after.rax == 0;
}

static bool run_injected(pid_t child)
{
	static unsigned char twin[PAGE];
	uint64_t start = (uintptr_t)memory;
	bool well = inject(child, start, pages * STRIDE, PROT_READ);
	size_t captured = 0;
	int signal;

	while (well && (signal = next_stop(child)) == SIGSEGV) {
		siginfo_t info;
		struct iovec to = {twin, PAGE}, from = {.iov_len = PAGE};

		ptrace(PTRACE_GETSIGINFO, child, NULL, &info);
		from.iov_base = (void *)((uintptr_t)info.si_addr & -PAGE);
		well = process_vm_readv(child, &to, 1, &from, 1, 0) == (ssize_t)PAGE &&
		       inject(child, (uintptr_t)from.iov_base, PAGE, PROT_READ | PROT_WRITE);
		captured++;
	}
	return well && signal == SIGSTOP && captured == pages &&
	       inject(child, start, pages * STRIDE, PROT_READ | PROT_WRITE);
}

static bool run_with_driver(pid_t child, int descriptor, uint32_t mode)
{
	struct cape_extent range = {(uintptr_t)memory, pages * STRIDE};
	bool well = true;

	if (mode)
		well = lock(descriptor, mode, &range, 1) == 0;
	well &= run_child(child, descriptor, true, &notices);
	if (mode == CAPE_MODE_SNAPSHOT)
		well &= collect(descriptor, 256, true, 0, &collected) && collected.count == pages;
	else if (mode == CAPE_MODE_NOTIFY)
		well &= notices.count == pages;
	if (mode)
		well &= ioctl(descriptor, CAPE_UNLOCK, 0) == 0;
	return well;
}

/* Seconds of a round: lock, run, capture or collect, unlock; MODE 0: only run. */
static double time_round(pid_t child, int descriptor, uint32_t mode)
{
	double started = now();
	bool well = mode == MODE_INJECTED ? run_injected(child)
					  : run_with_driver(child, descriptor, mode);

	if (!well)
		exit(1);
	return now() - started;
}

/* Microseconds per page, beyond what the process takes alone; the best of some rounds. */
static double cost(pid_t child, int descriptor, uint32_t mode, double alone)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double seconds = time_round(child, descriptor, mode);

		best = seconds < best ? seconds : best;
	}
	return (best - alone) / (double)pages * 1e6;
}

/* Seconds that the process takes to write once it is locked; with a ring that holds all records. */
static double time_writes(pid_t child, int descriptor, uint32_t mode)
{
	struct cape_extent range = {(uintptr_t)memory, pages * STRIDE};
	struct cape_make_recorder ring = {.record_count = RECORDS};
	const struct cape_record_header *header = NULL;
	bool well = true;
	double seconds;

	if (mode == CAPE_MODE_RECORD) {
		int recorder = ioctl(descriptor, CAPE_MAKE_RECORDER, &ring);

		header = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, recorder, PAGE);
		well = header != MAP_FAILED;
		close(recorder);
	}
	well = well && lock(descriptor, mode, &range, 1) == 0;
	seconds = now();
	well = well && run_child(child, descriptor, false, &notices);
	seconds = now() - seconds;
	if (mode == CAPE_MODE_RECORD) {
		well = well && header->head == (pages < RECORDS ? pages : RECORDS);
		munmap((void *)header, PAGE);
	}
	if (!well || ioctl(descriptor, CAPE_UNLOCK, 0) < 0)
		exit(1);
	return seconds;
}

static int by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* The median of rounds side by side: a fault that is recorded, by one that is not. */
static void print_recorder(pid_t child, double alone)
{
	double fault[RECORD_ROUNDS], recorded[RECORD_ROUNDS];
	int device = open_device(), plain, descriptor;

	/* Page faults are not counted until the first lock in a mode that tells of them. */
	for (int i = 0; i < RECORD_ROUNDS; i++) {
		plain = attach(device, child);
		fault[i] = time_writes(child, plain, CAPE_MODE_SNAPSHOT) - alone;
		close(plain);
		descriptor = attach(device, child);
		recorded[i] = time_writes(child, descriptor, CAPE_MODE_RECORD) - alone;
		close(descriptor);
	}
	close(device);
	qsort(fault, RECORD_ROUNDS, sizeof(*fault), by_value);
	qsort(recorded, RECORD_ROUNDS, sizeof(*recorded), by_value);
	printf("fault_us_per_page %.2f\nrecorded_fault_us_per_page %.2f\n"
	       "recorded_by_fault %.3f\n",
	       fault[RECORD_ROUNDS / 2] / (double)pages * 1e6,
	       recorded[RECORD_ROUNDS / 2] / (double)pages * 1e6,
	       recorded[RECORD_ROUNDS / 2] / fault[RECORD_ROUNDS / 2]);
}

int main(int argc, char **argv)
{
	int device = open_device(), descriptor;
	double alone, snapshot, notify, injected;
	long before;
	pid_t child;

	if (argc > 1)
		pages = strtoul(argv[1], NULL, 10);
	memory = mmap(NULL, pages * STRIDE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, pages * STRIDE, MADV_NOHUGEPAGE);
	child = spawn(own_memory, write_all, NULL);
	descriptor = attach(device, child);
	before = mappings(child);
	alone = cost(child, descriptor, 0, 0) * (double)pages * 1e-6;
	snapshot = cost(child, descriptor, CAPE_MODE_SNAPSHOT, alone);
	notify = cost(child, descriptor, CAPE_MODE_NOTIFY, alone);
	injected = cost(child, descriptor, MODE_INJECTED, alone);
	printf("pages %zu\nsnapshot_us_per_page %.2f\nnotify_us_per_page %.2f\n", pages, snapshot,
	       notify);
	printf("injected_mprotect_us_per_page %.2f\nnotify_by_injected_mprotect %.3f\n", injected,
	       notify / injected);
	printf("snapshot_by_notify %.3f\nmappings_before %ld\nmappings_after %ld\n",
	       snapshot / notify, before, mappings(child));
	close(descriptor);
	print_recorder(child, alone);
	reap(child);
	return 0;
}
