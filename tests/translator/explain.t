#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# explain.t - cape-cc --explain: what is known of what each loop reads and writes.
. "$(dirname "$0")/cape_cc.bash"

# says PATTERN NAME: the loop on standard input, in a function with variables of many kinds.
says() {
	{
		cat <<- 'END'
			#include <math.h>
			#include <stdio.h>
			#include <stdlib.h>
			#include <string.h>
			struct point { double x, y; int bits : 3; };
			double a[50][50], b[50][50], v[50];
			struct point points[50];
			int list[50], flag;
			volatile int now; double *rows[50], other(int);
			static void set(double *to, int n) { for (int k = 0; k < n; k++) to[k] = n; }
			static void put(int k) { v[k] = list[0]; }
			static int *count(void) { static int c[9]; return c; }
			static void early(int k, int m) { if (k == m) { v[k] = 1; return; } points[k].x = 2; } static int again(int k) { return k ? again(k - 1) : 0; } static void cleaned(int *k) { v[*k] = 0; }
			void work(int n, int m, double (*p)[50], double *q)
			{
				int i, j, k = 0;
		END
		cat
		echo '}'
	} > case.c
	cape-cc --explain case.c > stdout 2> stderr && tr -s '\n ' '  ' < stdout | grep -qE -- "$1"
	ok "$2"
}

plan 82
says 'all is known reads n, a.i-1..i.1..0..n-1. writes b.i..0..n-1. decided by n $' "rows and ranges" << 'END'
#pragma omp parallel for private(j)
for (i = 1; i < 49; i++) for (j = 0; j < n; j++) b[i][j] = a[i - 1][j] + a[i + 1][j];
END
says 'all is known reads v.i. writes points.i. $' "literals of a struct with a name" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) points[i] = (struct point){v[i], i, 0};
END
says 'writes b.0..48..i. ' "a loop that counts down" << 'END'
#pragma omp parallel for private(j)
for (i = 1; i < 49; i++) for (j = 48; j >= 0; j -= 2) b[j][i] = 1;
END
says 'writes q.i . n.3..i . n.n-1.' "subscripts of one dimension" << 'END'
#pragma omp parallel for private(j)
for (i = 0; i < 9; i++) for (j = 3; j < n; j++) q[i * n + j] = 1;
END
for change in 'if (v[i]) i += 1;' '{ int *p = &i; ++*p; }'; do
	says "its body may change 'i', the variable of the loop" "a body that changes its loop's variable" <<- END
		#pragma omp parallel for
		for (i = 0; i < 9; i++) { v[i] = 1; $change }
	END
done
says 'reads list.i., v.list.i.. writes v.i. decided by list.i.' "lists of indices" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) v[i] = v[list[i]];
END
says 'reads a.i-1..i.1..-1..50., k, b.i-1..i..-49..49. writes b.i..0..49. decided by k $' "elements that are chosen at the edges" << 'END'
#pragma omp parallel for private(j)
for (i = 0; i < 50; i++)
	for (j = 0; j < 50; j++)
		b[i][j] = a[i == 0 ? i : i - 1][j] + a[i < 49 ? i + 1 : i][j] + a[i][j ? j - 1 : j] +
			a[i][j == 49 ? j : j + 1] + b[i > k ? i : i - 1][j != k ? j : j - 49];
END
says 'may write a.i..0. $' "a condition on memory that may change is unknown" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { k += v[i] > 0; if (k) a[i][0]++; }
END
says 'all is known .*writes k, a.i..list.i...list.i . 1.-1. ' \
	"a variable that nothing orders holds what an iteration has given it" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) for (k = list[i]; k < list[i + 1]; k++) a[i][k] = 1;
