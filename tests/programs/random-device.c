/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random-device.c - /dev/urandom and /dev/random give as many bytes as are read, the same to all
 * threads' sequential code, and to each thread of a region its own.
 */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SIZE	(1 << 20)
#define THREADS 16
#define WORDS	(SIZE / sizeof(unsigned))

static unsigned bytes[WORDS], published[WORDS];
static unsigned long own[THREADS];

static size_t fill(int file)
{
	size_t done = 0;
	ssize_t got;

	memset(bytes, 0, sizeof(bytes));
	while (done < SIZE && (got = read(file, (char *)bytes + done, SIZE - done)) > 0)
		done += (size_t)got;
	return done;
}

/* Each thread compares what others have with what it has itself. */
static int count_wrong(void)
{
	int wrong = 0;

#pragma omp parallel for schedule(static, 1000)
	for (size_t i = 0; i < WORDS; i++)
		published[i] = bytes[i];
#pragma omp parallel for schedule(static, 999) reduction(+ : wrong)
	for (size_t i = 0; i < WORDS; i++)
		wrong += published[i] != bytes[i];
	return wrong;
}

static int count_zeros(void)
{
	int zeros = 0;

	for (size_t i = 0; i < WORDS; i++)
		zeros += !bytes[i];
	return zeros;
}

static int count_equal(void)
{
	int equal = 0;

	for (int i = 0; i < THREADS; i++)
		for (int j = 0; j < i; j++)
			equal += own[i] && own[i] == own[j];
	return equal;
}

int main(void)
{
	int file = open("/dev/urandom", O_RDONLY), copy = dup(file), wrong;
	FILE *stream = fopen("/dev/random", "rb");
	size_t got = fill(file);

	wrong = count_wrong();
	printf("read %zu, %d wrong, %s\n", got, wrong, count_zeros() < 10 ? "random" : "zeros");
#pragma omp parallel
	{
		if (read(file, &own[omp_get_thread_num()], sizeof(own[0])) != sizeof(own[0]))
			own[omp_get_thread_num()] = 1;
	}
	printf("in a region: %d equal\n", count_equal());
	got = fill(copy);
	wrong = count_wrong();
	printf("read %zu, %d wrong, %s\n", got, wrong, count_zeros() < 10 ? "random" : "zeros");
	got = fread(bytes, 1, SIZE, stream);
	wrong = count_wrong();
	printf("fread %zu, %d wrong, %s\n", got, wrong, count_zeros() < 10 ? "random" : "zeros");
	got = (size_t)pread(file, bytes, 100, 0);
	wrong = count_wrong();
	printf("pread %zu, %d wrong, %s\n", got, wrong, count_zeros() < 10 ? "random" : "zeros");
	fclose(stream);
	close(copy);
	close(file);
	return 0;
}
