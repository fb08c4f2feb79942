/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-calls.c - setlocale, strtok, ctype, gmtime, rand with a seed, errno, varargs. */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int numbers[32];

static int sum_of(int n, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

int main(void)
{
	char text[] = "one,two;three four", *word, *rest = NULL, stamp[32];
	time_t then = 1000000000;
	double values[8];
	long converted;

	printf("%s\n", setlocale(LC_ALL, "C"));
	for (word = strtok(text, ",; "); word; word = strtok(NULL, ",; "))
		printf("%s/", word);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", gmtime(&then));
	printf("\n%s\n", stamp);
	srand(12345);
	for (int i = 0; i < 32; i++)
		numbers[i] = rand() % 1000;
#pragma omp parallel for
	for (int i = 0; i < 32; i++) {
		unsigned int seed = (unsigned int)numbers[i];

		numbers[i] = rand_r(&seed) % 1000;
	}
	printf("%d %d %d\n", numbers[0], numbers[31], rand() % 1000);
	errno = 0;
	converted = strtol("99999999999999999999x", &rest, 10);
	printf("%d %d %s\n", errno == ERANGE, converted > 0, rest);
#pragma omp parallel for
	for (int i = 0; i < 8; i++) {
		char digits[24];

		snprintf(digits, sizeof(digits), "%d.%d", i, i * 11);
		values[i] = strtod(digits, NULL);
		errno = i;
	}
	printf("%g %g %d\n", values[3], values[7], sum_of(4, 1, 2, 3, toupper('a')));
	return 0;
}
