/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-positioned.c - threads write to places of one file: pwrite, lseek, fseek, vectors, sizes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define ROWS  40
#define WIDTH 50

static char row[WIDTH + 1];

static const char *make_row(char *to, int i)
{
	memset(to, '.', WIDTH);
	to[snprintf(to, WIDTH, "row %d %d ", i, i * i)] = ' ';
	to[WIDTH - 1] = '\n';
	return to;
}

/* A sum that tells places apart, of a descriptor and of what the name leads to. */
static void show(const char *what, int file, const char *name)
{
	static unsigned char bytes[100000];
	unsigned long sum[2] = {0, 0};
	ssize_t got[2];
	int other = open(name, O_RDONLY);

	for (int k = 0; k < 2; k++) {
		got[k] = pread(k ? other : file, bytes, sizeof(bytes), 0);
		for (ssize_t i = 0; i < got[k]; i++)
			sum[k] = sum[k] * 31 + bytes[i];
	}
	close(other);
	printf("%s %zd %lx %s\n", what, got[0], sum[0],
	       got[0] == got[1] && sum[0] == sum[1] ? "alike" : "DIFFERENT");
}

static void by_rows(int file)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++) {
		char mine[WIDTH + 1];

		if (pwrite(file, make_row(mine, i), WIDTH, (off_t)i * WIDTH) != WIDTH)
			abort();
	}
}

static void by_vectors(int file)
{
	long before = 0, size = 0;

#pragma omp parallel for reduction(+ : before)
	for (int i = 0; i < ROWS; i++) {
		char mine[WIDTH + 1], back[10];
		struct iovec part[2] = {{mine, 10}, {mine + 10, WIDTH - 10}};
		struct iovec space[2] = {{back, 3}, {back + 3, 7}};

		make_row(mine, 2 * i);
		if (pwritev(file, part, 2, (off_t)(ROWS - i) * WIDTH) != WIDTH ||
		    preadv(file, space, 2, (off_t)(ROWS - i) * WIDTH) != 10)
			abort();
		before += atoi(memcpy(memset(mine, 0, WIDTH), back + 4, 4));
	}
#pragma omp parallel
	{
		struct stat status;

#pragma omp single
		if (ftruncate(file, 30 * WIDTH) || fallocate(file, 0, 0, 31 * WIDTH))
			abort();
		fstat(file, &status);
#pragma omp critical
		size += status.st_size == 31 * WIDTH;
	}
	printf("%ld %d\n", before, size == omp_get_max_threads());
}

/* Places that there are not, in sequential code and in a region. */
static void by_wrong_vectors(int file)
{
	char byte = 0;
	struct iovec part = {&byte, 1};
	long wrong = preadv(file, &part, 1, -1) + pwritev(file, &part, 1, -1);

#pragma omp parallel reduction(+ : wrong)
#pragma omp master
	wrong += preadv(file, &part, 1, -1) + pwritev(file, &part, 1, -1);
	printf("%ld\n", wrong);
}

static void by_seeks(const char *name)
{
	int file = open(name, O_RDWR);
	FILE *stream = fopen(name, "r+");
	long place = 0;

#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < ROWS; i++) {
#pragma omp ordered
		{
			char mine[WIDTH + 1];

			lseek(file, (off_t)((i * 7) % ROWS) * WIDTH, SEEK_SET);
			if (write(file, make_row(mine, 3 * i), 20) != 20)
				abort();
			fseek(stream, ((i * 11) % ROWS) * WIDTH + 30L, SEEK_SET);
			fprintf(stream, "%03d", i);
			place += ftell(stream);
		}
	}
	printf("%ld %ld %ld\n", (long)lseek(file, 0, SEEK_CUR), ftell(stream), place);
	fclose(stream);
	show("seeks", file, name);
	close(file);
}

static void by_copying(int file)
{
	int to = open("copied", O_CREAT | O_TRUNC | O_RDWR, 0600);

#pragma omp parallel for
	for (int i = 0; i < ROWS / 2; i++) {
		off_t from_at = (off_t)i * WIDTH, to_at = (off_t)i * WIDTH * 2;

		if (copy_file_range(file, &from_at, to, &to_at, WIDTH, 0) != WIDTH)
			abort();
	}
#pragma omp parallel
#pragma omp single
	{
		off_t at = 100;

		lseek(to, 0, SEEK_END);
		if (sendfile(to, file, &at, 200) != 200)
			abort();
	}
	printf("%ld ", (long)lseek(to, 0, SEEK_CUR));
	show("copies", to, "copied");
	close(to);
	unlink("copied");
}

int main(void)
{
	int file = open("rows", O_CREAT | O_TRUNC | O_RDWR, 0600);

	by_rows(file);
	show("new", file, "rows");
	memset(row, '-', WIDTH);
	for (int i = 0; i <= ROWS; i++)
		if (write(file, row, WIDTH) != WIDTH)
			return 1;
	by_rows(file);
	show("written before", file, "rows");
	by_vectors(file);
	by_wrong_vectors(file);
	show("vectors", file, "rows");
	by_seeks("rows");
	by_copying(file);
	close(file);
	unlink("rows");
	return 0;
}
