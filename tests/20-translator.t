#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-cc: what it refuses and where, how it behaves as a compiler, what translated programs print.
#
# Run by prove from the top level; CAPE_BUILD names the build folder.

top=$(cd "$(dirname "$0")/.." && pwd)
build=${CAPE_BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
inputs=$top/tests/translator
PATH=$build/bin:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"

count=0
ok() { # ok NAME: after a command, whose status it judges
	local status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		if [ -s out ]; then sed 's/^/# /' out | head -20; fi
	fi
}

skip() { # skip NAME REASON
	count=$((count + 1))
	echo "ok $count - $1 # skip $2"
}

# refused NAME LINE:COLUMN WORDS < program: the only error is there and holds the words
refused() {
	cat > case.c
	cape-cc -c case.c -o case.o > out 2>&1
	local status=$?
	[ $status -eq 1 ] && [ ! -e case.o ] && [ "$(grep -c 'error:' out)" -eq 1 ] &&
		grep -qF "case.c:$2: error: " out && grep -qF -- "$3" out
	ok "$1 is refused at $2"
	rm -f case.o
}

# accepted NAME < program
accepted() {
	cat > case.c
	cape-cc -Wall -Wextra -Werror -c case.c -o case.o > out 2>&1
	ok "$1 is accepted without a warning"
	rm -f case.o
}

echo "# not supported"
for directive in scan interop dispatch depobj allocate metadirective requires; do
	refused "omp $directive" 3:13 "'omp $directive" <<-END
		void f(int x) {
		if (x) {
		#pragma omp $directive
			x++;
		} }
	END
done
refused "declare variant" 1:13 "'omp declare variant' is not supported" <<< "#pragma omp declare variant(f) match(construct={parallel})"
refused "a loop with dependences" 2:34 "'ordered(2)' (a loop with dependences between iterations)" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for ordered(2)
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "detach" 2:18 "the clause 'detach' is not supported" <<- 'END'
	void f(int x) {
	#pragma omp task detach(x)
	x = 1; }
END
refused "linear on a loop that is shared out" 2:33 "'j' cannot be 'linear'" <<- 'END'
	void f(int *a, int j) {
	#pragma omp parallel for linear(j)
	for (int i = 0; i < 9; i++) a[j++] = i; }
END
refused "a scalar that target would not copy back" 4:1 "say map(tofrom: x)" <<- 'END'
	int f(int x) {
	#pragma omp target
	{
	x = 1; }
	return x; }
END
refused "error" 2:13 'omp error: "stop here"' <<- 'END'
	void f(void) {
	#pragma omp error message("stop here")
	}
END
refused "a directive in a nested function" 3:1 "nested function is not supported" <<- 'END'
	void f(int n) {
	void inner(void) {
	#pragma omp barrier
	}
	#pragma omp parallel
	inner(); (void)n; }
END

echo "# atomic, critical, ordered, tasks, declare reduction"
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
refused "a barrier in critical" 4:13 "'omp barrier' cannot stand directly inside 'omp critical'" <<- 'END'
	void f(int x) {
	#pragma omp critical
	{ x = 1;
	#pragma omp barrier
	} }
END
refused "a for in ordered" 6:13 "cannot stand directly inside 'omp ordered'" <<- 'END'
	void f(int *a) {
	#pragma omp for ordered
	for (int i = 0; i < 9; i++)
	#pragma omp ordered
	{
	#pragma omp for
	for (int j = 0; j < 9; j++) a[i] = j; } }
END
refused "single in a task" 4:13 "cannot stand directly inside 'omp task'" <<- 'END'
	void f(int x) {
	#pragma omp task
	{
	#pragma omp single
	x = 1; } }
END
refused "master in a loop" 4:13 "'omp master' cannot stand directly inside 'omp for'" <<- 'END'
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
refused "ordered in critical" 5:13 "'omp ordered' cannot stand directly inside 'omp critical'" <<- 'END'
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
refused "default(none) on a task" 4:1 "'x' stands in no clause of the 'omp task'" <<- 'END'
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
! cape-cc -c case.c > out 2>&1 && grep -q 'case.c:4:.*struct s' out
ok "a declare reduction for another type is refused by the compiler at the line of the reduction"

echo "# what is emitted"
emits() { # emits NAME PATTERN < statements of a function: some line of the translation matches
	{
		printf 'int g(void); double d; int x, v, a[9];\nvoid f(int n) {\n'
		cat
		printf '}\n'
	} > case.c
	cape-cc --emit-c case.c > emitted.c 2> out && grep -qE -- "$2" emitted.c
	ok "$1"
}
atomic() { # atomic STATEMENT PATTERN
	emits "atomic $1" "$2" <<-END
		#pragma omp atomic $3
		$1;
		(void)n;
	END
}
atomic 'x++' 'cape_atomic_update\(x, CAPE_ADD, \+, \(1\)\)'
atomic '--x' 'cape_atomic_update\(x, CAPE_ADD, -, \(1\)\)'
atomic 'd -= n * 2' 'cape_atomic_update\(d, CAPE_ADD, -, \(n \* 2\)\)'
atomic 'a[n] |= 4' 'cape_atomic_update\(a\[n\], CAPE_BIT_OR, \+, \(4\)\)'
atomic 'x = n * 2 + x' 'cape_atomic_update\(x, CAPE_ADD, \+, \(n \* 2\)\)'
atomic 'x = x * (n + 1)' 'cape_atomic_update\(x, CAPE_MULTIPLY, \+, \(\(n \+ 1\)\)\)'
atomic 'x = n - x' 'cape_atomic_begin\(&\(x\), CAPE_ATOMIC_UPDATE\);'
atomic 'x <<= 1' 'cape_atomic_begin\(&\(x\), CAPE_ATOMIC_UPDATE\);'
atomic 'a[g()]++' 'cape_variable = &\(a\[g\(\)\]\);'
atomic 'x = g() / x' 'x = cape_value / x;'
atomic 'x += n' 'CAPE_ATOMIC_UPDATE \| CAPE_ATOMIC_FLUSH' seq_cst
atomic 'v = x' '&\(x\), CAPE_ATOMIC_READ' read
atomic 'x = n' '&\(x\), CAPE_ATOMIC_WRITE' write
atomic 'v = x--' '&\(x\), CAPE_ATOMIC_CAPTURE' capture
atomic '{ v = a[1]; a[1] = n; }' '&\(a\[1\]\), CAPE_ATOMIC_CAPTURE' capture
atomic '{ a[1] -= n; v = a[1]; }' '&\(a\[1\]\), CAPE_ATOMIC_CAPTURE' capture
atomic 'if (x < n) { x = n; }' '&\(x\), CAPE_ATOMIC_CAPTURE' compare
atomic 'v = x = x < n ? n : x' '&\(x\), CAPE_ATOMIC_CAPTURE' 'compare capture'
emits "critical" 'cape_critical_begin\(\(void \*\)0\);' <<< $'#pragma omp critical\nx = n;'
emits "critical with a name" 'cape_critical_end\("here"\);' <<< $'#pragma omp critical (here) hint(0)\nx = n;'
emits "flush" 'cape_flush\(\);' <<< $'while (!x) {\n#pragma omp flush\n}\n(void)n;'
emits "flush with a list" 'cape_flush_list\(2, &x, .*sizeof\(x\), &a,' <<< $'#pragma omp flush(x, a)\n(void)n;'
for schedule in 'dynamic(1)' 'dynamic,n(n)' 'guided(1)' 'guided,2*n(2*n)' 'runtime()' 'static,n(n)'; do
	kind=${schedule%%(*}
	emits "schedule($kind)" "cape_schedule_${kind%%,*}\\($(printf %s "${schedule#*\(}" | sed 's/[)*]/\\&/g');" <<< "
#pragma omp for schedule(${kind})
for (int i = 0; i < n; i++) a[i] = i;"
done
emits "ordered" 'cape_iteration\(cape_number\+\+\);' <<< $'#pragma omp for ordered\nfor (int i = 0; i < n; i++)\n#pragma omp ordered\na[i] = i;'
emits "single of a block that computes" 'cape_single_any\(\)' <<< $'#pragma omp single\nx = n;'
emits "single of a block that may print" 'cape_single\(\)' <<< $'#pragma omp single\nx = g();'
emits "a variable of a task is firstprivate" '\) n = cape_value_n;' <<< $'#pragma omp task\nx = n;'
emits "one that its threads share is not" '^[^_]*$' <<< $'#pragma omp parallel\n#pragma omp task\nn = 1;'
! grep -q cape_value_n emitted.c
ok "(it has no copy)"
spread() { # spread NAME TASK [BEFORE]: whether another node may run the task
	emits "$1" . <<-END
		#pragma omp parallel
		{
		int mine = 1, own[4] = {0}; (void)mine; own[0] = 1; $4
		#pragma omp single
		for (int i = 0; i < n; i++) {
		$3
		#pragma omp task $5
		$2
		} }
	END
	grep -q cape_task_post emitted.c
}
spread "a task of a single construct" 'a[i] = n + mine;'
ok "any node may run it"
spread "a task with a private array" '{ x = own[1] + i; own[0] = 2; }'
ok "any node may run it"
! spread "a task that waits for another" 'a[i] = n;' '' '' 'depend(inout: x)'
ok "only its own node may run it"
! spread "a task that shares a variable of its node" 'mine = i;' '' '' 'shared(mine)'
ok "only its own node may run it"
! spread "a task beside a pointer to memory of its node" 'a[i] = *p;' '' 'int *p = own;'
ok "only its own node may run it"
! spread "a task behind an array of variable size" 'a[i] = n;' 'int vla[n]; (void)vla;'
ok "only its own node may run it"
! spread "a task with a task in it" $'{ a[i] = n;\n#pragma omp task\nx++;\n}'
ok "only its own node may run it"
for directive in taskyield 'cancel parallel' 'cancellation point for' nothing 'target update from(x)'; do
	emits "$directive is accepted" . <<< "#pragma omp $directive
	x = n;"
done
for directive in 'simd safelen(4) aligned(a : 4)' 'for simd linear(i) nowait' 'parallel for simd' 'loop bind(parallel)' \
	'taskloop grainsize(3) nogroup' 'taskloop simd' 'teams distribute parallel for' 'unroll partial(2)' \
	'target teams distribute map(to: n)' 'parallel loop order(concurrent)' 'for schedule(monotonic: dynamic, 3)'; do
	emits "$directive is accepted" . <<< "int i;
	#pragma omp $directive
	for (i = 0; i < n; i++) a[i] = i;"
done
for directive in 'masked filter(n)' 'parallel master' scope 'scope nowait' 'teams num_teams(2)' 'target map(n)' \
	'task untied mergeable priority(n) if(task: n > 3) final(n)' 'assume no_openmp' 'taskgroup task_reduction(+: x)' \
	'target data map(to: n)'; do
	emits "$directive is accepted" . <<< "#pragma omp $directive
	x = n;"
done
emits "declare reduction" 'cape_reduction_user\(&cape_part, cape_original_x, .*cape_combine_' <<< '
#pragma omp declare reduction(mine : int, double : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp parallel for reduction(mine : x)
for (int i = 0; i < n; i++) x += i;'

echo "# directives and clauses"
refused "an unknown directive" 2:13 "unknown OpenMP directive 'paralel'" <<- 'END'
	void f(void) {
	#pragma omp paralel
	; }
END
refused "an unknown clause" 2:22 "unknown clause 'privat'" <<- 'END'
	void f(int x) {
	#pragma omp parallel privat(x)
	x = 1; }
END
refused "a clause that names no variable" 2:30 "'y' is not the name of a variable" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(y)
	x = 1; }
END
refused "an empty clause" 2:30 "the clause names no variable" <<- 'END'
	void f(int x) {
	#pragma omp parallel private()
	x = 1; }
END
refused "a clause behind a backslash" 4:14 "'nothing' is not the name of a variable" <<- 'END'
	void f(int x) {
	#pragma omp parallel \
		private(x) \
		firstprivate(nothing)
	x = 1; }
END
refused "a variable in two clauses" 2:40 "'x' stands in more than one clause" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(x) shared(x)
	x = 1; }
END
refused "nowait on parallel for" 2:26 "'nowait' is not valid on 'omp parallel for'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for nowait
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "nowait with copyprivate" 4:35 "exclude each other" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(x)
	{
	#pragma omp single copyprivate(x) nowait
	x = 1; } }
