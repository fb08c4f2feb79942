/* SPDX-License-Identifier: GPL-2.0-or-later */
/* depend-calls.c - what the expressions of depend clauses call and change happens once. */
#include <omp.h>
#include <stdio.h>

static int calls[4];

static int at(int which, int value)
{
	calls[which]++;
	return value;
}

static int *row(int *rows)
{
	calls[3]++;
	return rows;
}

int main(void)
{
	int a[6] = {0}, table[3][4] = {{0}}, next = 0, *walk = a;

#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : a[at(0, i)]) depend(in : table[at(1, 1)][at(1, i)], *row(a))
			a[i] += 2 * i + 1;
		}
#pragma omp task depend(inout : a[at(2, 0) : at(2, 4)], table[(next ? 2 : 1)][next++ : 2])
		table[2][3] = a[0] + a[3];
#pragma omp task depend(in : row(table[0])[1], *walk++, table[2][sizeof(next) - 1])                 \
	depend(iterator(k = 0 : 5), out : a[k])
		a[4] = table[2][3] + 1;
#pragma omp taskwait depend(in : a[at(2, 4)])
		a[5] = a[4];
	}
	printf("%d %d %d %d %d %d\n", calls[0], calls[1], calls[2], calls[3], next, (int)(walk - a));
	printf("%d %d\n", table[2][3], a[5]);
	return 0;
}
