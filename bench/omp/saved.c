/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved.c - SAVED: memory of numbers without a pattern, of which each step changes a tenth, in one
 * piece; a line after each step.  It is what saving a run and going on from there costs.
 *
 * Usage: saved [megabytes [steps [passes over a step's tenth]]]
 */
#include "../program.h"
#include "wtime.h"

#define PARTS 10

/* Bits without a pattern, which nothing can make shorter. */
static unsigned long bits_of(size_t index)
{
	unsigned long bits = (index + 1) * 0x9e3779b97f4a7c15UL;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9UL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebUL;
	return bits ^ bits >> 31;
}

/* The next of a sequence that comes to no number again, however many passes there are. */
static unsigned long next(unsigned long bits)
{
	return bits * 6364136223846793005UL + 1;
}

static void change(unsigned long *memory, size_t start, size_t end, int passes)
{
#pragma omp parallel for
	for (size_t i = start; i < end; i++)
		for (int pass = 0; pass < passes; pass++)
			memory[i] = next(memory[i]);
}

static unsigned long expected(size_t index, int changes)
{
	unsigned long bits = bits_of(index);

	for (int i = 0; i < changes; i++)
		bits = next(bits);
	return bits;
}

/* A number of each page. */
static int check_memory(const unsigned long *memory, size_t part, int steps, int passes)
{
	int good = 1;

	for (int p = 0; p < PARTS; p++)
		for (size_t i = (size_t)p * part; i < (size_t)(p + 1) * part; i += 509)
			good &= memory[i] ==
				expected(i, (steps / PARTS + (p < steps % PARTS)) * passes);
	return good;
}

int main(int argc, char **argv)
{
	int megabytes = argument(argc, argv, 1, 64, 1, 16384);
	int steps = argument(argc, argv, 2, 20, 1, 100000);
	int passes = argument(argc, argv, 3, 1, 1, 100000);
	size_t part = ((size_t)megabytes << 20) / sizeof(unsigned long) / PARTS;
	unsigned long *memory = allocate(part * PARTS, sizeof(*memory));
	double started;
	int good;

#pragma omp parallel for
	for (size_t i = 0; i < part * PARTS; i++)
		memory[i] = bits_of(i);
	started = omp_get_wtime();
	for (int step = 0; step < steps; step++) {
		size_t start = (size_t)(step % PARTS) * part;

		change(memory, start, start + part, passes);
		printf("step %d\n", step);
		fflush(stdout);
	}
	report_time("saved", omp_get_wtime() - started);
	good = check_memory(memory, part, steps, passes);
	printf("saved: %d MB, %d steps\n", megabytes, steps);
	free(memory);
	return verdict("saved", good);
}
