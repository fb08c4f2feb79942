/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-int-forms.c - every relation and every increment that a canonical int loop can have. */
#include <stdio.h>
#include <string.h>

#define SIZE 128

static int hits[SIZE];

static void show(const char *form)
{
	long sum = 0, count = 0, weighted = 0;

	for (int i = 0; i < SIZE; i++) {
		count += hits[i] != 0;
		sum += hits[i];
		weighted += (long)hits[i] * i * i;
	}
	printf("%-24s %ld %ld %ld\n", form, count, sum, weighted);
	memset(hits, 0, sizeof(hits));
}

#define TRY(...)                                                                                   \
	do {                                                                                       \
		_Pragma("omp parallel for") for (__VA_ARGS__) hits[i]++;                           \
		show(#__VA_ARGS__);                                                                \
	} while (0)

static void outer_variable(void)
{
	int i, low = 3, high = 101;

	TRY(i = low; i < high; i++);
	TRY(i = 0; i < high - low; i += low);
	TRY(i = high; i != low; --i);
}

int main(void)
{
	int low = 3, high = 101, step = 7;

	outer_variable();
	TRY(int i = 0; i < SIZE; i++);
	TRY(int i = 0; i < SIZE; ++i);
	TRY(int i = 0; i <= SIZE - 1; i += 1);
	TRY(int i = SIZE - 1; i >= 0; i--);
	TRY(int i = SIZE - 1; i > 0; --i);
	TRY(int i = SIZE - 1; i > 2; i -= 5);
	TRY(int i = low; i < high; i += step);
	TRY(int i = low; i <= high; i = i + step);
	TRY(int i = low; i <= high; i = step + i);
	TRY(int i = high; i >= low; i = i - step);
	TRY(int i = high; low < i; i -= step);
	TRY(int i = low; high >= i; i += step);
	TRY(int i = low; i != high; i++);
	TRY(int i = high; i != low; i--);
	TRY(int i = 100; i > -1; i += -3);
	TRY(int i = 0; i < 100; i -= -3);
	TRY(int i = low * 2; i < high / 2 + 10; i += 2 * step - 3);
	return 0;
}
