#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# programs.t - every program in tests/programs prints under CAPE what it prints under OpenMP.
#
# Usage: tests/programs/programs.t [name ...]; all without names.  See compare.bash for the environment.
# Costs minutes, for it is hundreds of programs.  Each runs on 3 nodes that exchange by need as hard as
# they can, and, by its name, in one more way and on nodes of several threads; need-*, whose memory the
# system uses of which each node has a part, in four.  One program in four goes over Open MPI in one of these ways: its start costs
# most of what a program does, and what it carries is the same for each.  All else takes the wire that
# is for tests.  LONG=1: all in all ways, also on 16 nodes, and over Open MPI.
# Beside NAME.c there may be NAME.in (standard input), NAME.args (a line of arguments), NAME.status
# (the exit status, if not 0), NAME.sorted (threads print in any order: compare sorted lines), NAME.env
# (words of the form VARIABLE=VALUE for the environment).

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

pairs=("3/stress 2" "3/stress 4" "3/stress 5/eager" "3/stress 2" "3/stress 1")
# Nodes of several threads.
threads=("2x2" "3x2/stress" "2x3" "2x2/eager")
need=("2 5/stress" "3 3/eager" "2 3/eager")

# runs_of NAME
runs_of()
{
	local number ways

	number=$(cksum <<< "$1")
	number=${number%% *}
	if [[ -n ${LONG-} ]]; then
		echo "2 3 3/stress 5/stress 3/eager 1 4 5 7 2/stress 5/eager 16 ${threads[*]} 4x4"
		return
	elif [[ $1 == need-* ]]; then
		ways="3/stress ${need[number / 5 % ${#need[@]}]}"
	elif ((number / 3 % 10 == 0)); then
		ways="3/stress 7"
	else
		ways=${pairs[number % ${#pairs[@]}]}
	fi
	ways+=" ${threads[number / 2 % ${#threads[@]}]}"
	ways=${ways// /:test }:test
	ways=${ways/ 1:test/ 1}
	# Where nodes share no memory, as with this seed, what is planned is sent, and programs have
	# sockets between them.
	[[ $1 != @(planned|pipeline|files-many)* ]] || ways=${ways/3\/stress:test/3\/stress:test:1}
	((number / 7 % 4)) || ways=${ways/3\/stress:test /3\/stress }
	echo "$ways"
}

mapfile -t chosen < <(all_named)
run_chosen "$@"
