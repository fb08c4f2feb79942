/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.c - what a written page costs in each mode of the driver, twin included; no test.
 *
 * snapshot: nobody is told of writes; what was written is collected when the process stands still.
 * ring: the recorder tells of each first write, while the process runs on; twins are collected as
 * above.  notify, the papers' way: the process stops at each first write, and the page is captured.
 *
 * Beside them the way without a driver that needs nothing of the process but its registers: its
 * tracer has it call mprotect(), and reads each page before it is written.  Where every other page
 * of memory is written, mprotect() splits mappings.
 *
 * The ways take turns; each figure is a median.  Of the recorder it is also told what it adds to
 * the faults, which are there without it: the time of the process alone, beside a lock in which
 * nothing is told.
 *
 * Arguments: pages (8192), of how many one is written (2).  Pin it to one processor to compare.
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

#define ROUNDS	  7
#define REST	  200000u /* microseconds, for what the kernel has put off: memory to be freed */
#define RECORDS	  8192u
#define RING_SIZE (2 * PAGE + RECORDS * sizeof(struct cape_record))

/* Where the child is sent to make a system call. */
extern const char injected_call[];
__asm__(".text\n"
	"injected_call:\n\t"
	"syscall\n\t"
	"int3");

/* A ring of the driver's, mapped. */
struct ring {
	struct cape_record_control *control;
	const struct cape_record_header *header;
	const struct cape_record *records;
};

static unsigned char *memory;
static size_t pages = 8192, stride = 2 * PAGE;
static struct notices notices;
static struct collected collected;
static struct ring ring;

static void own_memory(void)
{
	memset(memory, 1, pages * stride);
}

