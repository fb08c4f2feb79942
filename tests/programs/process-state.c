/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process-state.c - signal handlers, folder, environment, masks and limits that one thread sets in
 * a region are the process's: for other threads behind a barrier, and for what follows.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t caught;
static int seen[64];
static char put_text[] = "CAPE_PUT=by putenv";

static void count(int number)
{
	caught += number == SIGUSR1 ? 1 : 100;
}

static void first(int number)
{
	(void)number;
	caught += 1000;
}

static void say_first(void)
{
	printf("first at the end\n");
}

static void say_second(void)
{
	printf("second at the end\n");
}

static const char *value(const char *name)
{
	const char *text = getenv(name);

	return text ? text : "(none)";
}

static int walk(void)
{
	int found = 0;

	for (char **at = environ; *at; at++)
		found += strncmp(*at, "CAPE_P", 6) == 0;
	return found;
}

/* The thread that sets is the last of the team, then the master. */
static void set_in_region(int by)
{
	struct sigaction action = {.sa_handler = count};
	struct rlimit limit;
	char text[32];

	if (by < 0 || by != omp_get_thread_num())
		return;
	signal(SIGUSR1, count);
	sigaction(SIGUSR2, &action, NULL);
	chdir(by ? "/usr/../usr/bin" : "/etc");
	umask(by ? 027 : 077);
	snprintf(text, sizeof(text), "by %s", by ? "another" : "the master");
	setenv("CAPE_PA", text, 1);
	setenv("CAPE_PB", "not replaced", 0);
	unsetenv("CAPE_PC");
	putenv(put_text);
	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &limit);
	atexit(by ? say_first : say_second);
}

static void show(const char *when)
{
	char folder[256];
	mode_t mask = umask(0);
	struct rlimit limit;

	umask(mask);
	getrlimit(RLIMIT_CORE, &limit);
	raise(SIGUSR1);
	raise(SIGUSR2);
	printf("%s: %s %o %s %s %s %d %d %d\n", when, getcwd(folder, sizeof(folder)), mask,
	       value("CAPE_PA"), value("CAPE_PB"), value("CAPE_PC"), walk(), (int)caught,
	       (int)limit.rlim_cur);
}

static void once_by_each_kind(void)
{
	sigset_t set;

#pragma omp parallel
	{
#pragma omp single
		{
			signal(SIGUSR2, first);
			setenv("CAPE_PSINGLE", "set in single", 1);
		}
		raise(SIGUSR2);
#pragma omp critical
		{
			char text[16];

			snprintf(text, sizeof(text), "%d", atoi(value("CAPE_PN")) + 1);
			setenv("CAPE_PN", text, 1);
		}
#pragma omp master
		{
			sigemptyset(&set);
			sigaddset(&set, SIGUSR1);
			pthread_sigmask(SIG_BLOCK, &set, NULL);
		}
	}
	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("single: %s, critical: %s, blocked: %d %d\n", value("CAPE_PSINGLE"),
	       value("CAPE_PN"), sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGUSR2, count);
}

int main(void)
{
	int count_of_threads = 1;

	setenv("CAPE_PB", "first", 1);
	setenv("CAPE_PC", "first", 1);
	setenv("CAPE_PN", "0", 1);
	signal(SIGUSR1, first);
	signal(SIGUSR2, first);
	chdir("/");
	show("before");
#pragma omp parallel
	{
#pragma omp master
		count_of_threads = omp_get_num_threads();
#pragma omp barrier
		set_in_region(count_of_threads - 1);
#pragma omp barrier
		seen[omp_get_thread_num()] = strcmp(value("CAPE_PB"), "first") == 0 &&
					     strcmp(value("CAPE_PC"), "(none)") == 0 &&
					     strncmp(value("CAPE_PUT"), "by", 2) == 0;
	}
	for (int i = 0; i < count_of_threads; i++)
		if (!seen[i])
			printf("thread %d does not see it\n", i);
	if (count_of_threads == 1)
		setenv("CAPE_PA", "by another", 1), chdir("/usr/bin"), umask(027),
			atexit(say_first);
	show("behind");
#pragma omp parallel
	set_in_region(0);
	show("master");
	once_by_each_kind();
	printf("np %d: %s\n", count_of_threads,
	       atoi(value("CAPE_PN")) == count_of_threads ? "all" : "some");
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		seen[i] = umask(077) == 077;
	for (int i = 1; i < 64; i++)
		seen[0] += seen[i];
	printf("%d\n", seen[0]);
	return 0;
}
