#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --races names what two nodes changed at a time; locks that are used wrongly end the run.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

# ends_with_one_line NAME: an error, told in one line.
ends_with_one_line() {
	check "$1: the run ends with an error" is "$((status != 0 && status != 124))" 1
	check "$1: told in one line" is "$(wc -l <"$work/stderr")" 1
}

plan 28
for nodes in 2 3; do
	run "${cape_run[@]}" -np "$nodes" --races "$(compiled check/races/counter -g)"
	ends_with_one_line "np $nodes, a counter"
	stderr_has "variable 'total' .declared at .*counter.c:6" "np $nodes: the variable is named"
	stderr_has "counter.c:10 nodes" "np $nodes: and the construct"
	stderr_has "them: [1-3] and [1-3]$" "np $nodes: and both values"

	run "${cape_run[@]}" -np "$nodes" --races "$(compiled check/races/automatic -g)"
	stderr_has "variable 'written'" "np $nodes: an automatic variable is named"

	run "${cape_run[@]}" -np "$nodes" --races "$(compiled check/races/two_names -g)"
	stderr_has "variable 'sum'" "np $nodes: two locks for one variable order nothing"

	run "${cape_run[@]}" -np "$nodes" --races "$(compiled check/races/none -g)"
	stdout_is "7 435 99 30 99 5" "np $nodes: no race is found where there is none"

	run "${cape_run[@]}" -np "$nodes" "$(compiled check/races/counter -g)"
	is_status 0 "np $nodes: nobody looks without --races"
done

run "${cape_run[@]}" -np 2 "$(compiled check/misuse/lock_twice -g)"
ends_with_one_line "a lock set twice"
stderr_has "node 1: omp_set_lock.*variable 'door'.*lock_twice.c:13" "it says which and where"

run "${cape_run[@]}" -np 2 "$(compiled check/misuse/lock_foreign -g)"
stderr_has "node 0: omp_unset_lock.*variable 'door'" "so it does of another's lock"

run "${cape_run[@]}" -np 2 "$(compiled check/misuse/critical_twice -g)"
ends_with_one_line "a critical construct inside itself"
stderr_has "critical_twice.c:9 .*same name, gate (.*critical_twice.c:17)" "it says which and where"

run "${cape_run[@]}" -np 2 "$(compiled check/misuse/unsaid -g)"
ends_with_one_line "a construct that the program did not say it has"
stderr_has "unsaid.c:[0-9]*: a critical.* did not announce" "it says where"
