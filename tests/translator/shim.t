#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shim.t - build systems that have a compiler's name written into them, and the usual other ways.
. "$(dirname "$0")/cape_cc.bash"

is_of_cape() {
	nm "$1" | grep -q cape_start
}

cat >prog.c <<'END'
#include <stdio.h>
int main(void)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
#ifdef OPENMP
	printf("%d\n", sum);
#endif
	return 0;
}
END
cat >Makefile <<'END'
CC = gcc
ifeq ($(CC),gcc)
CFLAGS = -fopenmp -DOPENMP
endif
prog: prog.c
	gcc --version | grep -q '^gcc'
	$(CC) $(CFLAGS) -c prog.c
	gcc -fopenmp prog.o -o prog
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(prog C)
find_package(OpenMP REQUIRED)
add_executable(prog prog.c)
target_compile_definitions(prog PRIVATE OPENMP)
target_link_libraries(prog OpenMP::OpenMP_C)
END

run cape-cc --shim shims
is_status 0 "--shim makes the folder"
stdout_is "PATH=$work/shims:\$PATH" "and prints the line that puts it to use"
PATH=$work/shims:$PATH run make
check "a Makefile with gcc written into it, that looks for gcc, builds a program" is_of_cape prog
run cape-run -np 2 ./prog
stdout_is 45 "which runs on the nodes, with the options for gcc"
run env PATH="$work/shims:$PATH" cape-cc --shim "two words"
is_status 0 "shims that are in PATH already"
check "are not taken for compilers" grep -qF "$(PATH=$PATH command -v gcc)" "two words/gcc"
rm -f prog
PATH="$work/two words:$PATH" run make -B
check "a folder with a space in its name" is_of_cape prog
run cape-cc --shim
is_status 1 "--shim without a folder is refused"
run cape-cc --shim /proc/none
stderr_has "^cape-cc: cannot make '/proc/none': " "a folder that cannot be made is named"
run env PATH="$build/bin" cape-cc --shim empty
stderr_has "there is no gcc, cc or clang in PATH" "no compiler in PATH"

if command -v cmake >/dev/null; then
	run cmake -S . -B made -DCMAKE_C_COMPILER=cape-cc
	is_status 0 "cmake -DCMAKE_C_COMPILER=cape-cc, with find_package(OpenMP)"
	run cmake --build made
	check "builds a program" is_of_cape made/prog
	run cape-run -np 2 made/prog
	stdout_is 45 "which runs on the nodes"
else
	skip 3 "there is no cmake"
fi
plan_done
