/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-given.c - pages that go from node to node in a fixed order, again and again, until it
 * changes: whole, in halves that two nodes write, and a few words; some are read by others in
 * between, and in some phases the log is used.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGES  48
#define WORDS  512
#define PHASES 5
#define ROUNDS 36
#define PERIOD 12 /* rounds after which the order is another */

static unsigned long still[PAGES][WORDS] __attribute__((aligned(4096)));
static unsigned long total, marks;

static unsigned mix(unsigned a, unsigned b, unsigned c)
{
	unsigned h = a * 2654435761u ^ b * 2246822519u ^ c * 3266489917u;

	h ^= h >> 15;
	h *= 2246822519u;
	return h ^ h >> 13;
}

/* Who has PART of a page in a phase, of COUNT nodes. */
static int who(int page, int part, int phase, int round, int count)
{
	return (int)(mix((unsigned)(page / 3), (unsigned)(phase * 7 + round / PERIOD),
			 (unsigned)part) %
		     (unsigned)count);
}

static void change(unsigned long *words, int from, int to, int round)
{
	for (int i = from; i < to; i++)
		words[i] = words[i] * 6364136223846793005ul + (unsigned long)(i + round);
}

/* This node's part of the pages of a phase. */
static void work(unsigned long (*moved)[WORDS], int phase, int round)
{
	int me = omp_get_thread_num(), count = omp_get_num_threads();

	for (int page = 0; page < PAGES; page++) {
		unsigned kind = mix((unsigned)page, (unsigned)phase, 5) % 6;

		if (kind == 0) /* left alone */
			continue;
		if (kind == 1) { /* two writers */
			if (who(page, 1, phase, round, count) == me)
				change(moved[page], 0, WORDS / 2, round);
			if (who(page, 2, phase, round, count) == me)
				change(moved[page], WORDS / 2, WORDS, round);
		} else if (who(page, 0, phase, round, count) == me) {
			change(moved[page], 0, kind == 2 ? 9 : WORDS, round);
		}
	}
}

/* What this node reads of other pages. */
static unsigned long look(unsigned long (*moved)[WORDS], int phase, int round)
{
	int me = omp_get_thread_num(), count = omp_get_num_threads();
	unsigned long sum = 0;

	for (int page = 0; page < PAGES; page++)
		if (who(page, 3, phase, round, count) == me && page % 4 == phase % 4)
			for (int i = 0; i < WORDS; i++)
				sum += moved[page][i] ^ (unsigned long)(page + i);
	return sum;
}

static void phase_of(unsigned long (*moved)[WORDS], int phase, int round)
{
	unsigned long sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		work(phase % 2 ? moved : still, phase, round);
#pragma omp barrier
		if (phase == 2)
			work(phase % 2 ? still : moved, phase, round + 1);
		else
			sum += look(phase % 2 ? moved : still, phase, round);
		if (phase == 3 && round % 5 == 0) {
#pragma omp critical
			marks += 1 + (unsigned long)(omp_get_num_threads() * 0);
		}
#pragma omp barrier
		if (phase == 4)
			work(phase % 2 ? still : moved, phase + 1, round);
	}
	total = total * 31 + sum;
}

int main(void)
{
	unsigned long(*moved)[WORDS] = aligned_alloc(4096, sizeof(*moved) * PAGES);
	unsigned long sum = 0;

	if (!moved)
		return 1;
#pragma omp parallel for
	for (int page = 0; page < PAGES; page++)
		for (int i = 0; i < WORDS; i++)
			moved[page][i] = still[page][i] = (unsigned long)(page * i);
	for (int round = 0; round < ROUNDS; round++) {
		for (int phase = 0; phase < PHASES; phase++)
			phase_of(moved, phase, round);
		if (round % 7 == 6) /* sequential code */
			moved[round % PAGES][round] += still[(round * 5) % PAGES][3];
	}
	for (int page = 0; page < PAGES; page++)
		for (int i = 0; i < WORDS; i++)
			sum = sum * 7 + moved[page][i] + (still[page][i] ^ 5);
	printf("%016lx %016lx %d\n", sum, total, marks > 0);
	free(moved);
	return 0;
}
