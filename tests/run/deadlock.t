#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# deadlock.t - a program that cannot go on is ended, and told where each of its nodes waits.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

plan 21

build_programs() {
	local source
	for source in "$root"/tests/run/deadlock/*.c; do
		cape-cc -O2 "$source" -o "$work/$(basename "$source" .c)" || return
	done
}

# line_of PATTERN PROGRAM: where the source has it.
line_of() {
	grep -n -- "$1" "$root/tests/run/deadlock/$2.c" | head -n 1 | cut -d : -f 1
}

# each_node NODES PATTERN NAME: every node has a line in the message, and it has the pattern.
each_node() {
	check "$3" is "$(grep -cE -- "^  node [0-9]+ $2" "$work/stderr")" "$1"
}

check "the programs are built" build_programs

run "${cape_run[@]}" -np 3 "$work/crossed"
is_status 1 "crossed locks end the run"
stderr_has "deadlock: no node can go on" "crossed locks are called a deadlock"
line=$(line_of "omp_set_lock(&lock\[next\])" crossed)
each_node 3 "waits at .*crossed\.c:$line for a lock that node [0-2] holds" \
	"for each node: where, and who holds the lock"

run timeout 60 "${cape_run[@]}" -np 2 --threads 2 "$work/crossed"
is_status 1 "crossed locks of threads end the run"
each_node 2 "waits at .*crossed\.c:$line with all its threads, one for a lock that node [0-1] holds" \
	"for each node of two threads: where, and who holds a lock"

run timeout 60 "${cape_run[@]}" -np 2 --threads 2 --exchange eager "$work/turns"
is_status 1 "turns that do not come end the run of threads"
each_node 2 "waits at .*turns\.c:[0-9]+ with all its threads, one for" "for each node: where"

run "${cape_run[@]}" -np 4 "$work/critical-barrier"
is_status 1 "a barrier in a critical section ends the run"
line=$(line_of "omp barrier" critical-barrier)
each_node 1 "waits at .*critical-barrier\.c:$line for all nodes to come" \
	"one node waits at the barrier"
line=$(line_of "omp critical" critical-barrier)
each_node 3 "waits at .*critical-barrier\.c:$line for a critical construct that node [0-3] is in\$" \
	"the others wait at the critical section"

run "${cape_run[@]}" -np 3 "$work/kept"
is_status 1 "a lock that is kept ends the run"
line=$(grep -n omp_set_lock "$root/tests/run/deadlock/kept.c" | tail -n 1 | cut -d : -f 1)
each_node 2 "waits at .*kept\.c:$line for a lock that node 0 holds" \
	"two nodes wait for it"
each_node 1 "waits at .*kept\.c:[0-9]+ for all nodes to come" \
	"its holder waits at the region's end"

run "${cape_run[@]}" -np 3 "$work/two-barriers"
is_status 1 "different barriers end the run"
each_node 3 "waits at .*two-barriers\.c:(11|14)$" "for each node: at which it waits"

run "${cape_run[@]}" -np 2 "$work/two-turns"
stderr_has "two-turns\.c:10: node [01]: an iteration .*two-turns\.c:7 comes to 'ordered' a second time" \
	"two turns of one iteration are called that"

run "${cape_run[@]}" -np 3 --verify "$work/slow"
is_status 0 "who only takes long is let alone"
stdout_is "3 turns" "and comes to its end"

run "${cape_run[@]}" -np 2 --threads 2 "$work/slow"
is_status 0 "so is a thread that takes long"
stdout_is "4 turns" "while all others wait for it"
