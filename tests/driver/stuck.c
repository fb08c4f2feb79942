/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stuck.c - requests that stop half way, as the caller's memory is not there yet (userfaultfd):
 * nothing is given up before the caller is told of it, and nobody else has to wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES 8
#define BOUND 20 /* seconds that something may take which has not to wait */

/* Shared by all the processes here. */
struct progress {
	volatile bool go, written;
	volatile int descriptor;
};

static int device, provider;
static unsigned char *memory, *window; /* the program's; ours, which PROVIDER gives a page */
static struct cape_collect *asked;     /* alone on its page */
static struct progress *progress;
static struct notices notices;

static unsigned char *map(size_t size, int flags)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
}

/* From now on whoever touches the window waits for provide(). */
static bool open_window(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	window = map(PAGE, MAP_PRIVATE);
	area.range = (struct uffdio_range){(uintptr_t)window, PAGE};
	provider = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	return provider >= 0 && ioctl(provider, UFFDIO_API, &api) == 0 &&
	       ioctl(provider, UFFDIO_REGISTER, &area) == 0;
}

static bool somebody_waits(void)
{
	struct pollfd ready = {.fd = provider, .events = POLLIN};
	struct uffd_msg message;

	return poll(&ready, 1, BOUND * 1000) == 1 &&
	       read(provider, &message, sizeof(message)) == sizeof(message);
}

static void provide(void)
{
	struct uffdio_zeropage page = {.range = {(uintptr_t)window, PAGE}};

	ioctl(provider, UFFDIO_ZEROPAGE, &page);
	close(provider);
	munmap(window, PAGE);
}

/* To where the window is. */
static void prepare_collect(uint32_t flags)
{
	*asked = (struct cape_collect){
		.pages = (uintptr_t)window, .page_capacity = PAGES, .flags = flags};
}

static void write_all(void *argument)
{
	(void)argument;
	memset(memory, 2, PAGES * PAGE);
}

/* While the request waits, its caller's struct becomes one that the reply cannot be put into. */
static void *take_reply_away(void *unused)
{
	(void)unused;
	if (somebody_waits())
		mprotect(asked, PAGE, PROT_READ);
	provide();
	return NULL;
}

static void test_untold(void)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	static struct collected collected;
	struct cape_status status = {0};
	pid_t child = spawn(NULL, write_all, NULL);
	int descriptor = attach(device, child);
	pthread_t thread;
	bool well;

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) == 0 &&
		      run_child(child, -1, false, &notices),
	      "a process is locked, and writes");
	prepare_collect(CAPE_COLLECT_UNLOCK);
	pthread_create(&thread, NULL, take_reply_away, NULL);
	refuses(ioctl(descriptor, CAPE_COLLECT, asked), EFAULT,
		"collect and unlock, and the reply cannot be written: EFAULT");
	pthread_join(thread, NULL);
	mprotect(asked, PAGE, PROT_READ | PROT_WRITE);
	well = ioctl(descriptor, CAPE_GET_STATUS, &status) == 0;
	check(well && status.open_count == 0 && status.twin_count == PAGES,
	      "every page is still locked (%llu twins)", (unsigned long long)status.twin_count);
	well = collect(descriptor, PAGES, true, CAPE_COLLECT_UNLOCK, &collected);
	check(well && collected.count == PAGES && collected.twins == PAGES,
	      "and told when it is asked for again (%zu)", collected.count);
	well = ioctl(descriptor, CAPE_GET_STATUS, &status) == 0;
	check(well && status.open_count == PAGES && status.twin_count == 0,
	      "then all are unlocked (%llu)", (unsigned long long)status.open_count);
	close(descriptor);
	reap(child);
}

/* Attaches and locks PROGRAM, and lets it go on without a tracer. */
static void be_first_tracer(pid_t program)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	int descriptor, status;

	ptrace(PTRACE_SEIZE, program, NULL, NULL);
	ptrace(PTRACE_INTERRUPT, program, NULL, NULL);
	waitpid(program, &status, __WALL);
	descriptor = attach(device, program);
	if (lock(descriptor, CAPE_MODE_SNAPSHOT, &range, 1) < 0)
		abort();
	ptrace(PTRACE_DETACH, program, NULL, NULL);
	progress->descriptor = descriptor;
	for (;;)
		pause();
}

static void write_when_told(void)
{
	while (!progress->go)
		usleep(1000);
	write_all(NULL);
	progress->written = true;
	for (;;)
		pause();
}

static void *run_collect(void *descriptor)
{
	ioctl(*(int *)descriptor, CAPE_COLLECT, asked);
	return NULL;
}

/* CAPE_ATTACH in a thread of its own. */
struct attaching {
	pthread_t thread;
	pid_t process;
	int result, error;
	volatile bool over;
};

static void *run_attach(void *argument)
{
	struct attaching *attaching = argument;

	attaching->result = attach(device, attaching->process);
	attaching->error = errno;
	attaching->over = true;
	return NULL;
}

/* Returns whether it is over. */
static bool begin_attach(struct attaching *attaching, pid_t process)
{
	attaching->process = process;
	pthread_create(&attaching->thread, NULL, run_attach, attaching);
	for (int tries = 0; tries < BOUND * 100 && !attaching->over; tries++)
		usleep(10000);
	return attaching->over;
}

/*
 * A descriptor is handed on, and its first owner ends while a request of the next one waits.  What
 * follows from that end must wait for the request, but no other request for it.
 */
static void test_attach(void)
{
	pid_t program = fork(), first, other;
	struct attaching same = {0}, another = {0};
	int descriptor, again = -1;
	pthread_t thread;

	if (program == 0)
		write_when_told();
	first = fork();
	if (first == 0)
		be_first_tracer(program);
	while (!progress->descriptor && waitpid(first, NULL, WNOHANG) == 0)
		usleep(1000);
	descriptor = (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, first, 0),
				  progress->descriptor, 0);
	check(descriptor >= 0 && ptrace(PTRACE_SEIZE, program, NULL, PTRACE_O_EXITKILL) == 0,
	      "another tracer has taken over process and descriptor");
	progress->go = true;
	while (!progress->written)
		usleep(1000);
	other = spawn(NULL, write_all, NULL);
	prepare_collect(0);
	pthread_create(&thread, NULL, run_collect, &descriptor);
	check(somebody_waits(), "its request waits for memory");
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	check(begin_attach(&same, program) && same.result < 0 && same.error == EBUSY,
	      "the first tracer has ended: the process is in use");
	check(begin_attach(&another, other) && another.result >= 0, "and another can be attached");
	provide();
	pthread_join(thread, NULL);
	pthread_join(same.thread, NULL);
	pthread_join(another.thread, NULL);
	for (int tries = 0; tries < BOUND * 10 && again < 0; tries++) {
		again = same.result >= 0 ? same.result : attach(device, program);
		if (again < 0)
			usleep(100000);
	}
	check(again >= 0, "when the request is over, it is let go of");
	close(again);
	close(another.result);
	close(descriptor);
	kill(program, SIGKILL);
	reap(other);
}

int main(void)
{
	device = open_device();
	memory = map(PAGES * PAGE, MAP_PRIVATE);
	memset(memory, 1, PAGES * PAGE);
	asked = (void *)map(PAGE, MAP_PRIVATE);
	progress = (void *)map(PAGE, MAP_SHARED);
	if (!open_window()) {
		check(false, "userfaultfd");
		return finish();
	}
	test_untold();
	open_window();
	test_attach();
	return finish();
}
