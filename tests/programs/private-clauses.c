/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private-clauses.c - private and firstprivate: scalars, arrays, VLAs, structures, pointers. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct box {
	int width, height;
	char label[6];
	struct {
		double weight;
	} inner;
};

static long out[64];
static int global_private = 4;

static void use(int n)
{
	int scalar = 7, array[5] = {1, 2, 3, 4, 5}, vla[n];
	struct box box = {2, 3, "box", {0.25}};
	int *pointer = array, (*rows)[5] = &array;
	const char *text = "text";
	long double wide = 1.5L;
	int scratch, scratch_array[4];

	for (int i = 0; i < n; i++)
		vla[i] = i * i;
#pragma omp parallel firstprivate(scalar, array, vla, box, pointer, rows, text, wide)              \
	firstprivate(global_private) private(scratch, scratch_array)
	{
		int me = omp_get_thread_num();

		scalar += me;
		array[2] *= me;
		vla[n - 1] += me;
		box.width += me;
		box.inner.weight *= 2;
		box.label[0] = 'B';
		scratch = me;
		memset(scratch_array, me, sizeof(scratch_array));
		text++;
		wide += me;
		global_private += me;
		out[me] = scalar + array[2] + vla[n - 1] + box.width * box.height +
			  (long)(box.inner.weight * 8) + pointer[4] + (*rows)[1] + scratch +
			  scratch_array[3] % 256 + text[0] + (long)wide + global_private +
			  (long)sizeof(vla);
	}
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf("%ld ", out[i]);
	printf("\n%d %d %d %d %s %s %.1Lf %d\n", scalar, array[2], vla[n - 1], box.width, box.label,
	       text, wide, global_private);
}

int main(void)
{
	use(3);
	use(17);
	return 0;
}