END
says 'all is known .*writes k, v.i.1. ' "also where that is no loop's variable" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { k = i + 1; v[k] = 1; }
END
says 'its place is not known|depends on .k.' "unless a pointer may lead to it" << 'END'
int *to = &k;
#pragma omp parallel for
for (i = 0; i < 9; i++) { k = i + 1; *to = 2; v[k] = 1; }
END
says 'writes a.i..0. decided by flag' "one on what does not change is known" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) if (flag) a[i][0] = 1;
END
says 'writes b.i..2..n.1. ' "functions of the file are followed" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) set(&b[i][2], n);
END
says 'reads b.i. .400 bytes. writes a.i. .400 bytes.' "memcpy is known" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) memcpy(a[i], b[i], sizeof a[i]);
END
says 'reads rows.i., p, p.i..0..49. writes rows.i..0..49. decided by p, rows.i.' "rows by pointers" << 'END'
#pragma omp parallel for private(j)
for (i = 0; i < 9; i++) { double *row = rows[i]; for (j = 0; j < 50; j++) row[j] = p[i][j]; }
END
says 'writes points.i..x, points.i..y ' "members" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { struct point *to = points + i; to->x = 1; to->y = sqrt(2); }
END
says 'all is known $' "what is the thread's own is not shown" << 'END'
#pragma omp parallel for private(k)
for (i = 0; i < 9; i++) { double own[3]; for (k = 0; k < 3; k++) own[k] = i; }
END
says "case.c:19:[0-9]+: 'other.i.': it calls 'other', whose text is not in this file" "an unknown function" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++)
v[i] = other(i);
END
says "'v.k.': it depends on 'k', whose value in line 18" "a variable that goes on" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { v[k] = i; k += 2; }
END
says "not known: case.c:[0-9:]*: 'v.k.': where the loop begins 'v' means another variable" \
	"a name that means something else where the loop is" << 'END'
double v[50];
#pragma omp parallel for
for (i = 0; i < 9; i++) put(i);
END
says "'list.0.': where the loop begins 'list' means another variable" \
	"the same, though the loop reads that one, too" << 'END'
