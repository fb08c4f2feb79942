/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process-users.c - calls that change the user of the process, which the C library asks every
 * thread for, also those that wait for the next region.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

static int sum;

static void add(int value)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += value;
}

int main(void)
{
	add(1);
	printf("%d %d\n", setgid(getgid()), setegid(getegid()));
	add(2);
	printf("%d %d\n", setuid(getuid()), seteuid(geteuid()));
	add(3);
	printf("%d %d\n", setresuid((uid_t)-1, geteuid(), (uid_t)-1), sum);
	return 0;
}
