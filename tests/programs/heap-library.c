/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-library.c - memory that library calls allocate: strdup, realloc, getline's kin, alignment.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *names[20];
static int *numbers;
static size_t used;

static void append(int number)
{
	numbers = realloc(numbers, ++used * sizeof(*numbers));
	numbers[used - 1] = number;
}

int main(void)
{
	char *copy, *text = NULL, *memory;
	double *aligned = NULL;
	size_t size;
	FILE *stream;

	for (int i = 0; i < 300; i++)
		append(i);
#pragma omp parallel for
	for (int i = 0; i < 300; i++)
		numbers[i] *= i;
	for (int i = 0; i < 5000; i++)
		append(-i); /* grows beyond what fits: the block moves */
#pragma omp parallel for
	for (int i = 0; i < (int)used; i++)
		numbers[i] += 1;
	printf("%d %d %d %zu\n", numbers[17], numbers[299], numbers[5299], used);
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 20; i++) {
			char buffer[32];

			snprintf(buffer, sizeof(buffer), "name-%d", i);
			names[i] = strdup(buffer);
		}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 20; i++) {
			names[i] = realloc(names[i], 600);
			memset(names[i] + 7, 'a' + i, 592);
			names[i][599] = 0;
			names[i][6] = '=';
		}
#pragma omp single
		if (asprintf(&text, "%s and %d", "formatted", 42) < 0)
			text = NULL;
	}
	printf("%.12s %zu %.9s %s\n", names[3], strlen(names[3]), names[19], text);
	copy = strndup(names[12], 10);
	if (posix_memalign((void **)&aligned, 4096, 64 * sizeof(double)))
		return 1;
	memory = aligned_alloc(256, 512);
	stream = open_memstream(&text, &size);
	fprintf(stream, "%s", copy);
	fclose(stream);
#pragma omp parallel for
	for (int i = 0; i < 64; i++) {
		aligned[i] = i / 2.0;
		memory[i * 8] = (char)('A' + i % 26);
	}
	printf("%s %zu %.1f %c %d %d\n", text, size, aligned[63], memory[400],
	       (int)((uintptr_t)aligned % 4096), (int)((uintptr_t)memory % 256));
	for (int i = 0; i < 20; i++)
		free(names[i]);
	free(copy);
	free(text);
	free(memory);
	free(aligned);
	free(numbers);
	return 0;
}