static void write_all(void *argument)
{
	(void)argument;
	for (;;) {
		for (size_t i = 0; i < pages; i++)
			memory[i * stride]++;
		pause_here();
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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

static bool run_injected(pid_t child, int descriptor)
{
	static unsigned char twin[PAGE];
	uint64_t start = (uintptr_t)memory;
	bool well = inject(child, start, pages * stride, PROT_READ);
	size_t captured = 0;
	int signal;

	(void)descriptor;
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
	       inject(child, start, pages * stride, PROT_READ | PROT_WRITE);
}

static void map_ring(int descriptor)
{
	struct cape_make_recorder request = {.record_count = RECORDS};
	int recorder = ioctl(descriptor, CAPE_MAKE_RECORDER, &request);

	ring.control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, recorder, 0);
	ring.header = mmap(NULL, RING_SIZE - PAGE, PROT_READ, MAP_SHARED, recorder, PAGE);
	if (ring.control == MAP_FAILED || ring.header == MAP_FAILED)
		exit(1);
	ring.records = (const struct cape_record *)((const char *)ring.header + PAGE);
	close(recorder);
}

static void unmap_ring(void)
{
	munmap(ring.control, PAGE);
	munmap((void *)ring.header, RING_SIZE - PAGE);
}

static bool lock_memory(int descriptor, uint32_t mode)
{
	struct cape_extent range = {(uintptr_t)memory, pages * stride};

	return lock(descriptor, mode, &range, 1) == 0;
}

static bool unlock_memory(int descriptor)
{
	return ioctl(descriptor, CAPE_UNLOCK, 0) == 0;
}

static bool run_alone(pid_t child, int descriptor)
{
	return run_child(child, descriptor, false, &notices);
}

static bool collect_all(int descriptor)
{
	return collect(descriptor, 256, true, 0, &collected) && collected.count == pages;
}

static bool run_snapshot(pid_t child, int descriptor)
{
	return lock_memory(descriptor, CAPE_MODE_SNAPSHOT) && run_alone(child, descriptor) &&
	       collect_all(descriptor) && unlock_memory(descriptor);
}

static bool run_notify(pid_t child, int descriptor)
{
	return lock_memory(descriptor, CAPE_MODE_NOTIFY) &&
	       run_child(child, descriptor, true, &notices) && notices.count == pages &&
	       unlock_memory(descriptor);
}

/* All that there is to be told: each record is of a page of ours. */
static bool take_records(void)
{
	uint64_t head = __atomic_load_n(&ring.header->head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring.control->tail, count = head - tail;
	bool ours = true;

	for (; tail < head; tail++)
		ours &= ring.records[tail % RECORDS].address - (uintptr_t)memory < pages * stride;
	__atomic_store_n(&ring.control->tail, tail, __ATOMIC_RELEASE);
	return ours && count == pages;
}

static bool run_ring(pid_t child, int descriptor)
{
	return lock_memory(descriptor, CAPE_MODE_RECORD) && run_alone(child, descriptor) &&
	       take_records() && collect_all(descriptor) && unlock_memory(descriptor);
}

enum { ALONE, SNAPSHOT, RING, NOTIFY, INJECTED, WAYS };

static const struct way {
	uint32_t mode; /* of the driver's */
	bool (*run)(pid_t child, int descriptor);
} ways[WAYS] = {
	[ALONE] = {CAPE_MODE_UNLOCKED, run_alone},
	[SNAPSHOT] = {CAPE_MODE_SNAPSHOT, run_snapshot},
	[RING] = {CAPE_MODE_RECORD, run_ring},
	[NOTIFY] = {CAPE_MODE_NOTIFY, run_notify},
	[INJECTED] = {CAPE_MODE_UNLOCKED, run_injected},
};

/*
 * Seconds of a round: lock, run, capture or collect, unlock.  The first lock in a mode that tells
 * of faults has them counted, until the descriptor is closed: that is not part of it.
 */
static double time_round(pid_t child, int device, const struct way *way)
{
	int descriptor = attach(device, child);
	double seconds;
	bool well;

	map_ring(descriptor);
	well = !way->mode || (lock_memory(descriptor, way->mode) && unlock_memory(descriptor));
	usleep(REST);
	seconds = now();
	well = well && way->run(child, descriptor);
	seconds = now() - seconds;
	unmap_ring();
	close(descriptor);
	if (!well)
		exit(1);
	return seconds;
}

/* Seconds that the process takes to write once it is locked; with a ring that holds all records. */
static double time_writes(pid_t child, int device, uint32_t mode)
{
	int descriptor = attach(device, child);
	double seconds;
	bool well;

	map_ring(descriptor);
	usleep(REST);
	well = lock_memory(descriptor, mode);
	seconds = now();
	well = well && run_alone(child, descriptor);
	seconds = now() - seconds;
	well = well && (mode != CAPE_MODE_RECORD || ring.header->head == pages);
	unmap_ring();
	close(descriptor);
	if (!well)
		exit(1);
	return seconds;
}

static int by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double median(double *value)
{
	qsort(value, ROUNDS, sizeof(*value), by_value);
	return value[ROUNDS / 2];
}

/* Microseconds per page, beyond what the process takes alone. */
static double per_page(double seconds, double alone)
{
	return (seconds - alone) / (double)pages * 1e6;
}

/* Returns what the process takes alone. */
static double print_ways(pid_t child, int device)
{
	double seconds[WAYS][ROUNDS], alone, cost[WAYS];

	for (int i = 0; i < ROUNDS; i++)
		for (int way = 0; way < WAYS; way++)
			seconds[way][i] = time_round(child, device, &ways[way]);
	alone = median(seconds[ALONE]);
	for (int way = 0; way < WAYS; way++)
		cost[way] = per_page(median(seconds[way]), alone);
	printf("pages %zu\npages_apart %zu\n", pages, stride / PAGE);
	printf("snapshot_us_per_page %.2f\nring_us_per_page %.2f\nnotify_us_per_page %.2f\n"
	       "injected_mprotect_us_per_page %.2f\n",
	       cost[SNAPSHOT], cost[RING], cost[NOTIFY], cost[INJECTED]);
	printf("notify_by_injected_mprotect %.3f\nring_by_injected_mprotect %.3f\n"
	       "ring_by_notify %.3f\nsnapshot_by_notify %.3f\n",
	       cost[NOTIFY] / cost[INJECTED], cost[RING] / cost[INJECTED],
	       cost[RING] / cost[NOTIFY], cost[SNAPSHOT] / cost[NOTIFY]);
	return alone;
}

/* A fault that is recorded, by one that is not. */
static void print_recorder(pid_t child, int device, double alone)
{
	double plain[ROUNDS], recorded[ROUNDS], fault, recorded_fault;

	for (int i = 0; i < ROUNDS; i++) {
		plain[i] = time_writes(child, device, CAPE_MODE_SNAPSHOT);
		recorded[i] = time_writes(child, device, CAPE_MODE_RECORD);
	}
	fault = per_page(median(plain), alone);
	recorded_fault = per_page(median(recorded), alone);
	printf("fault_us_per_page %.2f\nrecorded_fault_us_per_page %.2f\n"
	       "recorded_by_fault %.3f\n",
	       fault, recorded_fault, recorded_fault / fault);
}

int main(int argc, char **argv)
{
	int device = open_device();
	double alone;
	pid_t child;

	if (argc > 1)
		pages = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		stride = strtoul(argv[2], NULL, 10) * PAGE;
	if (pages == 0 || pages > RECORDS || stride == 0)
		return 1;
	memory = mmap(NULL, pages * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, pages * stride, MADV_NOHUGEPAGE);
	child = spawn(own_memory, write_all, NULL);
	alone = print_ways(child, device);
	print_recorder(child, device, alone);
	reap(child);
	return 0;
}
