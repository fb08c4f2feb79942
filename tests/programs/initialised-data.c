/* SPDX-License-Identifier: GPL-2.0-or-later */
/* initialised-data.c - initialised static data, pointers to it, functions, unions, constants. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union number {
	double real;
	uint64_t bits;
	unsigned char bytes[8];
};

static int table[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
static int *middle = &table[5];
static char text[] = "initialised";
static const char *const words[] = {"zero", "one", "two", "three"};
static const char *current = "none";
static union number numbers[12] = {{1.5}, {2.5}};
static struct {
	int a[3];
	const char *b;
} nested = {{1, 2, 3}, "nested"};
const volatile int fixed = 12;
_Alignas(64) static short aligned[40] = {[3] = 33, [39] = 39};

static int add(int left, int right)
{
	return left + right;
}

static int multiply(int left, int right)
{
	return left * right;
}

static int (*operation)(int, int) = add;
static int (*const operations[])(int, int) = {add, multiply};

int main(void)
{
	int results[10];

#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 10; i++)
			table[i] = operation(table[i], i) * 2;
#pragma omp single
		{
			operation = multiply;
			middle -= 3;
			current = words[2];
			text[0] = 'I';
			nested.b = text;
			nested.a[1] = fixed;
		}
#pragma omp for
		for (int i = 0; i < 10; i++)
			results[i] = operation(table[i], *middle) + operations[i % 2](i, 3);
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 12; i++) {
			numbers[i].real += i;
			numbers[i].bytes[0] ^= (unsigned char)i;
		}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 40; i++)
			aligned[i] = (short)(aligned[i] * 2 + i);
	}
	for (int i = 0; i < 10; i++)
		printf("%d ", results[i]);
	printf("\n%d %s %s %s %d\n", *middle, current, text, nested.b, nested.a[1]);
	for (int i = 0; i < 12; i++)
		printf("%lx ", numbers[i].bits);
	printf("\n%d %d %d\n", aligned[3], aligned[39], (int)((uintptr_t)aligned % 64));
	return 0;
}
