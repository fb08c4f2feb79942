/* SPDX-License-Identifier: GPL-2.0-or-later */
/* truth-kin.c - one process for all threads; what else the C library tells is told alike. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N 64

static long value[N];
static int told;

/* Every thread's own copy must be what the initial thread has. */
static void tell(long what)
{
	value[told++ % N] = what;
}

static long wrong(void)
{
	long parallel = 0, sequential = 0;

#pragma omp parallel for schedule(static, 1) reduction(+ : parallel)
	for (int i = 0; i < N; i++)
		parallel += value[i];
	for (int i = 0; i < N; i++)
		sequential += value[i];
	return parallel != sequential;
}

static void clocks(void)
{
	struct timex state = {0};
	struct timespec now;
	struct itimerspec timer = {.it_value.tv_sec = 1000};
	clockid_t clock;
	timer_t own;
	int file = timerfd_create(CLOCK_MONOTONIC, 0);

	timespec_get(&now, TIME_UTC);
	tell(now.tv_nsec);
	adjtimex(&state);
	tell(state.time.tv_usec);
	timerfd_settime(file, 0, &timer, NULL);
	timerfd_gettime(file, &timer);
	tell(timer.it_value.tv_nsec);
	close(file);
	if (timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_NONE}, &own))
		exit(1);
	timer.it_value.tv_sec = 1000;
	timer_settime(own, 0, &timer, NULL);
	timer_gettime(own, &timer);
	tell(timer.it_value.tv_nsec);
	timer_delete(own);
	clock_getcpuclockid(getpid(), &clock);
	clock_gettime(clock, &now);
	tell(now.tv_nsec);
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	tell(now.tv_nsec);
	printf("%d\n", gettimeofday(NULL, &(struct timezone){0}));
}

/* The clock of a child runs on node 0, and stands still, with an error, for all. */
static void clock_of_child(void)
{
	struct timespec now;
	pid_t child = fork();
	clockid_t clock;

	if (child == 0)
		for (;;)
			pause();
	printf("%d ", clock_getcpuclockid(child, &clock));
	printf("%d ", clock_gettime(clock, &now));
	tell(now.tv_nsec);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("%d ", clock_gettime(clock, &now));
	printf("%d\n", errno);
}

static void names(void)
{
	char text[100] = "", pattern[] = "kin-XXXXXX", *name = tempnam(".", "kin");
	uint64_t bits = 0;

	tell(strlen(name) ? name[strlen(name) - 1] + 256 * name[strlen(name) - 2] : 0);
	free(name);
	tell(mktemp(pattern)[9]);
	syscall(SYS_getrandom, &bits, sizeof(bits), 0);
	tell((long)(bits >> 1));
	memcpy(&bits, (void *)getauxval(AT_RANDOM), sizeof(bits));
	tell((long)(bits >> 1));
	tell(isatty(STDIN_FILENO) + 2 * isatty(STDOUT_FILENO));
	tell(readlink("/proc/self", text, sizeof(text) - 1));
	tell(atol(text));
}

/* /proc is read on node 0, wherever it is looked at; what is left of it, too. */
static void kernel_files(void)
{
	static const char *const name[] = {"/proc/self/stat", "/proc/self/statm", "/proc/uptime",
					   "/proc/self/schedstat"};
	char text[512];

	for (int i = 0; i < 4; i++) {
		FILE *stream = fopen(name[i], "r");
		size_t size = stream ? fread(text, 1, sizeof(text), stream) : 0;
		long sum = 0;

		for (size_t k = 0; k < size; k++)
			sum = sum * 31 % 1000003 + text[k];
		tell(sum);
		if (stream && fseek(stream, 0, SEEK_SET) == 0)
			tell(getc(stream));
		if (stream)
			fclose(stream);
	}
	snprintf(text, sizeof(text), "/proc/%d/stat", (int)getpid());
	printf("%d\n", access(text, R_OK));
}

static volatile sig_atomic_t signals;

static void count(int number)
{
	(void)number;
	signals++;
}

static void processes(void)
{
	pid_t process = getpid(), parent = getppid(), group = getpgrp(), session = getsid(0);
	int other = 0, threads = 0, seen[8];

	tell(process);
	tell(gettid());
	tell(syscall(SYS_gettid));
	printf("%d\n", process == gettid() && process == syscall(SYS_getpid));
	signal(SIGUSR1, count);
#pragma omp parallel for schedule(static, 1) reduction(+ : other)
	for (int i = 0; i < 8; i++) {
		char name[40];
		FILE *stream;

		other += process != getpid() || process != syscall(SYS_getpid);
		other += parent != getppid() || group != getpgrp() || group != getpgid(process);
		other += session != getsid(0) || session != getsid(process);
		if (i == 5 && kill(getpid(), SIGUSR1) == 0)
			while (!signals)
				usleep(100);
		snprintf(name, sizeof(name), "part.%d.%d", (int)getpid(), i);
		stream = fopen(name, "w");
		fprintf(stream, "%d", i + 1);
		fclose(stream);
		seen[i] = (int)gettid();
	}
	for (int i = 0, x; i < 8; i++) {
		char name[40];
		FILE *stream;

		snprintf(name, sizeof(name), "part.%d.%d", (int)getpid(), i);
		stream = fopen(name, "r");
		if (stream && fscanf(stream, "%d", &x) == 1)
			threads += x == i + 1;
		if (stream)
			fclose(stream);
		unlink(name);
		threads += seen[i] > 0;
	}
	printf("%d other, %d\n", other, threads);
}

/* By folder and name: once. */
static void once(void)
{
	int folder;
	char text[20] = "";
	struct statx status;
	struct stat dates;

	printf("%d ", mkdirat(AT_FDCWD, "kin", 0700));
	folder = open("kin", O_RDONLY | O_DIRECTORY);
	printf("%d ", flock(folder, LOCK_EX | LOCK_NB));
	printf("%d ", mkdirat(folder, "inner", 0700));
	printf("%d ", symlinkat("inner", folder, "link"));
	printf("%zd %s ", readlinkat(folder, "link", text, sizeof(text) - 1), text);
	printf("%d ", renameat(folder, "link", folder, "moved"));
	printf("%d ", mkfifoat(folder, "pipe", 0600));
	printf("%d ", faccessat(folder, "pipe", W_OK, 0));
	printf("%d ", statx(folder, "pipe", 0, STATX_TYPE, &status));
	printf("%d ", fchmodat(folder, "pipe", 0400, 0) + fchmodat(AT_FDCWD, "none", 0400, 0));
	printf("%d ", utimensat(folder, "pipe", NULL, 0) + utimes("kin/none", NULL));
	printf("%d ", fstatat(folder, "pipe", &dates, 0));
	tell(dates.st_mtim.tv_nsec);
	printf("%d ", futimens(folder, NULL) + fchmod(folder, 0500) + fchmod(folder, 0700));
	printf("%d ", fstat(folder, &dates));
	tell(dates.st_mtim.tv_nsec);
	printf("%d ", unlinkat(folder, "pipe", 0));
	printf("%d ", unlinkat(folder, "moved", 0));
	printf("%d ", unlinkat(folder, "inner", AT_REMOVEDIR));
	close(folder);
	printf("%d ", rmdir("kin"));
	printf("%d ", close(creat64("kin", 0600)));
	printf("%d\n", unlink("kin"));
}

int main(void)
{
	clocks();
	clock_of_child();
	names();
	kernel_files();
	processes();
	once();
	printf("%ld wrong\n", wrong());
	return 0;
}
