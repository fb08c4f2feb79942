/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-writers.c - pages that one, some or all threads write to, each its own bytes, and that
 * others read now and then; who does what changes from time to time.
 *
 * Prints how many bytes were wrong, and a sum of all at the end.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE   4096
#define PAGES  40
#define SLOTS  16
#define SLOT   (PAGE / SLOTS)
#define ROUNDS 120
#define STEADY 10 /* rounds, as a rule, in which the same threads write the same bytes */

static unsigned char fixed[PAGES][PAGE];
static int wrong;

static unsigned mix(unsigned a, unsigned b, unsigned c)
{
	unsigned x = a * 0x9e3779b1u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u;

	x ^= x >> 15;
	x *= 0x2c1b3c6du;
	x ^= x >> 12;
	x *= 0x297a2d39u;
	return x ^ x >> 15;
}

/* Of some pages a few threads write parts, of others one all, of others each a little. */
static unsigned writer_of(unsigned page, unsigned slot, unsigned round)
{
	unsigned era = round / STEADY, writers = 1 + mix(page, era, 1) % 4;

	if (mix(page, era, 2) % 5 == 0)
		return mix(page, slot, 3 + era) % 64;
	return mix(page, era, 4 + slot * writers / SLOTS) % 64;
}

static int is_written(unsigned page, unsigned slot, unsigned round)
{
	return mix(page, round, 40) % 8 && mix(page, slot, 41 + round / STEADY) % 4;
}

static unsigned char value(unsigned page, unsigned slot, unsigned byte, unsigned round)
{
	return (unsigned char)(mix(page, slot, round) + byte * 3);
}

/* Small changes, too: some slots are written in every eighth byte alone. */
static unsigned step_of(unsigned page, unsigned slot)
{
	return mix(page, slot, 50) % 3 ? 1 : 8;
}

static void write_slots(unsigned char (*memory)[PAGE], unsigned round, unsigned self,
			unsigned threads)
{
	for (unsigned page = 0; page < PAGES; page++)
		for (unsigned slot = 0; slot < SLOTS; slot++)
			if (is_written(page, slot, round) &&
			    writer_of(page, slot, round) % threads == self)
				for (unsigned i = 0; i < SLOT; i += step_of(page, slot))
					memory[page][slot * SLOT + i] = value(page, slot, i, round);
}

static int is_right(const unsigned char *at, unsigned page, unsigned slot, int round)
{
	for (unsigned i = 0; i < SLOT; i++) {
		unsigned char right = round < 0 || i % step_of(page, slot)
					      ? 0
					      : value(page, slot, i, (unsigned)round);

		if (at[i] != right)
			return 0;
	}
	return 1;
}

/* A thread looks at few pages, and at the same ones for a while. */
static int read_slots(unsigned char (*memory)[PAGE], int last[PAGES][SLOTS], unsigned round,
		      unsigned self)
{
	int found = 0;

	for (unsigned page = 0; page < PAGES; page++)
		for (unsigned slot = 0; slot < SLOTS; slot++)
			if (mix(page, self, 60 + round / STEADY) % 6 == 0)
				found += !is_right(&memory[page][slot * SLOT], page, slot,
						   last[page][slot]);
	return found;
}

static void note_round(int last[PAGES][SLOTS], unsigned round)
{
	for (unsigned page = 0; page < PAGES; page++)
		for (unsigned slot = 0; slot < SLOTS; slot++)
			if (is_written(page, slot, round))
				last[page][slot] = (int)round;
}

static void one_round(unsigned char (*memory)[PAGE], int last[PAGES][SLOTS], unsigned round)
{
	int next[PAGES][SLOTS];

	for (unsigned page = 0; page < PAGES; page++)
		for (unsigned slot = 0; slot < SLOTS; slot++)
			next[page][slot] = last[page][slot];
	note_round(next, round);
#pragma omp parallel reduction(+ : wrong)
	{
		unsigned self = (unsigned)omp_get_thread_num();

		if (round % 3 == 0)
			wrong += read_slots(memory, last, round, self);
#pragma omp barrier
		write_slots(memory, round, self, (unsigned)omp_get_num_threads());
		if (round % 17 == 0) {
#pragma omp flush
		}
#pragma omp barrier
		if (round % 4 == 1)
			wrong += read_slots(memory, next, round, self);
	}
	note_round(last, round);
}

int main(void)
{
	unsigned char(*heap)[PAGE] = calloc(PAGES + 1, PAGE);
	static int last[2][PAGES][SLOTS];
	unsigned sum = 0;

	for (unsigned i = 0; i < 2 * PAGES * SLOTS; i++)
		(&last[0][0][0])[i] = -1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		one_round(fixed, last[0], round);
		one_round(heap, last[1], round);
		if (round % 50 == 49)
			for (unsigned page = 0; page < PAGES; page += 3)
				sum += fixed[page][round] + heap[page][round];
	}
	for (unsigned i = 0; i < PAGES * PAGE; i++)
		sum = sum * 31 + (&fixed[0][0])[i] + 7 * (&heap[0][0])[i];
	printf("%d wrong, sum %08x\n", wrong, sum);
	free(heap);
	return 0;
}