int list[50] = {0};
#pragma omp parallel for
for (i = 0; i < 9; i++) { q[i] = list[0]; put(i); }
END
says "'c' means another variable, or none" "one that means nothing there" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) *count() = 1;
END
says "'again.i.': the calls of 'again'|the calls of 'again' are not followed" "a function that calls itself" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) v[i] = again(i);
END
says "'now': it is volatile" "what is volatile" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) v[i] = now;
END
says "'__real__ z.i.': a change of this kind is not followed" "parts of complex numbers" << 'END'
static double _Complex z[50];
#pragma omp parallel for
for (i = 0; i < 9; i++) __real__ z[i] = i;
END
says "a statement of this kind is not followed" "variables that are cleaned up" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { int z __attribute__((cleanup(cleaned), unused)) = i; v[i] = 1; }
END
says "'points.i..bits': it is a bit field" "bit fields" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) points[i].bits = 1;
END
says 'all is known reads v.i., a.i..1. writes b.i..1. decided by v.i. $' "what a message needs" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (v[i] < 0) { printf("%d %g\n", i, v[i]); exit(1); } b[i][1] = a[i][1]; }
END
says "reads n, q, v.i. writes v.i. .*'other.3.': it calls .*'.void ..q': a function that prints" "where it leads" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (n > 7) { v[3] = 1; other(3); printf("%p", (void *)q); abort(); } v[i]++; }
END
says "what it writes is known .* writes v.i. .*'other.3.': it calls 'other'" "functions before the end" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (n > 7) { v[3] = other(3); exit(list[0]); } v[i] = 1; }
END
says "'name': a function that prints reads it" "text in memory" << 'END'
static char name[9];
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (n > 7) { fprintf(stderr, "%s %s", "bad", name); exit(1); } v[i] = 1; }
END
says 'reads n, list.0. writes v.i. ' "the status of the end" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (n > 7) exit(list[0]); v[i] = 1; }
END
says "for: not known .*'v.points.i..bits.': its place is not known" "bit fields in subscripts" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) v[points[i].bits] = 1;
END
says "for: not known .*'v.k.': it depends on 'k', whose value" "bit fields in variables" << 'END'
#pragma omp parallel for private(k)
for (i = 0; i < 9; i++) { k = points[i].bits; v[k] = 1; }
END
says "for: not known .*'v.i . now.': its place is not known" "what is volatile in subscripts" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) v[i + now] = 1;
END
says "'critical': 'omp critical' inside" "constructs inside" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++)
#pragma omp critical
k++;
END
says "'schedule': which thread runs what" "other schedules" << 'END'
#pragma omp parallel for schedule(dynamic)
for (i = 0; i < 9; i++) v[i] = 1;
END
says "'parallel': its iterations wait" "ordered" << 'END'
#pragma omp parallel for ordered
for (i = 0; i < 9; i++) v[i] = 1;
END
says "not followed" "switch" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) switch (i) { case 1: v[i] = 1; }
END
says "not followed" "goto" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (i) goto out; v[i] = 1; out:; }
END
says "writes v.i., j " "a variable that all have in common" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { v[i] = 1; j = 3; }
END
says "all is known reads a.i..0., v.i. writes v.i. " "what stands after continue is under a condition" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { if (a[i][0] > v[i]) continue; v[i] = 1; }
END
says "all is known .*writes v.i., k may write v.i.1. " "one that is not known" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) { v[i] = 1; k += v[i] > 0; if (k) continue; v[i + 1] = 1; }
END
says "all is known .*writes v.i., points.i..x decided by m $" "what stands after return in a function" << 'END'
#pragma omp parallel for
for (i = 0; i < 9; i++) early(i, m);
END
says "omp for: all is known writes v.i. " "a loop outside of any region" << 'END'
#pragma omp for
for (i = 0; i < 9; i++) v[i] = 1;
END
says "a.i..j. " "both loops of collapse" << 'END'
#pragma omp parallel for collapse(2)
for (i = 0; i < 9; i++) for (j = 0; j < 9; j++) a[i][j] = 1;
END
says "no loop that a team shares out" "nothing to say" << 'END'
for (i = 0; i < 9; i++) v[i] = 1;
END
cape-cc --explain=json case.c > case.json && python3 -c 'import json; assert json.load(open("case.json")) == []'
ok "--explain=json, of nothing"
cat > two.c << 'END'
double a[9], b[9], other(int);
void work(int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		a[i] = b[i] + other(i);
}
END
cape-cc --explain=json two.c > two.json && python3 - << 'END'
import json
loop, = json.load(open("two.json"))
assert (loop["file"], loop["line"], loop["construct"]) == ("two.c", 4, "parallel for"), loop
assert loop["reads"] == ["b[i]"] and loop["writes"] == ["a[i]"], loop
assert not loop["known"] and not loop["writesKnown"] and not loop["mayWrite"], loop
stop, = loop["unknown"]
assert (stop["line"], stop["column"], stop["source"]) == (6, 17, "other(i)"), stop
END
ok "--explain=json: places, sets and reasons"
cat > own.c << 'END'
int omp_get_thread_num(void);
int a[2][9], index[9];
void work(void)
{
#pragma omp parallel
	{
		int *own = a[omp_get_thread_num()];
#pragma omp for
		for (int i = 0; i < 9; i++)
			own[i] = i;
#pragma omp for
		for (int i = 0; i < 9; i++) {
			index[i] = 9 - i;
			a[0][index[i]]++;
		}
	}
}
END
cape-cc --explain own.c > own.out
grep -q "not planned: own.c:10:4: 'own.i.': .* what each thread has of its own" own.out &&
	grep -q "not planned: own.c:14:4: 'a.0..index.i..': .* memory that the loop may not look at" own.out
