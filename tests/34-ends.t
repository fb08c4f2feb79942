#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How runs start and end when something is in the way: limits, signals, strangers, words for mpirun.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/background.bash"

plan 3

folder=$work/programs
echo_program=$folder/echo-$$

build_programs() {
	mkdir "$folder"
	cape-cc -O2 -g "$root/tests/cli/echo.c" -o "$echo_program"
}

# mpirun takes a lone ":" for the end of one program's command and starts what follows.
test_colon() {
	run cape-run -np 2 "$echo_program" a : -np 1 touch "$work/touched" </dev/null
	stdout_has '^argument 2: <:>$' 'a lone ":" is an argument as any other'
	check "and starts nothing" test ! -e "$work/touched"
	run cape-run -np 2 --wdir : "$echo_program"
	refused 2 '^cape-run: --wdir :: ' "as an option's value it is refused"
}

build_programs || {
	echo "Bail out! cape-cc does not build tests/cli/*.c" >&3
	exit 1
}
test_colon
