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

int main(void)
{
	long sum = 0;

#pragma omp parallel for schedule(static, CHUNK)
	for (int i = 0; i < N; i++) {
		record[i].m0 = 0 + term0[i + 0] + term1[i + 0] + term2[i + 0] + term3[i + 0] +
			       term4[i + 0] + term5[i + 0] + term6[i + 0] + term7[i + 0] +
			       term8[i + 0];
		record[i].m1 = 1 + term0[i + 2] + term1[i + 2] + term2[i + 2] + term3[i + 2] +
			       term4[i + 2] + term5[i + 2] + term6[i + 2] + term7[i + 2] +
			       term8[i + 2];
		record[i].m2 = 2 + term0[i + 4] + term1[i + 4] + term2[i + 4] + term3[i + 4] +
			       term4[i + 4] + term5[i + 4] + term6[i + 4] + term7[i + 4] +
			       term8[i + 4];
		record[i].m3 = 3 + term0[i + 6] + term1[i + 6] + term2[i + 6] + term3[i + 6] +
			       term4[i + 6] + term5[i + 6] + term6[i + 6] + term7[i + 6] +
			       term8[i + 6];
		record[i].m4 = 4 + term0[i + 8] + term1[i + 8] + term2[i + 8] + term3[i + 8] +
			       term4[i + 8] + term5[i + 8] + term6[i + 8] + term7[i + 8] +
			       term8[i + 8];
		record[i].m5 = 5 + term0[i + 10] + term1[i + 10] + term2[i + 10] + term3[i + 10] +
			       term4[i + 10] + term5[i + 10] + term6[i + 10] + term7[i + 10] +
			       term8[i + 10];
		record[i].m6 = 6 + term0[i + 12] + term1[i + 12] + term2[i + 12] + term3[i + 12] +
			       term4[i + 12] + term5[i + 12] + term6[i + 12] + term7[i + 12] +
			       term8[i + 12];
		record[i].m7 = 7 + term0[i + 14] + term1[i + 14] + term2[i + 14] + term3[i + 14] +
			       term4[i + 14] + term5[i + 14] + term6[i + 14] + term7[i + 14] +
			       term8[i + 14];
		record[i].m8 = 8 + term0[i + 16] + term1[i + 16] + term2[i + 16] + term3[i + 16] +
			       term4[i + 16] + term5[i + 16] + term6[i + 16] + term7[i + 16] +
			       term8[i + 16];
		record[i].m9 = 9 + term0[i + 18] + term1[i + 18] + term2[i + 18] + term3[i + 18] +
			       term4[i + 18] + term5[i + 18] + term6[i + 18] + term7[i + 18] +
			       term8[i + 18];
	}
	for (int i = 0; i < N; i++)
		sum += record[i].m3 + record[i].m9;
	printf("%ld\n", sum);
	return 0;
}
