// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regions that end with known loops, and have read and written files before: that counts at their
 * ends, though nothing is said of memory there.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define N      40000
#define ROUNDS 6

static double a[N], b[N];
static int descriptor;
static FILE *numbers;

static void swap(int round)
{
#pragma omp for
	for (int i = 0; i < N; i++)
		a[i] = b[i] + round;
#pragma omp for
	for (int i = 0; i < N; i++)
		b[i] = a[N - 1 - i];
}

static void write_and_read(int round, int *number)
{
#pragma omp parallel
	{
#pragma omp single
		if (write(descriptor, "a line\n", 7) != 7)
			perror("write");
		swap(round);
	}
#pragma omp parallel
	{
#pragma omp single
		if (fscanf(numbers, "%d", number) != 1)
			perror("fscanf");
		swap(round);
	}
}

int main(void)
{
	int sum = 0, number = 0;

	descriptor = open("written", O_RDWR | O_CREAT | O_TRUNC, 0600);
	numbers = fopen("numbers", "w+");
	if (descriptor < 0 || !numbers)
		return 1;
	for (int round = 1; round <= ROUNDS; round++)
		fprintf(numbers, "%d ", round * round);
	rewind(numbers);
	for (int round = 0; round < ROUNDS; round++) {
		write_and_read(round, &number);
		sum = sum * 7 + number;
	}
	printf("%d %g %ld\n", sum, b[0] + b[N - 1], (long)lseek(descriptor, 0, SEEK_CUR));
	fclose(numbers);
	return 0;
}
