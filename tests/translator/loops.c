/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every canonical loop form, up to the ends of the types: each iteration runs once. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define SLOTS 400

static int hits[SLOTS], failures;

/* Counts iteration VALUE of a loop that began at FIRST. */
#define HIT(value, first) hits[(unsigned long)((value) - (first) + SLOTS / 2) % SLOTS]++

/* Each of EXPECTED iterations ran once, the first one among them. */
static void check(const char *name, int expected)
{
	int i, count = 0, twice = 0;

	for (i = 0; i < SLOTS; i++) {
		count += hits[i] != 0;
		twice += hits[i] > 1;
	}
	if (count != expected || twice || hits[SLOTS / 2] != (expected > 0)) {
		printf("%s: %d of %d iterations, %d more than once\n", name, count, expected,
		       twice);
		failures++;
	}
	for (i = 0; i < SLOTS; i++)
		hits[i] = 0;
}

#define TRY(header, first, expected)                                                               \
	do {                                                                                       \
		_Pragma("omp parallel for") header HIT(i, first);                                  \
		check(#header, expected);                                                          \
		_Pragma("omp parallel for schedule(static, 3)") header HIT(i, first);              \
		check(#header " in chunks of 3", expected);                                        \
	} while (0)

static int one(void)
{
	static int calls;

	return ++calls;
}

int main(void)
{
	static double array[100];
	int n = 37, c = 3, minus = -3;
	unsigned int u = 40;
	short s = 100;
	size_t z = 29;
	long big = 1L << 40;

	TRY(for (int i = 0; i < n; i++), 0, 37);
	TRY(for (int i = 0; i <= n; ++i), 0, 38);
	TRY(for (int i = n; i > 0; i--), n, 37);
	TRY(for (int i = n; i >= 0; --i), n, 38);
	TRY(for (int i = 0; i != n; i++), 0, 37);
	TRY(for (int i = n; i != 0; i--), n, 37);
	TRY(for (int i = 0; i < n; i += c), 0, 13);
	TRY(for (int i = n; i > -n; i -= c), n, 25);
	TRY(for (int i = n; i > -n; i += minus), n, 25);
	TRY(for (int i = 0; i < n; i -= minus), 0, 13);
	TRY(for (int i = 0; i < n; i = i + c), 0, 13);
	TRY(for (int i = 0; i < n; i = c + i), 0, 13);
	TRY(for (int i = n; i > 0; i = i - 5), n, 8);
	TRY(for (int i = 0; i < n; i = i + 2 * c), 0, 7);
	TRY(for (int i = 0; n > i; i += 7), 0, 6);
	TRY(for (int i = n; - 5 <= i; i -= 7), n, 7);
	TRY(for (int i = 5; i < 5; i++), 5, 0);
	TRY(for (int i = 9; i < 5; i++), 9, 0);
	TRY(for (int i = INT_MAX - 20; i <= INT_MAX - 1; i++), INT_MAX - 20, 20);
	TRY(for (int i = INT_MAX - 20; i < INT_MAX; i += 6), INT_MAX - 20, 4);
	TRY(for (int i = INT_MIN + 20; i > INT_MIN; i -= 6), INT_MIN + 20, 4);
	TRY(for (int i = INT_MIN + 20; i >= INT_MIN + 1; i--), INT_MIN + 20, 20);
	TRY(for (unsigned int i = 0; i < u; i++), 0, 40);
	TRY(for (unsigned int i = u; i >= 1; i--), u, 40);
	TRY(for (unsigned int i = u; i > 0; i -= 3u), u, 14);
	TRY(for (unsigned int i = UINT_MAX - 9; i < UINT_MAX; i++), UINT_MAX - 9, 9);
	TRY(for (unsigned int i = 3; i < 20L; i += 2), 3, 9);
	TRY(for (int i = 3; i < u; i += 2), 3, 19);
	TRY(for (short i = 0; i < s; i += 9), 0, 12);
	TRY(for (signed char i = -100; i < 100; i += 11), -100, 19);
	TRY(for (unsigned char i = 200; i > 3; i -= 13), 200, 16);
	TRY(for (char i = 'a'; i <= 'z'; i++), 'a', 26);
	TRY(for (long i = big; i < big + 30; i += 4), big, 8);
	TRY(for (long i = LONG_MAX - 10; i < LONG_MAX; i++), LONG_MAX - 10, 10);
	TRY(for (size_t i = 0; i < z; i++), 0, 29);
	TRY(for (size_t i = z; i > 0; i--), z, 29);
	TRY(for (unsigned long long i = ULLONG_MAX - 9; i < ULLONG_MAX; i += 2), ULLONG_MAX - 9, 5);
	TRY(for (double *i = array; i < array + 50; i++), array, 50);
	TRY(for (double *i = array + 99; i >= array + 1; i -= 4), array + 99, 25);
	TRY(for (const double *i = array; i != array + 20; ++i), array, 20);
	TRY(for (double *i = &array[0]; i < &array[100]; i = i + 3), &array[0], 34);
#pragma omp parallel for
	for (int i = one(); i < 10 * one(); i += one())
		HIT(i, 1);
	check("bounds that change", 7);
	printf("%d failures, %d calls\n", failures, one() - 1);
	return failures != 0;
}
