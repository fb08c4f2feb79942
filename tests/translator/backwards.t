#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# backwards.t - in which loops that count down the last thread has the first iterations.
. "$(dirname "$0")/cape_cc.bash"

# from_end COUNT NAME: so many in the code on standard input.
from_end() {
	{
		cat <<- 'END'
			int a[90], b[90], n, flag[92]; double sum;
			static int own;
			#pragma omp threadprivate(own)
			int omp_get_thread_num(void);
			void unknown(void);
			static void up(void) {
			#pragma omp for nowait
			for (int i = 0; i < 90; i++) a[i] = b[i];
			}
			static void down(int k) {
			#pragma omp for nowait schedule(static)
			for (int i = 89; i >= 0; i--) {
				while (flag[i + 1] < k) {
			#pragma omp flush(flag)
				}
				a[i] += a[i + 1 < 90 ? i + 1 : i];
				flag[i] = k;
			#pragma omp flush(flag)
			}
			}
			static void twice(int k) {
			#pragma omp for nowait
			for (int i = 89; i >= 0; i--) {
				while (flag[i + 1] < k) {
			#pragma omp flush(flag)
				}
				b[i] = k;
				flag[i] = k;
			#pragma omp flush(flag)
			}
			}
			void shown(void) {
			#pragma omp for
			for (int i = 89; i >= 0; i--) b[i] = 1;
			}
			static void through(int *p) {
			#pragma omp for
			for (int i = 0; i < 90; i++) p[i] = b[i];
			#pragma omp for
			for (int i = 89; i >= 0; i--) a[i] = p[89 - i];
			}
			static void middle(void) {
			int array[90];
			through(array);
			}
			static int last(int k) {
			int last = 0;
			#pragma omp for schedule(static) nowait
			for (int i = 0; i < 90; i++) {
				while (i && flag[i - 1] < k) {
			#pragma omp flush(flag)
				}
				last = b[i] = i;
				flag[i] = k;
			#pragma omp flush(flag)
			}
			return last;
			}
			static void hidden(void) {
			#pragma omp for
			for (int i = 89; i >= 0; i--) b[i] = 1;
			}
			void work(void) {
		END
		cat
		echo '}'
	} > case.c
	emits "$1" "cape_set_from_end()" "$2"
}

# region CODE: as a region's block.
region() {
	printf '#pragma omp parallel\n{\n%s\n}\n' "$1"
}

down='for (int i = 89; i > 0; i--)'

from_end 1 "a region that is such a loop" <<< "
#pragma omp parallel for
$down a[i] = b[i - 1];"
from_end 1 "with a step, to a limit" <<< "
#pragma omp parallel for schedule(static) reduction(+ : n)
for (int i = 89; i >= flag[0]; i -= 3) n += a[i];"
from_end 2 "with a step that is added, or another condition" <<< "
#pragma omp parallel for
for (int i = 89; i >= 0; i += -2) a[i] = b[i];
#pragma omp parallel for
for (int i = 89; i != 0; i--) a[i] = b[i];"
from_end 0 "not if it counts up" <<< "
#pragma omp parallel for
for (int i = 0; i < 90; i++) a[i] = b[i];"
from_end 0 "not if chunks are dealt out, or the order counts" <<< "
#pragma omp parallel for schedule(static, 4)
$down a[i] = b[i];
#pragma omp parallel for schedule(dynamic)
$down a[i] = b[i];
#pragma omp parallel for ordered
$down {
#pragma omp ordered
n = a[i];
}"
from_end 0 "not if threads look who they are" <<< "
#pragma omp parallel for
$down a[i] = omp_get_thread_num();"
from_end 0 "not if they may" <<< "
#pragma omp parallel for
$down unknown();"
from_end 0 "not with variables of a thread's own" <<< "
#pragma omp parallel for
$down { own += a[i]; b[i] = own; }"
from_end 0 "not if a value goes from iteration to iteration" <<< "
int last = 0;
#pragma omp parallel for firstprivate(last)
$down { a[i] = last; last = b[i]; }"
from_end 2 "each alone between two sync points" < <(region "
#pragma omp for
for (int i = 0; i < 90; i++) a[i] = b[i];
#pragma omp for
$down b[i] = a[i - 1];
#pragma omp single
n++;
hidden();")
from_end 0 "not if a loop before it is left early" < <(region "
#pragma omp for nowait
for (int i = 0; i < 90; i++) a[i] = b[i];
#pragma omp for
for (int i = 89; i >= 0; i--) a[89 - i] += 1;")
from_end 0 "nor if it is itself" < <(region "
#pragma omp for nowait
for (int i = 89; i >= 0; i--) a[89 - i] += 1;
up();")
from_end 0 "nor if the master is at something else" < <(region "
#pragma omp master
n = 1;
#pragma omp for
$down a[i] = b[i];")
from_end 0 "nor if one thread is" < <(region "
#pragma omp single nowait
n = 1;
#pragma omp for
$down a[i] = b[i];")
from_end 0 "nor if some are" < <(region "
#pragma omp sections nowait
{
n = 1;
}
#pragma omp for
$down a[i] = b[i];")
from_end 0 "not if others may call its function" < <(region "shown();")
from_end 1 "what is handed on, if all of that counts down" < <(region "
for (int k = 1; k < 9; k++) down(k);")
from_end 2 "two such loops" < <(region "
for (int k = 1; k < 9; k++) { down(k); twice(k); }")
from_end 0 "not if one counts up" < <(region "
for (int k = 1; k < 9; k++) { up(); down(k); }")
from_end 1 "not that which is called twice, and what is between the same sync points" < <(region "
for (int k = 1; k < 9; k++) down(k);
#pragma omp barrier
for (int k = 1; k < 9; k++) twice(k);
#pragma omp barrier
for (int k = 1; k < 9; k++) twice(k);")
from_end 0 "not if a thread's value goes on after it" < <(region "
int last = 0;
#pragma omp for
for (int i = 0; i < 90; i++) last = b[i];
#pragma omp for
$down a[i] = last;")
from_end 0 "nor if memory of its own does, which a function has by a pointer" < <(region "middle();")
from_end 0 "or that has no name" < <(region "
int *p = (int[90]){0};
#pragma omp for
for (int i = 0; i < 90; i++) p[i] = b[i];
#pragma omp for
$down a[i] = p[89 - i];")
from_end 0 "or a variable by its address" < <(region "
int x = 0, *p = &x;
#pragma omp for
for (int i = 0; i < 90; i++) *p = b[i];
#pragma omp for
$down a[i] = *p;")
from_end 0 "nor if a function gives it" < <(region "
int x = 0;
for (int k = 1; k < 3; k++) x = last(k);
#pragma omp barrier
#pragma omp for
$down a[i] = x;")
from_end 1 "but what it gives may be left" < <(region "
for (int k = 1; k < 3; k++) last(k);
#pragma omp barrier
#pragma omp for
$down a[i] = k;" | sed 's/a\[i\] = k/a[i] = 3/')
from_end 0 "not in a text in which a function may have another name" << END
extern void other(void) __attribute__((alias("shown")));
#pragma omp parallel for
$down a[i] = b[i];
END

plan_done
