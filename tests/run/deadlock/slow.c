/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow.c - no deadlock: one thread sleeps in its critical section while all others wait. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int turns = 0;

#pragma omp parallel
	{
		if (omp_get_thread_num() != 0)
			usleep(100000);
#pragma omp critical
		{
			if (turns++ == 0)
				sleep(6);
		}
	}
	printf("%d turns\n", turns);
	return 0;
}
