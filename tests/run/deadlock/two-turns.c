/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two-turns.c - an iteration that comes to ordered twice: no deadlock, but an error. */
static int sum;

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 8; i++)
		for (int turn = 0; turn < 2; turn++) {
#pragma omp ordered
			sum += i;
		}
	return sum;
}
