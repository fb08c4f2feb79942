/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two_names.c - one variable under two critical constructs of different names, at one time. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int sum, inside, both;

static void wait_for(const int *flag)
{
	do {
#pragma omp flush
	} while (!*flag);
}

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
			{
				inside = 1;
				wait_for(&both);
				usleep(300000); /* until node 1 has taken all that is before */
				sum += 5;
			}
		} else if (omp_get_thread_num() == 1) {
#pragma omp critical(others)
			{
				wait_for(&inside);
				both = 1;
#pragma omp flush
				sleep(1); /* and takes nothing of what node 0 does then */
				sum += 3;
			}
		}
	}
	printf("%d\n", sum > 0);
	return 0;
}
