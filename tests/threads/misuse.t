#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# misuse.t - locks that threads use wrongly: the run ends, and says which thread did it where.
. "$(dirname "$0")/../tap.sh"

source=$root/tests/threads/misuse.c
cape-cc -g -O1 "$source" -o "$work/misuse" || exit 1
ulimit -c 0
exec 2>/dev/null # for the shell's own words on each death

line() {
	grep -nF "/* $1 */" "$source" | cut -d: -f 1
}

# tells WAY WHAT
tells() {
	run "$work/misuse" "$1"
	is_status 134 "$1: the run ends"
	stderr_has "^cape: thread 1 of 3: $2, at .*misuse\.c:$(line "$1")$" "... and says where"
	run cape-run --threads 3 "$work/misuse" "$1" </dev/null
	stderr_has "^cape: thread 1 of 3: $2, at .*misuse\.c:$(line "$1")$" "... by cape-run, too"
	check "... once" is "$(wc -l <"$work/stderr")" 1
	run cape-run --threads 3 --stats "$work/misuse" "$1" </dev/null
	stderr_has "^cape-run: thread 1 of 3: $2: .*(lock|nest).*, at .*misuse\.c:$(line "$1")$" \
		"... with a monitor with the lock's name"
}

tells unset "omp_unset_lock\(\) of a lock that is not set"
tells destroy "omp_destroy_lock\(\) of a lock that is set"
tells twice "omp_set_lock\(\) would wait for this thread itself, which has set the lock already"
tells nest "omp_unset_nest_lock\(\) of a lock that is not set"
tells destroy-nest "omp_destroy_nest_lock\(\) of a lock that is set"
tells garbage "a lock that omp_init_lock\(\) has not made is set"
run "$work/misuse"
stdout_is well "a right use"
plan_done
