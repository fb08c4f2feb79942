// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files-unordered.c - all threads write to one descriptor, and read from it, in no order: nothing
 * is written over, and nothing read twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS	10
#define RECORDS 2000

static void write_records(int file, int round)
{
	int failed = 0;

#pragma omp parallel for schedule(static, 1) reduction(+ : failed)
	for (int i = 0; i < RECORDS; i++) {
		int record = round + i;

		failed += write(file, &record, sizeof(record)) != sizeof(record);
	}
	printf("%d failed, %ld bytes", failed, (long)lseek(file, 0, SEEK_CUR));
}

static void read_records(int file)
{
	long sum = 0;
	int count = 0;

	lseek(file, 0, SEEK_SET);
#pragma omp parallel reduction(+ : sum, count)
	for (int record; read(file, &record, sizeof(record)) == sizeof(record); count++)
		sum += record;
	printf(", %d read, sum %ld\n", count, sum);
}

int main(void)
{
	char name[] = "files-unordered-XXXXXX";
	int file = mkstemp(name);

	unlink(name);
	for (int round = 0; round < ROUNDS; round++) {
		if (file < 0 || ftruncate(file, 0) < 0 || lseek(file, 0, SEEK_SET) < 0)
			return 1;
		write_records(file, round);
		read_records(file);
	}
	return 0;
}
