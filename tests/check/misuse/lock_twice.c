/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock_twice.c - a lock that its owner sets again. */
#include <omp.h>

static omp_lock_t door;

int main(void)
{
	omp_init_lock(&door);
#pragma omp parallel
	if (omp_get_thread_num() == 1) {
		omp_set_lock(&door);
		omp_set_lock(&door);
	}
	return 0;
}
