#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# carried.t - regions in which threads carry values from one share of the work to another are not
# replicated; others are, also from one of their sync points on.
. "$(dirname "$0")/cape_cc.bash"

# carries NO|YES NAME: the region in the code on standard input.
carries() {
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
			void shares_sum(int m) {
			int own = m;
			#pragma omp for
			for (int i = 0; i < 90; i++) a[i] = own++;
			}
			int rand_r(unsigned *seed);
			void work(int m) {
			int i, j, t; double x;
		END
		cat
		echo '}'
	} > case.c
	emits "$([[ $1 == NO ]] && echo 1 || echo 0)" "cape_replicable(0)" "$2"
}

carries NO "loops" << 'END'
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
carries NO "variables that iterations have for themselves" << 'END'
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
carries YES "a sum of a thread's own" << 'END'
#pragma omp parallel private(i, x)
{
	x = 0;
	#pragma omp for
	for (i = 0; i < 90; i++) x += a[i];
	#pragma omp for
	for (i = 0; i < 90; i++) b[i] = x;
}
END
carries YES "what the last iteration leaves" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) t = i;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = t;
}
END
carries YES "and what all threads use later" << 'END'
#pragma omp parallel private(i, t)
for (t = 0; t < 9; t++) {
	#pragma omp for
	for (i = 0; i < 90; i++) { t = i; list[i] = t; }
}
END
carries YES "also in the next round" << 'END'
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
carries YES "given a value where a condition holds" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) { if (list[i]) t = i; list[i] = t; }
}
END
carries YES "or what the iteration before has left" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) { list[i] = t; t = i; }
}
END
carries NO "given one anew each time, or by all threads" << 'END'
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
carries YES "arrays of a thread's own" << 'END'
#pragma omp parallel private(i)
{
	int row[9] = {0};
	#pragma omp for
	for (i = 0; i < 90; i++) row[i % 9] += i;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = row[i % 9];
}
END
carries YES "what is changed by way of pointers" << 'END'
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
carries YES "in a function, too" << 'END'
#pragma omp parallel private(i, t)
{
	#pragma omp for
	for (i = 0; i < 90; i++) { set(&t); list[i] = t; }
}
END
carries YES "what one thread alone has" << 'END'
#pragma omp parallel private(i, t)
{
	t = 0;
	#pragma omp master
	t = 1;
	#pragma omp for
	for (i = 0; i < 90; i++) list[i] = t;
}
END
carries NO "work that functions share out" << 'END'
#pragma omp parallel
shares(m);
END
carries YES "also what they carry" << 'END'
#pragma omp parallel
shares_sum(m);
END
carries YES "a state of random numbers" << 'END'
unsigned seed;
#pragma omp parallel for private(seed) reduction(+:n)
for (int i = 0; i < 90; i++) n += rand_r(&seed) % 2;
END
carries YES "a counter that begins alike" << 'END'
t = 0;
#pragma omp parallel for firstprivate(t) schedule(static)
for (int i = 0; i < 90; i++) list[i] = t++;
END
carries YES "in a loop of a region, too" << 'END'
t = 0;
#pragma omp parallel
{
	#pragma omp for firstprivate(t)
	for (int i = 0; i < 90; i++) list[i] += t++;
	#pragma omp barrier
}
END
carries YES "what a thread does first" << 'END'
#pragma omp parallel private(x, t)
{
	t = 0;
	#pragma omp for
	for (int i = 0; i < 90; i++) { if (!t) x = i; else x *= 2; t = 1; a[i] = x; }
}
END
carries NO "sums, if they are nothing else" << 'END'
x = 0, t = 0, j = 9;
#pragma omp parallel for reduction(+:x) reduction(max:t) reduction(min:j)
for (int i = 0; i < 90; i++) {
	x = x + a[i]; x -= 2;
	if (list[i] > t) t = list[i];
	j = j < list[i] ? j : list[i];
}
END
carries YES "and what they come to meanwhile" << 'END'
x = 0;
#pragma omp parallel for reduction(+:x)
for (int i = 0; i < 90; i++) { x += a[i]; b[i] = x; }
END
carries YES "or where that changes" << 'END'
t = 0;
#pragma omp parallel for reduction(max:t)
for (int i = 0; i < 90; i++) if (list[i] > t) { t = list[i]; a[i] = 1; }
END
carries NO "what a loop sums up, after it" << 'END'
#pragma omp parallel
for (int k = 0; k < 9; k++) {
	#pragma omp for reduction(+:n)
	for (int i = 0; i < 90; i++) n += list[i];
	#pragma omp for
	for (int i = 0; i < 90; i++) list[i] = n % 3;
}
END
carries NO "values given in both ways" << 'END'
#pragma omp parallel for private(t)
for (int i = 0; i < 90; i++) { if (i % 2) t = 1; else { t = 2; } list[i] = t; }
END
carries YES "vectors" << 'END'
float v __attribute__((vector_size(16))) = {0};
#pragma omp parallel firstprivate(v)
{
	#pragma omp for
	for (int i = 0; i < 90; i++) v[i % 4] = i;
	#pragma omp for
	for (int i = 0; i < 90; i++) a[i] = v[i % 4];
}
END

plan_done
