#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alike.t - which values of a thread's own are taken to be the same on all threads, so that a loop can be planned.
. "$(dirname "$0")/cape_cc.bash"

# planned YES|NO NAME: the loop in the code on standard input, of threads.
planned() {
	{
		cat <<- 'END'
			double a[900], b[900]; int limit; void unknown(void);
			void work(int n) {
			#pragma omp parallel
			{ double *in = a, *out = b; int one = 0, other = 1, count = 0;
		END
		sed 's/LOOP/\n#pragma omp for\nfor (int i = 0; i < 90; i++) out[i + one] = in[i];\n/'
		echo '} }'
	} > case.c
	cape-cc --emit-c case.c > emitted.c || cat case.c
	check "$2" is "$(grep -c "cape_plan_begin()" emitted.c)" "$([[ $1 == YES ]] && echo 1 || echo 0)"
}

planned YES "what was given once" << 'END'
LOOP
END
planned YES "pointers that are swapped in each round" << 'END'
for (int t = 0; t < n; t++) { LOOP double *x = in; in = out; out = x; }
END
planned YES "swapped before the loop" << 'END'
for (int t = 0; t < n; t++) { { double *x = in; in = out; out = x; } LOOP }
END
planned YES "by a condition that is alike" << 'END'
for (int t = 0; t < n; t++) { LOOP if (t & 1) { in = a; out = b; } else { in = b; out = a; } }
END
planned YES "in one of its parts alone" << 'END'
for (int t = 0; t < n; t++) { if (t % 3 == one) out = in; LOOP }
END
planned YES "in rounds of loops in each other" << 'END'
for (int t = 0; t < n; t++) { for (int s = 0; s < t; s++) { LOOP one = other; other = one + s; } in = out; }
END
planned YES "while a condition holds" << 'END'
while (count < n) { LOOP count++; one += count; }
END
planned YES "do, too" << 'END'
do { LOOP one = count; count += 2; } while (count < limit);
END
planned YES "where a round may be the last one" << 'END'
for (int t = 0; t < n; t++) { LOOP double *x = in; in = out; out = x; if (limit == t) break; }
END
planned YES "with loops that go on, inside" << 'END'
for (int t = 0; t < n; t++) { LOOP for (int i = 0; i < 9; i++) { if (i == t) continue; count++; } in = out; }
END
planned YES "by a loop that all threads run equally often" << 'END'
for (int t = 0; t < n; t++) { LOOP for (int i = 0; i < t; i++) { one += i; other = one; } }
END
planned NO "by a loop that they do not" << 'END'
int own = omp_get_thread_num(); for (int t = 0; t < n; t++) { LOOP for (int i = 0; i < own; i++) one += 2; }
END
planned NO "or that they may leave" << 'END'
int own = omp_get_thread_num(); for (int t = 0; t < n; t++) { LOOP for (int i = 0; i < 9; i++) { one += 2; if (own) break; } }
END
planned NO "while a condition holds that is not alike" << 'END'
int own = omp_get_thread_num(); for (int t = 0; t < n; t++) { LOOP do { one++; own--; } while (own > 0); }
END
planned YES "after functions of C that order no threads" << 'END'
out = in; printf("%d\n", n); free(malloc(time(0))); LOOP
END
planned NO "after one that may" << 'END'
out = in; unknown(); LOOP
END
planned YES "rows whose length is alike" << 'END'
int rows = n + 1; double (*p)[rows] = (void *)a; out = p[1]; LOOP
END
planned NO "and is not" << 'END'
int rows = omp_get_thread_num(); double (*p)[rows] = (void *)a; out = p[1]; LOOP
END
planned NO "when the type was made" << 'END'
int rows = omp_get_thread_num(); typedef double row[rows]; rows = 1; row *p = (void *)a; out = p[1]; LOOP
END
planned NO "of a type that computes it" << 'END'
double (*p)[omp_get_thread_num() + 1] = (void *)a; out = p[1]; LOOP
END
planned NO "variables that the compiler makes for each thread" << 'END'
static __thread int own; own += omp_get_thread_num(); one = own; LOOP
END
planned NO "when it was made, though the size is alike now" << 'END'
int rows = omp_get_thread_num(); double (*p)[rows] = (void *)a; rows = 1; out = p[1]; LOOP
END
planned NO "in a cast" << 'END'
int rows = omp_get_thread_num(); out = ((double (*)[rows])a)[1]; LOOP
END
planned NO "arrays, which pointers write, too" << 'END'
int list[2] = {0}, *p = list; *p = omp_get_thread_num(); one = list[0]; LOOP
END
planned NO "those of structures" << 'END'
struct { int list[2]; } s = {{0}}; memset(s.list, omp_get_thread_num(), 4); one = s.list[0]; LOOP
END
planned NO "objects without a name" << 'END'
int *p = &(int){0}; *p = omp_get_thread_num(); one = *p; LOOP
END
planned NO "arrays without a name" << 'END'
int *p = (int[2]){0}; *p = omp_get_thread_num(); one = *p; LOOP
END
planned NO "vectors" << 'END'
int v __attribute__((vector_size(16))) = {0}; v[1] = omp_get_thread_num(); one = v[1]; LOOP
END
planned NO "by the number of the thread" << 'END'
for (int t = 0; t < n; t++) { LOOP if (omp_get_thread_num()) out = in; }
END
planned NO "by another value that is not alike" << 'END'
int own = omp_get_thread_num(); for (int t = 0; t < n; t++) { LOOP one = other; other = own; }
END
planned NO "that begins so" << 'END'
one = omp_get_thread_num(); for (int t = 0; t < n; t++) { LOOP one++; }
END
planned NO "that becomes so after some rounds" << 'END'
int own = omp_get_thread_num(), x = 0, y = 0;
for (int t = 0; t < n; t++) { LOOP one = x; x = y; y = own; }
END
planned NO "in a loop that is not that of all threads" << 'END'
for (int t = 0; t < n; t++) { LOOP while (unknown(), limit) one++; }
END
planned NO "in rounds that end early" << 'END'
for (int t = 0; t < n; t++) { LOOP if (limit < count) continue; one += 1; }
END
planned NO "by one thread" << 'END'
for (int t = 0; t < n; t++) { LOOP
#pragma omp master
one = t; }
END
planned NO "by one thread, under a condition" << 'END'
for (int t = 0; t < n; t++) { LOOP if (t)
#pragma omp single nowait
one = t; }
END
planned NO "by a function that is not here" << 'END'
for (int t = 0; t < n; t++) { LOOP one = limit; unknown(); }
END
planned NO "by a pointer" << 'END'
int *p = &one; for (int t = 0; t < n; t++) { LOOP (*p)++; one = 0; }
END
planned NO "in a condition around the loop" << 'END'
if ((one = omp_get_thread_num()) < n) { LOOP }
END
planned NO "in the condition of the loop" << 'END'
while (one++ < omp_get_thread_num()) { LOOP }
END
planned NO "by a jump" << 'END'
for (int t = 0; t < n; t++) { again: LOOP if (one < 3) { one += omp_get_thread_num(); goto again; } one = 0; }
END

# Many conditions in a row, each of which may change the value.
{
	echo 'for (int t = 0; t < n; t++) { LOOP'
	for ((i = 0; i < 200; i++)); do echo "if (t == $i) one++; else if (limit) one = other; else other++;"; done
	echo '}'
} > many
SECONDS=0
planned NO "what takes too long to find out is not alike" < many
check "and takes no time" [ "$SECONDS" -lt 20 ]

plan_done
