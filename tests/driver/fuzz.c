/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.c - random requests from several threads, on processes that do all they can with their
 * memory meanwhile.  Passed if the driver still works afterwards, nobody has written to a twin, and
 * the kernel did not complain.
 *
 * Arguments: seconds (30), seed (1).  The seed fixes what each thread asks for, not how the threads
 * and processes interleave.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_bytes.h"
#include "uapi/cape_epoch.h"
#include "uapi/cape_stack.h"

#define VICTIMS	 3
#define THREADS	 3 /* beside the first, which traces */
#define PAGES	 1024
#define REQUESTS 25
#define ROLLBACK 10  /* in both lists below */
#define TO	 11  /* likewise, CAPE_ROLLBACK_TO */
#define PATIENCE 300 /* seconds more, for a request that has not succeeded yet */

static const unsigned long requests[REQUESTS] = {
	CAPE_LOCK,
	CAPE_UNLOCK,
	CAPE_UNLOCK_PAGE,
	CAPE_CAPTURE_PAGE,
	CAPE_COLLECT,
	CAPE_READ_RANGE,
	CAPE_WRITE_RANGE,
	CAPE_GET_STATUS,
	CAPE_GET_STATISTICS,
	CAPE_READ_LOCKED,
	CAPE_ROLLBACK,
	CAPE_ROLLBACK_TO,
	CAPE_CHECK,
	CAPE_ATTACH,
	CAPE_GET_VERSION,
	CAPE_MAKE_RECORDER,
	CAPE_EPOCH,
	CAPE_DROP_EPOCH,
	CAPE_VIEW,
	CAPE_DIFF,
	CAPE_GET_EPOCHS,
	CAPE_WATCH_BYTES,
	CAPE_READ_EPOCH,
	CAPE_SEEK_EPOCH,
	CAPE_MAKE_STACK_RECORDER,
};
static const char *const names[REQUESTS] = {
	"LOCK",		 "UNLOCK",	"UNLOCK_PAGE", "CAPTURE_PAGE",	 "COLLECT",
	"READ_RANGE",	 "WRITE_RANGE", "GET_STATUS",  "GET_STATISTICS", "READ_LOCKED",
	"ROLLBACK",	 "ROLLBACK_TO", "CHECK",       "ATTACH",	 "GET_VERSION",
	"MAKE_RECORDER", "EPOCH",	"DROP_EPOCH",  "VIEW",		 "DIFF",
	"GET_EPOCHS",	 "WATCH_BYTES", "READ_EPOCH",  "SEEK_EPOCH",	 "MAKE_STACK_RECORDER",
};

struct victim {
	pid_t pid;
	int descriptor;
};

/* One thread's state. */
struct fuzzer {
	uint64_t random;
	unsigned char *buffer; /* where requests may read and write what they like */
	void *control;	       /* of a recorder, or NULL */
	unsigned long made, succeeded[REQUESTS];
	unsigned long twins, changed; /* looked at by CAPE_CHECK, and not as they were */
};

static int device;
static unsigned char *memory;
static struct victim victims[VICTIMS];
static volatile bool over;

static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	uint64_t mixed = *state;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
	return mixed ^ (mixed >> 31);
}

static uint64_t below(struct fuzzer *fuzzer, uint64_t limit)
{
	return next(&fuzzer->random) % limit;
}

static void *stray_thread(void *argument)
{
	for (size_t i = 0; i < 50; i++)
		memory[((size_t)(uintptr_t)argument + i * 7) % PAGES * PAGE]++;
	return NULL;
}

/* What a victim does next; any of it may fail, as its memory is written by the fuzzer too. */
static void act(struct fuzzer *self)
{
	unsigned char *at = memory + below(self, PAGES) * PAGE;
	size_t length = (1 + below(self, 32)) * PAGE;
	pthread_t thread;
	pid_t child;

	if (at + length > memory + PAGES * PAGE)
		at = memory;
	switch (below(self, 12)) {
	case 0:
		mmap(at, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
		break;
	case 1:
		madvise(at, length, MADV_DONTNEED);
		break;
	case 2:
		mprotect(at, length, PROT_READ);
		mprotect(at, length, PROT_READ | PROT_WRITE);
		break;
	case 3:
		mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, memory);
		mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		     0);
		break;
	case 4:
		child = fork();
		if (child == 0) {
			memset(at, 1, length);
			_exit(0);
		}
		if (child > 0)
			waitpid(child, NULL, 0);
		break;
	case 5:
		if (pthread_create(&thread, NULL, stray_thread, (void *)(uintptr_t)length) == 0)
			pthread_join(thread, NULL);
		break;
	case 6:
		madvise(at, length, MADV_PAGEOUT);
		break;
	case 7:
		if (below(self, 50) == 0)
			execl("/proc/self/exe", "fuzz", "--victim", NULL);
		break;
	case 8:
		if (below(self, 50) == 0)
			_exit(0);
		break;
	default:
		for (size_t i = 0; i < length; i += PAGE)
			at[i]++;
	}
}