END
refused "copyin of what is not threadprivate" 3:29 "'x' is not threadprivate" <<- 'END'
	static int x;
	void f(void) {
	#pragma omp parallel copyin(x)
	x = 1; }
END
refused "a threadprivate variable in private" 4:30 "'x' is threadprivate" <<- 'END'
	static int x;
	#pragma omp threadprivate(x)
	void f(void) {
	#pragma omp parallel private(x)
	x = 1; }
END
refused "an automatic variable as threadprivate" 2:27 "needs static storage" <<- 'END'
	void f(void) { int x = 1;
	#pragma omp threadprivate(x)
	(void)x; }
END
refused "a reduction of a private variable" 4:29 "'x' is private in the parallel region around" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(x)
	{
	#pragma omp for reduction(+:x)
	for (int i = 0; i < 9; i++) x += i; } }
END
refused "lastprivate of a variable of the region" 4:29 "'x' is private in the parallel region around" <<- 'END'
	void f(void) {
	#pragma omp parallel
	{ int x;
	#pragma omp for lastprivate(x)
	for (int i = 0; i < 9; i++) x = i; } }
END
refused "copyprivate of a shared variable" 4:32 "'x' is shared" <<- 'END'
	void f(int x) {
	#pragma omp parallel
	{
	#pragma omp single copyprivate(x)
	x = 1; } }
