/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.c - threads and processes that a program makes itself, while its memory is locked.
 *
 * Usage: processes           Ends with 1 if something went wrong.
 *        processes exec      becomes echo in sequential code
 *        processes exec-in   the last thread becomes echo in a region
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <omp.h>

#define PAGE	4096
#define THREADS 4
#define HELPERS 3
#define PAGES	16

static int data[THREADS][HELPERS + 1][PAGES][PAGE / sizeof(int)] __attribute__((aligned(PAGE)));
static int good[THREADS][7];

struct work {
	int (*page)[PAGE / sizeof(int)];
	int *shared; /* written by all helpers of a thread */
	int value;
};

static void *help(void *argument)
{
	struct work *work = argument;

	for (int i = 0; i < PAGES; i++) {
		work->page[i][0] = work->value + i;
		__atomic_fetch_add(&work->shared[i * (PAGE / (int)sizeof(int))], 1,
				   __ATOMIC_RELAXED);
	}
	return work;
}

/* Threads that write to pages of their own and to pages of all. */
static int with_threads(int me)
{
	pthread_t helper[HELPERS];
	struct work work[HELPERS];
	int result = 1;

	for (int i = 0; i < HELPERS; i++) {
		work[i] = (struct work){data[me][i], data[me][HELPERS][0], 100 * me + i};
		if (pthread_create(&helper[i], NULL, help, &work[i]) != 0)
			return 0;
	}
	for (int i = 0; i < HELPERS; i++) {
		void *returned;

		result &= pthread_join(helper[i], &returned) == 0 && returned == &work[i];
	}
	return result;
}

static int ended_with(pid_t child, int wanted)
{
	int status = 0;

	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == wanted;
}

/* The child's writes are its own; it may write to what is locked, and to new memory. */
static int with_fork(int me)
{
	int *mine = &data[me][0][0][1], before = *mine;
	pid_t child = fork();

	if (child == 0) {
		char *more = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		for (int i = 0; i < HELPERS; i++)
			for (int page = 0; page < PAGES; page++)
				data[me][i][page][2] = data[(me + 1) % THREADS][i][page][3] = 9;
		more[0] = 1;
		*mine = before + 1;
		_exit(*mine == before + 1 ? 33 : 34);
	}
	return ended_with(child, 33) && *mine == before && data[me][0][0][2] == 0;
}

static int with_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
		_exit(127);
	}
	return ended_with(child, 5);
}

static int with_spawn(void)
{
	char *arguments[] = {"sh", "-c", "exit 6", NULL};
	pid_t child;

	return posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0 &&
	       ended_with(child, 6);
}

static int with_system(void)
{
	int status = system("exit 4");

	return WIFEXITED(status) && WEXITSTATUS(status) == 4;
}

static int with_popen(void)
{
	char line[16] = "";
	FILE *pipe = popen("echo hello; exit 3", "r");
	int got = pipe && fgets(line, sizeof(line), pipe) && strcmp(line, "hello\n") == 0;

	return pipe && WEXITSTATUS(pclose(pipe)) == 3 && got;
}

/* A child that dies of a fault of its own. */
static int with_fault(int me)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		data[me][0][0][0] = 1;
		*(volatile int *)NULL = 1;
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

static void become_echo(void)
{
	execl("/bin/echo", "echo", "another program", (char *)NULL);
	perror("/bin/echo");
	exit(1);
}

static int check(int threads)
{
	int bad = 0;

	for (int thread = 0; thread < threads; thread++) {
		for (int i = 0; i < 7; i++)
			if (!good[thread][i]) {
				printf("thread %d: number %d failed\n", thread, i);
				bad = 1;
			}
		for (int page = 0; page < PAGES; page++) {
			for (int i = 0; i < HELPERS; i++)
				bad |= data[thread][i][page][0] != 100 * thread + i + page ||
				       data[thread][i][page][2] != 0;
			bad |= data[thread][HELPERS][page][0] != HELPERS;
		}
	}
	return bad;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int threads = 0, bad;

#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

#pragma omp single
		threads = omp_get_num_threads();
		good[me][0] = with_fork(me);
		good[me][1] = with_threads(me);
		good[me][2] = with_vfork();
		good[me][3] = with_spawn();
		good[me][4] = with_system();
		good[me][5] = with_popen();
		good[me][6] = with_fault(me);
		if (strcmp(how, "exec-in") == 0 && me == threads - 1)
			become_echo();
	}
	bad = check(threads);
	printf(bad ? "bad\n" : "all right\n");
	fflush(stdout);
	if (strcmp(how, "exec") == 0)
		become_echo();
	return bad;
}