static void be_victim(void *argument)
{
	struct fuzzer self = {.random = (uintptr_t)argument};

	madvise(memory, PAGES * PAGE, MADV_HUGEPAGE);
	for (;;)
		act(&self);
}

static void start_victim(struct victim *victim, uint64_t seed)
{
	victim->pid = spawn(NULL, be_victim, (void *)(uintptr_t)seed);
	victim->descriptor = attach(device, victim->pid);
	ptrace(PTRACE_CONT, victim->pid, NULL, NULL);
}

/* A number of the kind that a careless check gets wrong. */
static uint64_t any_number(struct fuzzer *fuzzer)
{
	switch (below(fuzzer, 8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX - below(fuzzer, 3);
	case 2:
		return 1ull << below(fuzzer, 64);
	case 3:
		return next(&fuzzer->random);
	case 4:
		return -(below(fuzzer, 64) * PAGE);
	default:
		return below(fuzzer, 70);
	}
}

static uint64_t any_address(struct fuzzer *fuzzer)
{
	uint64_t address = (uintptr_t)memory + below(fuzzer, PAGES) * PAGE;

	switch (below(fuzzer, 12)) {
	case 0:
		return any_number(fuzzer);
	case 1:
		return address + below(fuzzer, PAGE);
	default:
		return address;
	}
}

/* Never a good address but in the buffer: the fuzzer itself is to live. */
static uint64_t any_buffer(struct fuzzer *fuzzer)
{
	static const uint64_t bad[] = {8, UINT64_MAX, 0xffff888000000000ull, 1ull << 63};

	if (below(fuzzer, 16) == 0)
		return bad[below(fuzzer, 4)];
	return (uintptr_t)fuzzer->buffer + below(fuzzer, 64) * PAGE + (below(fuzzer, 4) == 0);
}

static uint64_t rarely(struct fuzzer *fuzzer, uint64_t usual)
{
	return below(fuzzer, 16) == 0 ? any_number(fuzzer) : usual;
}

static void fill_lock(struct fuzzer *fuzzer, struct cape_lock *lock)
{
	struct cape_extent *range = (void *)fuzzer->buffer;
	uint64_t at = (uintptr_t)memory;

	lock->mode = (uint32_t)rarely(fuzzer, 1 + below(fuzzer, 3));
	lock->flags = (uint32_t)rarely(fuzzer, below(fuzzer, 2)	  ? CAPE_LOCK_CHECK
					       : below(fuzzer, 3) ? 0
								  : CAPE_LOCK_NO_TWINS);
	if (below(fuzzer, 2))
		return;
	lock->ranges = below(fuzzer, 16) ? (uintptr_t)range : any_buffer(fuzzer);
	lock->range_count = (uint32_t)rarely(fuzzer, 1 + below(fuzzer, 20));
	for (int i = 0; i < 20; i++) {
		range[i].start = rarely(fuzzer, at);
		range[i].length = rarely(fuzzer, (1 + below(fuzzer, 40)) * PAGE);
		at += range[i].length + below(fuzzer, 4) * PAGE;
	}
}

/* Mostly one that there is, as others are refused. */
static uint64_t any_epoch(struct fuzzer *fuzzer, int descriptor)
{
	struct cape_epoch_entry entry[8];
	struct cape_epochs epochs = {.entries = (uintptr_t)entry, .capacity = 8};

	if (below(fuzzer, 8) == 0 || ioctl(descriptor, CAPE_GET_EPOCHS, &epochs) < 0 ||
	    epochs.count == 0)
		return any_number(fuzzer);
	return entry[below(fuzzer, epochs.count < 8 ? epochs.count : 8)].epoch;
}

static void fill_epoch(struct fuzzer *fuzzer, unsigned long number, void *request, int descriptor)
{
	struct cape_read_epoch *read = request;
	struct cape_seek_epoch *seek = request;
	struct cape_epochs *epochs = request;
	struct cape_diff *diff = request;

	switch (number) {
	case CAPE_EPOCH:
		((struct cape_epoch *)request)->flags = (uint32_t)rarely(fuzzer, 0);
		break;
	case CAPE_DROP_EPOCH:
	case CAPE_VIEW:
		((struct cape_epoch_number *)request)->epoch = any_epoch(fuzzer, descriptor);
		break;
	case CAPE_READ_EPOCH:
		read->address = any_address(fuzzer);
		read->length = rarely(fuzzer, below(fuzzer, 4 * PAGE));
		read->buffer = any_buffer(fuzzer);
		read->epoch = any_epoch(fuzzer, descriptor);
		break;
	case CAPE_SEEK_EPOCH:
		seek->address = any_address(fuzzer);
		seek->epoch = any_epoch(fuzzer, descriptor);
		seek->flags = (uint32_t)rarely(fuzzer, below(fuzzer, 2));
		break;
	case CAPE_ROLLBACK_TO:
		((struct cape_rollback_to *)request)->epoch = any_epoch(fuzzer, descriptor);
		break;
	case CAPE_DIFF:
		diff->cursor = below(fuzzer, 2) ? 0 : any_address(fuzzer);
		diff->from = any_epoch(fuzzer, descriptor);
		diff->to = below(fuzzer, 2) ? 0 : any_epoch(fuzzer, descriptor);
		diff->extents = any_buffer(fuzzer);
		diff->capacity = (uint32_t)rarely(fuzzer, 1 + below(fuzzer, 64));
		break;
	case CAPE_GET_EPOCHS:
		epochs->capacity = (uint32_t)rarely(fuzzer, below(fuzzer, 30));
		epochs->entries = epochs->capacity ? any_buffer(fuzzer) : 0;
		break;
	}
}

static void fill(struct fuzzer *fuzzer, unsigned long number, void *request)
{
	struct cape_capture *capture = request;
	struct cape_collect *collect = request;
	struct cape_access *access = request;
	struct cape_status *status = request;
	struct cape_check *look = request;
	struct cape_watch_bytes *bytes = request;
	struct cape_make_stack_recorder *stacks = request;

	switch (number) {
	case CAPE_ATTACH:
		((struct cape_attach *)request)->pid = victims[below(fuzzer, VICTIMS)].pid;
		((struct cape_attach *)request)->flags = (uint32_t)rarely(fuzzer, 0);
		break;
	case CAPE_LOCK:
		fill_lock(fuzzer, request);
		break;
	case CAPE_MAKE_RECORDER:
		((struct cape_make_recorder *)request)->record_count =
			(uint32_t)rarely(fuzzer, 16u << below(fuzzer, 4));
		break;
	case CAPE_MAKE_STACK_RECORDER:
		stacks->record_count = (uint32_t)rarely(fuzzer, 16u << below(fuzzer, 2));
		stacks->stack_bytes = (uint32_t)rarely(fuzzer, 8 << below(fuzzer, 11));
		break;
	case CAPE_WATCH_BYTES:
		bytes->length = rarely(fuzzer, below(fuzzer, 9));
		bytes->address = bytes->length ? any_address(fuzzer) : rarely(fuzzer, 0);
		break;
	case CAPE_UNLOCK_PAGE:
		((struct cape_page *)request)->address = any_address(fuzzer);
		break;
	case CAPE_CAPTURE_PAGE:
		capture->address = any_address(fuzzer);
		capture->twin = below(fuzzer, 4) ? any_buffer(fuzzer) : 0;
		capture->flags = (uint32_t)rarely(fuzzer, below(fuzzer, 2));
		break;
	case CAPE_COLLECT:
		collect->cursor = below(fuzzer, 2) ? 0 : any_address(fuzzer);
		collect->pages = any_buffer(fuzzer);
		collect->twins = below(fuzzer, 2) ? any_buffer(fuzzer) : 0;
		collect->page_capacity = (uint32_t)rarely(fuzzer, 1 + below(fuzzer, 64));
		collect->twin_capacity =
			(uint32_t)rarely(fuzzer, collect->twins ? 1 + below(fuzzer, 64) : 0);
		collect->flags = (uint32_t)rarely(fuzzer, below(fuzzer, 2));
		break;
	case CAPE_CHECK:
		look->cursor = below(fuzzer, 2) ? 0 : any_address(fuzzer);
		look->pages = any_buffer(fuzzer);
		look->page_capacity = (uint32_t)rarely(fuzzer, 1 + below(fuzzer, 64));
		break;
	case CAPE_READ_RANGE:
	case CAPE_READ_LOCKED:
	case CAPE_WRITE_RANGE:
		access->address = any_address(fuzzer);
		access->length = rarely(fuzzer, below(fuzzer, 20 * PAGE));
		access->buffer = any_buffer(fuzzer);
		access->flags = (uint32_t)rarely(fuzzer, 0);
		break;
	case CAPE_GET_STATUS:
		status->range_capacity = (uint32_t)rarely(fuzzer, below(fuzzer, 30));
		status->ranges = status->range_capacity ? any_buffer(fuzzer) : 0;
		break;
	}
}

static void count_twins(struct fuzzer *fuzzer, const struct cape_check *reply)
{
	fuzzer->twins += reply->twin_count;
	fuzzer->changed += reply->page_count;
}

/* The same memory, by read(2) and lseek(2). */
static void use_file(struct fuzzer *fuzzer, int descriptor)
{
	off_t at = (off_t)any_address(fuzzer);

	if (below(fuzzer, 2))
		lseek(descriptor, at,
		      (int)rarely(fuzzer, below(fuzzer, 2) ? SEEK_DATA : SEEK_HOLE));
	else
		syscall(SYS_pread64, descriptor, any_buffer(fuzzer),
			rarely(fuzzer, below(fuzzer, 20 * PAGE)), at);
}

/* Lies about what was read of it; it goes on with its mapping, as long as that is there. */
static void look_at_recorder(struct fuzzer *fuzzer, int recorder)
{
	uint64_t *control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, recorder, 0);

	if (control != MAP_FAILED) {
		*control = any_number(fuzzer);
		if (fuzzer->control)
			munmap(fuzzer->control, PAGE);
		fuzzer->control = control;
	}
	close(recorder);
}

