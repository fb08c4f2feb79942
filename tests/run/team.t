#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# team.t - a team of another size than the program or the user asked for is told of, in one line.
. "$(dirname "$0")/../tap.sh"

cape-cc -w -O1 "$root/tests/run/team/asks.c" -o "$work/asks" || exit 1

# asks NODES ARGUMENT [VARIABLE=VALUE...]
asks()
{
	local nodes=$1 way=$2
	shift 2
	run env "$@" "${cape_run[@]}" -np "$nodes" --verify "$work/asks" "$way" </dev/null
}

quiet()
{
	[[ $status -eq 0 && ! -s $work/stderr ]]
}

# says TEXT: the program ended well, and that is the only line.
says()
{
	[[ $status -eq 0 && $(<"$work/stderr") == "$1" ]]
}

line()
{
	grep -n "$1" "$root/tests/run/team/asks.c" | tail -n 1 | cut -d: -f 1
}

file=$root/tests/run/team/asks.c
clause=$file:$(line "num_threads(8)") region=$file:$(line "omp parallel$")

asks 2 clause
check "num_threads(8) on 2 nodes: one line, with the place" \
	says "cape: asked for 8 threads at $clause, there are 2 nodes; cape-run -np 8 makes as many"
stdout_is 2 "and the team has 2"
asks 1 routine
check "omp_set_num_threads(8) on 1 node" \
	says "cape: asked for 8 threads at $region, there is 1 node; cape-run -np 8 makes as many"
many="cape: asked for 8 threads at $region, there are 2 nodes; cape-run -np 8 makes as many"
asks 2 counted
check "omp_set_num_threads(8), read back: what that may leave undone" \
	says "$many; with fewer, work that is divided by omp_get_max_threads() is left undone"
stdout_is $'8\n2' "and omp_get_max_threads() gave 8"
asks 2 counted OMP_THREAD_LIMIT=2
check "read back where the user has set a limit: no word" quiet
stdout_is $'2\n2' "and omp_get_max_threads() gave 2"
asks 8 clause
check "as many nodes as asked for: no word" quiet
asks 2 dynamic
check "nor where the program leaves it to the run time" quiet
asks 2 if
check "nor of a region that is not active" quiet
asks 2 clause OMP_THREAD_LIMIT=2
check "nor where the user has set a limit" quiet
asks 4 "" OMP_NUM_THREADS=1
check "OMP_NUM_THREADS=1 on 4 nodes: one line" \
	says "cape: OMP_NUM_THREADS=1 leaves 3 of 4 nodes without work at $region; unset it to use all"
stdout_is 1 "and the team has 1"
asks 2 "" OMP_NUM_THREADS=2
check "OMP_NUM_THREADS as there are nodes: no word" quiet
asks 2 "" OMP_NUM_THREADS=16
check "nor where it is more" quiet
plan_done
