#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cape-cc makes of constructs, as --emit-c shows it.
. "$(dirname "$0")/cape_cc.bash"

emits() { # emits NAME PATTERN < statements of a function: some line of the translation matches
	{
		printf 'int g(void); double d; int x, v, a[9], *p;\nstruct t { int x; };\n'
		printf 'struct { int x; struct t *t; } s, *r; struct { struct t s; } *q;\nvoid f(int n) {\n'
		cat
		printf '}\n'
	} > case.c
	cape-cc --emit-c case.c > emitted.c 2> stdout && grep -qE -- "$2" emitted.c
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
atomic 'x = n - x' 'cape_new = n - cape_new;'
atomic 'x <<= 1' 'while \(!cape_atomic_store\(&\(x\), &cape_old, &cape_new, CAPE_ATOMIC_UPDATE\)\);'
atomic 'a[g()]++' 'cape_variable = &\(a\[g\(\)\]\);'
atomic 'x = g() / x' 'cape_new = cape_value / cape_new;'
atomic 'x += v++' 'cape_new \+= cape_value;'
atomic 'x += n' '\| CAPE_ATOMIC_FLUSH' seq_cst
atomic 'x += n' 'cape_atomic_update_flush\(x, CAPE_ADD, \+, \(n\)\)' seq_cst
atomic 'v = x' 'cape_atomic_load\(&\(x\), .*, CAPE_ATOMIC_READ\)' read
atomic 'x = n' 'cape_atomic_load\(&\(x\), .*, CAPE_ATOMIC_WRITE\)' write
atomic 'v = x--' 'cape_atomic_capture\(v, 1, x, CAPE_ADD, -, \(1\)\)' capture
atomic 'v = x |= n' 'cape_atomic_capture\(v, 0, x, CAPE_BIT_OR, \+, \(n\)\)' capture
atomic 'a[g()] = x *= n' '\*cape_result = cape_new \*= n;' capture
atomic '{ v = a[1]; a[1] = n; }' '\{ v = cape_new; cape_new = n; \}' capture
atomic '{ v = a[1]; a[1] = a[1] ^ n; }' 'cape_atomic_capture\(v, 1, a\[1\], CAPE_BIT_XOR, \+, \(n\)\)' capture
atomic '{ a[1] -= n; v = a[1]; }' 'cape_atomic_capture\(v, 0, a\[1\], CAPE_ADD, -, \(n\)\)' capture
atomic 'if (x < n) { x = n; }' 'if \(cape_new < n\) \{ cape_new = n; \}' compare
atomic 'if (x == n) { x = v; }' 'if \(cape_same\(cape_new, n\)\) \{ cape_new = v; \}' compare
atomic 'v = x = x < n ? n : x' 'v = cape_new = cape_new < n \? n : cape_new;' 'compare capture'
# What only looks like the variable is another one.
atomic 's.x += s.t->x * q->s.x + n * x' 'cape_new \+= s.t->x \* q->s.x \+ n \* x;'
atomic '*p += n' 'cape_new \+= n;'
atomic 'if (*p < n) *p = n' 'if \(cape_new < n\) cape_new = n;' compare
atomic '{ v = *p; *p = n; }' '\{ v = cape_new; cape_new = n; \}' capture
atomic '*p += n *p[1]' 'cape_new \+= n \*p\[1\];'
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
emits "single of a block that prints" 'cape_single_any\(\)' <<< $'#pragma omp single\n{ printf("%d", n); puts("x"); putchar(x); }'
emits "single of a block that writes to a stream" 'cape_single\(\)' <<< $'#pragma omp single\nfputs("x", x);'
emits "single of a block that calls what may open files" 'cape_single\(\)' <<< $'#pragma omp single\nx = g();'
emits "a variable of a task is firstprivate" '#pragma omp task default\(shared\) firstprivate\(n\)' <<< $'#pragma omp task\nx = n;'
emits "one that its threads share is not" '^[^_]*$' <<< $'#pragma omp parallel\n#pragma omp task\nn = 1;'
! grep -q 'firstprivate' emitted.c
ok "(it has no copy)"
spread() { # spread NAME TASK [BEFORE [DECLARED [CLAUSES [DIRECTIVE]]]]: whether another node may run it
	emits "$1" . <<-END
		#pragma omp parallel
		{
		int mine = 1, own[4] = {0}; (void)mine; own[0] = 1; $4
		#pragma omp single
		for (int i = 0; i < n; i++) {
		$3
		#pragma omp ${6-task} $5
		$2
		} }
	END
	grep -q 'cape_task_next([1-9]' emitted.c && grep -q 'cape_tasks_run();' emitted.c
}
spread "a task of a single construct" 'a[i] = n + mine;'
ok "any node may run it"
spread "a task with a private array" '{ x = own[1] + i; own[0] = 2; }'
ok "any node may run it"
spread "a task of a taskloop" 'for (int k = 0; k < 9; k++) a[k] += mine;' '' '' '' taskloop
ok "any node may run it"
! spread "one that leaves a last value with its node" 'for (int k = 0; k < 9; k++) mine = k;' '' '' 'lastprivate(mine)' taskloop
ok "only its own node may run it"
! spread "a task that waits for another" 'a[i] = n;' '' '' 'depend(inout: x)'
ok "only its own node may run it"
! spread "a task that shares a variable of its node" 'mine = i;' '' '' 'shared(mine)'
ok "only its own node may run it"
! spread "a task beside a pointer to memory of its node" 'a[i] = *p;' '' 'int *p = own;'
ok "only its own node may run it"
spread "a task behind an array of variable size" 'a[i] = n;' 'int vla[n]; vla[0] = 1;'
ok "any node may run it"
spread "a task behind a variable that is cleaned up" 'a[i] = n;' \
	'int last __attribute__((cleanup(clean))) = n; (void)last;' 'void clean(int *);'
ok "any node may run it"
spread "a task in a statement expression" $'a[i] = n;\n0; });' '(void)({'
ok "any node may run it"
spread "a taskloop whose variable is register" \
	'for (register int k = 0; k < 9; k++) a[k] += mine;' '' '' '' taskloop
ok "any node may run it"
! spread "a task with a task in it" $'{ a[i] = n;\n#pragma omp task\nx++;\n}'
ok "only its own node may run it"
depends() { # depends ARGUMENT CALLS: what the run time is told of a clause depend
	emits "depend($1)" 'cape_task_next\(0, CAPE_TASK_DEPENDS\);' <<< $'#pragma omp task depend('"$1"$')\nx = n;'
	[ "$(grep -oE '(for|cape_task_depend) ?\(.*\)' emitted.c | tr '\n' ' ')" = "$2 " ]
	ok "(what it names)"
}
depends "in: x, a[n]" "cape_task_depend(CAPE_DEPEND_IN, &(x)) cape_task_depend(CAPE_DEPEND_IN, &(a[n]))"
depends "inout: a[n ? 1 : 2]" "cape_task_depend(CAPE_DEPEND_OUT, &(a[n ? 1 : 2]))"
depends "mutexinoutset: a[:n], a[1:2]" "cape_task_depend(CAPE_DEPEND_OUT, &(a[0])) cape_task_depend(CAPE_DEPEND_OUT, &(a[1]))"
depends "iterator(k = 0 : n), out: a[k]" "for (int k = 0; k < (n); k += 1) cape_task_depend(CAPE_DEPEND_OUT, &(a[k]))"
depends "iterator(long k = n : 0 : -2), in: a[k]" \
	"for (long k = n; (-2) < 0 ? k > (0) : k < (0); k += -2) cape_task_depend(CAPE_DEPEND_IN, &(a[k]))"
emits "taskwait with depend" 'cape_taskwait\(\);' <<< $'#pragma omp taskwait depend(in: x)\n(void)n;'
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
for loop in 'long k = 0; k < n' 'unsigned long k = 0; k < g()' 'int *k = p; k < p + n'; do
	emits "the loop with $loop ends at its last value" 'while \(k != cape_last && \(k\+\+, 1\)\);' <<< "
	#pragma omp for
	for ($loop; k++) x = n;"
done
emits "one by an unsigned int, which may wrap, below it" 'while \(k < cape_last && \(k\+\+, 1\)\);' <<< '
#pragma omp for
for (unsigned k = 0; k < (unsigned)n; k++) a[k] = n;'
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

# outlined NAME DIRECTIVE: its block, with all copies in it, stands behind the pragma
outlined() {
	emits "$1" 'cape_outlined.h' <<-END
		int i, y = 0, own[3] = {0}; (void)own;
		#pragma omp $2
		$3
		x = y;
	END
	grep -v '^[[:blank:]]*$' emitted.c | tr -s '[:blank:]\n' ' ' > line
	grep -qE -- "$4" line
}
outlined "parallel" "parallel firstprivate(n) private(y)" "{ y = n; a[y] = 0; }" \
	'ckpt_start\(\); \{ __typeof__\(n\) cape_value_n = n; #pragma omp parallel if \(cape_in_team\(\)\) \{ [^#]*__typeof__\(y\) y; [^#]*\} \} cape_end\(CAPE_PARALLEL, 0\);'
ok "a value is read before the pragma, copies are behind it"
outlined "parallel for" "parallel for lastprivate(y) reduction(+ : d)" "for (i = 0; i < n; i++) { y = i; d += i; }" \
	'cape_original_d = &d; #pragma omp parallel \{ [^#]*__typeof__\(i\) i; unsigned long cape_left, cape_right; int cape_given; while [^#]*cape_is_last[^#]*cape_reduction\([^#]*\} \} (cape_untouched\(\); )?cape_end\(CAPE_PARALLEL_FOR, 1\);'
ok "bounds of chunks are a thread's own, results are handed over behind the pragma"
outlined "parallel sections" "parallel sections" $'{ a[0] = n;\n#pragma omp section\na[1] = n; }' \
	'ckpt_start\(\); #pragma omp parallel \{ \{ if \(cape_section\(\)\)'
ok "sections are behind the pragma"
outlined "a limit that asks" "parallel for" "for (i = 0; i < g(); i++) a[i] = n;" 'cape_iterations\(cape_trips\); #pragma omp parallel \{'
ok "the count is taken before the pragma"
outlined "an array with first and last value" "parallel for firstprivate(own) lastprivate(own)" "for (i = 0; i < n; i++) own[0] = i;" \
	'__typeof__\(own\) cape_value_own; cape_set_firstprivate\(&cape_value_own, &own\); [^#]*#pragma omp parallel \{ [^#]*cape_set_firstprivate\(&own, &cape_value_own\);'
ok "it is read before the pragma"
emits "a loop's first and last value" 'cape_values_read\(\);' <<< $'#pragma omp for firstprivate(x) lastprivate(x)\nfor (int i = 0; i < n; i++) x += i;'
emits "a loop's linear value" 'cape_values_read\(\);' <<< $'#pragma omp for linear(x : 1)\nfor (int i = 0; i < n; i++) x += 1;'
emits "a volatile variable in a block" 'volatile int k = 0; cape_set_volatile\(&k\);' <<< $'#pragma omp parallel\n{ volatile int k = 0; k++; }\n(void)n;'
emits "a for construct" 'cape_begin\(CAPE_FOR,' <<< $'#pragma omp for\nfor (int i = 0; i < n; i++) a[i] = g();'
! grep -q 'cape_outlined\|#pragma omp' emitted.c
ok "has no pragma"

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
	cape-cc --emit-c case.c > emitted.c 2> stdout
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

# What memory says of where accesses are the run time reads, and notes.
emits "a row" '\(unsigned long\)&cape_plan_row\(rows\[cape_i0\], &rows\[cape_i0\]\)\[2\]' <<-'END'
	double *rows[9];
	#pragma omp parallel for
	for (int i = 0; i < 9; i++) rows[i][2] = 1;
END

for name in loops clauses constructs sync tasks; do
	cape-cc --emit-c "$inputs/$name.c" > emitted.c 2> stdout &&
		gcc -w -fopenmp -I"$build/include/cape" -I"$inputs" -c emitted.c -o emitted.o 2>> stdout &&
		! grep -q '^# \|__extension__ typedef\|extern int printf' emitted.c &&
		grep -q '#include <stdio.h>' emitted.c &&
		! grep '#pragma omp' emitted.c | grep -qvx '[[:blank:]]*#pragma omp \(parallel\|task .*\|threadprivate(.*)\)'
	ok "--emit-c of $name.c compiles and shows the user's code only"
done

plan_done