/* What attach opened on a process that another thread still knows is closed again at once. */
static void make_request(struct fuzzer *fuzzer)
{
	uint64_t which = below(fuzzer, REQUESTS);
	unsigned long number = requests[which], asked = number;
	unsigned char request[128] __attribute__((aligned(8))) = {0};
	struct victim *victim = &victims[below(fuzzer, VICTIMS)];
	int on = rarely(fuzzer, 1) ? victim->descriptor : device, result;

	if (number == CAPE_ATTACH || number == CAPE_GET_VERSION)
		on = device;
	fill(fuzzer, number, request);
	fill_epoch(fuzzer, number, request, victim->descriptor);
	if (below(fuzzer, 32) == 0)
		request[below(fuzzer, sizeof(request))] ^= 1u << below(fuzzer, 8);
	if (below(fuzzer, 64) == 0)
		asked = _IOC(below(fuzzer, 4), CAPE_IOCTL_TYPE, below(fuzzer, 256),
			     below(fuzzer, sizeof(request)));
	result = ioctl(on, asked, asked == CAPE_UNLOCK ? rarely(fuzzer, 0) : (uintptr_t)request);
	fuzzer->made++;
	if (below(fuzzer, 8) == 0)
		use_file(fuzzer, victim->descriptor);
	if (result >= 0 && asked == number)
		fuzzer->succeeded[which]++;
	if (result >= 0 && (asked == CAPE_MAKE_RECORDER || asked == CAPE_MAKE_STACK_RECORDER))
		look_at_recorder(fuzzer, result);
	if (result >= 0 && asked == CAPE_ATTACH)
		close(result);
	if (result >= 0 && asked == CAPE_CHECK)
		count_twins(fuzzer, (const void *)request);
}

