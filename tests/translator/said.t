#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# said.t - #pragma cape: what the program says of a loop's reads and writes.
. "$(dirname "$0")/cape_cc.bash"

# around: standard input, in a function with variables of many kinds
around() {
	cat << 'END'
#define N 100
#define FROM(i, j) a[(i) * 10 + (j)]
int a[N], b[N], m[4][5], *p, n, list[N]; volatile int now; double d, f(int), (*by)(int);
struct point { int x[10]; int bit : 3; } s, *q; struct tail { int n, v[0]; } *tail; enum { SEVEN = 7 }; void g(void *, int);
static int again(int k) { return k ? again(k - 1) + a[k] : 0; }
void work(void)
{
int i, j, k = 0, t = 0;
END
	cat
	echo '}'
}

# says PATTERN NAME CLAUSES: what --explain says of a loop that calls f(), on one line
says() {
	around > case.c << END
#pragma cape $3
#pragma omp parallel for private(t, j)
for (i = 0; i < 9; i++) { int z = 3; k = i; b[i] = f(k) + z; }
END
	cape-cc --explain case.c > stdout 2> stderr && tr -s '\n ' '  ' < stdout | grep -qE -- "$1"
	ok "$2"
}

# wrong COLUMN WORDS CLAUSES
wrong() {
	around > wrong.c << END
#pragma cape $3
#pragma omp parallel for private(t, j)
for (i = 0; i < 9; i++) { int z = 3; k = i; b[i] = f(k) + z; }
END
	refused "$3" "9:$1" "$2" < wrong.c
}

# loop PATTERN NAME < text: the same as says for any text
loop() {
	around > case.c
	cape-cc --explain case.c > stdout 2>&1 && tr -s '\n ' '  ' < stdout | grep -qE -- "$1"
	ok "$2"
}

# -- what is said --
says "all is known, by '#pragma cape' in line 9 reads a.i-1..i.1. writes k, b.i. by pragma: case.c:11:52: .f.k.*calls 'f'" \
	"a range" 'reads(a[i-1:3]) writes()'
says 'reads n, p, p.0..n-1. .*decided by n, p' "through a pointer" 'reads(p[0:n]) writes()'
says 'may write b.i.' "what is written may be" 'reads() writes(b[i])'
says 'reads a.1..2., q, q->x.0..9., s.x.i..i.1., m.0..3..i., m.0..1..0..1. ' "many forms" \
	'reads(a[i ? 1 : 2], q->x[:], s.x[i:2], m[:][i], m[0:2][0:2]) writes()'
says 'reads a, b writes' "clauses that are repeated, whole arrays" 'reads(a) reads(b), writes()'
says 'reads a.10.i..10.i.100 / 2-1., a.10.i.1. ' "macros" 'reads(a[10 * i:N / 2], FROM(i, 1)) writes()'
says 'reads q, q->x.i..i.6.' "constants of enumerations" 'reads(q, q->x[i:SEVEN]) writes()'
says 'reads p, .p,' "what a pointer leads to" 'reads(*p, *(p + i)) writes()'
says 'reads m.i..3..4. ' "up to the end" 'reads(m[i:][4:]) writes()'
says "reads a.i. writes" "brackets around it" 'reads((((((((((a[((i))])))))))))) writes()'
says "all is known, .*reads a, list.i., a.list.i" "memory that the loop does not write" 'reads(a, a[list[i]]) writes()'
deep='a[0]'
for ((k = 0; k < 40; k++)); do deep="a[$deep]"; done
says "all is known, by" "a subscript of 40 levels" "reads($deep) writes()"

loop "all is known, by .* line 10 " "right after the directive" << 'END'
#pragma omp parallel for
#pragma cape reads() writes(b[i])
for (i = 0; i < 9; i++) g(b, i);
END
loop "omp for: all is known, by .* line 10 " "in a region" << 'END'
#pragma omp parallel
#pragma cape reads() writes(b[i])
#pragma omp for
for (i = 0; i < 9; i++) g(b, i);
END
loop "may write m.i..j. " "loops that are collapsed" << 'END'
#pragma cape reads() writes(m[i][j])
#pragma omp parallel for collapse(2)
for (i = 0; i < 4; i++) for (j = 0; j < 5; j++) g(m, i * j);
END
loop "writes b.i. by pragma: .*by pragma: " "bodies without braces, inside other statements" << 'END'
while (n--)
	if (n > 3)
		_Pragma("cape reads() writes()")
		#pragma omp parallel for
		for (i = 0; i < 9; i++) if (i) b[i] = f(i); else b[i] = f(3);
	else n--;
END
loop "all is known, .*the calls of 'again'" "functions that call themselves" << 'END'
#pragma cape reads(a[0:i + 1]) writes()
#pragma omp parallel for
for (i = 0; i < 9; i++) b[i] = again(i);
END
loop "all is known, .*reads list.i. may write b.i. by pragma: .* 'b.k.': it depends on 'k'" \
	"a place that is not known" << 'END'
#pragma cape writes(b[i])
#pragma omp parallel for firstprivate(k)
for (i = 0; i < 9; i++) { k ^= list[i]; b[k] = 3; }
END
loop "not known: .*'b.k.': it depends on 'k'" "but not of another variable" << 'END'
#pragma cape writes(a[i])
#pragma omp parallel for firstprivate(k)
for (i = 0; i < 9; i++) { k ^= list[i]; b[k] = 3; }
END
loop "for: all is known, .*reads a.i. may write b.i. by" "calls by a pointer: the pragma has all" << 'END'
#pragma cape reads(a[i]) writes(b[i])
#pragma omp parallel for
for (i = 0; i < 9; i++) b[i] = list[i] + by(i);
END
loop "for: all is known, .*reads a.i. may write b.i. by" "so it has where there is a switch" << 'END'
#pragma cape reads(a[i]) writes(b[i])
#pragma omp parallel for firstprivate(k)
for (i = 0; i < 9; i++) { switch (a[i]) { case 0: k = 3; } b[k] = 1; }
END
loop "warning: in spite of .* line 9 .*: which thread runs what is decided" "schedules are no accesses" << 'END'
#pragma cape reads() writes()
#pragma omp parallel for schedule(dynamic)
for (i = 0; i < 9; i++) b[i] = f(i);
END
loop "not known: .*11:.*'omp atomic'" "nor are constructs in the loop" << 'END'
#pragma cape reads() writes(b)
#pragma omp parallel for
for (i = 0; i < 9; i++) { g(b, i);
#pragma omp atomic
	n++; }
END
says "warning|not known: case.c:11" "one clause is not enough for a call" 'reads(a)'
check "which is warned of" grep -q "11:52: warning: .*the pragma has no writes" stderr
around > case.c << 'END'
#pragma cape reads(a[i]) writes(b[i])
#pragma omp parallel for
for (i = 0; i < 9; i++) b[i] = f(i);
END
cape-cc --explain=json case.c > case.json && python3 - << 'END'
import json
loop, = json.load(open("case.json"))
said, = loop["byPragma"]
assert loop["known"] and loop["unknown"] == [] and loop["mayWrite"] == ["b[i]"]
assert (said["line"], said["source"]) == (11, "f(i)") and "'f'" in said["why"]
END
ok "--explain=json has it"
cape-cc -Wall -Wextra -Wno-unused -Werror -c case.c -o case.o > stdout 2>&1
ok "the compiler does not see it"
rm case.o
cape-cc --emit-c case.c > emitted.c && grep -q "cape_plan_box(CAPE_SET_MAY_WRITE, .*b.i" emitted.c &&
	! grep -q "pragma cape" emitted.c
ok "the loop is planned"
gcc -fopenmp -fsyntax-only case.c
ok "other compilers ignore it"

# -- what is wrong --
says 'reads tail, tail->v\[i\]' "an array of 0 elements goes on past its end" 'reads(tail->v[i]) writes(b[i])'
wrong 19 "'(' does not match" 'reads(a[i]'
wrong 19 "'(' does not match" 'reads(a[)'
wrong 14 "'(' is missing after 'reads'" 'reads a'
wrong 14 "'read' is no clause" 'read(a)'
wrong 33 "'nowait' is no clause" 'reads(a) writes(b) nowait'
wrong 1 "says nothing" ''
wrong 24 "';' is not allowed" 'reads(a[i];b)'
wrong 23 "'{' is not allowed" 'reads(a[({1;})])'
wrong 20 "is not allowed" 'reads("x")'
wrong 20 "an object is missing" 'reads(,a)'
wrong 22 "an object is missing" 'reads(a,)'
wrong 22 "a subscript is missing" 'reads(a[])'
wrong 20 "undeclared identifier 'nix'" 'reads(nix[i])'
wrong 22 "undeclared identifier 'z'" 'reads(a[z])'
wrong 20 "'k' changes in the loop, in line 11" 'reads(a[k])'
wrong 20 "'t' is private to the loop" 'reads(a[t])'
wrong 20 "each thread has it for itself" 'reads(i)'
wrong 24 "the length of the range is negative" 'reads(a[0:-3])'
wrong 24 "the length of the range is negative" 'reads(a[5:3-9])'
wrong 21 "outside of the array, which has 100 elements" 'reads(a[-1])'
wrong 32 "outside of the array, which has 100 elements" 'writes(b), reads(a[N])'
wrong 21 "outside of the array, which has 100 elements" 'reads(a[SEVEN:94])'
wrong 21 "outside of the array, which has 100 elements" 'reads(a[i:4611686018427387904])'
wrong 21 "the range is too long" 'reads(p[9223372036854775807:5])'
wrong 21 "the range is too long" 'reads(p[i:1000000000000000])'
wrong 24 "too large" 'reads(p[0:18446744073709551616])'
wrong 21 "subscript is not an integer" 'reads(a[d])'
wrong 24 "the length is no integer" 'reads(a[0:d])'
wrong 21 "no length" 'reads(p[0:])'
wrong 25 "expected ';'" 'reads(a[i:3:2])'
wrong 20 "this is no object" 'reads(a[i++])'
wrong 20 "this is no object" 'reads(a[(int)f(i)])'
wrong 20 "cannot take the address" 'reads(3)'
wrong 20 "cannot take the address" 'reads(i+1)'
wrong 20 "bit-field" 'reads(s.bit)'
wrong 22 "expected ')'" 'reads(a b)'

# alone TEXT...: no loop's
alone() {
	printf '%s\n' "$@" | around > wrong.c
	refused "$*" 9:1 "here is none" < wrong.c
}
alone '#pragma cape reads(a)' 'k = 1;'
alone '#pragma cape reads(a)' '#pragma omp parallel' 'k = 1;'
alone '#pragma cape reads(a)' '#pragma omp simd' 'for (i = 0; i < 9; i++) ;'
alone '#pragma cape reads(a)' 'for (i = 0; i < 9; i++) ;'
printf '#pragma cape reads(x)\nint x;\n' > wrong.c
refused "one in no function" 1:1 "here is none" < wrong.c
around > wrong.c << 'END'
#pragma cape reads(a)
#pragma omp parallel for
#pragma cape writes(b)
for (i = 0; i < 9; i++) b[i] = f(i);
END
refused "a second one" 11:1 "a second '#pragma cape'" < wrong.c
around > wrong.c << 'END'
#pragma omp parallel
#pragma cape reads(a)
#pragma omp loop bind(thread)
for (i = 0; i < 9; i++) b[i] = f(i);
END
refused "a loop that each thread runs" 10:1 "not shared out by a team" < wrong.c
{
	echo 'int a[99], b[99], f(int);'
	for ((i = 0; i < 1000; i++)); do
		printf 'void f%d(void) {\n#pragma cape reads(a[i:3]) writes(b[i])\n#pragma omp parallel for\n' $i
		echo 'for (int i = 0; i < 90; i++) b[i] = f(i); }'
	done
} > many.c
run timeout 60 cape-cc --explain many.c
check "1000 of them" [ "$(grep -c 'all is known, by' stdout)" -eq 1000 ]
plan_done
