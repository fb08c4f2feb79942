/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statements-of-gcc.c - statements under directives that gcc takes and libclang does not know. */
#include <omp.h>
#include <stdio.h>

#define IS_ALIGNED(name) __builtin_has_attribute(name, aligned)

static int aligned_one __attribute__((aligned(16)));

int main(void)
{
	long sum = 0, begun = IS_ALIGNED(aligned_one) ? 5 : 100, after = 0;
	long each[4] = {0}, member[2] = {0};
	struct {
		long after;
	} record = {0};
	int threads = omp_get_max_threads();

#pragma omp parallel
	{
#pragma omp critical
		sum += IS_ALIGNED(aligned_one) ? 3 : 100;
#pragma omp single
		after++;
#pragma omp critical
		{
			long *to = IS_ALIGNED(aligned_one) ? &begun : NULL;

			*to += 1;
			each[IS_ALIGNED(aligned_one) ? 2 : 0]++;
			member[1] += IS_ALIGNED(aligned_one) ? 2 : 0;
			record.after += IS_ALIGNED(aligned_one) ? 4 : 0;
		}
	}
	printf("%d %d %ld\n", sum == 3L * threads, begun == 5L + threads, after);
	printf("%d %d %d\n", each[2] == threads, member[1] == 2L * threads,
	       record.after == 4L * threads);
	return 0;
}