static void *make_requests(void *argument)
{
	while (!over)
		make_request(argument);
	return NULL;
}

/* Any victim may be put back while it stands still, which it is too seldom by chance. */
static void put_back(pid_t stopped, struct fuzzer *fuzzer)
{
	struct cape_rollback_to to = {0};
	struct cape_rollback rollback = {0};
	struct cape_lock lock = {.mode = (uint32_t)(1 + below(fuzzer, 2))};

	for (struct victim *victim = victims; victim < victims + VICTIMS; victim++) {
		if (victim->pid != stopped)
			continue;
		to.epoch = any_epoch(fuzzer, victim->descriptor);
		if (below(fuzzer, 2) && ioctl(victim->descriptor, CAPE_ROLLBACK_TO, &to) == 0) {
			fuzzer->succeeded[TO]++;
		} else if (ioctl(victim->descriptor, CAPE_ROLLBACK, &rollback) == 0) {
			fuzzer->succeeded[ROLLBACK]++;
		} else if (errno != EBUSY) {
			ioctl(victim->descriptor, CAPE_UNLOCK, 0);
			ioctl(victim->descriptor, CAPE_LOCK, &lock);
		}
	}
}

/* Lets victims go on that have stopped; those that have ended are followed by others. */
static void look_after(struct victim *victim, struct fuzzer *fuzzer)
{
	int status, old = victim->descriptor;
	pid_t thread = waitpid(-1, &status, WNOHANG | __WALL);

	if (below(fuzzer, 2000) == 0)
		kill(victim->pid, SIGKILL);
	if (below(fuzzer, 500) == 0) {
		victim->descriptor = attach(device, victim->pid);
		close(old);
		if (victim->descriptor < 0)
			victim->descriptor = attach(device, victim->pid);
	}
	if (thread <= 0)
		return;
	if (WIFSTOPPED(status)) {
		/* A victim whose memory was spoilt is to die of it. */
		siginfo_t info = {0};
		bool genuine = WSTOPSIG(status) == SIGSEGV &&
			       ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0 &&
			       info.si_errno != CAPE_NOTIFY_ERRNO;

		put_back(thread, fuzzer);
		ptrace(PTRACE_CONT, thread, NULL, genuine ? (void *)SIGKILL : NULL);
		return;
	}
	for (victim = victims; victim < victims + VICTIMS; victim++)
		if (victim->pid == thread) {
			old = victim->descriptor;
			start_victim(victim, next(&fuzzer->random));
			close(old);
		}
}

