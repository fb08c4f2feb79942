/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own-names.c - a program's own variables and functions, named like what the C library has. */
#include <stdio.h>

double time;
int system = 7, clock[3], close = 5;
static const char *access = "denied";

int mkdir(int from)
{
	return from + 1;
}

double read(double x)
{
	return x / 2;
}

double write(double x)
{
	return read(x) + close;
}

long link(long a, long b)
{
	return a * b;
}

int main(void)
{
	int unlink = 0;
	long sum = 0;

#pragma omp parallel for reduction(+ : sum, unlink)
	for (int i = 0; i < 100; i++) {
		sum += link(i, system);
		unlink += mkdir(i);
	}
#pragma omp parallel for
	for (int i = 0; i < 3; i++)
		clock[i] = mkdir(i) * 10;
#pragma omp parallel
	{
#pragma omp single
		time = write(2.5);
	}
	printf("%ld %d %g %d %d %d %s\n", sum, unlink, time, clock[0], clock[1], clock[2], access);
	return 0;
}
