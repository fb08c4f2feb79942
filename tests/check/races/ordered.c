/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ordered.c - what critical, locks, atomic, ordered, flush, tasks and barriers order: no race. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int total, sum, turns[100], behind, ready, value, tasks[8];
static int own;
#pragma omp threadprivate(own)
static char bytes[64];
static omp_lock_t lock;

static void hand_over(int me)
{
	int seen = 0;

	if (me == 0) {
		value = 42;
#pragma omp flush
#pragma omp atomic write
		ready = 1;
	} else if (me == 1) {
		do {
#pragma omp atomic read
			seen = ready;
		} while (!seen);
#pragma omp flush
		value++;
	}
}

int main(void)
{
	int scratch = 0, last = 0, first = 3, counted = 0;
	double array[64] = {0};

	omp_init_lock(&lock);
#pragma omp parallel private(scratch)
	{
		int me = omp_get_thread_num();

		own = scratch = me;
		bytes[me] = (char)(own + scratch);
		for (int i = 0; i < 10; i++) {
#pragma omp critical
			total += me + 1;
#pragma omp atomic
			sum += i;
			omp_set_lock(&lock);
			behind++;
			omp_unset_lock(&lock);
		}
		hand_over(me);
#pragma omp barrier
#pragma omp for firstprivate(first) lastprivate(last) reduction(+ : counted)
		for (int i = 0; i < 64; i++) {
			array[i] = first + total;
			last = i;
			counted++;
		}
#pragma omp for ordered schedule(dynamic)
		for (int i = 1; i < 100; i++)
#pragma omp ordered
			turns[i] = turns[i - 1] + 1;
#pragma omp single
		{
			for (int i = 0; i < 8; i++)
#pragma omp task firstprivate(i)
				tasks[i] = i + value;
#pragma omp taskwait
			value = tasks[7];
		}
	}
	printf("%d %d %d %d %d %d\n", value, last, counted, turns[99], tasks[3], array[5] > 3);
	return memchr(bytes, 1, 64) != 0;
}
