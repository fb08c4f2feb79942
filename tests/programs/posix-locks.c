/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX: mutexes of each kind and spin locks, made in every way, in regions and outside. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40

struct account {
	pthread_mutex_t lock;
	int balance;
};

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked;
static pthread_spinlock_t spin;
static int under_normal, under_recursive, under_checked, under_spin, tried;

static void nested(int depth)
{
	pthread_mutex_lock(&recursive);
	under_recursive++;
	if (depth)
		nested(depth - 1);
	pthread_mutex_unlock(&recursive);
}

static void transfer(struct account *from, struct account *to, int amount)
{
	struct account *first = from < to ? from : to, *second = from < to ? to : from;

	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

int main(void)
{
	struct account *accounts = malloc(5 * sizeof *accounts);
	pthread_mutexattr_t kind;
	int i, again = 0, foreign = 0;
	int (*lock)(pthread_mutex_t *) = pthread_mutex_lock;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &kind);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (i = 0; i < 5; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = 100;
	}
	pthread_mutex_lock(&normal);
	under_normal = 1;
	pthread_mutex_unlock(&normal);
#pragma omp parallel for reduction(+ : again, foreign)
	for (i = 0; i < N; i++) {
		lock(&normal);
		under_normal++;
		pthread_mutex_unlock(&normal);
		nested(i % 3);
		foreign += pthread_mutex_unlock(&checked) == EPERM;
		pthread_mutex_lock(&checked);
		again += pthread_mutex_lock(&checked) == EDEADLK;
		under_checked += i;
		pthread_mutex_unlock(&checked);
		pthread_spin_lock(&spin);
		under_spin++;
		pthread_spin_unlock(&spin);
		while (pthread_mutex_trylock(&normal) == EBUSY)
			;
		while (pthread_spin_trylock(&spin))
			;
		tried++;
		pthread_spin_unlock(&spin);
		pthread_mutex_unlock(&normal);
		transfer(&accounts[i % 5],
			 &accounts[(i * 3 + 1) % 5 == i % 5 ? (i + 1) % 5 : (i * 3 + 1) % 5], i);
	}
	pthread_mutex_lock(&checked);
	printf("%d %d %d %d %d\n", under_normal, under_recursive, under_checked, under_spin, tried);
	printf("%d %d %d\n", again, foreign, pthread_mutex_lock(&checked) == EDEADLK);
	pthread_mutex_unlock(&checked);
	for (i = 0; i < 5; i++)
		printf("%d%c", accounts[i].balance, i < 4 ? ' ' : '\n');
	printf("%d %d\n", pthread_mutex_destroy(&checked), pthread_spin_destroy(&spin));
	free(accounts);
	return 0;
}
