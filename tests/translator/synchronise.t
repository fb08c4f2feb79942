#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# atomic, critical, ordered, tasks, declare reduction: what cape-cc refuses of them.
. "$(dirname "$0")/cape_cc.bash"

atomic_refused() { # atomic_refused NAME CLAUSE STATEMENT
	refused "$1" 4:1 "the statement of 'omp atomic' must have one of the forms" <<-END
		int g(void);
		void f(int x, int v, int e) {
		#pragma omp atomic $2
		$3; (void)v; (void)e; (void)x; }
	END
}
atomic_refused "atomic: a plain assignment" "" "x = e"
atomic_refused "atomic: an assignment of something looser" "" "x = x * v + e"
atomic_refused "atomic: a value that is a condition" "" "x = x + v ? e : 1"
atomic_refused "atomic: an operand on the wrong side" "" "x = v - e * x"
atomic_refused "atomic: a call" update "g()"
atomic_refused "atomic: a block" "" "{ x++; }"
atomic_refused "atomic read of no variable" read "x++"
atomic_refused "atomic write of nothing" write "x += 1"
atomic_refused "atomic capture without capture" capture "x++"
atomic_refused "atomic capture of two variables" capture "{ v = x; e++; }"
atomic_refused "atomic capture of three statements" capture "{ v = x; x++; e++; }"
refused "an atomic with an unknown clause" 2:20 "unknown clause 'swap'" <<- 'END'
	void f(int x) {
	#pragma omp atomic swap
	x++; }
END
refused "critical inside critical of the same name" 4:13 "it would wait for itself" <<- 'END'
	void f(int x) {
	#pragma omp critical (a)
	{
	#pragma omp critical (a)
	x++; } }
END
refused "two names of critical" 2:22 "expected one name" <<- 'END'
	void f(int x) {
	#pragma omp critical (a, b)
	x++; }
END
refused "a barrier in critical" 4:13 "'omp barrier' is not allowed directly inside 'omp critical'" <<- 'END'
	void f(int x) {
	#pragma omp critical
	{ x = 1;
	#pragma omp barrier
	} }
END
refused "a for in ordered" 6:13 "is not allowed directly inside 'omp ordered'" <<- 'END'
	void f(int *a) {
	#pragma omp for ordered
	for (int i = 0; i < 9; i++)
	#pragma omp ordered
	{
	#pragma omp for
	for (int j = 0; j < 9; j++) a[i] = j; } }
END
refused "single in a task" 4:13 "is not allowed directly inside 'omp task'" <<- 'END'
	void f(int x) {
	#pragma omp task
	{
	#pragma omp single
	x = 1; } }
END
refused "master in a loop" 4:13 "'omp master' is not allowed directly inside 'omp for'" <<- 'END'
	void f(int *a) {
	#pragma omp for
	for (int i = 0; i < 9; i++)
	#pragma omp master
	a[i] = i; }
END
refused "ordered without the clause" 4:13 "needs a loop construct with the clause 'ordered'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for
	for (int i = 0; i < 9; i++)
	#pragma omp ordered
	a[i] = i; }
END
refused "ordered in critical" 5:13 "'omp ordered' is not allowed directly inside 'omp critical'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for ordered
	for (int i = 0; i < 9; i++)
	#pragma omp critical
	#pragma omp ordered
	a[i] = i; }
END
for jump in return 'goto out' break; do
	for construct in critical ordered task taskgroup; do
		refused "$jump out of $construct" 6:10 "leads out of the block of 'omp $construct'" <<-END
			void f(int x) {
			for (;;)
			{
			#pragma omp $construct
			{
			if (x) { $jump; } x = 2; } }
			out: ; }
		END
	done
done
refused "default(none) on a task" 4:1 "'x' is in no clause of the enclosing 'omp task'" <<- 'END'
	void f(int x) {
	#pragma omp task default(none)
	{
	x++; } }
END
refused "a flush with a list and an order" 2:22 "a flush with a memory order has no list" <<- 'END'
	void f(int x) {
	#pragma omp flush(x) acquire
	(void)x; }
END
refused "a schedule that does not exist" 2:35 "unknown kind of schedule" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for schedule(dynamics)
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "schedule(runtime, 3)" 2:42 "expected ')'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for schedule(runtime, 3)
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "cancel without a construct" 2:13 "needs the name of a construct" <<- 'END'
	void f(void) {
	#pragma omp cancel
	}
END
refused "a reduction with an unknown operator" 2:36 "'mine' is not an operator of a reduction" <<- 'END'
	void f(int n) {
	#pragma omp parallel for reduction(mine : n)
	for (int i = 0; i < 9; i++) n += i; }
END
refused "a declare reduction without a combiner" 1:39 "has the form declare reduction" <<< "#pragma omp declare reduction(my : int)"
refused "a declare reduction of another scope" 7:36 "'mine' is not an operator of a reduction" <<- 'END'
	void f(int n) {
	{
	#pragma omp declare reduction(mine : int : omp_out += omp_in)
	#pragma omp parallel for reduction(mine : n)
	for (int i = 0; i < 9; i++) n += i;
	}
	#pragma omp parallel for reduction(mine : n)
	for (int i = 0; i < 9; i++) n += i; }
END
printf 'struct s { int x; };\n#pragma omp declare reduction(mine : int : omp_out += omp_in)\nvoid f(struct s n) {\n#pragma omp parallel for reduction(mine : n)\nfor (int i = 0; i < 9; i++) n.x += i; }\n' > case.c
! cape-cc -c case.c > stdout 2>&1 && grep -q 'case.c:4:.*declare reduction(mine: ...).* is for the type of' stdout
ok "a declare reduction for another type is refused by the compiler at the line of the reduction"

plan_done
