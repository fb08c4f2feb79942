// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loaded.c - does what keeps it from being saved: loads a library, makes a locale its own, makes a
 * timer, opens what cannot be opened again, and so on.
 *
 * Usage: loaded library|own-locale|timer|proc|pipe|socket|folder|deleted|shared|child|exec|...
 *        loaded nothing MICROSECONDS FOLDER
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "pause.h"

static bool is(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

static int open_deleted(void)
{
	char name[] = "/tmp/cape-deleted-XXXXXX";
	int file = mkstemp(name);

	unlink(name);
	return file;
}

static bool start_process(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return child > 0;
}

/* Whether it could be done. */
static bool open_what(const char *what)
{
	int end[2];

	if (is(what, "proc"))
		return open("/proc/self/status", O_RDONLY) >= 0;
	if (is(what, "pipe"))
		return pipe(end) == 0;
	if (is(what, "socket"))
		return socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
	if (is(what, "folder"))
		return open("/", O_RDONLY | O_DIRECTORY) >= 0;
	if (is(what, "deleted"))
		return open_deleted() >= 0;
	return dup2(open("/etc/passwd", O_RDONLY), 1500) == 1500;
}

static bool make(const char *what)
{
	static timer_t timer;

	if (is(what, "nothing") || is(what, "nothing more"))
		return true;
	if (is(what, "exec"))
		return execl("/proc/self/exe", "loaded", "nothing more", NULL) == 0;
	if (is(what, "library"))
		return dlopen("libresolv.so.2", RTLD_NOW) != NULL;
	if (is(what, "locale"))
		return uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", NULL)) != NULL;
	if (is(what, "setlocale"))
		return setlocale(LC_ALL, "C.UTF-8") != NULL;
	if (is(what, "timer"))
		return timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;
	if (is(what, "child"))
		return start_process();
	if (is(what, "shared"))
		return mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1,
			    0) != MAP_FAILED;
	return open_what(what);
}

int main(int argc, char **argv)
{
	int sum = 0;

	if (argc > 1 && !make(argv[1]))
		return 1;
	for (int s = 0; s < 3; s++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += i;
		/* A reason is told when the other nodes' parts are written, on a slow disk, too. */
		if (argc > 2)
			pause_at(s, argv + 2);
		else
			usleep(500000);
	}
	printf("%d\n", sum);
	return 0;
}
