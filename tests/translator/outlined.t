#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Blocks of regions as functions that the compiler makes: what an object calls of which library.
. "$(dirname "$0")/cape_cc.bash"

# objects COMPILER OPTIONS: what it makes of the sources calls libcape alone
objects() {
	for name in loops clauses constructs sync tasks; do
		read -ra words <<< "$2"
		CAPE_CC=$1 cape-cc -w "${words[@]}" -I"$inputs" -c "$inputs/$name.c" -o object.o > stdout 2>&1 &&
			readelf -rW object.o > calls && ! grep -E ' (GOMP|GOACC|__kmpc)_' calls &&
			grep -qE ' cape_(gomp_parallel|kmpc_fork_call)' calls
		ok "$name.c by $1 $2 calls libcape alone"
	done
}
objects gcc -O0
objects gcc "-O3 -fpic -fno-plt -ftree-parallelize-loops=4"
if command -v clang > /dev/null; then
	objects clang -O0
	objects clang "-O2 -fpic"
else
	skip 10 "clang is missing"
fi

for number in 1 2 3; do
	cat > part$number.c <<-END
		#include <stdio.h>
		__attribute__((noinline)) int part$number(int n)
		{
			int sum = 0;
		#pragma omp parallel for reduction(+ : sum)
			for (int i = 0; i < n; i++)
				sum += i * $number;
			return sum;
		}
	END
done
cat > main.c <<-END
	#include <stdio.h>
	int part1(int), part2(int), part3(int);
	int main(void)
	{
		printf("%d\\n", part1(10) + part2(10) + part3(10));
		return 0;
	}
END
for options in -O2 "-O0 -flto -ffat-lto-objects" "-O2 -flto" "-O2 -flto -flto-partition=max"; do
	read -ra words <<< "$options"
	rm -f ./*.o prog
	cape-cc "${words[@]}" -c part1.c part2.c part3.c main.c > stdout 2>&1 &&
		cape-cc "${words[@]}" part1.o part2.o part3.o main.o -o prog >> stdout 2>&1 &&
		[ "$(./prog)" = 270 ] && ! nm -D prog | grep GOMP
	ok "files that are linked with $options"
	! ldd prog | grep -E 'libgomp|libomp'
	ok "(no library of the compiler's is)"
done

# As many arguments as a block may ask for, by clang: from none to more than registers.
for count in 0 1 4 5 6 40; do
	{
		echo '#include <stdio.h>'
		echo 'int main(void) { long sum = 0;'
		for ((i = 0; i < count; i++)); do echo "long a${i}[2] = {$i, 1};"; done
		echo '#pragma omp parallel'
		echo '{ long own[4] __attribute__((aligned(32))) = {1};'
		for ((i = 0; i < count; i++)); do echo "own[0] += a${i}[0];"; done
		echo 'if (((unsigned long)own & 31) == 0) _Pragma("omp single")'
		echo 'sum = own[0]; }'
		echo "printf(\"%ld\", sum); return 0; }"
	} > many.c
	if command -v clang > /dev/null; then
		CAPE_CC=clang cape-cc -O1 many.c -o many > stdout 2>&1 && [ "$(./many)" = $((count * (count - 1) / 2 + 1)) ]
		ok "a block that knows $count arrays, by clang"
	else
		skip 1 "clang is missing"
	fi
done

# gcc's own translation of this forgets that variables are volatile.
for options in -O0 -O2; do
	cape-cc $options "$inputs/setjmp.c" -o jump > stdout 2>&1 && [ "$(timeout 10 ./jump)" = "1 1" ] &&
		[ "$(timeout 60 cape-run -np 2 --verify ./jump)" = "1 1" ]
	ok "longjmp() into a block, with $options"
done

# A library that was made for libgomp, beside a program of CAPE's.
cat > team.c <<-END
	int team(void)
	{
		int n = 0;
	#pragma omp parallel num_threads(3)
	#pragma omp atomic
		n++;
		return n;
	}
END
cat > user.c <<-END
	#include <stdio.h>
	int team(void);
	int main(void)
	{
		int own = 0;
	#pragma omp parallel reduction(+ : own)
		own += 1;
		printf("%d %d\\n", own, team());
		return 0;
	}
END
gcc -O2 -fopenmp -fpic -shared team.c -o libteam.so && cape-cc -O2 user.c -o prog -L. -lteam -Wl,-rpath,"$work" > stdout 2>&1 &&
	[ "$(OMP_NUM_THREADS=1 ./prog)" = "1 3" ]
ok "a library calls its own libgomp"

plan_done