ok "--explain says what is known, and cannot be planned"
cape-cc --explain=json own.c | python3 -c 'import json, sys
assert [[late["line"] for late in loop["notPlanned"]] for loop in json.load(sys.stdin)] == [[10], [14]]'
ok "--explain=json, too"
says "not known: case.c:[0-9]+:[0-9]+: '..row ..a..i..0.'" "a type that was made of another value" << 'END'
k = 3; typedef double row[k]; k = 4;
#pragma omp parallel for
for (i = 0; i < 9; i++) ((row *)a)[i][0] = 1;
END
says "not planned: case.c:17:26: 'lastprivate': the values of the last iteration" "clauses that hand values on" << 'END'
#pragma omp parallel for lastprivate(k)
for (i = 0; i < 9; i++) { k = i; v[i] = 1; }
END
cat > names.c << 'END'
double index[9], gamma[9], y1;
int pow, exp;
void work(void)
{
#pragma omp parallel for
	for (int i = 0; i < 9; i++)
		index[i] = gamma[i] + y1 + pow + exp;
}
END
cape-cc --explain names.c 2>&1 | grep -q 'all is known'
ok "variables with the names of functions of the C library"
cat > nested.c << 'END'
int a[9];
void work(void)
{
	int add(int k) { return k + 1; }
#pragma omp parallel for
	for (int i = 0; i < 9; i++)
		a[i] = i;
}
END
cape-cc --explain nested.c 2>&1 | grep -q 'libclang rejects line 4 of the file: function definition is not allowed here'
ok "what libclang does not understand is named"
cat > often.c << 'END'
static int often(int k) { return k < 2 ? k : often(k - 1) + often(k - 2) + often(k - 3); }
int a[9];
void work(void)
{
#pragma omp parallel for
	for (int i = 0; i < 9; i++)
		a[i] = often(i);
}
END
run timeout 60 cape-cc --explain often.c
is_status 0 "functions that call themselves more than once are looked through once"
# plans_of WANTED NAME: the calls of planned exchange that cape-cc puts into the file on standard input.
plans_of() {
	cat > case.c
	cape-cc --emit-c case.c | grep -oE 'cape_plan_(region|begin|quiet|pass|change|print|reduced|reads[(](0|[^,]*&[a-z]*))' |
		sed 's/cape_plan_//; s/(unsigned long)//' | tr '\n' ' ' > stdout
	stdout_is "$1" "$2"
}
# plans WANTED NAME: into the statements on standard input.
plans() {
	{
		echo '#include <omp.h>'
		echo '#include <stdio.h>'
		echo 'extern const char *text; double a[99], b[99]; int list[99]; static int count; static double sum;'
		echo 'omp_lock_t *lock; void work(int n) {'
		cat
		echo '}'
	} > statements.c
	plans_of "$@" < statements.c
}
plans 'region begin quiet begin quiet quiet ' "loops of one region" << 'END'
#pragma omp parallel
for (int k = 0; k < n; k++) {
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = b[i] + k;
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = a[98 - i];
}
END
plans 'begin quiet begin quiet change quiet begin quiet quiet ' "code between them, and barriers" << 'END'
#pragma omp parallel
{
	b[0] = 1;
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp barrier
#pragma omp for
	for (int i = 1; i < 99; i++) b[i] = a[98 - i];
#pragma omp master
	a[1] = 2;
#pragma omp barrier
#pragma omp for
	for (int i = 2; i < 99; i++) a[i] = i;
}
END
plans 'region pass begin quiet pass begin quiet quiet ' "what is read between them" << 'END'
#pragma omp parallel
{
	int k = 0;
	if (count > 3) k = count * 2;
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
	while (k < count) k++;
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = a[98 - i];
}
END
plans 'region pass begin quiet pass begin quiet quiet ' "what a pointer leads to that stays the same" << 'END'
int *of = list;
#pragma omp parallel
{
#pragma omp for
	for (int i = 0; i < of[1]; i++) a[i] = i;
#pragma omp for
	for (int i = 0; i < of[n]; i++) b[i] = a[98 - i];
}
END
plans 'region begin begin begin begin quiet ' "pointers and indices that do not" << 'END'
int *of = list, *last = list, k = 0, **known = &last;
#pragma omp parallel firstprivate(last)
{
	int *own = list;
#pragma omp for
	for (int i = 0; i < 9; i++) a[i] = i;
#pragma omp for
	for (int i = 0; i < of[1]; i++) b[i] = a[98 - i];
#pragma omp for
	for (int i = 0; i < own[1]; i++) b[i] = a[98 - i];
#pragma omp for
	for (int i = 0; i < last[k] + **known; i++) b[i] = a[98 - i];
#pragma omp master
	of++, k++;
}
END
plans 'region begin begin quiet ' "what is written between them, or read by a pointer" << 'END'
#pragma omp parallel
{
	double *p = a;
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp master
	count = 1;
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = i;
	if (p[1] > 0) p = b;
}
END
plans 'region begin quiet change quiet pass begin quiet quiet ' "what is changed before a barrier" << 'END'
#pragma omp parallel
{
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp master
	count = 1;
#pragma omp barrier
#pragma omp for
	for (int i = 0; i < count; i++) b[i] = i;
	if (n > 3) count++;
}
END
plans 'region begin begin quiet begin quiet begin quiet change quiet ' "what is changed otherwise" << 'END'
#pragma omp parallel
{
	static double *row;
	static volatile int seen;
	for (int k = 0; k < 3; k++) {
#pragma omp for
		for (int i = 0; i < 99; i++) a[i] = i;
		count++;
	}
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp master
	row = b;
#pragma omp barrier
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp master
	seen = 1;
#pragma omp barrier
#pragma omp for
	for (int i = 0; i < 99; i++) row[i] = i;
#pragma omp master
	list[n] = 1;
}
END
plans 'region begin quiet pass change print quiet pass begin quiet quiet ' "what a single construct changes, and prints" << 'END'
#pragma omp parallel
{
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp single
	{
		list[n] = 2;
		printf("%d %g %s\n", n, sum, "end");
	}
#pragma omp for
	for (int i = 0; i < list[n]; i++) b[i] = i;
}
END
plans 'region begin quiet begin quiet begin quiet begin quiet quiet ' "what it may not" << 'END'
#pragma omp parallel
{
	double *p = a;
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp single
	p[n] = 2;
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = i;
#pragma omp single
	printf(text, 5);
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = i;
#pragma omp single
	printf("%s\n", text);
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = i;
#pragma omp single private(n)
	count = 2;
}
END
plans 'region begin quiet begin quiet quiet ' "loops without sync points" << 'END'
#pragma omp parallel
{
#pragma omp for nowait
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = i;
}
END
plans 'region begin quiet quiet ' "those that another thread may wait for go with what comes after" << 'END'
#pragma omp parallel
{
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = i;
#pragma omp for nowait
	for (int i = 0; i < 99; i++) a[i] = i;
#pragma omp flush
	while (count == omp_get_thread_num()) {
#pragma omp flush
	}
}
END
plans 'region begin quiet reduced region begin quiet reduced ' "reductions" << 'END'
#pragma omp parallel for reduction(+ : sum)
for (int i = 0; i < 99; i++) sum += a[i];
#pragma omp parallel for reduction(+ : a)
for (int i = 0; i < 99; i++) a[i] += i;
END
plans 'region begin quiet begin quiet begin quiet quiet ' "variables that all threads give the same value" << 'END'
#pragma omp parallel
{
	int own = n * 2, k;
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + own] = i;
	for (k = 1; k < own; k++) {
#pragma omp for
		for (int i = 0; i < 9; i++) a[i + k] = i;
	}
