/* SPDX-License-Identifier: GPL-2.0-or-later */
/* volatile-wait.c - threads that wait for each other by volatile objects, without a flush. */
#include <omp.h>
#include <stdio.h>

static volatile int ready;
static int data[64];
static struct mailbox {
	volatile long turn;
	long sum;
} box;

static void wait_until(volatile int *flag, int value)
{
	while (*flag != value)
		;
}

int main(void)
{
	volatile int go = 0, back = 0;
	int seen = 0;

#pragma omp parallel num_threads(2) shared(go, back)
	{
		if (omp_get_num_threads() == 1) {
			seen = 64 * 63 / 2;
			ready = 1;
			box.sum = 45;
			back = 1;
		} else if (omp_get_thread_num() == 0) {
			for (int i = 0; i < 64; i++)
				data[i] = i;
			ready = 1; /* nothing else until the region ends */
			do {
			} while (back == 0);
			for (int i = 0; i < 10; i++) {
				for (; box.turn != 2 * i;)
					;
				box.sum += i;
				box.turn++;
			}
		} else {
			wait_until(&ready, 1);
			for (int i = 0; i < 64; i++)
				seen += data[i];
			back = 1;
			for (int i = 0; i < 10; i++) {
				while (1)
					if (box.turn == 2 * i + 1)
						break;
				box.turn++;
			}
		}
	}
	/* A barrier is no flush for one that looks. */
	go = 0;
#pragma omp parallel num_threads(2) shared(go)
	if (omp_get_num_threads() == 2) {
		if (omp_get_thread_num() == 1)
			go = 7;
		else
			while (!go) {
			}
	}
	/* Nobody waits here. */
	for (volatile int i = 0; i < 1000; i++)
		ready += i % 3;
	printf("%d %ld %d %d\n", seen, box.sum, back, ready);
	return 0;
}
