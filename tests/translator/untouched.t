#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Behind which regions cape-cc sees that sequential code leaves shared memory alone.
. "$(dirname "$0")/cape_cc.bash"

# Of a function with BETWEEN between two regions, the second with CLAUSES, and BEHIND behind them:
# what is called in which order, as letters: begin, untouched, touch, and r for any number of
# cape_touch_read().
letters() {
	grep -oE 'cape_(begin|untouched|touch|touch_read)\(' |
		sed 's/cape_begin./b/; s/cape_untouched./u/; s/cape_touch_read./r/; s/cape_touch./t/' |
		tr -d '\n' | tr -s r
}

order_of() { # order_of BETWEEN [CLAUSES [BEHIND]]
	cat > case.c <<-END
		#include <math.h>
		#include <setjmp.h>
		#include <stdio.h>
		#include <omp.h>
		int g(void);
		struct record { int n; };
		static double a[99];
		static int global;
		static _Thread_local int own;
		jmp_buf buffer;
		static int log_of(int n)
		{
			if (n < 2)
				return 0;
			while (n > 9)
				n /= 2;
			return n;
		}
		static int counted(int n)
		{
			if (n < 2)
				return global++;
			return n;
		}
		double f(int n, double *p, double *q, struct record *r, int (*call)(int))
		{
			int k = 0, taken = 1, *pointer = &taken;
			volatile int seen = 0;
			double x = 1, y = 2, list[4] = {0}, *swap = p;
			struct record record = {0};

			(void)pointer, (void)swap, (void)list, (void)record, (void)x, (void)y, (void)k;
			(void)seen, (void)q, (void)r, (void)call, (void)log_of, (void)counted;
		#pragma omp parallel for
			for (int i = 0; i < n; i++)
				a[i] = g();
			$1
		#pragma omp parallel for $2
			for (int i = 0; i < ${bound-n}; i++)
				a[i] += g();
			$3
			return 0;
		}
	END
	cape-cc --emit-c case.c 2> stdout | letters
}

leaves() { # leaves NAME BETWEEN [CLAUSES]: nothing is touched up to the second region
	local order

	order=$(order_of "$2" "$3")
	check "$1 touches nothing" is "$order" bub
}

reads() { # reads NAME BETWEEN [CLAUSES]: nothing but reading comes before the second region
	local order

	order=$(order_of "$2" "$3")
	check "$1 is read" is "$order" burb
}

touches() { # touches NAME BETWEEN [CLAUSES]: what is behind the first region is touched before
	local order

	order=$(order_of "$2" "$3")
	case $order in
	b*b) [[ $order != *ub* ]] ;;
	*) false ;;
	esac
	ok "$1 touches memory"
}

leaves "nothing" ''
leaves "a swap of pointers" 'swap = p; p = q; q = swap;'
leaves "arithmetic" 'x = 2 * y / (double)n + x * y - -x; k += n % 3 << 1;'
leaves "a declaration" 'double *last = p, z = x * 2; (void)last; (void)z;'
leaves "a counter whose address is known" 'taken++;'
leaves "an if" 'if (k < n && x > 0) k++; else { y = -y; }'
leaves "a loop" 'for (int j = 0; j < n; j++) x = x / 2; while (k) k--;'
leaves "an element of an automatic array" 'x = list[1];'
leaves "a member of an automatic record" 'k = record.n;'
leaves "the address of a string" 'const char *text = "a"; (void)text;'
leaves "the end of a loop" 'for (int j = 0; j < n; j++) if (k > j) break;'
leaves "sqrt()" 'x = sqrt(y);'
leaves "a function that returns early" 'k = log_of(n);'
leaves "a reduction" 'x = y;' 'reduction(+ : x)'
leaves "a private variable" 'x = y;' 'firstprivate(x)'

