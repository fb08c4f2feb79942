/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beside-locks.c - what some threads do while others of their node publish and take: they free
 * blocks that other threads have written to, open and close files, make processes, handle signals,
 * write to memory that is published at the next barrier only.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 1000
#define SIZE   4000
#define ROUNDS 4
#define TIMES  200
#define LARGE  (1 << 20)

static char *block[BLOCKS];
static unsigned char large[LARGE];
static long entered, added;
static volatile int file = -1; /* of the thread that has opened it */
#pragma omp threadprivate(file)

/* Of each two threads one does so. */
static void enter(void)
{
	for (int i = 0; i < TIMES; i++) {
#pragma omp critical
		entered++;
#pragma omp atomic
		added++;
	}
}

static void write_to(int first, int value)
{
	for (int i = first; i < BLOCKS; i += omp_get_num_threads())
		memset(block[i], i + value, SIZE);
}

static void release(int first)
{
	for (int i = first; i < BLOCKS; i += omp_get_num_threads())
		free(block[i]);
}

static void blocks(int round)
{
	for (int i = 0; i < BLOCKS; i++)
		block[i] = malloc(SIZE);
#pragma omp parallel
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();

		write_to(me, round);
#pragma omp barrier
		release((me + 1) % threads);
		enter();
	}
}

static long streams(void)
{
	long lines = 0;

#pragma omp parallel reduction(+ : lines)
	{
		char name[64];

		snprintf(name, sizeof(name), "beside-%d", omp_get_thread_num());
		for (int i = 0; i < TIMES && omp_get_thread_num() % 2; i++) {
			FILE *stream = fopen(name, "w");

			lines += fprintf(stream, "%d\n", i) > 0;
			fclose(stream);
		}
		if (omp_get_thread_num() % 2 == 0)
			enter();
		unlink(name);
	}
	return lines;
}

static long processes(void)
{
	long ended = 0;

#pragma omp parallel reduction(+ : ended)
	{
		for (int i = 0; i < 20 && omp_get_thread_num() % 2; i++) {
			int status = -1;
			pid_t child = fork();

			if (child == 0)
				_exit(3);
			waitpid(child, &status, 0);
			ended += WEXITSTATUS(status) == 3;
		}
		if (omp_get_thread_num() % 2 == 0)
			enter();
	}
	return ended;
}

static void handle(int number)
{
	(void)number;
	if (file >= 0)
		lseek(file, 0, SEEK_CUR);
}

static void handlers(void)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};

	signal(SIGALRM, handle);
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			file = open("/dev/null", O_RDONLY);
			setitimer(ITIMER_REAL, &often, NULL);
		}
		enter();
		if (omp_get_thread_num() == 0)
			setitimer(ITIMER_REAL, &never, NULL);
	}
	signal(SIGALRM, SIG_DFL);
}

/* Bytes of one word are of several threads, each of which locks now and then. */
static int bytes(int round)
{
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();

		for (int i = me; i < LARGE; i += threads) {
			large[i] = (unsigned char)(i * 7 + round);
			if ((i / threads) % (LARGE / threads / 16) == 0)
#pragma omp critical
				entered++;
		}
#pragma omp barrier
		for (int i = 0; i < LARGE; i++)
			wrong += large[i] != (unsigned char)(i * 7 + round);
	}
	return wrong;
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0;
	long lines, ended, each;

	for (int round = 0; round < ROUNDS; round++)
		blocks(round);
	lines = streams();
	ended = processes();
	handlers();
	each = ROUNDS * threads + 2 * ((threads + 1) / 2) + threads;
	printf("%d %d\n", entered == each * TIMES, added == each * TIMES);
	for (int round = 0; round < ROUNDS; round++)
		wrong += bytes(round);
	printf("%d, %d %d\n", wrong, lines == threads / 2 * TIMES, ended == threads / 2 * 20);
	return 0;
}
