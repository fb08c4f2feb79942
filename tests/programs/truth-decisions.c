/* SPDX-License-Identifier: GPL-2.0-or-later */
/* truth-decisions.c - random numbers and clocks decide what sequential code does; all nodes agree. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define N 64

static unsigned values[N], published[N];

static unsigned from_device(void)
{
	unsigned value = 0;
	int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	if (file < 0 || read(file, &value, sizeof(value)) != (ssize_t)sizeof(value))
		exit(3);
	close(file);
	return value;
}

static unsigned from_stream(const char *name)
{
	unsigned value = 0;
	FILE *stream = fopen(name, "rb");

	if (!stream || fread(&value, sizeof(value), 1, stream) != 1)
		exit(4);
	fclose(stream);
	return value;
}

static unsigned from_clocks(void)
{
	struct timespec monotonic, processor;
	struct timeval day;
	struct tm local;
	time_t now = time(NULL);

	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
	gettimeofday(&day, NULL);
	localtime_r(&now, &local);
	return (unsigned)(monotonic.tv_nsec ^ processor.tv_nsec ^ day.tv_usec) +
	       (unsigned)local.tm_sec + (unsigned)(omp_get_wtime() * 1e6);
}

int main(void)
{
	unsigned secret = 0;
	int wrong = 0, rounds;
	struct drand48_data state;
	double uniform;

	srand((unsigned)time(NULL));
	srand48((long)getpid() + (long)getppid());
	srand48_r((long)from_clocks(), &state);
	if (getentropy(&secret, sizeof(secret)))
		return 2;
	for (int i = 0; i < N; i++)
		switch (i % 8) {
		case 0:
			values[i] = (unsigned)rand();
			break;
		case 1:
			values[i] = (unsigned)(drand48() * 1e9);
			break;
		case 2:
			values[i] = from_device();
			break;
		case 3:
			values[i] = from_stream("/dev/urandom");
			break;
		case 4:
			values[i] = from_clocks();
			break;
		case 5:
			drand48_r(&state, &uniform);
			values[i] = (unsigned)(uniform * 1e9) ^ secret;
			break;
		case 6:
			values[i] = from_stream("/dev/random");
			break;
		default:
			values[i] = (unsigned)clock() + (unsigned)(size_t)malloc(values[0] % 999);
		}
	/* What decides how often all threads meet must be the same for all. */
	rounds = (int)((values[0] ^ values[2] ^ values[4] ^ values[7]) % 7) + 1;
	for (int round = 0; round < rounds; round++) {
#pragma omp parallel for schedule(static, 1)
		for (int i = 0; i < N; i++)
			published[i] = values[i] + (unsigned)round;
		/* Each thread compares what others wrote with what it has itself. */
#pragma omp parallel for schedule(static, 3) reduction(+ : wrong)
		for (int i = 0; i < N; i++)
			wrong += published[i] != values[i] + (unsigned)round;
		if (values[round] % 2) {
#pragma omp parallel num_threads(2)
#pragma omp single
			values[0]++;
		}
	}
	printf("%d wrong\n", wrong);
	return 0;
}