END
refused "a reduction of a pointer" 2:38 "needs an array section" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for reduction(+:a)
	for (int i = 0; i < 9; i++) a[0] += i; }
END
refused "a reduction of a struct" 3:38 "no arithmetic type" <<- 'END'
	struct s { int x; };
	void f(struct s a) {
	#pragma omp parallel for reduction(+:a)
	for (int i = 0; i < 9; i++) a.x += i; }
END
refused "a bitwise reduction of a double" 2:38 "does not exist for the type of 'a'" <<- 'END'
	void f(double a) {
	#pragma omp parallel for reduction(|:a)
	for (int i = 0; i < 9; i++) a += i; }
END
refused "private of a const variable" 3:30 "'x' is const" <<- 'END'
	void f(void) {
	const int x = 3;
	#pragma omp parallel private(x)
	(void)x; }
END
refused "default(none) with a variable not listed" 4:6 "'y' stands in no clause" <<- 'END'
	void f(int x, int y) {
	#pragma omp parallel default(none) shared(x)
	{
	x += y; } }
END
refused "schedule(static, 0)" 2:42 "at least 1" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for schedule(static,0)
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "collapse of a variable number of loops" 2:35 "a constant number" <<- 'END'
	void f(int *a, int n) {
	#pragma omp parallel for collapse(n)
	for (int i = 0; i < 9; i++) a[i] = i; }