touches "a call" 'g();'
touches "a call in an expression" 'x = 2 * g();'
touches "a call through a pointer" 'k = call(k);'
touches "a call through a bracket" 'k = (call)(k);'
touches "a call of omp_get_wtime()" 'x = omp_get_wtime();'
touches "a function that writes" 'k = counted(n);'
touches "printf()" 'printf("%d\n", k);'
reads "a dereference" 'x = *p;'
reads "a dereference behind an operator" 'x = y * *p;'
reads "a dereference behind a cast" 'x = (double)*pointer;'
touches "a store through a pointer" '*p = x;'
touches "an element behind a pointer" 'p[1] = x;'
reads "a member behind a pointer" 'k = r->n;'
touches "a static variable" 'global = k;'
touches "a static array" 'a[k] = 1;'
touches "a static variable of this function" 'static int here; here++;'
touches "a variable of the thread" 'own++;'
touches "a volatile variable" 'seen = 1;'
touches "assembly" '__asm__ volatile("" ::: "memory");'
touches "an array of variable size" 'double room[n]; (void)room;'
touches "a statement expression" 'k = ({ g(); });'
touches "longjmp()" 'if (k) longjmp(buffer, 1);'
touches "setjmp()" 'if (setjmp(buffer)) k++;'
touches "a record" 'struct record other = *r; (void)other;'
reads "the condition of an if" 'if (p[0] > 0) k++;'
touches "a loop that touches" 'for (int j = 0; j < r->n; j++) k++;'
touches "a block that touches" '{ k++; { global++; } }'
touches "a return" 'if (k > n) return x;'
touches "a goto and its label" 'if (k > n) goto out; k = 1; out: k++;'
touches "a switch" 'switch (k) { case 1: k++; }'
touches "a cleanup" 'void clean(int *); __attribute__((cleanup(clean))) int z = 0; (void)z;'
touches "another construct" $'\n#pragma omp critical\n\t\tk++;'
touches "the clause if" '' 'if (n > 3)'
touches "the clause num_threads" '' 'num_threads(2)'
touches "the clause schedule" '' 'schedule(static, r->n)'
bound='r->n' reads "the limit of the loop" ''
reads "an element whose index is read" 'x = p[r->n];'
reads "an element of a row" 'double **rows = &q; x = rows[k][r->n];'
reads "a member of an element" 'struct record *list_of = r; k += list_of[k].n;'
reads "a static variable" 'x = y * global;'
reads "a declaration that reads" 'double z = a[k] / 2; (void)z;'
reads "a static variable perhaps" 'k = x > y && global;'
reads "what sqrt() is of" 'x = sqrt(a[3]);'
reads "what a function of the text makes of it" 'k = log_of((int)a[3]);'
reads "what an element of an automatic array becomes" 'list[k] = a[k];'
reads "a loop of few rounds" 'for (int j = 0; j < 4; j++) list[j] = p[j];'
reads "loops of few rounds in each other" '
	for (int j = 0; j < 2; j++) for (int i = 0; i < 2; i++) { if (i) continue; x += p[j * 2 + i]; }'
reads "a loop with scalars" 'for (int j = 0; j < n; j++) x += global;'
reads "an if with a loop in it" 'if (n) while (k > global) k--;'
reads "several declarations" 'double z = p[1], u = p[2]; (void)z, (void)u;'
touches "declarations one of which says where" 'double *z = p + 1, u = z[2]; (void)z, (void)u;'
touches "a loop of many rounds" 'for (int j = 0; j < n; j++) x += p[j];'
touches "a loop of few rounds in one of many" '
	for (int j = 0; j < n; j++) for (int i = 0; i < 2; i++) x += p[2 * j + i];'
touches "a loop of few rounds that writes" 'for (int j = 0; j < 4; j++) p[j] = list[j];'
touches "a loop without room for calls" 'for (int j = 0; j < 4; j++) if (p[j] > 0) while (p[k] > 1) k++;'
touches "a loop of few rounds with a return" 'for (int j = 0; j < 4; j++) if (p[j] > 0) return x;'
touches "an element perhaps" 'k = x > y && a[k];'
touches "a member perhaps" 'k = r && r->n;'
touches "what an index changes" 'x = a[k++];'
touches "what another part changes" 'x = (k = 3) + a[k];'
touches "a volatile element" 'volatile double *v = p; x = v[1];'
touches "the index by a call" 'x = a[g()];'
touches "a record that is stored" '*r = record;'
bound='g()' touches "a call in the limit of the loop" ''

# In other places than between two regions.
function_is() { # function_is ORDER NAME < body of a function
	{
		printf 'int g(void);\nstatic int a[9];\nint f(int n) {\nint k = 0;\n'
		cat
		printf '}\n'
	} > case.c
	check "$2" is "$(cape-cc --emit-c case.c 2> stdout | letters)" "$1"
}
region=$'\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = g();\n'
function_is b "a region at the end of a function" <<< "$region return k;"
function_is but "arithmetic at the end of a function" <<< "$region k = n; return k;"
function_is but "a loop ends behind its region" <<< "for (k = 0; k < n; k++) { $region } return k;"
function_is tbut "a loop whose first region comes again" <<< "
	for (k = 0; k < n; k++) { a[0]++; $region k++; }
	return k;"
