#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What messages on data races say: who, which part of which variable, values by their types, and
# where memory was allocated; cape-cc --check-races, which finds those with reads, too, and all.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

# race NAME: runs it with --races.
race() {
	run "${cape_run[@]}" -np 4 --races "$(compiled "check/races/$1" -g)"
}

# checked NP NAME [OPTION...]: built with --check-races, on NP nodes.
checked() {
	local nodes=$1 name=$2
	shift 2
	run "${cape_run[@]}" -np "$nodes" "$(compiled "check/races/$name" "$@" --check-races)"
}

# ended: starts the program that has no end, and ends the run by a signal.
ended() {
	local program
	program=$(compiled check/races/endless -g --check-races)
	command_text="cape-run -np 2 $program on; kill -TERM"
	"${cape_run[@]}" -np 2 "$program" on >"$work/stdout" 2>"$work/stderr" </dev/null &
	soon grep -q enough "$work/stdout"
	kill -TERM $!
	status=0
	wait $! || status=$?
}

plan 37
race equal
is_status 1 "equal values of equal shares are a race"
stderr_has "variable 'count' .declared at .*equal.c:7.*: both wrote 25$" "both wrote 25"
race maximum
stderr_has "variable .most. .*: (24|49|74) and 99$" "a double is shown as one"
race member
stderr_has "variable 'parts.2..3..v.1.'.*: 300 and 2175$" "elements and members have names"
race row
stderr_has "'rows.3..4.' in the block of 40 bytes allocated at row.c:11 .*: 312.5 and 2187.5$" \
	"of the heap, the pointer and the allocation"

run "${cape_run[@]}" -np 4 --races "$(compiled check/races/equal)"
stderr_has "variable 'count' .*: both wrote 0x19; build with -g" "without -g: in hexadecimal"
run "${cape_run[@]}" -np 4 --races "$(compiled check/races/row)"
stderr_has "byte 16 in the block of 40 bytes .*build with -g" "and bytes of the heap by number"
run "${cape_run[@]}" -np 4 "$(compiled check/races/equal)"
stdout_is 25 "nobody looks without --races"

checked 3 sweep
is_status 66 "--check-races: a status of its own"
stdout_is 0 "the program runs to its end"
place="'a.33.' in the block of 800 bytes allocated at sweep.c:17; nothing orders the two; .*33.5 on"
stderr_has "race: node 1 reads at sweep.c:25 and node 0 writes at sweep.c:26: $place" \
	"a read before another node's write"
place="'a.34.' in the block of 800 bytes allocated at sweep.c:17; nothing orders the two; .*34.5 on"
stderr_has "race: node 1 writes at sweep.c:26 and node 0 reads at sweep.c:23: $place" \
	"both lines, the element, its value and where it was allocated"
stderr_has "cape-run: 2 data races$" "all of them, each once"

checked 4 equal
stderr_has "node 0 writes at equal.c:11 and node 1 writes .*'count' .*: *.* 25 on node 1$" \
	"equal values of equal shares"
checked 2 equal
is_status 66 "with 2 nodes as well"
checked 2 member
stderr_has "'parts.2..3..v.1.' .declared at .*member.c:11.*1225 on node 0" "members have names"
checked 3 row
stderr_has "'rows.3..4.' in the block of 40 bytes allocated at row.c:11" "and rows"
checked 2 two_names
stderr_has "writes at two_names.c:.* writes at two_names.c:35: variable .sum." \
	"two locks for one variable order nothing"

checked 2 shown
stdout_is 1 "who waits for a write that races sees it"
stderr_has "node 0 writes at shown.c:13 and node 1 reads .atomic. at shown.c:18: variable .flag." \
	"and is told of the race"

# Nobody compares all accesses of a run that comes to no synchronization point.
left="race: at or before .*endless.c:.* nodes [01] and [01] changed variable .count. .*: -?[0-9]+ and"
run "${cape_run[@]}" -np 2 "$(compiled check/races/endless -g --check-races)"
stderr_has "killed by signal 6" "a run that fails behind a race"
stderr_has "$left" "says what was seen of it"
ended
is_status 143 "so does one that is ended by a signal"
stderr_has "$left" "because a race keeps it from its end"
run "${cape_run[@]}" -np 2 "$(compiled check/races/endless -g --check-races)" same
check "what a critical construct orders is no race then" is "$(grep -c race: "$work/stderr")" 0

checked 2 tasks # of a single construct, which either node may take
stderr_has "node ([01]) writes at tasks.c:13 and another task of node \\1 writes at .*13: .*count" \
	"tasks race though one node runs them in order"
stderr_has "node ([01]) writes at tasks.c:51 and another task of node \\1 reads at .*54: .*inner" \
	"taskwait waits for no task inside a task"
stderr_has "cape-run: 3 data races$" "and what is ordered is none"

for nodes in 2 4; do
	checked "$nodes" ordered
	stdout_is "50 63 64 99 46 1" "np $nodes: ordered accesses: the program's own output"
	is_status 0 "np $nodes: and no race"
done
checked 3 none
is_status 0 "nor where other things order them"
run "${cape_run[@]}" -np 3 "$(compiled check/races/none --check-sets)"
is_status 0 "nor where loops are described"
CAPE_CC=clang checked 2 ordered
is_status 0 "nor as clang instruments it"
program=$(compiled check/races/ordered -g --check-races)
run "$program"
stderr_has "none with one node; cape-run -np N makes N nodes" "one node alone says that it finds none"
run "${cape_run[@]}" -np 1 "$program"
stderr_has "none with one node" "also where it is started by cape-run"