END

echo "# loops"
loop_refused() { # loop_refused NAME COLUMN WORDS HEADER
	refused "$1" "3:$2" "$3" <<-END
		void f(int *a, int n, int i, double d, int step) {
		#pragma omp parallel for
		$4 a[0] = n + (int)d + step + i; }
	END
}
loop_refused "while" 1 "needs a for loop" 'while (n--)'
loop_refused "a loop without a start" 6 "must begin with" 'for (; i < n; i++)'
loop_refused "a loop without a limit" 13 "must compare its variable" 'for (i = 0; ; i++)'
loop_refused "a comparison of another variable" 13 "must compare its variable" 'for (i = 0; n < 9; i++)'
loop_refused "==" 13 "must compare its variable" 'for (i = 0; i == 9; i++)'
loop_refused "two conditions" 13 "must compare its variable" 'for (i = 0; i && n; i++)'
loop_refused "a loop without a step" 20 "must step its variable" 'for (i = 0; i < n; )'
loop_refused "a step by multiplication" 20 "must step its variable" 'for (i = 1; i < n; i *= 2)'
loop_refused "a step of another variable" 20 "must step its variable" 'for (i = 0; i < n; n++)'
loop_refused "a step of 0" 20 "the step of the loop is 0" 'for (i = 0; i < n; i += 0)'
loop_refused "a step away from the limit" 20 "leads away from the limit" 'for (i = 0; i < n; i--)'
loop_refused "!= with a step of 2" 21 "must be 1 or -1" 'for (i = 0; i != n; i += 2)'
loop_refused "a loop variable of type double" 6 "integer or pointer type" 'for (d = 0; d < n; d++)'
loop_refused "a limit that moves with the variable" 17 "cannot stand in its own limit" 'for (i = 0; i < i + n; i++)'
printf 'void f(int *a, double d) {\n#pragma omp parallel for\nfor (int i = 0; i < d; i++) a[i] = i; }\n' > case.c
! cape-cc -c case.c > out 2>&1 && grep -q 'case.c:2:.*the limit of an OpenMP loop must be an integer' out
ok "a limit of type double is refused"
refused "a triangular nest" 4:21 "cannot depend on the loops around it" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for collapse(2)
	for (int i = 0; i < 9; i++)
	for (int j = 0; j < i; j++) a[i] = j; }
