/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdin-read.c - read(2) and fread to the end of the input, in odd pieces, past one buffer. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char data[40000];
static int histogram[256];

int main(void)
{
	size_t size = 0, chunk = 1;
	ssize_t got;
	unsigned long hash = 0;

	while (size < 5000 && (got = read(0, data + size, chunk)) > 0) {
		size += (size_t)got;
		chunk = chunk * 2 % 509 + 1;
	}
	printf("read %zu bytes\n", size);
#pragma omp parallel for reduction(+ : histogram)
	for (int i = 0; i < (int)size; i++)
		histogram[data[i]]++;
	size += fread(data + size, 1, sizeof(data) - size, stdin);
	printf("then %zu, end %d\n", size, feof(stdin) != 0);
#pragma omp parallel for
	for (int i = 0; i < (int)size; i++)
		data[i] ^= 0x20;
	for (size_t i = 0; i < size; i++)
		hash = hash * 31 + data[i];
	printf("%016lx %d %d %d\n", hash, histogram['e'], histogram['\n'], histogram[0]);
	return 0;
}
