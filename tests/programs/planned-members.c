/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-members.c - so many members of records that all nodes have to count alike whether they
 * are too many pieces: each describes what it reads itself between what all write.
 */
#include <stdio.h>

#define CHUNK 150000
#define N     (3 * CHUNK)

static struct {
	int m0, m1, m2, m3, m4, m5, m6, m7, m8, m9;
} record[N];
static int term0[N + 32];
static int term1[N + 32];
static int term2[N + 32];
static int term3[N + 32];
static int term4[N + 32];
static int term5[N + 32];
static int term6[N + 32];
static int term7[N + 32];
static int term8[N + 32];

#define TERMS(i)                                                                                   \
	(term0[i] + term1[i] + term2[i] + term3[i] + term4[i] + term5[i] + term6[i] + term7[i] +   \
	 term8[i])

int main(void)
{
	long sum = 0;

#pragma omp parallel for schedule(static, CHUNK)
	for (int i = 0; i < N; i++) {
		record[i].m0 = 0 + TERMS(i + 0);
		record[i].m1 = 1 + TERMS(i + 2);
		record[i].m2 = 2 + TERMS(i + 4);
		record[i].m3 = 3 + TERMS(i + 6);
		record[i].m4 = 4 + TERMS(i + 8);
		record[i].m5 = 5 + TERMS(i + 10);
		record[i].m6 = 6 + TERMS(i + 12);
		record[i].m7 = 7 + TERMS(i + 14);
		record[i].m8 = 8 + TERMS(i + 16);
		record[i].m9 = 9 + TERMS(i + 18);
	}
	for (int i = 0; i < N; i++)
		sum += record[i].m3 + record[i].m9;
	printf("%ld\n", sum);
	return 0;
}
