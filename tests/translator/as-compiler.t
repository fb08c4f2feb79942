#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-cc as a compiler: its errors and warnings, options, outputs, and make.
. "$(dirname "$0")/cape_cc.bash"

printf '#include <stdio.h>\nint main(void)\n{\n\tint x;\n#pragma omp parallel for\n\tfor (int i = 0; i < 9; i++) {\n\t\tundeclared(i);\n\t\tx = y;\n\t}\n}\n' > wrong.c
! cape-cc -c wrong.c > stdout 2>&1 && grep -q "wrong.c:8:.*'y' undeclared\|wrong.c:8:.*‘y’ undeclared" stdout && [ ! -e wrong.o ]
ok "an error in C is worded by the compiler, at the user's line"
printf 'int main(void)\n{\n\tint n = 0;\n#pragma omp parallel for reduction(+:n)\n\tfor (int i = 0; i < 9; i++) {\n\t\tint unused;\n\t\tn += i;\n\t}\n\treturn n;\n}\n' > warn.c
cape-cc -Wall -Wextra -c warn.c > stdout 2>&1 && grep -q 'warn.c:6:.*unused' stdout && [ "$(grep -c warning: stdout)" -eq 1 ]
ok "a warning points at the user's line, and none at inserted text"
cape-cc -Wall -Wextra -Wpedantic -std=c99 -Wshadow -Wconversion -Werror -c warn.c -Wno-unused > stdout 2>&1
ok "strict warnings find nothing in inserted text"

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
make CC=cape-cc > stdout 2>&1 && [ -x prog ] && nm prog | grep -q cape_start
ok "make CC=cape-cc builds a program"
rm -f prog ./*.o
cape-cc -DSIZE=10 one.c two.c -o prog -O2 -lm > stdout 2>&1 && [ -x prog ] && [ ! -e one.o ]
ok "several sources at once"
cape-cc -c -xc - -o two.o < two.c > stdout 2>&1 && cape-cc -DSIZE=10 -x c - -x none two.o -o prog3 < one.c >> stdout 2>&1 && [ -x prog3 ]
ok "a source on standard input, with OpenMP and without"
rm -f two.o
cape-cc -c two.c && ar rcs libtwo.a two.o && cape-cc -DSIZE=10 one.c -L. -ltwo -o prog2 > stdout 2>&1 && [ -x prog2 ]
ok "libraries behind sources"
cape-cc -DSIZE=10 -S one.c && grep -q cape_begin_at one.s && ! grep -q "$TMPDIR" one.s
ok "-S writes assembly that names no temporary file"
cape-cc -DSIZE=10 -E one.c > stdout && grep -q '#pragma omp parallel' stdout
ok "-E preprocesses"
cape-cc -DSIZE=10 -MMD -MP -c one.c -o sub.o > stdout 2>&1 && cat sub.d >> stdout && grep -q '^sub.o: one.c two.h' sub.d
ok "-MMD names the user's source and headers"
cape-cc -DSIZE=10 -MD -MF deps -MT target -c one.c > stdout 2>&1 && grep -q '^target: one.c' deps && grep -q 'two.h' deps && grep -q stdio.h deps
ok "-MD -MF -MT"
cape-cc -DSIZE=10 -MM one.c > stdout 2>&1 && grep -q '^one.o: one.c two.h' stdout
ok "-MM"
mkdir -p in && cp one.c in/x.c && cape-cc -DSIZE=10 -I. -c in/x.c && [ -e x.o ]
ok "-c puts the object into the current folder"
cape-cc -DSIZE=10 -g -c one.c -o a1.o && cape-cc -DSIZE=10 -g -c one.c -o a2.o && cmp a1.o a2.o
ok "the same source gives the same object, -g included"
if command -v gdb > /dev/null; then
	cape-cc -DSIZE=10 -g one.c two.c -o prog && gdb -batch -ex 'break one.c:8' -ex 'info source' prog > stdout 2>&1
	grep -q 'one.c:8\.' stdout
	ok "gdb finds the user's lines"
else
	skip 1 "no gdb"
fi
printf 'int x;\n' > plain.c && cape-cc -c plain.c && ${CAPE_CC:-gcc} -fdata-sections -c plain.c -o plain2.o && cmp plain.o plain2.o
ok "a source without OpenMP is compiled as it is"
cp one.c one.txt && cape-cc -DSIZE=10 -x c one.txt -x none two.c -o prog3 > stdout 2>&1 && [ -x prog3 ]
ok "-x c"
cape-cc -c one.c two.c -o both.o > stdout 2>&1; [ $? -eq 1 ] && grep -q 'cape-cc: -o cannot name' stdout
ok "-c -o with two sources is refused"
cape-cc missing.c -o prog > stdout 2>&1; [ $? -eq 1 ] && grep -q "cape-cc: cannot read 'missing.c': No such file" stdout
ok "a missing source is named"
cape-cc > stdout 2>&1; [ $? -eq 1 ] && grep -q 'no input files' stdout
ok "no input files"
cape-cc -DSIZE=10 -static one.c two.c > stdout 2>&1; [ $? -eq 1 ] && grep -q "'-static' is not supported: the run time" stdout
ok "-static is refused with the reason"
printf 'int main() { return 0; }\n' > plus.cpp
cape-cc -c plus.cpp > stdout 2>&1; [ $? -eq 1 ] && grep -q "'plus.cpp' is C++" stdout
ok "C++ is refused"
! CAPE_CC=no-such-compiler cape-cc -c two.c > stdout 2>&1 && grep -q "cannot run the compiler 'no-such-compiler'" stdout
ok "a missing compiler is named"
! CAPE_CC="cape-cc -g" timeout 20 cape-cc -c two.c > stdout 2>&1 && grep -q "CAPE_CC names cape-cc itself; set it" stdout
ok "cape-cc does not call itself"
cape-cc -DSIZE=10 one.c -o prog > stdout 2>&1; [ $? -eq 1 ] && grep -q 'twice' stdout
ok "the linker's status is handed on"
if command -v clang > /dev/null; then
	CAPE_CC=clang cape-cc -Wall -Wextra -Werror -DSIZE=10 one.c two.c -o prog > stdout 2>&1
	ok "CAPE_CC=clang"
else
	skip 1 "no clang"
fi
cape-cc -DSIZE=10 --emit-c one.c -o emitted.c && grep -q '#include "two.h"' emitted.c
ok "--emit-c -o, with the user's #include lines"
cape-cc --version | grep -q '^cape-cc [0-9]' && cape-cc --help | grep -q -- --emit-c
ok "--version and --help"
rmdir "$TMPDIR" 2> stdout
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
cape-cc -Wall -Wextra -Werror -g3 -O2 mapped.c -o mapped > stdout 2>&1
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
cape-cc -O3 -fopt-info-vec-optimized -c vector.c > stdout 2>&1
grep -q 'vector.c:[345]:.*loop vectorized' stdout && grep -q 'vector.c:1[012]:.*loop vectorized' stdout
ok "the compiler vectorises the loops, a collapsed nest too"

plan_done
