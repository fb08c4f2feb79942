/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visible.c - what kernel developers see of the driver: tracepoints, in tracefs and as perf's
 * events, and a file in debugfs per attached process.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "module.h"

#define PAGES	16
#define TRACING "/sys/kernel/tracing/"
#define EVENTS	8

static const char *const events[EVENTS] = {
	"cape_attach",	    "cape_lock",    "cape_notify", "cape_capture",
	"cape_unlock_page", "cape_collect", "cape_unlock", "cape_release",
};
static unsigned char *memory;
static struct collected collected;
static struct notices notices;

static void write_three(void *argument)
{
	(void)argument;
	for (size_t i = 0; i < 3; i++)
		memory[i * PAGE] = 2;
}

/* A file as text, of at most SIZE - 1 bytes; empty if it cannot be read. */
static void get(const char *file, char *text, size_t size)
{
	FILE *stream = fopen(file, "r");
	size_t length = stream ? fread(text, 1, size - 1, stream) : 0;

	text[length] = 0;
	if (stream)
		fclose(stream);
}

/* A counter of all that CPU 0 and 1 do, as perf stat -a has it. */
static int count(const char *event, int cpu)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
	};
	char name[128], text[32];

	snprintf(name, sizeof(name), TRACING "events/cape/%s/id", event);
	get(name, text, sizeof(text));
	attributes.config = strtoul(text, NULL, 10);
	return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t counted(const int *counter)
{
	uint64_t sum = 0, value;

	for (int cpu = 0; cpu < 2; cpu++)
		if (counter[cpu] >= 0 && read(counter[cpu], &value, sizeof(value)) == sizeof(value))
			sum += value;
	return sum;
}

/* The path of the one file that there is, or "". */
static void find_file(char *name, size_t size)
{
	DIR *folder = opendir("/sys/kernel/debug/cape");
	struct dirent *entry;

	*name = 0;
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			snprintf(name, size, "/sys/kernel/debug/cape/%s", entry->d_name);
	if (folder)
		closedir(folder);
}

/* Every request once, on three pages: two are captured, one unlocked. */
static void make_requests(int device, pid_t child, char *status, size_t size)
{
	struct cape_capture capture = {.address = (uintptr_t)memory + PAGE + 5};
	struct cape_page page = {(uintptr_t)memory + 9 * PAGE};
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	char name[300];
	int descriptor = attach(device, child);

	check(lock(descriptor, CAPE_MODE_NOTIFY, &range, 1) == 0 &&
		      run_child(child, -1, false, &notices) && notices.count == 3 &&
		      ioctl(descriptor, CAPE_CAPTURE_PAGE, &capture) == 0 &&
		      ioctl(descriptor, CAPE_UNLOCK_PAGE, &page) == 0 &&
		      collect(descriptor, 8, true, 0, &collected) && collected.count == 2,
	      "a process is locked, writes, and is captured");
	find_file(name, sizeof(name));
	get(name, status, size);
	check(ioctl(descriptor, CAPE_UNLOCK, 0) == 0 && close(descriptor) == 0, "and let go of");
	find_file(name, sizeof(name));
	check(*name == 0, "its file in debugfs is gone then");
}

static void check_trace(pid_t child)
{
	static char trace[65536];
	char line[EVENTS][128];
	const char *at = trace;

	snprintf(line[0], sizeof(line[0]), "cape_attach: process=%d\n", child);
	snprintf(line[1], sizeof(line[1]),
		 "cape_lock: process=%d mode=notify ranges=1 twins=16 open=0\n", child);
	snprintf(line[2], sizeof(line[2]), "cape_notify: process=%d address=%p\n", child,
		 (void *)memory);
	snprintf(line[3], sizeof(line[3]),
		 "cape_capture: process=%d address=%p twin=page flags=", child,
		 (void *)(memory + PAGE + 5));
	snprintf(line[4], sizeof(line[4]), "cape_unlock_page: process=%d address=%p\n", child,
		 (void *)(memory + 9 * PAGE));
	snprintf(line[5], sizeof(line[5]), "cape_collect: process=%d pages=2 twins=2 ", child);
	snprintf(line[6], sizeof(line[6]),
		 "cape_unlock: process=%d mode=notify ranges=1 twins=14 open=2\n", child);
	snprintf(line[7], sizeof(line[7]), "cape_release: process=%d\n", child);
	get(TRACING "trace", trace, sizeof(trace));
	for (int i = 0; i < EVENTS; i++) {
		const char *found = strstr(at, line[i]);

		check(found, "tracefs, in this order: %.*s", (int)strcspn(line[i], "\n"), line[i]);
		at = found ? found : at;
	}
}

int main(void)
{
	/* Notices come from a handler of perf's, in which perf counts nothing. */
	static const uint64_t expected[EVENTS] = {1, 1, 0, 1, 1, 1, 1, 1};
	int device = open_device(), counter[EVENTS][2];
	char status[4096];
	pid_t child;

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	memset(memory, 1, PAGES * PAGE);
	child = spawn(NULL, write_three, NULL);
	check(put(TRACING "events/cape/enable", "1"), "the tracepoints are enabled");
	for (int i = 0; i < EVENTS; i++)
		for (int cpu = 0; cpu < 2; cpu++)
			counter[i][cpu] = count(events[i], cpu);
	make_requests(device, child, status, sizeof(status));
	put(TRACING "events/cape/enable", "0");
	for (int i = 0; i < EVENTS; i++)
		check(counted(counter[i]) == expected[i], "perf counts cape:%s: %lu", events[i],
		      (unsigned long)counted(counter[i]));
	check_trace(child);
	check(strstr(status, "mode: notify\n") && strstr(status, "range: 0x") &&
		      strstr(status, "locks: 1\n") && strstr(status, "pages_captured: 1\n") &&
		      strstr(status, "faults_notified: 3\n"),
	      "debugfs tells about the process");
	reap(child);
	return finish();
}
