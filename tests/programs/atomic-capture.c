/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-capture.c - every form of capture returns a value that no other thread gets. */
#include <omp.h>
#include <stdio.h>

#define N 96

static int next, tickets[8 * N], back = N;
static unsigned char small;
static short slots[4];
static long doubled[8];

static void take(int *table, int ticket)
{
	/* Tickets are unique, so that nobody else writes here. */
	table[ticket]++;
}

int main(void)
{
	static int seen[N + 1], down[N + 1], uses[N], stack[N];
	int top = 0, wrong = 0, mask = 0, exchanged = -1;
	static int from[N], last;
	double sum = 0;

#pragma omp parallel for reduction(+ : wrong)
	for (int i = 0; i < N; i++) {
		int mine, other, slot;
		long wide;
		unsigned char letter;
		double before;

#pragma omp atomic capture
		mine = next++;
		take(seen, mine);
#pragma omp atomic capture
		other = --back;
		take(down, other);
#pragma omp atomic capture
		{
			slot = top;
			top += 1;
		}
		stack[slot] = i;
#pragma omp atomic capture
		{
			mask |= 1 << i % 20;
			mine = mask;
		}
		wrong += !(mine & 1 << i % 20);
#pragma omp atomic capture
		letter = small += 2;
		wrong += letter % 2;
#pragma omp atomic capture
		{
			other = slots[i % 4];
			slots[i % 4]++;
		}
		take(tickets + i % 4 * N, other);
#pragma omp atomic capture
		{
			before = sum;
			sum = sum + 0.5;
		}
		take(tickets + 4 * N, (int)(before * 2));
		/* An exchange: what one thread puts in, exactly one takes out. */
#pragma omp atomic capture
		{
			from[i] = exchanged;
			exchanged = i;
		}
#pragma omp atomic capture
		{
			doubled[i % 8] = 2 + doubled[i % 8];
			wide = doubled[i % 8];
		}
		wrong += wide < 2 || wide % 2;
#pragma omp atomic capture
		mine = last += 1;
		wrong += mine < 1 || mine > N;
	}
	for (int i = 0; i < N; i++) {
		wrong += seen[i] != 1 || down[i] != 1;
		wrong += tickets[i] != (i < N / 4) || tickets[3 * N + i] != (i < N / 4);
		wrong += tickets[4 * N + i] != 1;
		uses[stack[i]]++;
		if (from[i] >= 0)
			uses[from[i]] += 16;
	}
	for (int i = 0; i < N; i++)
		wrong += uses[i] != (i == exchanged ? 1 : 17);
	printf("%d wrong; %d %d %d %#x %d %.1f %d\n", wrong, next, back, top, mask, small, sum,
	       last);
	for (int i = 0; i < 8; i++)
		printf("%d %ld ", slots[i / 2], doubled[i]);
	putchar('\n');
	return 0;
}
