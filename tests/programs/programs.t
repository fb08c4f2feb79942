#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# programs.t - every program in tests/programs prints under CAPE what it prints under OpenMP.
#
# Usage: tests/programs/programs.t [name ...]; all without names.  See compare.bash for the environment.
# Beside NAME.c there may be NAME.in (standard input), NAME.args (a line of arguments), NAME.status
# (the exit status, if not 0), NAME.sorted (threads print in any order: compare sorted lines), NAME.env
# (words of the form VARIABLE=VALUE for the environment).

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../compare.bash"

# first_line FILE DEFAULT
first_line()
{
	if [[ -e $1 ]]; then
		head -n 1 "$1"
	else
		echo "$2"
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
	add_program "$name" "$stem.c" "$(first_line "$stem.args" "")" "$input" \
		"$(first_line "$stem.status" 0)" "$order" "$(first_line "$stem.env" "")"
done
run_programs