#pragma omp for
	for (int i = 0; i < 9; i++) b[i + k] = i;
}
END
plans 'region begin quiet quiet ' "a loop that is all of its region" << 'END'
#pragma omp parallel
for (int k = 0; k < n; k++) {
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + k] = i;
}
END
plans_of 'region begin reads(&b quiet region begin reads(&rows reads(0 quiet region begin quiet change quiet ' \
	"reads whose places are not known" << 'END'
#include <stdio.h>
#include <stdlib.h>
double a[99], b[99]; int list[99], count; double *rows[99];
void work(int n)
{
#pragma omp parallel for
	for (int i = 0; i < 99; i++) a[i] = b[list[i]];
#pragma omp parallel for
	for (int i = 0; i < 99; i++) {
		if (list[i] < 0) {
			printf("%d\n", i);
			exit(1);
		}
		a[i] = rows[list[i]][0];
	}
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < 99; i++) a[i] = i;
		count++;
	}
}
END
plans '' "what only one thread knows, and lists of indices" << 'END'
#pragma omp parallel
{
	int own = omp_get_thread_num(), one = 0, two = 0, *p = &two;
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + own] = i;
#pragma omp master
	one = 1;
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + one] = i;
	*p = own;
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + two] = i;
	omp_set_lock(lock);
	int ticket = count;
	omp_unset_lock(lock);
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + ticket] = i;
	ticket = count++;
