/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pieces.c - two threads write pages by turns, more than the kernel protects one by one.
 */
#include <stdio.h>

#define PAGE  512
#define PAGES 70000

static double memory[PAGES][PAGE] __attribute__((aligned(4096)));

int main(void)
{
	double sum = 0;

#pragma omp parallel for schedule(static, 1)
	for (int page = 0; page < PAGES; page++)
		for (int i = 0; i < PAGE; i++)
			memory[page][i] = page;
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int page = 0; page < PAGES; page += 100)
		sum += memory[page][0];
	printf("%.0f\n", sum);
	return 0;
}
