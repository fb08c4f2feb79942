/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * working.c - a node works fast, then slowly, until another one, by a volatile object, ends it: how
 * many slow turns it made after the news.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static volatile int stop;
static long late;

int main(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_num_threads() == 2 && omp_get_thread_num() == 1) {
		usleep(300000);
		stop = 1;
		usleep(1000);
		while (stop == 1)
			;
	} else if (omp_get_num_threads() == 2) {
		volatile double x = 1;

		for (long n = 0; !stop; n++) {
			x = x * 1.0001 + (double)n;
			if (n > 10000000) {
				usleep(2000);
				late++;
			}
		}
		stop = 2;
	}
	printf("%s\n", late < 1500 ? "soon" : "late");
	return 0;
}