END
refused "a nest with a statement between" 3:29 "nothing between them" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for collapse(2)
	for (int i = 0; i < 9; i++) {
	a[i] = 0; for (int j = 0; j < 9; j++) a[i] += j; } }
END

echo "# jumps and nesting"
refused "goto out of a region" 3:10 "'goto out' leads out of the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	#pragma omp parallel
	{ if (x) goto out; x = 2; }
	out: ; }
END
refused "goto into a region" 2:8 "'goto in' leads into the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	if (x) goto in;
	#pragma omp parallel
	{ in: x = 2; } }
END
refused "return out of a region" 3:10 "'return' leads out of the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	#pragma omp parallel
	{ if (x) return; x = 2; } }
END
refused "break out of a loop construct" 3:36 "'break' leaves the loop of 'omp parallel for'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for
	for (int i = 0; i < 9; i++) if (i) break; else a[i] = 1; }
END
refused "break out of a block" 4:3 "'break' leads out of the block of 'omp parallel'" <<- 'END'
	void f(int *a) {
	for (;;) {
	#pragma omp parallel
	{ break; } } (void)a; }
END
refused "a case label in a block" 4:3 "leads into the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	switch (x) { case 0: ;
	#pragma omp parallel
	{ case 1: x = 1; } } }
END
refused "a for in a for" 5:13 "cannot stand directly inside 'omp for'" <<- 'END'
	void f(int *a) {
	#pragma omp for
	for (int i = 0; i < 9; i++)
	{
	#pragma omp for
	for (int j = 0; j < 9; j++) a[i] = j; } }
END
refused "a barrier in single" 4:13 "'omp barrier' cannot stand directly inside 'omp single'" <<- 'END'
	void f(int x) {
	#pragma omp single
	{ x = 1;
	#pragma omp barrier
	} }
END
refused "single in master" 4:13 "cannot stand directly inside 'omp master'" <<- 'END'
	void f(int x) {
	#pragma omp master
	{
	#pragma omp single
	x = 1; } }
END
refused "section outside of sections" 2:13 "must stand directly in the braces of 'omp sections'" <<- 'END'
	void f(int x) {
	#pragma omp section
	x = 1; }
END
refused "a barrier as the body of an if" 3:1 "cannot be the whole body" <<- 'END'
	void f(int x) {
	if (x)
	#pragma omp barrier
	x = 1; }
END
refused "a parallel construct at file scope" 1:1 "does not stand where a statement" <<- 'END'
	#pragma omp parallel
	int x;
END
refused "alloca beside a region" 2:26 "alloca() in a function with 'omp parallel'" <<- 'END'
	#include <alloca.h>
	void f(int x) { int *p = alloca(x);
	#pragma omp parallel
	p[0] = 1; }
END
refused "an array literal that lives during a region" 2:10 "compound literal" <<- 'END'
	void f(int x) {
	int *p = (int[]){ 1, x };
	#pragma omp parallel
	p[0] = 2; }
END
accepted "an array literal inside a region" <<- 'END'
	void f(int x);
	void f(int x)
	{
	#pragma omp parallel
		{
			int *p = (int[]){ 1, x };
			p[0] = 2;
		}
	}
