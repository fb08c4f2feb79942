/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirty.c - DIRTY: changes a given share of shared memory in each of a few parallel regions.
 *
 * Usage: dirty [megabytes [pages [words [rounds]]]]
 *
 * Of every 1000 pages, PAGES are changed, in WORDS of their 1024 words, one somewhere in each 1024
 * / WORDS.  It is what finding changes costs, apart from any other work.
 */
#include "../program.h"
#include "wtime.h"

#define WORDS_OF_PAGE 1024

/* Which of its slot's WIDTH words is changed, in any round. */
static size_t choose(size_t slot, size_t width)
{
	return (size_t)scrambled((unsigned int)slot) % width;
}

/* Spreads the changed pages evenly. */
static int is_changed(size_t page, int pages)
{
	return (page + 1) * (size_t)pages / 1000 > page * (size_t)pages / 1000;
}

static void change(int *memory, size_t count, int pages, int words, int round)
{
	size_t page;

#pragma omp parallel for
	for (page = 0; page < count; page++) {
		size_t width = words ? (size_t)(WORDS_OF_PAGE / words) : 0;

		if (!is_changed(page, pages))
			continue;
		for (int word = 0; word < words; word++) {
			size_t slot = page * WORDS_OF_PAGE + (size_t)word * width;

			memory[slot + choose(slot, width)] += round + 1;
		}
	}
}

/* What change() has left behind after the rounds 0 .. ROUNDS, and nothing else. */
static int check_memory(const int *memory, size_t count, int pages, int words, int rounds)
{
	int sum = (rounds + 1) * (rounds + 2) / 2, good = 1;
	size_t width = words ? (size_t)(WORDS_OF_PAGE / words) : 1;

	for (size_t page = 0; page < count; page++)
		for (size_t word = 0; word < WORDS_OF_PAGE; word++) {
			size_t slot = page * WORDS_OF_PAGE + word / width * width;
			int changed = word / width < (size_t)words && is_changed(page, pages) &&
				      word % width == choose(slot, width);

			good &= memory[page * WORDS_OF_PAGE + word] == 1 + (changed ? sum : 0);
		}
	return good;
}

int main(int argc, char **argv)
{
	int megabytes = argument(argc, argv, 1, 64, 1, 16384);
	int pages = argument(argc, argv, 2, 1000, 0, 1000);
	int words = argument(argc, argv, 3, 1, 0, WORDS_OF_PAGE);
	int rounds = argument(argc, argv, 4, 3, 1, 10000);
	size_t count = (size_t)megabytes * 256, elements = count * WORDS_OF_PAGE;
	int *memory = allocate(elements, sizeof(*memory));
	double started;
	int good;

	/* No page is one that was never written to. */
	for (size_t i = 0; i < elements; i++)
		memory[i] = 1;
	change(memory, count, pages, words, 0);
	started = omp_get_wtime();
	for (int round = 1; round <= rounds; round++)
		change(memory, count, pages, words, round);
	report_time("dirty", omp_get_wtime() - started);
	printf("dirty: %d MB, %d pages, %d words, hash %016lx\n", megabytes, pages, words,
	       hash(memory, elements * sizeof(*memory)));
	good = check_memory(memory, count, pages, words, rounds);
	free(memory);
	return verdict("dirty", good);
}
