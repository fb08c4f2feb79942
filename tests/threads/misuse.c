/* SPDX-License-Identifier: GPL-2.0-or-later */
/* misuse.c - uses a lock wrongly, in the way of the first argument, in thread 1. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static omp_lock_t lock;
static omp_nest_lock_t nest;

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1) {
		if (strcmp(way, "unset") == 0)
			omp_unset_lock(&lock); /* unset */
		omp_set_lock(&lock);
		if (strcmp(way, "destroy") == 0)
			omp_destroy_lock(&lock); /* destroy */
		if (strcmp(way, "twice") == 0)
			omp_set_lock(&lock); /* twice */
		omp_unset_lock(&lock);
		if (strcmp(way, "nest") == 0)
			omp_unset_nest_lock(&nest); /* nest */
		omp_set_nest_lock(&nest);
		if (strcmp(way, "destroy-nest") == 0)
			omp_destroy_nest_lock(&nest); /* destroy-nest */
		omp_unset_nest_lock(&nest);
		if (strcmp(way, "garbage") == 0)
			memset(&lock, 0x5a, sizeof(lock));
		if (strcmp(way, "garbage") == 0)
			omp_set_lock(&lock); /* garbage */
	}
	puts("well");
	return 0;
}
