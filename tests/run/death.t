#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# death.t - where a program died of a signal is said, if debug information tells it.
. "$(dirname "$0")/../tap.sh"

source=$root/tests/run/death/die.c
cape-cc -g -O1 "$source" -o "$work/die" || exit 1
cape-cc -O1 "$source" -o "$work/plain" || exit 1

line() {
	grep -nF "$1" "$source" | head -n 1 | cut -d: -f 1
}

# dies NODES WAY STATUS TEXT: by the signal that is in the status; TEXT is the line that does it.
dies() {
	run cape-run -np "$1" "$work/die" "$2" </dev/null
	is_status "$3" "np $1, $2: status $3"
	stderr_has "in end\(\) at die.c:$(line "$4"), in sequential code, after the construct" \
		"np $1, $2: function and line"
	stdout_is "" "np $1, $2: no other handler is seen"
}

for nodes in 1 3; do
	dies $nodes write 139 "*nowhere = 3"
	dies $nodes copy 139 "memcpy(nowhere"
done
run cape-run -np 2 "$work/die" divide </dev/null
is_status 136 "a division by 0"
stderr_has "in sequential code, after the construct" "whose signal the program has set by itself"
dies 2 call 139 "(void (*)(void))nowhere"
run cape-run -np 2 "$work/die" write inside </dev/null
stderr_has "in end\(\) at die.c:$(line "*nowhere = 3"), in a parallel region, at or after the construct" \
	"in a region, too"
# What a compiler makes of a region's block is a function of its own.
cat >"$work/block.c" <<-'END'
	int main(void)
	{
		volatile int *nowhere = 0;
	#pragma omp parallel
		{
			*nowhere = 1;
		}
		return 0;
	}
END
for compiler in gcc clang; do
	CAPE_CC=$compiler cape-cc -g -O1 "$work/block.c" -o "$work/block"
	run cape-run -np 2 "$work/block" </dev/null
	stderr_has ", (in main\(\) )?at block.c:6, in a parallel region, at or after the construct" \
		"in a region's block, by $compiler"
done
cat >"$work/short.c" <<-'END'
	static int a[200], one = 1;
	int main(void)
	{
	#pragma omp parallel
		for (int round = 0; round < 20000; round++) {
	#pragma omp for
			for (int i = 0; i < 200; i++)
				a[i] += *(round == 19999 && i == 150 ? (int *)16 : &one);
		}
		return 0;
	}
END
cape-cc -g -O1 "$work/short.c" -o "$work/short"
run cape-run -np 2 "$work/short" </dev/null
stderr_has " at short.c:8, in a parallel region that every node runs in whole, at or after the construct" \
	"in a region that is not shared out"
run cape-run -np 2 --exchange eager "$work/die" write </dev/null
stderr_has "in end\(\) at die.c" "with --exchange eager, too"
run cape-run -np 2 "$work/plain" write </dev/null
is_status 139 "without debug information: the status"
stderr_has "signal 11 \(Segmentation fault\), in sequential code" "and the construct"
cat >"$work/asserts.c" <<-'END'
	#include <assert.h>
	int main(int argc, char **argv)
	{
		(void)argv;
		assert(argc > 1);
		return 0;
	}
END
cape-cc "$work/asserts.c" -o "$work/asserts"
for ((told = 0; told < 20; told++)); do
	run cape-run -np 3 "$work/asserts" </dev/null
	grep -q 'Assertion .argc > 1. failed' "$work/stderr" || break
done
check "whichever node is the first to die, node 0 has its say before" is "$told" 20
for nodes in 1 2; do
	run cape-run -np $nodes "$work/die" raise </dev/null
	is_status 135 "np $nodes: a signal that the program sends itself"
	run cape-run -np $nodes "$work/die" raise inside </dev/null
	is_status 135 "np $nodes: in a region, too"
done
run cape-run -np 2 "$work/die" none </dev/null
stdout_is 45 "a program that does not die prints what it prints"
check "and no more is said" [ ! -s "$work/stderr" ]

# Node 1 asks for a file of node 0's while node 0's program dies.
cape-cc -O1 "${source%/*}/asks.c" -o "$work/asks" || exit 1
cape-run -np 2 "$work/asks" "$work/file" "$work/pid" </dev/null >"$work/stdout" 2>"$work/stderr" &
process=$!
soon test -s "$work/pid"
soon test -s "$work/file"
kill -KILL "$(<"$work/pid")"
status=0
wait "$process" || status=$?
is_status 137 "the program dies whose files others use"
stderr_has "node 0: the program was killed by signal 9" "and that is told"
plan_done
