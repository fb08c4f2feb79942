/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown.c - a node waits by atomic reads for what another one writes without atomic. */
#include <omp.h>
#include <stdio.h>

static int flag, data;

int main(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		data = 1;
		flag = 1;
	} else {
		int done = 0;

		while (!done) {
#pragma omp atomic read seq_cst
			done = flag;
		}
		data = 2;
	}
	printf("%d\n", flag);
	return 0;
}
