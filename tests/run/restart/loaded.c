// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loaded.c - does what keeps it from being saved: loads a library, uses a locale, makes a timer or
 * opens a file of /proc.
 *
 * Usage: loaded library|locale|timer|proc
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int sum = 0;
	timer_t timer;

	if (argc > 1 && strcmp(argv[1], "library") == 0 && !dlopen("libresolv.so.2", RTLD_NOW))
		return 1;
	if (argc > 1 && strcmp(argv[1], "locale") == 0)
		uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", NULL));
	if (argc > 1 && strcmp(argv[1], "timer") == 0 &&
	    timer_create(CLOCK_MONOTONIC, NULL, &timer) < 0)
		return 1;
	if (argc > 1 && strcmp(argv[1], "proc") == 0 && open("/proc/self/status", O_RDONLY) < 0)
		return 1;
	for (int s = 0; s < 3; s++) {
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += i;
		usleep(100000);
	}
	printf("%d\n", sum);
	return 0;
}
