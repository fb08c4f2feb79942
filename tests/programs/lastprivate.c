/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lastprivate.c - the value of the sequentially last iteration: every kind of variable. */
#include <stdio.h>
#include <string.h>

struct pair {
	int left;
	char right[20];
};

static int global_last;

int main(void)
{
	int n = 23, scalar = -1, array[3], both = 5, *where = NULL, cells[23], vla[n];
	struct pair pair = {0, ""};
	double number;
	_Bool flag = 0;
	char letter;

#pragma omp parallel for lastprivate(scalar, array, pair, number, flag, letter, where, global_last)
	for (int i = 0; i < n; i++) {
		scalar = i * 2;
		array[0] = i;
		array[1] = -i;
		array[2] = i * i;
		pair.left = i;
		sprintf(pair.right, "at %d", i);
		number = i / 2.0;
		flag = i % 2 == 0;
		letter = (char)('a' + i);
		where = &cells[i];
		global_last = i + 1000;
		cells[i] = i;
	}
	printf("%d %d %d %d %d %s %.1f %d %c %td %d\n", scalar, array[0], array[1], array[2],
	       pair.left, pair.right, number, flag, letter, where - cells, global_last);
#pragma omp parallel for firstprivate(both) lastprivate(both) schedule(static, 1)
	for (int i = 0; i < 23; i++)
		both = i == 22 ? both % 5 + 50 : both + 5;
	printf("%d\n", both);
#pragma omp parallel
	{
#pragma omp for lastprivate(vla) schedule(static, 4)
		for (int i = n; i > 0; i--) {
			memset(vla, 0, sizeof(vla));
			vla[i % 23] = i;
			vla[22] = 6;
		}
#pragma omp for nowait lastprivate(scalar)
		for (int i = 0; i < 3; i++)
			scalar = vla[1] + vla[22] + i;
	}
	printf("%d %d %d\n", vla[1], vla[22], scalar);
	return 0;
}
