#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# midway.t - which regions nodes may come to run in whole at one of their sync points: those in which
# no thread keeps anything of its share of the work.
. "$(dirname "$0")/cape_cc.bash"

# midway YES|NO NAME: the region in the code on standard input, which is one in any case.
midway() {
	{
		cat <<- 'END'
			double a[90], b[90]; int n, list[90];
			int twice(int x) { return 2 * x; }
			void set(int *x) { *x = 1; }
			void shares(int m) {
			int own = m + 1;
			#pragma omp for
			for (int i = 0; i < own; i++) a[i] = own;
			}
			void work(int m) {
			int i, j, t; double x;
		END
		cat
		echo '}'
	} > case.c
	cape-cc --emit-c case.c > emitted.c || cat case.c
	check "$2" is "$(grep -o "cape_replicable([01])" emitted.c)" \
		"cape_replicable($([[ $1 == YES ]] && echo 1 || echo 0))"
}

midway YES "loops" << 'END'
#pragma omp parallel
for (int k = 0; k < 9; k++) {
	int own = k + m;
	#pragma omp for
	for (int i = 0; i < 90; i++) a[i] = own;
	#pragma omp single
	n = own;
	#pragma omp barrier
}
END
midway YES "variables that iterations have for themselves" << 'END'
#pragma omp parallel private(i, j, x)
{
	#pragma omp for
	for (i = 0; i < 90; i++) {
		x = a[i];
		for (j = 0; j < 9; j++) x += twice(j);
		a[i] = x;
	}
	#pragma omp for private(t)
	for (i = 0; i < 90; i++) { t = i; b[i] = t; }
	#pragma omp for
	for (i = 0; i < 90; i++) { int row[9]; row[i % 9] = i; x = row[i % 9]; a[i] += x; }
}
END
midway NO "a sum of a thread's own" << 'END'
#pragma omp parallel private(i, x)
{
	x = 0;
	#pragma omp for
	for (i = 0; i < 90; i++) x += a[i];
	#pragma omp for
	for (i = 0; i < 90; i++) b[i] = x;
}
END
midway NO "what the last iteration leaves" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) t = i;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = t;
}
END
midway NO "and what all threads use later" << 'END'
#pragma omp parallel private(i, t)
for (t = 0; t < 9; t++) {
	#pragma omp for
	for (i = 0; i < 90; i++) { t = i; list[i] = t; }
}
END
midway NO "also in the next round" << 'END'
#pragma omp parallel private(i, t)
{
	t = 0;
	for (int k = 0; k < 9; k++) {
		if (t < 5) {
			#pragma omp for
			for (i = 0; i < 90; i++) list[i] += 1;
		}
		#pragma omp for
		for (i = 0; i < 90; i++) { t = i; b[i] = t; }
	}
}
END
midway NO "given a value where a condition holds" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) { if (list[i]) t = i; list[i] = t; }
}
END
midway NO "or what the iteration before has left" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) { list[i] = t; t = i; }
}
END
midway YES "given one anew each time, or by all threads" << 'END'
#pragma omp parallel private(i, t, j)
{
	for (t = 0; t < 9; t++) {
		#pragma omp for
		for (i = 0; i < 90; i++) list[i] += t;
	}
	t = m;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] += t;
	#pragma omp for
	for (i = 0; i < 90; i++) { j = t; if (list[i]) j = 2; list[i] = j; }
}
END
midway NO "arrays of a thread's own" << 'END'
#pragma omp parallel private(i)
{
	int row[9] = {0};
	#pragma omp for
	for (i = 0; i < 90; i++) row[i % 9] += i;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = row[i % 9];
}
END
midway NO "what is changed by way of pointers" << 'END'
#pragma omp parallel private(i, t)
{
	int *way = &t;
	t = 0;
	#pragma omp for
	for (i = 0; i < 90; i++) *way += i;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = t;
}
END
midway NO "in a function, too" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) { set(&t); list[i] = t; }
}
END
midway NO "what one thread alone has" << 'END'
#pragma omp parallel private(i, t)
{
	t = 0;
	#pragma omp master
	t = 1;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = t;
}
END
midway NO "work that functions share out" << 'END'
#pragma omp parallel
shares(m);
END
midway NO "a loop that is the region" << 'END'
#pragma omp parallel for
for (int i = 0; i < 90; i++) a[i] = i;
END

plan_done
