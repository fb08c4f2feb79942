#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stacks.t - regions' blocks on a stack apart from the program's: who looks at it, and its end.
. "$(dirname "$0")/../tap.sh"

cat >"$work/deep.c" <<'END'
#include <execinfo.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void show(int node)
{
	void *caller[64];
	int count = backtrace(caller, 64);

	if (omp_get_thread_num() == node)
		backtrace_symbols_fd(caller, count, 2);
}

__attribute__((noinline)) long take(long size)
{
	volatile char room[4096];

	memset((char *)room, 1, sizeof(room));
	return size > 0 ? take(size - (long)sizeof(room)) + room[7] : 0;
}

int main(int count, char **argument)
{
	long size = atol(argument[1]), pages = 0;

#pragma omp parallel reduction(+ : pages)
	{
		pages += take(size);
		show(count > 2);
	}
	printf("%d\n", pages > 0);
	return 0;
}
END
for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then
		skip 4 "$compiler is missing"
		continue
	fi
	CAPE_CC=$compiler cape-cc -g -O1 -rdynamic "$work/deep.c" -o "$work/deep"
	for node in "" 1; do
		# shellcheck disable=SC2086 # nothing, or one word
		run "${cape_run[@]}" -np 2 "$work/deep" 10000 $node </dev/null
		stdout_is 1 "$compiler: a block on node ${node:-0}"
		check "... backtrace() goes from it to main()" \
			eval 'grep -o "(show\|(main" "$work/stderr" | tr -d "\n" | grep -qFx "(show(main"'
	done
done
cape-cc -g -O1 "$work/deep.c" -o "$work/deep"

if command -v gdb >/dev/null; then
	run "${cape_run[@]}" -np 2 --attach "1:gdb -batch -ex 'handle SIGSEGV nostop noprint pass' \
		-ex 'break show' -ex continue -ex bt -ex finish -ex 'delete' -ex continue -p" \
		"$work/deep" 10000 </dev/null
	cat "$work/stderr" >>"$work/stdout"
	check "gdb finds the callers" \
		eval 'grep -oE "^#[0-9]+ .* (show|main) \(" "$work/stdout" | tail -1 | grep -q main'
	check "... and nothing wrong with the stack" \
		eval '! grep -iE "corrupt stack|previous frame" "$work/stdout"'
else
	skip 2 "gdb is missing"
fi

# limited SIZE: 1 MiB of stack is all there is, and a block takes SIZE bytes
limited() {
	run bash -c 'ulimit -s 1024; exec "$@"' "$0" "${cape_run[@]}" -np 2 "$work/deep" "$1" </dev/null
}
limited 500000
stdout_is 1 "a stack as large as the limit"
limited 4000000
is_status 139 "a block takes more"
stderr_has "killed by signal 11 \(Segmentation fault\), in take\(\) at deep.c:[0-9]+, in a parallel region" \
	"... which is said"
OMP_STACKSIZE=16M limited 4000000
stdout_is 1 "OMP_STACKSIZE is more than the limit"
OMP_STACKSIZE=4G limited 100000
stdout_is 1 "... however much"

plan_done