#pragma omp for
	for (int i = 0; i < 9; i++) a[i + ticket] = i;
	for (int k = 0; (k += own) < 9; k++) {
#pragma omp for
		for (int i = 0; i < 9; i++) a[i + k] = i;
	}
}
#pragma omp parallel for
for (int i = 0; i < 99; i++) a[list[i]] = i;
END
plans_of 'region begin quiet region begin quiet ' "members of records, and records" << 'END'
struct point { double x, y; } a[99], b[99];
void work(void)
{
#pragma omp parallel for
	for (int i = 0; i < 99; i++) a[i].x = b[i].y;
#pragma omp parallel for
	for (int i = 0; i < 99; i++) a[i] = b[98 - i];
}
END
plans_of 'begin quiet region quiet ' "what functions that regions call get of them" << 'END'
double a[99], b[99];
static void fill(double *to, int n)
{
#pragma omp for
	for (int i = 0; i < n; i++) to[i] = i;
}
void work(int n)
{
#pragma omp parallel
	{
		fill(a, 99);
		for (int k = 1; k < 9; k++) fill(b, k + n);
	}
}
END
plans_of '' "and what they do not all get" << 'END'
#include <omp.h>
double a[99], b[99];
static void fill(double *to)
{
#pragma omp for
	for (int i = 0; i < 9; i++) to[i] = i;
}
static void put(double *to)
{
#pragma omp for
	for (int i = 0; i < 9; i++) to[i] = i;
}
void work(int n)
{
#pragma omp parallel
	{
		int own = omp_get_thread_num();
		fill(a + own);
		if (own) put(a);
		else put(b);
	}
}
END
plans_of 'begin quiet begin quiet region quiet region quiet ' "loops in functions that regions call" << 'END'
double a[99], b[99];
static void fill(int k)
{
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
}
static void turn(void)
{
	fill(1);
#pragma omp for
	for (int i = 0; i < 99; i++) b[i] = a[98 - i];
}
void work(void)
{
#pragma omp parallel
	turn();
#pragma omp parallel
	{
		fill(2);
		turn();
	}
}
int main(void)
{
	work();
	return 0;
}
END
plans_of 'begin region quiet quiet ' "functions that others may call" << 'END'
double a[99];
void fill(void)
{
#pragma omp for
	for (int i = 0; i < 99; i++) a[i] = i;
}
void work(void)
{
#pragma omp parallel
	fill();
#pragma omp parallel
	{
		a[0] = 1;
		fill();
	}
}
END
cape-cc --explain -o out.txt two.c && grep -q "writes     a.i." out.txt
ok "-o names a file"
run cape-cc --explain two.c missing.c
is_status 1 "a missing file is an error"
echo 'void f(void) { _Pragma("omp parallel for") for (int i = 0; i < 3; i++) x = 1; }' > bad.c
run cape-cc --explain bad.c
is_status 1 "so is what the compiler does not take"