static unsigned long count_succeeded(const struct fuzzer *fuzzers, int request)
{
	unsigned long count = 0;

	for (int i = 0; i <= THREADS; i++)
		count += __atomic_load_n(&fuzzers[i].succeeded[request], __ATOMIC_RELAXED);
	return count;
}

/* On a machine that is busy, some need longer until they find what they need. */
static bool all_succeeded(const struct fuzzer *fuzzers)
{
	for (int request = 0; request < REQUESTS; request++)
		if (count_succeeded(fuzzers, request) == 0)
			return false;
	return true;
}

static void run(unsigned seconds, uint64_t seed, struct fuzzer *fuzzers)
{
	pthread_t thread[THREADS];
	time_t end = time(NULL) + seconds;

	for (int i = 0; i <= THREADS; i++) {
		fuzzers[i] = (struct fuzzer){.random = seed * 1000 + (uint64_t)i};
		fuzzers[i].buffer = mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(fuzzers[i].buffer + 255 * PAGE, PAGE);
	}
	for (int i = 0; i < VICTIMS; i++)
		start_victim(&victims[i], next(&fuzzers[0].random));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, make_requests, &fuzzers[i + 1]);
	while (time(NULL) < end || (time(NULL) < end + PATIENCE && !all_succeeded(fuzzers))) {
		look_after(&victims[below(&fuzzers[0], VICTIMS)], &fuzzers[0]);
		make_request(&fuzzers[0]);
	}
	over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < VICTIMS; i++) {
		close(victims[i].descriptor);
		kill(victims[i].pid, SIGKILL);
	}
	reap(victims[0].pid);
}

static void write_one(void *argument)
{
	memory[(uintptr_t)argument * PAGE]++;
}

static void test_after_all(void)
{
	static struct collected collected;
	static struct notices notices;
	pid_t child = spawn(NULL, write_one, (void *)5);
	int descriptor = attach(device, child);

	check(lock(descriptor, CAPE_MODE_NOTIFY, NULL, 0) == 0 &&
		      run_child(child, -1, false, &notices) &&
		      collect(descriptor, 9, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == 1 &&
		      collected_page(&collected, memory + 5 * PAGE),
	      "it still works afterwards");
	close(descriptor);
	reap(child);
}

int main(int argc, char **argv)
{
	struct fuzzer fuzzers[THREADS + 1];
	unsigned seconds = 30;
	uint64_t seed = 1;
	unsigned long made = 0, twins = 0, changed = 0;

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (argc > 1 && strcmp(argv[1], "--victim") == 0)
		be_victim((void *)(uintptr_t)getpid());
	if (argc > 1)
		seconds = (unsigned)strtoul(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoul(argv[2], NULL, 0);
	device = open_device();
	run(seconds, seed, fuzzers);
	for (int i = 0; i <= THREADS; i++) {
		made += fuzzers[i].made;
		twins += fuzzers[i].twins;
		changed += fuzzers[i].changed;
	}
	check(made > 1000, "%u seconds, seed %lu: %lu requests", seconds, (unsigned long)seed,
	      made);
	for (int request = 0; request < REQUESTS; request++) {
		unsigned long succeeded = count_succeeded(fuzzers, request);

		check(succeeded > 0, "%s was tried so that it succeeds: %lu times", names[request],
		      succeeded);
	}
	check(changed == 0, "nobody has written to a twin (%lu of %lu)", changed, twins);
	test_after_all();
	return finish();
}
