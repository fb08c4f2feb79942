#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How runs start and end when something is in the way: limits, signals, strangers, words for mpirun.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/background.bash"

plan 8

folder=$work/programs
echo_program=$folder/echo-$$

build_programs() {
	mkdir "$folder"
	cape-cc -O2 -g "$root/tests/cli/echo.c" -o "$echo_program" &&
		cape-cc -O2 -g "$root/tests/cli/parted.c" -o "$folder/parted"
}

# mpirun takes a lone ":" for the end of one program's command and starts what follows.
test_colon() {
	run cape-run -np 2 "$echo_program" a : -np 1 touch "$work/touched" </dev/null
	stdout_has '^argument 2: <:>$' 'a lone ":" is an argument as any other'
	check "and starts nothing" test ! -e "$work/touched"
	run cape-run -np 2 --wdir : "$echo_program"
	refused 2 '^cape-run: --wdir :: ' "as an option's value it is refused"
}

# The others need no time to find out: the node that ended tells how far it came.
test_parted() {
	local model before
	for model in spmd scatter; do
		before=$EPOCHREALTIME
		run cape-run -np 3 --model "$model" "$folder/parted" "$work/made-$model" </dev/null
		stderr_has 'node [0-2] ended with exit status 5 while node [0-2] waits at .*parted\.c:[0-9]+' \
			"$model: a node that ends alone is named"
		note "$model: ended after $(bc <<<"$EPOCHREALTIME - $before") s"
	done
}

test_limits() {
	run bash -c 'ulimit -n 40; cape-run -np 2 "$0" </dev/null' "$echo_program"
	refused 1 'fewer than 1024 files may be open here; raise' "few open files are allowed: refused"
	run bash -c 'ulimit -Sn 40; cape-run -np 2 "$0" </dev/null' "$echo_program"
	stdout_has 'on 0 of 2' "few, but the limit can be raised: it is"
	is_status 0 "with success"
}

build_programs || {
	echo "Bail out! cape-cc does not build tests/cli/*.c" >&3
	exit 1
}
test_colon
test_parted
test_limits