function_is b "a loop whose condition touches" <<< "while (a[g()]) { $region k++; } return k;"
function_is rbut "a loop whose condition reads" <<< "while (a[k]) { $region k++; } return k;"
function_is b "a region that an if with a condition that touches governs" <<< "
	while (k++ < n) if (a[g()]) $region return k;"
function_is rbut "a region that an if with a condition that reads governs" <<< "
	while (k++ < n) if (a[k]) $region return k;"
writes=$'\n#pragma omp parallel for\nfor (int i = 0; i < 9; i++) p[i] = k;\n'
function_is bubut "what a region writes to by a pointer" <<< "
	int *p = a; for (k = 0; k < n; k++) { $writes $writes } return k;"
function_is burt "what is read has room in an expression" <<< "
	$region if (n) k = a[2]; else if (k) k += a[3]; a[4] = k; return k;"
function_is but "a region in one branch" <<< "if (n) { $region } return k;"
function_is butt "a block in the other branch that touches" <<< "
	while (k++ < n) { if (n > k) { $region } else { a[0]++; } } return k;"
check "which is told inside of it" grep -qzE 'else \{[[:space:]]*cape_touch' <(cape-cc --emit-c case.c)

# Through functions all of whose calls the text shows.
calls_are() { # calls_are ORDER NAME < functions; a static one that is named "part" has one region
	{
		printf 'int g(void);\nstatic double a[9];\nstruct rows { int n; };\n'
		printf 'static double part(int n, double *p) {\ndouble x = 0;\n%s' "$before"
		printf '\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) p[i] = g();\n'
		printf '%sreturn x * 2;\n}\n' "$after"
		cat
	} > case.c
	check "$2" is "$(cape-cc --emit-c case.c 2> stdout | letters)" "$1"
}
before='' after=''
calls_are but "calls one after another" <<< 'int f(int n) { part(n, a); part(n, a); return 0; }'
calls_are but "calls in a loop, whose values are used" <<< '
	int f(int n) { double x = part(n, a); while (n--) x = part(n, a); return 0; }'
calls_are but "the address of an argument" <<< '
	static double of(struct rows *r, int n) { double x = part(n, a); return x; }
	int f(int n) { struct rows r = {1}; of(&r, n); of(&r, n); return 0; }'
calls_are butt "a caller that touches in between" <<< '
	int f(int n) { part(n, a); a[0]++; part(n, a); return 0; }'
calls_are butt "arguments that touch" <<< 'int f(int n) { part(n, a); part(g(), a); return 0; }'
calls_are burt "arguments that read" <<< 'int f(int n) { part(n, a); part((int)a[1], a); return 0; }'
calls_are b "a call in an expression" <<< '
	int f(int n) { double x = 1 + part(n, a); x = part(n, a); return x > 1; }'
calls_are b "a call that is returned" <<< 'double f(int n) { part(n, a); return part(n, a); }'
calls_are bt "a call in a condition" <<< 'int f(int n) { if (part(n, a) > 1) n++; return n; }'
calls_are b "a call of a call" <<< 'int f(int n) { part((int)part(n, a), a); return n; }'
calls_are b "a call in a statement expression" <<< '
	int f(int n) { double x = ({ part(n, a); }); part(n, a); return x > 1; }'
calls_are b "a call in a switch" <<< '
	int f(int n) { switch (n) { case 1: part(n, a); } part(n, a); return n; }'
calls_are bb "a call in a region, which may be one thread's" <<< '
	int f(int n) {
	#pragma omp parallel num_threads(1)
	part(n, a);
	return n; }'
calls_are b "a pointer to the function" <<< '
	double (*way)(int, double *) = part; int f(int n) { part(n, a); return n; }'
calls_are b "a caller that jumps" <<< '
	int f(int n) { again: part(n, a); part(n, a); if (n--) goto again; return n; }'
calls_are b "an alias" <<< '
	double other(int n, double *p) __attribute__((alias("part"))); int f(int n) { part(n, a); return n; }'
before='a[1] += 1;'
calls_are tbut "a function that touches before its region" <<< '
	int f(int n) { part(n, a); part(n, a); return 0; }'
before='' after='p[0] = x;'
calls_are bt "a function that touches after its region" <<< '
	int f(int n) { part(n, a); part(n, a); return 0; }'
before='' after='x = p[0];'
calls_are burt "a function that reads after its region" <<< '
	int f(int n) { part(n, a); part(n, a); return 0; }'
plan_done
