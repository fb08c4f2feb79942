/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical, atomic, ordered, flush and the schedules, on operands of every kind. */
#include <omp.h>
#include <stdio.h>

#define N 200

static int histogram[10], calls;
static double sum;
static _Bool any;
static unsigned char byte = 1;
static char text[] = "0123456789", *end = text;

static int bucket(int i)
{
	return i % 10;
}

static int counted(int i)
{
#pragma omp atomic
	calls++;
	return i;
}

static void atomics(void)
{
	int i, up = 0, down = 1000, bits = 0, mask = -1, flip = 0, read = 0, captured[N], old;
	unsigned long product = 1;
	long long wide = 0;
	float single = 0;

#pragma omp parallel for private(old) schedule(dynamic, 3)
	for (i = 0; i < N; i++) {
#pragma omp atomic
		histogram[bucket(i)]++;
#pragma omp atomic update
		sum += i * 0.5;
#pragma omp atomic
		single += i;
#pragma omp atomic
		up = up + i * 2;
#pragma omp atomic
		down = down - 1;
#pragma omp atomic
		wide -= 3u;
#pragma omp atomic
		bits |= 1 << i % 16;
#pragma omp atomic
		mask &= ~(1 << i % 8);
#pragma omp atomic
		flip ^= i;
#pragma omp atomic
		any |= i & 4;
#pragma omp atomic
		byte *= 3;
#pragma omp atomic
		product = (i % 2 + 1) * product;
		if (i < 9)
#pragma omp atomic
			end++;
#pragma omp atomic capture
		old = read++;
		captured[old] = 1;
#pragma omp atomic seq_cst
		wide += counted(i);
	}
	for (i = 0; i < N; i++)
		old = i ? old + captured[i] : captured[i];
	printf("%d %d %g %g %d %d %lld\n", histogram[3], calls, sum, single, up, down, wide);
	printf("%d %d %d %d %d %c %lu %d %d\n", bits, mask, flip, any, byte, *end, product, read, old);
}

static void captures(void)
{
	int i, x = 5, v = 0, biggest = 0, seen = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp atomic capture
		{
			v = x;
			x -= 2;
		}
		printf("%d %d\n", v, x);
#pragma omp atomic capture
		{
			x = 10 - x;
			v = x;
		}
		printf("%d %d\n", v, x);
#pragma omp atomic capture
		{
			v = x;
			x = 40;
		}
		printf("%d %d\n", v, x);
#pragma omp atomic capture
		v = x /= 3;
		printf("%d %d\n", v, x);
#pragma omp atomic write
		x = 7 + bucket(11);
#pragma omp atomic read
		v = x;
		printf("%d %d\n", v, x);
	}
#pragma omp parallel for
	for (i = 0; i < N; i++) {
#pragma omp critical
		{
			if (i * 7 % N > biggest)
				biggest = i * 7 % N;
		}
#pragma omp critical(named)
		seen++;
	}
	printf("%d %d\n", biggest, seen);
}

static void in_order(void)
{
	int i, j, last = -1, wrong = 0, list[N], count = 0;

#pragma omp parallel for ordered schedule(dynamic) lastprivate(j)
	for (i = 0; i < N; i += 2) {
		j = i;
		if (i % 10 == 4)
			continue;
#pragma omp ordered
		{
			wrong += i <= last;
			last = i;
			list[count++] = i;
		}
	}
	printf("%d %d %d %d %d\n", wrong, last, count, list[7], j);
	last = -1;
#pragma omp parallel for ordered collapse(2) schedule(guided, 2)
	for (i = 0; i < 9; i++)
		for (j = 8; j >= 0; j--) {
#pragma omp ordered
			{
				wrong += i * 9 + 8 - j <= last;
				last = i * 9 + 8 - j;
			}
		}
	printf("%d %d\n", wrong, last);
}

static void schedules(int chunk)
{
	int i, total = 0, times = 0;

#pragma omp parallel reduction(+ : total) private(i)
	{
#pragma omp for schedule(dynamic, chunk * 2) nowait
		for (i = 0; i < N; i++)
			total += i;
#pragma omp for schedule(guided, chunk)
		for (i = N; i > 0; i--)
			total += i;
#pragma omp for schedule(runtime)
		for (i = 0; i < 0; i++)
			total += 1000;
#pragma omp for schedule(auto)
		for (i = 0; i < N; i += 3)
			total += i;
#pragma omp for schedule(dynamic) reduction(+ : times)
		for (i = 0; i < N; i++)
			times++;
	}
	printf("%d %d\n", total, times);
}

/* The last thread passes a value on to the one before it, as the pipelines of NPB do. */
static void pipeline(void)
{
	static int turn;
	int passed = 0;

#pragma omp parallel
	{
		int me = omp_get_thread_num(), wait = 1;

#pragma omp master
		turn = omp_get_num_threads() - 1;
#pragma omp barrier
		while (wait) {
#pragma omp flush
			wait = turn != me;
		}
		passed++;
#pragma omp flush(passed)
		turn = me - 1;
#pragma omp flush(turn)
	}
	printf("%d %d\n", passed == omp_get_max_threads(), turn);
}

int main(void)
{
	atomics();
	captures();
	in_order();
	schedules(3);
	pipeline();
	return 0;
}
