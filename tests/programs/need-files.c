/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-files.c - files are written from, and read into, an array of which each thread has just
 * written a part: by all of the C library's ways, in sequential code and in regions.
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

#define SIZE  (5 * 64 * 1024)
#define PARTS 5
#define PART  (SIZE / PARTS)

static unsigned char still[SIZE];
static unsigned char *heap;

/* Each thread writes its part. */
static unsigned char *fill(unsigned char *array, unsigned seed)
{
#pragma omp parallel for
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = (unsigned char)((i * 7u + i / 256u + seed) * 37u + 1u);
	return array;
}

static unsigned long sum_of(const unsigned char *bytes, size_t size)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

/* What is in the file now, which others than the array have read. */
static void show(const char *what, long result, const char *name)
{
	unsigned char piece[5000];
	unsigned long sum = 0, size = 0;
	FILE *file = fopen(name, "r");
	size_t got;

	while ((got = fread(piece, 1, sizeof(piece), file)) > 0) {
		for (size_t i = 0; i < got; i++)
			sum = sum * 31 + piece[i];
		size += got;
	}
	fclose(file);
	printf("%s %ld: %lu %lx\n", what, result, size, sum);
}

static void show_array(const char *what, long result, const unsigned char *array)
{
	printf("%s %ld: %lx\n", what, result, sum_of(array, SIZE));
}

static void write_all_ways(unsigned char *array, const char *name)
{
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct iovec piece[2] = {{array + 1000, PART}, {array + 3 * PART, 2 * PART}};
	FILE *stream;
	long result;

	result = write(file, fill(array, 1), SIZE);
	show("write", result, name);
	result = pwrite(file, fill(array, 2) + 100, SIZE - 100, 50);
	show("pwrite", result, name);
	fill(array, 3);
	lseek(file, 10, SEEK_SET);
	result = writev(file, piece, 2);
	show("writev", result, name);
	fill(array, 4);
	result = pwritev(file, piece, 2, 77);
	show("pwritev", result, name);
	close(file);

	stream = fopen(name, "w");
	result = (long)fwrite(fill(array, 5), 1000, SIZE / 1000, stream);
	fclose(stream);
	show("fwrite", result, name);
	stream = fopen(name, "w");
	setvbuf(stream, NULL, _IONBF, 0);
	result = (long)fwrite(fill(array, 6), 1, SIZE, stream);
	fclose(stream);
	show("fwrite without a buffer", result, name);
}

static void read_all_ways(unsigned char *array, const char *name)
{
	int file = open(name, O_RDONLY);
	struct iovec piece[2] = {{array + 1000, PART}, {array + 3 * PART, 2 * PART}};
	FILE *stream;
	long result;

	result = read(file, fill(array, 11), SIZE);
	show_array("read", result, array);
	result = pread(file, fill(array, 12) + 100, SIZE - 100, 50);
	show_array("pread", result, array);
	fill(array, 13);
	lseek(file, 10, SEEK_SET);
	result = readv(file, piece, 2);
	show_array("readv", result, array);
	fill(array, 14);
	result = preadv(file, piece, 2, 77);
	show_array("preadv", result, array);
	close(file);

	stream = fopen(name, "r");
	result = (long)fread(fill(array, 15), 1000, SIZE / 1000, stream);
	fclose(stream);
	show_array("fread", result, array);
}

/* The stream's buffer is the program's memory, of which threads have written parts. */
static void buffered(unsigned char *array, const char *name)
{
	FILE *stream = fopen(name, "w+");
	char line[200];
	int number = 0, sum = 0;

	setvbuf(stream, (char *)array, _IOFBF, SIZE);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4000; i++)
			fprintf(stream, "line %d of round %d\n", i, round);
		fflush(stream);
		fill(array, 20);
	}
	rewind(stream);
	fill(array, 21);
	while (fscanf(stream, "line %d of round %*d\n", &number) == 1)
		sum += number;
	rewind(stream);
	fill(array, 22);
	for (int i = 0; i < 3000 && fgets(line, sizeof(line), stream); i++)
		number += (int)strlen(line);
	fclose(stream);
	printf("buffer of its own: %d %d\n", sum, number);
}

/* Every thread writes, and reads, what others have written. */
static void in_regions(unsigned char *array, const char *name)
{
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	long done = 0;

	fill(array, 31);
#pragma omp parallel for schedule(static) reduction(+ : done)
	for (int part = 0; part < PARTS; part++) {
		int other = (part + 2) % PARTS;

		done += pwrite(file, array + other * PART, PART, other * PART);
	}
	show("pwrite in a region", done, name);
	fill(array, 32);
	done = 0;
#pragma omp parallel for schedule(static) reduction(+ : done)
	for (int part = 0; part < PARTS; part++) {
		int other = (part + 3) % PARTS;

		done += pread(file, array + other * PART + 10, PART - 20, part * PART);
	}
	show_array("pread in a region", done, array);
	close(file);

	fill(array, 33);
	done = 0;
#pragma omp parallel for schedule(static) reduction(+ : done)
	for (int part = 0; part < PARTS; part++) {
		char own[100];
		int other = (part + 1) % PARTS;
		FILE *stream;

		snprintf(own, sizeof(own), "%s.%d", name, part);
		stream = fopen(own, "w");
		done += (long)fwrite(array + other * PART, 1, PART, stream);
		fclose(stream);
	}
	printf("fwrite in a region %ld\n", done);
	fill(array, 34);
	done = 0;
#pragma omp parallel for schedule(static) reduction(+ : done)
	for (int part = 0; part < PARTS; part++) {
		char own[100];
		int from = (part + 4) % PARTS, to = (part + 3) % PARTS;
		FILE *stream;

		snprintf(own, sizeof(own), "%s.%d", name, from);
		stream = fopen(own, "r");
		done += (long)fread(array + to * PART, 1, PART, stream);
		fclose(stream);
	}
	show_array("fread in a region", done, array);
	for (int part = 0; part < PARTS; part++) {
		char own[100];

		snprintf(own, sizeof(own), "%s.%d", name, part);
		remove(own);
	}
}

/* Names and what is told of files lie in such memory, too. */
static void names(unsigned char *array, const char *name)
{
	struct stat *status = (struct stat *)(array + 4 * PART);
	off_t *offset = (off_t *)(array + PART);
	int file, other;

#pragma omp parallel for schedule(static)
	for (int i = 0; i < SIZE; i++)
		array[i] = i % 1024 < (int)strlen(name) ? (unsigned char)name[i % 1024] : 0;
	file = open((char *)array + 3 * PART, O_RDWR);
	printf("open %d, ", file >= 0);
	fill(array, 42);
	printf("fstat %d, ", fstat(file, status) == 0);
	printf("%ld, ", (long)status->st_size);
	fill(array, 43);
	printf("stat %d, ", stat(name, status) == 0);
	printf("%ld, ", (long)status->st_size);
	other = open("need-copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
	fill(array, 44);
	*offset = 100;
	printf("sendfile %zd", sendfile(other, file, offset, 1000));
	printf(" %ld\n", (long)*offset);
	close(other);
	close(file);
	remove("need-copy");
}

int main(void)
{
	const char *name = "need-file";

	heap = malloc(SIZE);
	write_all_ways(still, name);
	read_all_ways(still, name);
	write_all_ways(heap, name);
	read_all_ways(heap, name);
	buffered(heap, name);
	in_regions(heap, name);
	in_regions(still, name);
	names(still, name);
	free(heap);
	remove(name);
	return 0;
}
