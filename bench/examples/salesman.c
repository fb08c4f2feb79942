/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * salesman.c - the shortest round trip through all cities, by branch and bound.
 *
 * Usage: salesman [cities]      Ends with 1 if dynamic programming finds another length.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 16

static int cities, distances[MOST][MOST], shortest = INT_MAX;

static void make_map(void)
{
	for (int i = 0; i < cities; i++)
		for (int j = 0; j < cities; j++)
			distances[i][j] = i == j ? 0
						 : abs(i * 73 % 97 - j * 73 % 97) +
							   abs(i * 31 % 89 - j * 31 % 89);
}

/* Goes on from the city AT, where VISITED has a bit for each city that is done with. */
static void search(int at, unsigned visited, int length)
{
	int bound;

#pragma omp atomic read
	bound = shortest;
	if (length >= bound)
		return;
	if (visited == (1U << cities) - 1) {
#pragma omp critical
		if (length + distances[at][0] < shortest) {
			/* Others look at it without this lock. */
#pragma omp atomic write
			shortest = length + distances[at][0];
		}
		return;
	}
	for (int next = 1; next < cities; next++)
		if (!(visited >> next & 1))
			search(next, visited | 1U << next, length + distances[at][next]);
}

/* Held and Karp: the shortest way to each last city through each set of cities. */
static int by_tables(void)
{
	unsigned sets = 1U << cities;
	int(*table)[MOST] = malloc(sets * sizeof(*table)), best = INT_MAX;

	for (unsigned set = 1; set < sets; set++)
		for (int last = 0; last < cities; last++) {
			table[set][last] = set == 1 && last == 0 ? 0 : INT_MAX / 2;
			for (int from = 0; from < cities; from++)
				if (last && set >> last & 1 && set >> from & 1 && from != last) {
					int length = table[set & ~(1U << last)][from] +
						     distances[from][last];

					if (length < table[set][last])
						table[set][last] = length;
				}
		}
	for (int last = 1; last < cities; last++)
		if (table[sets - 1][last] + distances[last][0] < best)
			best = table[sets - 1][last] + distances[last][0];
	free(table);
	return best;
}

int main(int argc, char **argv)
{
	int expected;

	cities = argc > 1 ? atoi(argv[1]) : 9;
	if (cities < 3 || cities > MOST) {
		fprintf(stderr, "usage: salesman [cities]      3 to %d\n", MOST);
		return 2;
	}
	make_map();
	/* Each pair of first two cities is a branch; how much work it is, nobody knows. */
#pragma omp parallel for collapse(2) schedule(dynamic)
	for (int first = 1; first < cities; first++)
		for (int second = 1; second < cities; second++)
			if (first != second)
				search(second, 1U | 1U << first | 1U << second,
				       distances[0][first] + distances[first][second]);
	expected = by_tables();
	printf("%d cities, length %d, %s\n", cities, shortest,
	       shortest == expected ? "right" : "WRONG");
	return shortest == expected ? 0 : 1;
}