END
accepted "everything a program may hide" <<- 'END'
	#include <stdio.h>
	int f(int n, int unused_here);
	static inline int g(int n)
	{
		int i, sum = 0, only_private;
	#pragma omp parallel for private(only_private) reduction(+ : sum)
		for (i = 0; i < n; i++) {
			only_private = i;
			sum += only_private;
		}
		return sum;
	}
	int f(int n, int unused_here)
	{
		int i;
	#pragma omp parallel shared(unused_here)
		{
	#pragma omp for lastprivate(n)
			for (i = 0; i < 10; i++)
				n = i;
		}
		(void)unused_here;
		return n;
	}
END

echo "# the errors and warnings of the compiler"
printf '#include <stdio.h>\nint main(void)\n{\n\tint x;\n#pragma omp parallel for\n\tfor (int i = 0; i < 9; i++) {\n\t\tundeclared(i);\n\t\tx = y;\n\t}\n}\n' > wrong.c
! cape-cc -c wrong.c > out 2>&1 && grep -q "wrong.c:8:.*'y' undeclared\|wrong.c:8:.*‘y’ undeclared" out && [ ! -e wrong.o ]
ok "an error in C is worded by the compiler, at the user's line"
printf 'int main(void)\n{\n\tint n = 0;\n#pragma omp parallel for reduction(+:n)\n\tfor (int i = 0; i < 9; i++) {\n\t\tint unused;\n\t\tn += i;\n\t}\n\treturn n;\n}\n' > warn.c
cape-cc -Wall -Wextra -c warn.c > out 2>&1 && grep -q 'warn.c:6:.*unused' out && [ "$(grep -c warning: out)" -eq 1 ]
ok "a warning points at the user's line, and none at inserted text"
cape-cc -Wall -Wextra -Wpedantic -std=c99 -Wshadow -Wconversion -Werror -c warn.c -Wno-unused > out 2>&1
ok "strict warnings find nothing in inserted text"

echo "# as a compiler"
cat > one.c <<- 'END'
	#include <stdio.h>
	#include "two.h"
	int main(void)
	{
		int sum = 0;
	#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < SIZE; i++)
			sum += twice(i);
		printf("%d %d\n", sum, _OPENMP);
		return SIZE - 10;
	}
END
cat > two.c <<- 'END'
	#include "two.h"
	int twice(int x) { return 2 * x; }
