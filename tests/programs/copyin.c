/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copyin.c - the master's threadprivate values are handed out at the start of a region. */
#include <omp.h>
#include <stdio.h>

struct setting {
	int level;
	float factor;
	char mode[5];
};

static int seed = 3;
static int table[5] = {1, 2, 3, 4, 5};
static struct setting setting = {1, 0.5F, "abc"};
static const char *message = "none";
#pragma omp threadprivate(seed, table, setting, message)

static int results[64];

static void show(const char *what)
{
	printf("%s:", what);
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf(" %d", results[i]);
	putchar('\n');
}

int main(void)
{
	for (int round = 0; round < 3; round++) {
		seed = 10 * (round + 1);
		table[round] += 100;
		setting.level = round;
		setting.factor *= 2;
		message = round % 2 ? "odd" : "even!";
#pragma omp parallel copyin(seed, table, setting, message)
		{
			int me = omp_get_thread_num();

			seed += me;
			table[4] += me;
			results[me] = seed + table[round] + setting.level +
				      (int)(setting.factor * 10) + message[0];
		}
		show("copied");
	}
	/* Not copied in: each thread has what it left behind. */
#pragma omp parallel
	results[omp_get_thread_num()] = seed + table[4];
	show("kept");
#pragma omp parallel for copyin(table)
	for (int i = 0; i < 0; i++)
		results[0] = -1;
	table[0] = 7;
#pragma omp parallel copyin(table) num_threads(1)
	results[0] = table[0];
	show("one");
	return 0;
}
