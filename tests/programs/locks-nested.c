/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks-nested.c - omp_nest_lock_t: taken again by its owner, counted, tested, in a recursion. */
#include <omp.h>
#include <stdio.h>

static struct {
	omp_nest_lock_t lock;
	int entries, deepest;
	unsigned char trail[3];
} pair;

static void down(int depth)
{
	omp_set_nest_lock(&pair.lock);
	pair.entries++;
	pair.trail[depth % 3]++;
	if (depth > pair.deepest)
		pair.deepest = depth;
	if (depth < 4)
		down(depth + 1);
	omp_unset_nest_lock(&pair.lock);
}

int main(void)
{
	omp_nest_lock_t local;
	int threads = omp_get_max_threads(), wrong = 0, held = 0, turns = 0;

	omp_init_nest_lock(&pair.lock);
	omp_init_nest_lock(&local);
	omp_set_nest_lock(&pair.lock);
	printf("%d ", omp_test_nest_lock(&pair.lock));
	printf("%d\n", omp_test_nest_lock(&pair.lock));
	omp_unset_nest_lock(&pair.lock);
	omp_unset_nest_lock(&pair.lock);
	omp_unset_nest_lock(&pair.lock);
#pragma omp parallel reduction(+ : wrong)
	{
		for (int i = 0; i < 3; i++)
			down(0);
		for (int i = 0; i < 4;) {
			int count = omp_test_nest_lock(&local);

			if (!count)
				continue;
			wrong += count != 1 || held++ != 0;
			turns++;
			wrong += omp_test_nest_lock(&local) != 2;
			omp_set_nest_lock(&local);
			omp_unset_nest_lock(&local);
			omp_unset_nest_lock(&local);
			/* Still ours: nobody comes between. */
			wrong += held-- != 1;
			omp_unset_nest_lock(&local);
			i++;
		}
	}
	printf("%d wrong, %d %d %d\n", wrong, pair.entries == 15 * threads, pair.deepest,
	       turns == 4 * threads);
	printf("%d %d %d\n", pair.trail[0] == 6 * threads, pair.trail[1] == 6 * threads,
	       pair.trail[2] == 3 * threads);
	omp_destroy_nest_lock(&local);
	omp_destroy_nest_lock(&pair.lock);
	return 0;
}
