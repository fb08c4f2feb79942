/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C11: counters, flags and structs that all threads change. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define N 60

struct pair {
	int count, sum;
};

static _Atomic int steps, sums, products = 1, down = 1000;
static atomic_long fetched;
static atomic_uint bits;
static _Atomic double real;
static _Atomic struct pair pair;
static atomic_bool seen[N];
static atomic_int histogram[8];
static int plain, synced, exchanged;
static _Atomic(int *) pointer;
static int array[N + 1];

/* Called from the region. */
static void note(_Atomic int *counter, int i)
{
	(*counter)++;
	histogram[i % 8] += 1 + i % 2;
}

static void add_pair(int i)
{
	struct pair before = atomic_load(&pair), after;

	do {
		after = (struct pair){before.count + 1, before.sum + i};
	} while (!atomic_compare_exchange_weak(&pair, &before, after));
}

int main(void)
{
	atomic_int *heap = malloc(sizeof *heap);
	atomic_int local;
	int i, largest = 0, unseen = 0;

	atomic_init(&local, 5);
	atomic_init(heap, 7);
	pointer = array;
#pragma omp parallel for
	for (i = 0; i < N; i++) {
		double old = real;

		note(&steps, i);
		sums += i;
		--down;
		while (!atomic_compare_exchange_strong(&real, &old, old + 0.5))
			;
		atomic_fetch_add(&fetched, i);
		atomic_fetch_or_explicit(&bits, 1u << i % 32, memory_order_relaxed);
		__atomic_add_fetch(&plain, 2, __ATOMIC_ACQ_REL);
		__sync_fetch_and_add(&synced, 3);
		seen[i] = true;
		add_pair(i);
		local++;
		atomic_fetch_sub(heap, 2);
		*pointer++ = 1;
		if (i < 4)
			products *= 3;
		if (__sync_bool_compare_and_swap(&exchanged, 0, 1))
			__atomic_fetch_add(&exchanged, 10, __ATOMIC_SEQ_CST);
	}
	for (i = 0; i < N; i++)
		unseen += !seen[i];
	for (i = 0; i < 8; i++)
		largest = histogram[i] > largest ? histogram[i] : largest;
	printf("%d %d %d %d %ld %x %g\n", steps, sums, products, down, fetched, bits, real);
	printf("%d %d %d %d %d\n", plain, synced, exchanged, unseen, largest);
	printf("%d %d %d %d\n", atomic_load(&pair).count, atomic_load(&pair).sum, local, *heap);
	printf("%td\n", pointer - array);
	free(heap);
	return 0;
}
