#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns.t - which regions come to the same if their threads run one after the other, though not with
# a team of one.
. "$(dirname "$0")/cape_cc.bash"

# turns YES|NO NAME: the region in the code on standard input.
turns() {
	{
		cat <<- 'END'
			int a[90], b[90], n, best, flag, list[90]; double sum; volatile int seen;
			static int own_one;
			#pragma omp threadprivate(own_one)
			int omp_get_thread_num(void), omp_get_num_threads(void), omp_get_level(void), rand_r(unsigned *);
			void unknown(void);
			void put(int x) {
			#pragma omp critical
			n += x;
			}
			int next(void) {
			int got;
			#pragma omp atomic capture
			got = n++;
			return got;
			}
			int first(void) { return a[0]; }
			int printf(const char *, ...), puts(const char *), rand(void); void srand(unsigned), exit(int);
			void sums(int t) {
			#pragma omp for reduction(+ : n) nowait
			for (int i = 0; i < 90; i++) n += t;
			}
			int until(int t) {
			int v;
			#pragma omp atomic read
			v = flag;
			return v ? t : until(t);
			}
			void add(int *x) { *x += 1; }
			void *memset(void *, int, unsigned long), *memcpy(void *, const void *, unsigned long);
			void meet(void) {
			#pragma omp barrier
			}
			void work(int m, int *row, int *other) { int secret = 0, last = 0;
		END
		cat
		echo '}'
	} > case.c
	emits "$([[ $1 == YES ]] && echo 1 || echo 0)" "cape_replicable(1)" "$2"
}

# region CODE: as a region's block.
region() {
	printf '#pragma omp parallel\n{\n%s\n}\n' "$1"
}

turns YES "what a thread has found is put together with what others have" < <(region '
int found = -1;
#pragma omp for nowait
for (int i = 0; i < 90; i++) if (a[i] > found) found = a[i];
#pragma omp critical
if (found > best) best = found;
')
turns YES "work by the number of a thread" < <(region '
int t = omp_get_thread_num(), all = omp_get_num_threads();
for (int i = t * 90 / all; i < (t + 1) * 90 / all; i++) a[i] = b[i];
')
turns YES "values that threads carry" << 'END'
unsigned seed = m;
#pragma omp parallel for firstprivate(seed)
for (int i = 0; i < 90; i++) a[i] = rand_r(&seed);
END
turns YES "in any order, and what one thread does for all" < <(region '
#pragma omp for schedule(dynamic) nowait
for (int i = 0; i < 90; i++) a[i] = i + omp_get_thread_num();
#pragma omp single nowait
b[0] = omp_get_thread_num();
#pragma omp master
b[1] = 1;
#pragma omp sections nowait
{
#pragma omp section
b[2] = 2;
#pragma omp section
b[3] = 3;
}
')
turns YES "a critical construct in a loop that counts" < <(region '
for (int i = 0; i < 9; i++)
#pragma omp critical
list[i] += omp_get_thread_num();
')
turns YES "or in a function" < <(region 'put(omp_get_thread_num());')
turns YES "or in one that is shared out" << 'END'
unsigned seed = m;
#pragma omp parallel for firstprivate(seed)
for (int i = 0; i < 90; i += m)
#pragma omp critical
a[i] = rand_r(&seed);
END
turns YES "the number that an atomic construct gives" < <(region '
for (int i = 0; i < 9; i++) a[next()] = omp_get_thread_num();
')
turns YES "a loop at whose end all wait, but for nothing" < <(region '
int found = 0;
#pragma omp for
for (int i = 0; i < 90; i++) if (a[i] > found) found = b[i] = a[i];
#pragma omp critical
if (found > best) best = found;
')
turns YES "with a sum that comes after it" < <(region '
int found = 0;
#pragma omp for reduction(+ : n)
for (int i = 0; i < 90; i++) n += found = a[i];
#pragma omp critical
if (found > best) best = found;
')
turns YES "a barrier, of private arrays" < <(region '
int own[90], t = omp_get_thread_num();
memset(own, t, sizeof own);
#pragma omp for
for (int i = 0; i < 90; i++) own[a[i]]++;
#pragma omp barrier
for (int i = 0; i < 90; i++) {
#pragma omp atomic
b[i] += own[i];
}
')
turns YES "places of a pointer, and what no pointer leads to" < <(region '
int found = 0, local = m;
#pragma omp for
for (int i = 0; i < 90; i++) found += row[i] = i;
#pragma omp critical
secret += found + local;
')
turns NO "places of two pointers" < <(region '
int found = 0;
#pragma omp for
for (int i = 0; i < 90; i++) found += row[i] = i;
#pragma omp critical
other[0] += found;
')
turns NO "places of a pointer, and a variable that it may lead to" < <(region '
int found = 0;
#pragma omp for
for (int i = 0; i < 90; i++) found += row[i] = i;
#pragma omp critical
best += found;
')
turns NO "an array that a function is given" < <(region '
int found = omp_get_thread_num();
#pragma omp for
for (int i = 0; i < 90; i++) a[i] = found;
memcpy(b, a, sizeof a);
')
turns NO "by an address, too" < <(region '
int found = omp_get_thread_num();
#pragma omp for
for (int i = 0; i < 90; i++) a[i] = found;
add(&a[3]);
')
turns NO "what a function reads" < <(region '
int found = omp_get_thread_num();
#pragma omp for
for (int i = 0; i < 90; i++) a[i] = found;
b[found] = first();
')
turns NO "a sum that is read after the loop" < <(region '
int found = omp_get_thread_num();
#pragma omp for reduction(+ : n)
for (int i = 0; i < 90; i++) n += a[i] + found;
b[found] = n;
')
turns NO "a last value that is read after the loop" < <(region '
int found = omp_get_thread_num();
#pragma omp for lastprivate(last)
for (int i = 0; i < 90; i++) last = a[i] + found;
b[found] = last;
')
turns NO "what is read before others change it" < <(region '
int found = omp_get_thread_num() + best;
#pragma omp barrier
#pragma omp critical
best = found;
')
turns NO "a barrier in a loop" < <(region '
for (int i = 0; i < 9; i++) {
a[omp_get_thread_num()] = i;
#pragma omp barrier
}
')
turns NO "a copy of what one thread has" < <(region '
int found = 0;
#pragma omp single copyprivate(found)
found = omp_get_thread_num();
b[omp_get_thread_num()] = found;
')
turns NO "first and last values of one variable" < <(region '
#pragma omp for firstprivate(last) lastprivate(last) schedule(static, 1) nowait
for (int i = 0; i < 90; i++) { a[i] = last; last = i + omp_get_thread_num(); }
')
turns NO "of sections, too" < <(region '
#pragma omp sections firstprivate(last) lastprivate(last) nowait
{
#pragma omp section
a[0] = last + omp_get_thread_num();
#pragma omp section
last = 3;
}
')
turns NO "what counts in a loop" < <(region '
#pragma omp for simd linear(last : 2) nowait
for (int i = 0; i < 90; i++) { a[i] = last + omp_get_thread_num(); last += 2; }
')
turns NO "output before a barrier and after it" < <(region '
printf("%d\n", omp_get_thread_num());
#pragma omp barrier
#pragma omp master
puts("all");
')
turns YES "output on one side of it" < <(region '
printf("%d\n", omp_get_thread_num());
#pragma omp barrier
a[omp_get_thread_num()] = 1;
')
turns NO "random numbers, or an end, after it" < <(region '
srand(omp_get_thread_num());
#pragma omp barrier
#pragma omp master
exit(rand());
')
turns NO "a sum that a function makes" < <(region '
int t = omp_get_thread_num();
sums(t);
#pragma omp barrier
b[t] = n;
')
turns NO "how large parts are, which is changed before" < <(region '
int t = omp_get_thread_num();
if (t == 1) n = 4;
#pragma omp barrier
#pragma omp for schedule(static, n) nowait
for (int i = 0; i < 90; i++) a[i] = t;
')
turns NO "a place behind a comma" < <(region '
int t = omp_get_thread_num();
*(a, row + t) = 5;
#pragma omp barrier
b[t] = row[0];
')
turns NO "a loop that another thread may leave" < <(region '
for (int i = 0; i < 2000000000; i++) {
int v;
#pragma omp atomic read
v = flag;
if (v || omp_get_thread_num()) break;
}
#pragma omp atomic write
flag = 1;
')
turns NO "a counter that a pointer leads to" < <(region '
int i, *p = &i;
for (i = 0; i < 9; i++) {
#pragma omp critical
*p = flag + omp_get_thread_num() ? i : 0;
}
')
turns NO "a limit that another thread may change" < <(region '
for (int i = 0; i < next(); i++) a[i] = omp_get_thread_num();
')
turns NO "or that moves on until another thread has come" < <(region '
int limit = 1;
for (int i = omp_get_thread_num(); i < limit; i++) {
#pragma omp critical
limit += !flag;
}
')
turns NO "or one in memory" < <(region '
int limit[1] = {1};
for (int i = omp_get_thread_num(); i < limit[0]; i++) {
#pragma omp critical
limit[0] += !flag;
}
')
turns NO "which thread is the one" < <(region '
a[omp_get_thread_num()] = 1;
#pragma omp masked filter(n)
b[0] = 1;
')
turns NO "a function that another file may define anew" < <(region '
extern void put(int) __attribute__((weak));
put(omp_get_thread_num());
')
turns NO "a function that calls itself" < <(region 'until(omp_get_thread_num());')
turns NO "a barrier" < <(region '
a[omp_get_thread_num()] = 1;
#pragma omp barrier
b[0] = a[1];
')
turns NO "in a function, too" < <(region 'a[omp_get_thread_num()] = 1; meet(); b[0] = a[1];')
turns NO "a loop at whose end all wait" < <(region '
int t = omp_get_thread_num();
#pragma omp for
for (int i = 0; i < 90; i++) a[i] = t;
b[t] = a[t];
')
turns NO "a loop that may wait for another thread" < <(region '
int here = 0;
while (!here) {
#pragma omp critical
here = omp_get_thread_num() || flag;
}
#pragma omp atomic write
flag = 1;
')
turns NO "by a function, too" < <(region '
while (next() < omp_get_num_threads());
')
turns NO "that counts to what it changes itself" < <(region '
for (int i = 0; i < 9; )
#pragma omp critical
i += flag + omp_get_thread_num();
')
turns NO "or takes back what it has counted" < <(region '
for (int i = 0; i < 9; i++)
#pragma omp critical
i -= !flag + omp_get_thread_num();
')
turns NO "or to a limit that is none" < <(region '
for (int i = 0; i != flag; i++)
#pragma omp critical
n += omp_get_thread_num();
')
turns NO "a variable that may change at any time" < <(region 'while (!seen && omp_get_thread_num());')
turns NO "a function that may do anything" < <(region 'a[omp_get_thread_num()] = 1; unknown();')
turns NO "what each thread has for itself" < <(region 'own_one += omp_get_thread_num();')
turns NO "how deep it is" < <(region 'a[omp_get_thread_num()] = omp_get_level();')
turns NO "tasks" < <(region '
#pragma omp task
a[omp_get_thread_num()] = 1;
')
turns NO "an order" << 'END'
unsigned seed = m;
#pragma omp parallel for ordered firstprivate(seed)
for (int i = 0; i < 90; i++) {
#pragma omp ordered
a[i] = rand_r(&seed);
}
END
turns NO "sums that hang on who has come" << 'END'
unsigned seed = m;
#pragma omp parallel for schedule(dynamic) firstprivate(seed) reduction(+ : sum)
for (int i = 0; i < 90; i++) sum += rand_r(&seed);
END
turns NO "a loop that another thread may end" < <(region '
while (omp_get_thread_num() && !flag) {
#pragma omp flush
}
flag = 1;
')
plan_done
