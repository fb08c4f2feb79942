// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loops.c - a run most of which is one loop, whose chunks nodes ask for: dynamic, guided, by the
 * environment; with reductions, lastprivate and private values, ordered, in a region of its own or
 * behind a loop that nobody waits for; each iteration counts how often it was run.
 *
 * Usage: loops KIND ITERATIONS [MICROSECONDS [THREADS]]
 * KIND: dynamic, guided, runtime, ordered, own, nowait, tail, waits: one iteration for a later one,
 * short: loops of four iterations that nobody waits for
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT 100000

struct pair {
	long count;
	double most;
};

static struct pair joined(struct pair a, struct pair b)
{
	a.count += b.count;
	a.most = a.most > b.most ? a.most : b.most;
	return a;
}

#pragma omp declare reduction(join : struct pair : omp_out = joined(omp_out, omp_in))

static int runs[LIMIT], earlier[LIMIT];
static long atomic, guarded, order = 7;
static unsigned nap;
static int turns, is_over, waits_at = -1, waits_for = -1;
#pragma omp threadprivate(turns)

static int seen(const int *flag)
{
	int value;

#pragma omp atomic read
	value = *flag;
	return value;
}

/* What all kinds have in common. */
static long work(long *heap, int i)
{
	runs[i]++;
	heap[i] = (long)i * i % 1000;
#pragma omp atomic
	atomic += i;
	if (i % 10 == 0) {
#pragma omp critical
		guarded += i;
	}
	turns++;
	if (nap)
		usleep(nap);
	if (i == waits_at)
		while (!seen(&is_over))
			usleep(100);
	if (i == waits_for) {
#pragma omp atomic write
		is_over = 1;
	}
	return heap[i];
}

static void show(const char *what, long sum, long most, struct pair pair, long last)
{
	printf("%s: %ld %ld %ld %g %ld\n", what, sum, most, pair.count, pair.most, last);
}

static void run(const char *kind, long *heap, int end)
{
	long sum = 5, most = -1, last = 0, all = 0;
	struct pair pair = {0, 0};

#pragma omp parallel reduction(+ : all)
	{
		long mine = omp_get_thread_num();

		turns = 0;
		if (!strcmp(kind, "nowait")) {
#pragma omp for schedule(dynamic, 2) nowait
			for (int i = 0; i < end; i++) {
				earlier[i] += omp_get_thread_num() < omp_get_num_threads();
				usleep(nap / 4);
			}
		}
		if (!strcmp(kind, "guided")) {
#pragma omp for schedule(guided, 2) reduction(+ : sum) reduction(max : most) lastprivate(last)
			for (int i = 0; i < end; i++) {
				last = work(heap, i);
				sum += last;
				most = most > last ? most : last;
			}
		} else if (!strcmp(kind, "runtime")) {
#pragma omp for schedule(runtime) reduction(join : pair) lastprivate(last)
			for (int i = end - 1; i >= 0; i--) {
				last = work(heap, i);
				pair = joined(pair, (struct pair){1, (double)last});
			}
		} else if (!strcmp(kind, "ordered")) {
#pragma omp for schedule(dynamic) ordered reduction(+ : sum)
			for (int i = 0; i < end; i++) {
				sum += work(heap, i);
#pragma omp ordered
				{
					order = (order * 31 + i) % 1000003;
					if (i % 5 == 0)
						printf("turn %d: %ld\n", i, order);
				}
			}
		} else {
#pragma omp for schedule(dynamic, 3) reduction(+ : sum) reduction(max : most)                      \
	reduction(join : pair) lastprivate(last)
			for (int i = 0; i < end; i++) {
				last = work(heap, i);
				sum += last;
				most = most > last ? most : last;
				pair = joined(pair, (struct pair){1, (double)last});
			}
		}
		all += turns + mine;
		/* A second one, with fewer chunks than nodes may be. */
		if (!strcmp(kind, "tail")) {
#pragma omp for schedule(dynamic, 1000) reduction(+ : sum)
			for (int i = 0; i < end; i++)
				sum += heap[i];
		}
	}
	show(kind, sum, most, pair, last);
	printf("all %ld\n", all);
}

static void run_own(long *heap, int end)
{
	long sum = 5, most = -1, last = 0;
	struct pair pair = {0, 0};

#pragma omp parallel for schedule(dynamic) collapse(2) reduction(+ : sum) reduction(join : pair)   \
	lastprivate(last)
	for (int i = 0; i < end / 4; i++)
		for (int j = 0; j < 4; j++) {
			last = work(heap, 4 * i + j);
			sum += last;
			pair = joined(pair, (struct pair){1, (double)last});
		}
	show("own", sum, most, pair, last);
}

static void run_short(long *heap, int end)
{
	long sum = 5;

#pragma omp parallel reduction(+ : sum)
	for (int i = 0; i < end / 4; i++) {
#pragma omp for schedule(dynamic) nowait
		for (int j = 0; j < 4; j++)
			sum += work(heap, 4 * i + j);
	}
	show("short", sum, 0, (struct pair){0, 0}, 0);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "dynamic";
	int end = argc > 2 ? atoi(argv[2]) : 100;
	long *heap = malloc(LIMIT * sizeof(*heap)), sum = 0;
	int wrong = 0;

	nap = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	if (argc > 4)
		omp_set_num_threads(atoi(argv[4]));
	memset(heap, 0, LIMIT * sizeof(*heap));
	if (!strcmp(kind, "waits")) {
		waits_at = 4;
		waits_for = end - 10;
	}
	printf("begin\n");
	fflush(stdout);
	if (!strcmp(kind, "own"))
		run_own(heap, end);
	else if (!strcmp(kind, "short"))
		run_short(heap, end);
	else
		run(kind, heap, end);
	for (int i = 0; i < end; i++) {
		wrong += runs[i] != 1;
		wrong += earlier[i] != !strcmp(kind, "nowait");
		sum += heap[i] * (i % 7 + 1);
	}
	printf("%d wrong; %ld, atomic %ld, guarded %ld, order %ld\n", wrong, sum, atomic, guarded,
	       order);
	free(heap);
	return wrong > 0;
}
