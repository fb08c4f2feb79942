/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.c - see module.h.
 */
#include "module.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned tests, failures;

bool check(bool passed, const char *name, ...)
{
	int error = errno;
	va_list arguments;

	printf("%sok %u - ", passed ? "" : "not ", ++tests);
	va_start(arguments, name);
	vprintf(name, arguments);
	va_end(arguments);
	if (!passed)
		printf("\n# errno: %s", strerror(error));
	putchar('\n');
	fflush(stdout);
	failures += !passed;
	return passed;
}

bool is_long(void)
{
	const char *given = getenv("LONG");

	return given && *given;
}

int finish(void)
{
	printf("1..%u\n", tests);
	return failures > 0;
}

int open_device(void)
{
	int device = open(CAPE_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0) {
		printf("Bail out! %s: %s\n", CAPE_DEVICE, strerror(errno));
		exit(1);
	}
	return device;
}

int attach(int device, pid_t pid)
{
	struct cape_attach request = {.pid = pid};

	return ioctl(device, CAPE_ATTACH, &request);
}

void pause_here(void)
{
	raise(SIGSTOP);
}

int make_file(void)
{
	int file = open("/tmp/bytes", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unsigned char bytes[2 * PAGE];

	memset(bytes, 'f', sizeof(bytes));
	if (write(file, bytes, sizeof(bytes)) != sizeof(bytes))
		abort();
	return file;
}

void own_pages(void *start, size_t length)
{
	volatile unsigned char *byte = start;

	for (size_t i = 0; i < length; i += 2 * PAGE)
		byte[i] = byte[i];
}

pid_t spawn(void (*prepare)(void), void (*body)(void *), void *argument)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		if (prepare)
			prepare();
		pause_here();
		body(argument);
		pause_here();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	return child;
}

void reap(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(-1, NULL, __WALL) >= 0 || errno == EINTR)
		;
}

static void take_notice(pid_t thread, int descriptor, bool capture, struct notices *notices)
{
	static unsigned char twin[PAGE];
	struct cape_capture request;
	siginfo_t info;

	ptrace(PTRACE_GETSIGINFO, thread, NULL, &info);
	if (info.si_errno != CAPE_NOTIFY_ERRNO || info.si_code != SEGV_ACCERR) {
		notices->genuine = true;
		return;
	}
	if (notices->count < sizeof(notices->address) / sizeof(notices->address[0]))
		notices->address[notices->count++] = (uintptr_t)info.si_addr;
	request = (struct cape_capture){
		.address = (uintptr_t)info.si_addr,
		.twin = (uintptr_t)twin,
	};
	if (capture)
		ioctl(descriptor, CAPE_CAPTURE_PAGE, &request);
}

bool run_child(pid_t child, int descriptor, bool capture, struct notices *notices)
{
	pid_t thread = child;
	int status;

	notices->count = 0;
	notices->genuine = false;
	ptrace(PTRACE_CONT, child, NULL, NULL);
	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (thread == child)
				return false;
			continue;
		}
		if (WSTOPSIG(status) == SIGSTOP && thread == child)
			return true;
		if (WSTOPSIG(status) == SIGSEGV)
			take_notice(thread, descriptor, capture, notices);
		if (notices->genuine)
			return false;
		ptrace(PTRACE_CONT, thread, NULL, NULL);
	}
	return false;
}

int lock(int descriptor, uint32_t mode, struct cape_extent *range, uint32_t count)
{
	struct cape_lock request = {
		.mode = mode,
		.ranges = (uintptr_t)range,
		.range_count = count,
	};

	return ioctl(descriptor, CAPE_LOCK, &request);
}

bool collect(int descriptor, uint32_t batch, bool with_twins, uint32_t flags,
	     struct collected *collected)
{
	const size_t limit = sizeof(collected->page) / sizeof(collected->page[0]);
	struct cape_collect request = {.flags = flags, .page_capacity = batch};

	if (!collected->twin)
		collected->twin = mmap(NULL, limit * PAGE, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	collected->count = collected->twins = 0;
	do {
		request.pages = (uintptr_t)(collected->page + collected->count);
		request.twins =
			with_twins ? (uintptr_t)(collected->twin + collected->twins * PAGE) : 0;
		request.twin_capacity = with_twins ? batch : 0;
		if (collected->count + batch > limit || ioctl(descriptor, CAPE_COLLECT, &request))
			return false;
		collected->count += request.page_count;
		collected->twins += request.twin_count;
	} while (request.cursor != CAPE_CURSOR_END);
	return true;
}

const struct cape_dirty *collected_page(const struct collected *collected, const void *address)
{
	for (size_t i = 0; i < collected->count; i++)
		if (collected->page[i].address == ((uintptr_t)address & -PAGE))
			return &collected->page[i];
	return NULL;
}

const unsigned char *collected_twin(const struct collected *collected, const void *address)
{
	const struct cape_dirty *wanted = collected_page(collected, address);
	const unsigned char *twin = collected->twin;

	if (!wanted || wanted->twin_state != CAPE_TWIN_PAGE)
		return NULL;
	for (const struct cape_dirty *page = collected->page; page < wanted; page++)
		if (page->twin_state == CAPE_TWIN_PAGE)
			twin += PAGE;
	return twin;
}

size_t collected_within(const struct collected *collected, const void *start, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < collected->count; i++)
		count += collected->page[i].address - (uintptr_t)start < length;
	return count;
}

long field(const char *file, const char *name)
{
	FILE *stream = fopen(file, "re");
	size_t length = strlen(name);
	char line[256];
	long value = -1;

	while (stream && fgets(line, sizeof(line), stream))
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			value = atol(line + length + 1);
	if (stream)
		fclose(stream);
	return value;
}

bool load(const char *module)
{
	int file = open(module, O_RDONLY | O_CLOEXEC);
	bool loaded = syscall(SYS_finit_module, file, "", 0) == 0 || errno == EEXIST;

	close(file);
	return loaded;
}

bool put(const char *file, const char *text)
{
	int descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool well = descriptor >= 0 && write(descriptor, text, strlen(text)) > 0;

	close(descriptor);
	return well;
}

const char *start_swap(void)
{
	const char *disk = "/dev/ram0";

	if (access(disk, F_OK) != 0)
		return "this kernel has no /dev/ram0 to swap to";
	if (field("/proc/meminfo", "SwapTotal") > 0)
		return NULL;
	if (system("mkswap /dev/ram0 >/dev/null") != 0)
		return "mkswap fails";
	return swapon(disk, 0) < 0 ? strerror(errno) : NULL;
}

void page_out(pid_t process, void *start, size_t length)
{
	int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
	struct iovec all = {start, length};

	syscall(SYS_process_madvise, descriptor, &all, 1, MADV_PAGEOUT, 0);
	close(descriptor);
}
