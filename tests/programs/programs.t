#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# programs.t - every program in tests/programs prints under CAPE what it prints under OpenMP.
#
# Usage: tests/programs/programs.t [name ...]; all without names.  See compare.bash for the environment.
# Costs minutes, for it is hundreds of programs.  Each runs on 3 nodes that exchange by need as hard as
# they can, and, by its name, in one more way; need-*, whose memory the system uses of which each node
# has a part, in five.  One of these ways is over Open MPI, whose start costs most of what a program
# does; the others take the wire that is for tests.  LONG=1: all in all ways, also on 16 nodes.
# Beside NAME.c there may be NAME.in (standard input), NAME.args (a line of arguments), NAME.status
# (the exit status, if not 0), NAME.sorted (threads print in any order: compare sorted lines), NAME.env
# (words of the form VARIABLE=VALUE for the environment).

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

pairs=("3/stress:test 2" "3/stress 4:test" "3/stress 5/eager:test" "3/stress:test 2" "3/stress 1")
need="2:test 3:test 3/stress 5/stress:test 3/eager:test"

# runs_of NAME
runs_of()
{
	local number

	number=$(cksum <<< "$1")
	number=${number%% *}
	if [[ -n ${LONG-} ]]; then
		echo "$need 1 4 5 7 2/stress 5/eager 16"
	elif [[ $1 == need-* ]]; then
		echo "$need"
	elif ((number / 3 % 10 == 0)); then
		echo "3/stress 7:test"
	else
		echo "${pairs[number % ${#pairs[@]}]}"
	fi
}

if (($# == 0)); then
	mapfile -t named < <(all_named)
	set -- "${named[@]}"
fi
add_named "$@"
run_programs
