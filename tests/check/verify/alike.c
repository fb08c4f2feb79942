/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks, process numbers and random bytes are node 0's everywhere: nothing to complain about. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct timeval day;
static struct timespec precise;
static unsigned char bytes[32];
/* Nobody reads these; a compiler would leave them out. */
static volatile time_t now;
static volatile clock_t used;
static volatile pid_t process, parent;
static volatile int drawn;
static volatile unsigned int drawn_unseeded, drawn_below;

static void work(double *list, int count)
{
#pragma omp parallel for
	for (int i = 0; i < count; i++)
		list[i] = i;
}

int main(void)
{
	double list[1000], started = omp_get_wtime();

	gettimeofday(&day, NULL);
	clock_gettime(CLOCK_MONOTONIC, &precise);
	now = time(NULL);
	used = clock();
	process = getpid();
	parent = getppid();
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return 1;
	srand((unsigned int)time(NULL) ^ (unsigned int)getpid());
	drawn = rand();
	drawn_unseeded = arc4random();
	drawn_below = arc4random_uniform(1000000);
	for (int i = 0; i < 3; i++)
		work(list, 1000);
	printf("%g %d\n", list[999], omp_get_wtime() >= started);
	return 0;
}
