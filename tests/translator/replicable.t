#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# replicable.t - which regions come to the same with a team of one thread, so that every node may run
# all of them.
. "$(dirname "$0")/cape_cc.bash"

# replicable YES|NO NAME: the region in the code on standard input.
replicable() {
	{
		cat <<- 'END'
			#include <stdio.h>
			double a[900], b[900], sum; int n, count, list[900], flags[9]; volatile int flag;
			int omp_get_thread_num(void); void unknown(int); int twice(int x) { return 2 * x; }
			void adds(int i) {
			#pragma omp atomic
			sum += i;
			}
			void shares(int m) {
			int own = m + 1;
			#pragma omp for
			for (int i = 0; i < own; i++) a[i] = own;
			}
			void fills(int *own) {
			#pragma omp for
			for (int i = 0; i < 90; i++) own[i % 3] = i;
			#pragma omp for
			for (int i = 0; i < 90; i++) a[i] = own[0];
			}
			void keeps(void) { int own[3]; fills(own); }
			void changes(int m) { list[m] = m; }
			void work(int m) {
		END
		cat
		echo '}'
	} > case.c
	emits "$([[ $1 == YES ]] && echo 1 || echo 0)" "cape_replicable(0)" "$2"
}

# loop CODE: as the body of a loop that is a region.
loop() {
	printf '#pragma omp parallel for %s\nfor (int i = 0; i < 90; i++) { %s }\n' "${2-}" "$1"
}

replicable YES "a loop" < <(loop 'a[i] = b[i];')
replicable YES "with calls of functions that are known" < <(loop 'a[twice(i)] = __builtin_sin(b[i]);')
replicable YES "that prints" < <(loop 'printf("%d\n", i);')
replicable YES "that counts" < <(loop 'count += list[i];' 'reduction(+:count)')
replicable YES "that adds floating numbers" < <(loop 'sum += a[i];' 'reduction(+:sum)')
replicable YES "in parts" < <(loop 'sum += a[i];' 'reduction(+:sum) schedule(static, 8)')
replicable NO "that adds them as threads come" \
	< <(loop 'sum += a[i];' 'reduction(+:sum) schedule(dynamic)')
replicable NO "as threads may come" < <(loop 'sum += a[i];' 'reduction(+:sum) schedule(runtime)')
replicable NO "by the program's own reduction" < <(
	echo '#pragma omp declare reduction(own : int : omp_out += omp_in) initializer(omp_priv = 1)'
	loop 'count += i;' 'reduction(own:count)'
)
replicable NO "or parts of an array" < <(loop 'list[i % 3]++;' 'reduction(+:list[0:3])')
replicable YES "with atomic updates of integers" < <(loop '
#pragma omp atomic
count++;
')
replicable NO "by which it may wait for another thread" < <(loop '
int here = 0;
while (!here) {
#pragma omp atomic read
here = count;
}
')
replicable NO "also in what one thread runs" << 'END'
#pragma omp parallel
{
	int here = 0;
	#pragma omp single nowait
	while (!flags[0]) {
		#pragma omp atomic read
		here = count;
		flags[0] = here;
	}
	#pragma omp single
	{
		#pragma omp atomic
		count++;
	}
}
END
replicable YES "by which it has its place in a list" < <(loop '
int here;
#pragma omp atomic capture
here = count++;
list[here] = i;
')
replicable NO "of floating numbers" < <(loop '
#pragma omp atomic
sum += a[i];
')
replicable NO "in a function that it calls" < <(loop 'adds(i);')
replicable NO "that asks for the thread" < <(loop 'a[i] = omp_get_thread_num();')
replicable NO "that calls what is not known" < <(loop 'unknown(i);')
replicable NO "that may wait for another thread" < <(loop 'while (!flag && i) ;')
replicable NO "with a critical construct" < <(loop '
#pragma omp critical
a[0] += i;
')
replicable NO "of a thread's own static variables" << 'END'
static int own;
#pragma omp threadprivate(own)
#pragma omp parallel for
for (int i = 0; i < 90; i++) a[i] = own++;
END
replicable YES "a region of several loops" << 'END'
#pragma omp parallel
{
	int own = m;
	#pragma omp for
	for (int i = 0; i < 90; i++) a[i] = own;
	#pragma omp barrier
	own++;
	#pragma omp for nowait
	for (int i = 0; i < 90; i++) b[i] = own;
	#pragma omp single
	printf("%d\n", n++);
}
END
replicable NO "that counts its threads" << 'END'
#pragma omp parallel
{
	#pragma omp atomic
	count++;
}
END
replicable NO "or sums them up" << 'END'
#pragma omp parallel reduction(+:count)
count++;
END
replicable NO "in which each thread prints" << 'END'
#pragma omp parallel
printf("here\n");
END
replicable NO "or changes memory" << 'END'
#pragma omp parallel
list[n] = n;
END
replicable YES "with sums of floating numbers" << 'END'
#pragma omp parallel
{
	#pragma omp for reduction(+:sum)
	for (int i = 0; i < 90; i++) sum += a[i];
}
END
replicable NO "which threads add up themselves" << 'END'
#pragma omp parallel
{
	double own = 0;
	#pragma omp for
	for (int i = 0; i < 90; i++) own += a[i];
	#pragma omp atomic
	sum += own;
}
END
replicable YES "that calls functions in which loops are shared out" << 'END'
#pragma omp parallel
{ shares(m); }
END
replicable NO "not if they change memory of a thread's own, which they have by a pointer" << 'END'
#pragma omp parallel
keeps();
END
replicable YES "but if a value is all that they have" << 'END'
#pragma omp parallel
{ int x = m; shares(x); }
END
replicable NO "in which each thread changes memory" << 'END'
#pragma omp parallel
{ changes(m); }
END
replicable YES "if one of them does so" << 'END'
#pragma omp parallel
{
	#pragma omp master
	changes(m);
}
END
replicable NO "not if it is another one than the first" << 'END'
#pragma omp parallel
{
	#pragma omp masked filter(1)
	changes(m);
}
END
replicable YES "where threads have variables of their own which it does not use" << 'END'
static int own;
#pragma omp threadprivate(own)
own = m;
#pragma omp parallel for
for (int i = 0; i < 90; i++) a[i] = i;
END
cat > case.c << 'END'
double a[900];
void work(void) {
#pragma omp parallel for
for (int i = 0; i < 90; i++) a[i] = i;
}
END
cape-cc --no-plan --emit-c case.c > emitted.c
check "--no-plan: nothing is said" is "$(grep -c "cape_replicable" emitted.c)" 0

plan_done
