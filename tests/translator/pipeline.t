#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What threads hand on to each other by flushes and locks between two sync points: which of them cape-cc describes.
. "$(dirname "$0")/cape_cc.bash"

# How many loops are described in a region: BEFORE, a loop with INSIDE in it, AFTER.
described() { # described BEFORE INSIDE AFTER
	cat > case.c <<-END
		#include <omp.h>
		#include <stdio.h>
		static double a[99][99], b[99][99], *row[99];
		static int flag[99], n, list[99];
		static volatile int turn[99];
		static int unknown(int i);
		int elsewhere(int i);
		static void work(double to[99][99], int i, int k)
		{
			for (int j = 0; j < n; j++)
				to[i][j] += to[i - 1][j] * k;
		}
		static void show(int me, int k)
		{
		#pragma omp flush
			flag[me] = k;
		#pragma omp flush
		}
		static void await(int me, int k)
		{
			while (flag[me] < k) {
		#pragma omp flush
			}
		#pragma omp flush
		}
		static void apart(void)
		{
		#pragma omp critical
			n++;
		}
		static void shared_out(int k)
		{
		#pragma omp for nowait ${schedule-}
			for (int i = 1; i < 90; i++)
				work(a, i, k);
		}
		void region(double *p, int steps)
		{
			int other = 5;

			(void)p, (void)other, (void)row, (void)list, (void)turn, (void)b;
		#pragma omp parallel
			{
				int me = omp_get_thread_num(), team = omp_get_num_threads();
				int first = 1 + me * 90 / team, end = 1 + (me + 1) * 90 / team;

				(void)first, (void)end;
				$1
				for (int k = 0; k < steps; k++) {
					$2
				}
				$3
			}
		}
	END
	cape-cc --emit-c -w case.c 2> stderr | grep -c 'cape_pipeline_begin()'
}

# are COUNT NAME BEFORE INSIDE AFTER
are() {
	local count=$1 name=$2

	shift 2
	check "$name" [ "$(described "$@")" -eq "$count" ]
}

row='if (me) await(me - 1, k); for (int i = first; i < end; i++) work(a, i, k); show(me, k);'
barrier='
#pragma omp barrier
'

are 1 "strips by the thread's number" '' "$row" ''
are 2 "after a barrier, and before" "flag[me] = 0; $barrier" "$row" ''
are 1 "a loop that is shared out inside" '' "if (me) await(me - 1, k); shared_out(k); show(me, k);" ''
schedule='schedule(static)'
are 1 "the same with its schedule" '' "shared_out(k); show(me, k);" ''
schedule='schedule(static, 3)'
are 0 "not in chunks" '' "shared_out(k); show(me, k);" ''
schedule='schedule(dynamic)'
are 0 "nor as threads ask for them" '' "shared_out(k); show(me, k);" ''
schedule=
are 2 "a barrier comes after it" '' "$row" "$barrier a[1][me] = 2;"
are 1 "or the thread's own variables" '' "$row" 'int x = me; x++;'
are 1 "volatile flags" '' "while (turn[me] < k) {
#pragma omp flush
} work(a, me + 1, k);" ''
are 1 "critical" '' "
#pragma omp critical
work(b, 1, k);
show(me, k);" ''

# has COUNT TEXT NAME: in what was made of the last one.
has() {
	check "$3" [ "$(cape-cc --emit-c -w case.c | grep -c -- "$2")" -eq "$1" ]
}
has 1 'cape_pipeline_ready(.*, 1)' "which locks"
are 1 "none" '' "$row" ''
has 1 'cape_pipeline_ready(.*, 0)' "no lock but elsewhere"
are 1 "flags of rows" '' '
#pragma omp for nowait
for (int i = 1; i < 90; i++) {
while (flag[i - 1] == 0) {
#pragma omp flush(flag)
}
flag[i] = 1;
#pragma omp flush(flag)
}' ''
has 2 'cape_flush_list(.*1, &flag' "two flushes"
has 1 'cape_flush_list(CAPE_FLUSH_STEP | 1, &flag' "of which one looks for news"

nowait='
#pragma omp for nowait
for (int i = 0; i < 9; i++) b[i][1] = a[i][1];
'
critical='
#pragma omp critical
b[1][1] += n;
'
are 2 "what a loop without a sync point at its end leaves to a critical construct" '' "$row" "$barrier $nowait $critical"
are 2 "and the other way around" '' "$row" "$barrier $critical $nowait"
are 1 "loops alone are described by themselves" '' "$row" "$barrier $nowait"
are 1 "critical constructs alone are not" '' "$row" "$barrier $critical"
are 1 "without a flush, too" '' 'for (int i = first; i < end; i++) work(a, i, k);' ''
are 1 "with what comes before" 'if (me) a[1][2] = a[2][1];' "$row" ''
are 1 "and after" '' "$row" 'b[1][me] = a[1][me];'
are 0 "as a loop does" '' "$row" "
#pragma omp for
for (int i = 0; i < 9; i++) b[i][1] = a[i][1];"
are 0 "not with calls of what is in no text" '' "$row elsewhere(k);" ''
are 0 "nor where it is not known what is read" '' "$row b[1][me] = row[list[k]][0];" ''
are 1 "but all of a variable" '' "$row b[1][me] = list[(int)a[me][k]];" ''
are 0 "nor with atomic updates" '' "$row
#pragma omp atomic
n++;" ''
are 0 "nor with other constructs" '' "$row
#pragma omp single
n = 3;" ''
are 1 "where some threads alone run it" 'if (me == 0) {' "$row" '}'

are 0 "nor with barriers inside" '' "$row $barrier" ''
are 0 "nor with loops that end with one" '' "$row
#pragma omp for
for (int i = 0; i < 9; i++) b[i][1] = a[i][1];" ''

# Whether a flush after which TEXT comes goes with what is published next.
goes_on() { # goes_on TEXT
	cat > case.c <<-END
		int f(int n), flag, x[9];
		void set(int me, int n)
		{
			(void)me, (void)n;
		#pragma omp parallel
			for (int i = 0; i < n; i++) {
		#pragma omp flush
				$1
			}
		}
	END
	cape-cc --emit-c -w case.c 2> stderr | grep -q 'cape_flush_first()'
}

stays() {
	! goes_on "$1"
}

flush='
#pragma omp flush
'
check "a flush, a flag, a flush: the first two go together" goes_on "flag = me;$flush"
check "and with an atomic write" goes_on "
#pragma omp atomic write
flag = me;"
check "but not with an atomic read" stays "
#pragma omp atomic read
me = flag;"
check "nor where there is more in between" stays "flag = me; x[1] = me;$flush"
check "or a call" stays "flag = f(me);$flush"
check "or a way out" stays "return;$flush"
check "or the end of the block" stays "} {$flush"

plan_done
