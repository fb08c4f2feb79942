/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - what the benchmark programs and their MPI twins have in common: arguments, a
 * generator that needs no state, a hash of the result, the lines at the end.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

/* Argument number INDEX in LEAST .. MOST, or FALLBACK when there is none; ends the program on
 * nonsense. */
static inline int argument(int argc, char **argv, int index, int fallback, int least, int most)
{
	char *end;
	long value;

	if (index >= argc)
		return fallback;
	value = strtol(argv[index], &end, 10);
	if (end == argv[index] || *end || value < least || value > most) {
		fprintf(stderr, "%s: argument %d is '%s', it must be a number from %d to %d\n",
			argv[0], index, argv[index], least, most);
		exit(2);
	}
	return (int)value;
}

/* A number from 1 to 100 that depends on KEY only: rand() of the figures, alike for every team. */
static inline int scrambled(unsigned int key)
{
	key = (key ^ key >> 16) * 0x45d9f3bU;
	key = (key ^ key >> 16) * 0x45d9f3bU;
	return (int)((key ^ key >> 16) % 100) + 1;
}

/* FNV-1a over SIZE bytes, so that one printed line stands for all bits of a result. */
static inline unsigned long hash(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	unsigned long value = 0xcbf29ce484222325UL;

	for (size_t i = 0; i < size; i++)
		value = (value ^ bytes[i]) * 0x100000001b3UL;
	return value;
}

/* Memory for COUNT elements of SIZE bytes, all 0; ends the program when there is none. */
static inline void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		fprintf(stderr, "no memory for %zu elements of %zu bytes\n", count, size);
		exit(2);
	}
	return memory;
}

/* Not on stdout, which is to be compared between runs. */
static inline void report_part(const char *name, const char *part, double seconds)
{
	fprintf(stderr, "%s: %s time %.6f s\n", name, part, seconds);
}

/* The time of what is to be measured. */
static inline void report_time(const char *name, double seconds)
{
	report_part(name, "run", seconds);
}

/* The exit status of a program whose self-check found GOOD. */
static inline int verdict(const char *name, int good)
{
	if (!good)
		fprintf(stderr, "%s: the result is WRONG\n", name);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
