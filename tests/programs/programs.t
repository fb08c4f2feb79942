#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# programs.t - every program in tests/programs prints under CAPE what it prints under OpenMP.
#
# Usage: tests/programs/programs.t [name ...]; all without names.  See compare.bash for the environment.
# Costs minutes, for it is hundreds of programs.  Each runs on 3 nodes that exchange by need as hard as
# they can, and, by its name, in one more way; need-*, whose memory the system uses of which each node
# has a part, in five.  LONG=1: all in all ways, also on 16 nodes.
# Beside NAME.c there may be NAME.in (standard input), NAME.args (a line of arguments), NAME.status
# (the exit status, if not 0), NAME.sorted (threads print in any order: compare sorted lines), NAME.env
# (words of the form VARIABLE=VALUE for the environment).

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

others=(2 4 5/eager 2 1)
need="2 3 3/stress 5/stress 3/eager"

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
		echo "3/stress 7"
	else
		echo "3/stress ${others[number % ${#others[@]}]}"
	fi
}

folder=$root/tests/programs
if (($# == 0)); then
	for source in "$folder"/*.c; do
		set -- "$@" "$(basename "$source" .c)"
	done
fi
for name in "$@"; do
	stem=$folder/$name input=/dev/null order=
	[[ -e $stem.in ]] && input=$stem.in
	[[ -e $stem.sorted ]] && order=sorted
	add_program "$(runs_of "$name")" "$name" "$stem.c" "$(first_line "$stem.args" "")" "$input" \
		"$(first_line "$stem.status" 0)" "$order" "$(first_line "$stem.env" "")"
done
run_programs
