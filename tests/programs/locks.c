/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks.c - omp_lock_t: automatic, static, on the heap, in structures; test; used in functions. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 8

static struct account {
	omp_lock_t lock;
	long balance;
	int moves;
} accounts[ACCOUNTS];

static omp_lock_t everything;
static long total;

/* Both locks in the order of their numbers, or two threads could wait for each other. */
static void move(int from, int to, long amount)
{
	struct account *first = &accounts[from < to ? from : to];
	struct account *second = &accounts[from < to ? to : from];

	omp_set_lock(&first->lock);
	omp_set_lock(&second->lock);
	accounts[from].balance -= amount;
	accounts[to].balance += amount;
	first->moves++;
	second->moves++;
	omp_unset_lock(&second->lock);
	omp_unset_lock(&first->lock);
}

int main(void)
{
	omp_lock_t local, *heap = malloc(4 * sizeof(*heap));
	int threads = omp_get_max_threads(), moves = 0, successes = 0, failures = 0;
	long counts[4] = {0}, sum = 0, automatic = 0;

	omp_init_lock(&everything);
	omp_init_lock(&local);
	for (int i = 0; i < ACCOUNTS; i++) {
		omp_init_lock(&accounts[i].lock);
		accounts[i].balance = 1000;
	}
	for (int i = 0; i < 4; i++)
		omp_init_lock(&heap[i]);
#pragma omp parallel reduction(+ : successes, failures)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 160; i++)
			move(i % ACCOUNTS, (i * 3 + 1) % ACCOUNTS == i % ACCOUNTS
						   ? (i + 1) % ACCOUNTS
						   : (i * 3 + 1) % ACCOUNTS, i);
		for (int i = 0; i < 20; i++) {
			omp_set_lock(&heap[i % 4]);
			counts[i % 4]++;
			omp_unset_lock(&heap[i % 4]);
			omp_set_lock(&local);
			automatic += i;
			omp_unset_lock(&local);
		}
		/* Try until it works; a failure changes nothing. */
		for (int i = 0; i < 5;) {
			if (omp_test_lock(&everything)) {
				total++;
				successes++;
				i++;
				omp_unset_lock(&everything);
			} else {
				failures++;
			}
		}
	}
	for (int i = 0; i < ACCOUNTS; i++) {
		sum += accounts[i].balance;
		moves += accounts[i].moves;
		printf("%ld ", accounts[i].balance);
		omp_destroy_lock(&accounts[i].lock);
	}
	printf("%ld %d\n", sum, moves);
	for (int i = 0; i < 4; i++) {
		printf("%d ", counts[i] == 5L * threads);
		omp_destroy_lock(&heap[i]);
	}
	printf("%d %d %d %d\n", automatic == 190L * threads, total == 5L * threads,
	       successes == 5 * threads, failures >= 0);
	/* Sequential use. */
	omp_set_lock(&local);
	printf("%d ", omp_test_lock(&local) != 0);
	omp_unset_lock(&local);
	printf("%d\n", omp_test_lock(&local) != 0);
	omp_unset_lock(&local);
	omp_destroy_lock(&local);
	omp_destroy_lock(&everything);
	free(heap);
	return 0;
}