END
echo 'int twice(int x);' > two.h
# shellcheck disable=SC2016 # the variables are make's
printf 'CFLAGS = -O2 -fopenmp -DSIZE=10\nprog: one.o two.o\n\t$(CC) -o $@ $^ $(LDLIBS)\nLDLIBS = -lm\n' > Makefile
make CC=cape-cc > out 2>&1 && [ -x prog ] && nm prog | grep -q cape_start
ok "make CC=cape-cc builds a program"
rm -f prog ./*.o
cape-cc -DSIZE=10 one.c two.c -o prog -O2 -lm > out 2>&1 && [ -x prog ] && [ ! -e one.o ]
ok "several sources at once"
cape-cc -c two.c && ar rcs libtwo.a two.o && cape-cc -DSIZE=10 one.c -L. -ltwo -o prog2 > out 2>&1 && [ -x prog2 ]
ok "libraries behind sources"
cape-cc -DSIZE=10 -S one.c && grep -q cape_begin_at one.s && ! grep -q "$TMPDIR" one.s
ok "-S writes assembly that names no temporary file"
cape-cc -DSIZE=10 -E one.c > out && grep -q '#pragma omp parallel' out
ok "-E preprocesses"
cape-cc -DSIZE=10 -MMD -MP -c one.c -o sub.o > out 2>&1 && cat sub.d >> out && grep -q '^sub.o: one.c two.h' sub.d
ok "-MMD names the user's source and headers"
cape-cc -DSIZE=10 -MD -MF deps -MT target -c one.c > out 2>&1 && grep -q '^target: one.c' deps && grep -q 'two.h' deps && grep -q stdio.h deps
ok "-MD -MF -MT"
cape-cc -DSIZE=10 -MM one.c > out 2>&1 && grep -q '^one.o: one.c two.h' out
ok "-MM"
mkdir -p in && cp one.c in/x.c && cape-cc -DSIZE=10 -I. -c in/x.c && [ -e x.o ]
ok "-c puts the object into the current folder"
cape-cc -DSIZE=10 -g -c one.c -o a1.o && cape-cc -DSIZE=10 -g -c one.c -o a2.o && cmp a1.o a2.o
ok "the same source gives the same object, -g included"
if command -v gdb > /dev/null; then
	cape-cc -DSIZE=10 -g one.c two.c -o prog && gdb -batch -ex 'break one.c:8' -ex 'info source' prog > out 2>&1
	grep -q 'one.c:8\.' out
	ok "gdb finds the user's lines"
else
	skip "gdb finds the user's lines" "no gdb"
fi
printf 'int x;\n' > plain.c && cape-cc -c plain.c && gcc -c plain.c -o plain2.o && cmp plain.o plain2.o
ok "a source without OpenMP is compiled as it is"
cp one.c one.txt && cape-cc -DSIZE=10 -x c one.txt -x none two.c -o prog3 > out 2>&1 && [ -x prog3 ]
ok "-x c"
cape-cc -c one.c two.c -o both.o > out 2>&1; [ $? -eq 1 ] && grep -q 'cape-cc: -o cannot name' out
ok "-c -o with two sources is refused"
cape-cc missing.c -o prog > out 2>&1; [ $? -eq 1 ] && grep -q "cape-cc: cannot read 'missing.c': No such file" out
ok "a missing source is named"
cape-cc > out 2>&1; [ $? -eq 1 ] && grep -q 'no input files' out
ok "no input files"
cape-cc -DSIZE=10 -static one.c two.c > out 2>&1; [ $? -eq 1 ] && grep -q "'-static' is not supported: the run time" out
ok "-static is refused with the reason"
printf 'int main() { return 0; }\n' > plus.cpp
cape-cc -c plus.cpp > out 2>&1; [ $? -eq 1 ] && grep -q "'plus.cpp' is C++" out
ok "C++ is refused"
! CAPE_CC=no-such-compiler cape-cc -c two.c > out 2>&1 && grep -q "cannot run the compiler 'no-such-compiler'" out
ok "a missing compiler is named"
cape-cc -DSIZE=10 one.c -o prog > out 2>&1; [ $? -eq 1 ] && grep -q 'twice' out
ok "the linker's status is handed on"
if command -v clang > /dev/null; then
	CAPE_CC=clang cape-cc -Wall -Wextra -Werror -DSIZE=10 one.c two.c -o prog > out 2>&1
	ok "CAPE_CC=clang"
else
	skip "CAPE_CC=clang" "no clang"
fi
cape-cc --version | grep -q '^cape-cc [0-9]' && cape-cc --help | grep -q -- --emit-c
ok "--version and --help"
rmdir "$TMPDIR" 2> out
ok "no temporary file was left by all of this"
mkdir -p "$TMPDIR"
printf '#!/bin/sh\nsleep 20\n' > slow && chmod +x slow
CAPE_CC=./slow cape-cc -c two.c & victim=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(ls "$TMPDIR")" ] && break; sleep 0.1; done
sleep 0.2
kill -TERM $victim; wait $victim 2> /dev/null; status=$?
[ $status -eq 143 ] && rmdir "$TMPDIR"
ok "SIGTERM ends it at once and leaves no temporary file"
mkdir -p "$TMPDIR"

cat > mapped.c <<- 'END'
	#include <cape.h>
	int numbers[8];
	int main(void)
	{
		int i;
		cape_declare(&numbers);
	#pragma omp parallel for
	#pragma GCC ivdep
		for (i = 0; i < 8; i++)
			numbers[i] = i;
		cape_undeclare(&numbers);
		return 0;
	}
END
cape-cc -Wall -Wextra -Werror -g3 -O2 mapped.c -o mapped > out 2>&1
ok "a program that includes cape.h itself, with -g3"
cat > vector.c <<- 'END'
	void f(double *a, const double *b, int n)
	{
	#pragma omp parallel for
		for (int i = 0; i < n; i++)
			a[i] = b[i] * 2;
	}
	void g(unsigned long n, double a[n][n])
	{
	#pragma omp parallel for collapse(2)
		for (unsigned long i = 0; i < n; i++)
			for (unsigned long j = 0; j < n; j++)
				a[i][j] = a[i][j] * 2;
	}
END
cape-cc -O3 -fopt-info-vec-optimized -c vector.c > out 2>&1
grep -q 'vector.c:[345]:.*loop vectorized' out && grep -q 'vector.c:1[012]:.*loop vectorized' out
ok "the compiler vectorises the loops, a collapsed nest too"

echo "# --emit-c"
for name in loops clauses constructs sync tasks; do
	cape-cc --emit-c "$inputs/$name.c" > emitted.c 2> out &&
		gcc -w -I"$build/include/cape" -I"$inputs" -c emitted.c -o emitted.o 2>> out &&
		! grep -q '^# \|__extension__ typedef\|extern int printf' emitted.c &&
		grep -q '#include <stdio.h>' emitted.c && ! grep -q '#pragma omp' emitted.c
	ok "--emit-c of $name.c compiles and shows the user's code only"
done
cape-cc -DSIZE=10 --emit-c one.c -o emitted.c && grep -q '#include "two.h"' emitted.c
ok "--emit-c -o, with the user's #include lines"

echo "# what regions write to the heap"
# writes EXPECTED STATEMENTS: what cape-cc finds of a region that has them
writes() {
	cat > case.c <<-END
		#include <math.h>
		#include <string.h>
		struct pair { double x; double *y; };
		double *away, fixed[100];
		void f(double *a, double *b, double **rows, struct pair *pairs, int n) {
			double *c = a, *taken = b, **other = &taken;
			(void)c; (void)other; (void)rows; (void)pairs;
		#pragma omp parallel for $3
			for (int i = 0; i < n; i++) {
				$2
			}
		}
	END
	cape-cc --emit-c case.c > emitted.c 2> out
	[ "$(grep -o 'cape_set_writes(.*)' emitted.c)" = "$1" ]
	ok "a region with '$2'${3:+ and $3}: ${1:-anything}"
}
writes "cape_set_writes(1, a)" "a[i] = b[i] + sqrt(fixed[i]);"
writes "cape_set_writes(2, a, c)" "a[i] *= 2; double x = a[i]; x++; c[i] += x;"
writes "cape_set_writes(1, pairs)" "pairs[i].x = 1; pairs->x++; ++pairs[i].x;"
writes "cape_set_writes(1, b)" "if (a[i] > 1) *b = 3; else b[i]--;"
writes "cape_set_writes(0)" "fixed[i] = a[i];"
writes "" "rows[i][0] = 1;"
writes "" "*pairs[i].y = 1;"
writes "" "pairs[i].y[2] = 1;"
writes "" "away[i] = 1;"
writes "" "taken[i] = 1;"
writes "" "a[i] = 1; a = b;"
writes "" "*a++ = 1;"
writes "" "double *d = a + i; d[0] = 1;"
writes "" "*(a + i) = 1;"
writes "" "memset(a, 0, 8);"
writes "" "a[i] = frexp(b[i], &n);"
writes "" "__asm__(\"\" : \"=m\"(a[i]));"
writes "" "a[i] = 1;" "firstprivate(a)"
writes "" "a[0] += 1;" "reduction(+ : a[0:3])"

echo "# what the programs print"
run() { # run NODES PROGRAM [OPTION]
	timeout 120 cape-run ${3:+"$3"} -np "$1" "./$2"
}
if [ -x "$build/bin/cape-run" ]; then
	cape-cc -w -O2 "$inputs/loops.c" -o loops > out 2>&1
	for nodes in 1 3 4; do
		run $nodes loops --verify > out 2>&1 && grep -q '^0 failures, 3 calls' out
		ok "every loop form on $nodes nodes"
	done
	for name in clauses constructs sync tasks; do
		# clauses.c has long double on the stack, whose unused bytes nobody keeps equal
		[ $name = clauses ] && option= || option=--verify
		gcc -w -O2 -fopenmp "$inputs/$name.c" -o expected -lm && cape-cc -w -O2 "$inputs/$name.c" -o "$name" > out 2>&1
		for nodes in 1 2 4; do
			OMP_NUM_THREADS=$nodes ./expected > want && run $nodes "$name" "$option" > got 2> out && diff want got > out
			ok "$name.c prints on $nodes nodes what gcc -fopenmp prints"
		done
	done
else
	skip "running the programs" "no cape-run"
fi

echo "1..$count"
