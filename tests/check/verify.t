#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --verify: replicas that differ are caught, by name and line; others are let alone.

. "$(dirname "$0")/../tap.sh"

# verify NODES PROGRAM: runs verify/PROGRAM.c, built once; its status is in $status.
verify() {
	run "${cape_run[@]}" -np "$1" --verify "$(compiled "check/verify/$2" -g)" </dev/null
}

says() {
	grep -qE -- "$1" "$work/stderr"
}

not_printed() {
	! grep -q -- "$1" "$work/stdout"
}

ended_well() {
	[ "$status" -eq 0 ] && grep -qx -- "$1" "$work/stdout"
}

failed_with_one_line() {
	[ "$status" -ne 0 ] && [ "$(wc -l <"$work/stderr")" -eq 1 ]
}

for nodes in 2 5; do
	verify "$nodes" static_variable
	check "np $nodes: a static variable that differs ends the run with one line" failed_with_one_line
	check "np $nodes: it is named, with the line of its declaration" \
		says "variable 'ticks'.*declared at .*static_variable.c:7"
	check "np $nodes: the sync point is named" says "static_variable.c:15 "
	check "np $nodes: both values are given" says "0x[0-9a-f]+ on node 0, 0x[0-9a-f]+ on node 1"

	verify "$nodes" automatic_variable
	check "np $nodes: a shared automatic variable that differs is named" says "variable 'ticks'"

	verify "$nodes" caller
	check "np $nodes: an array in a caller's frame that differs is found" \
		says "caller.c:8 the stack of the region's callers"

	verify "$nodes" in_region
	check "np $nodes: what was right before is printed" grep -q "first region done" "$work/stdout"
	check "np $nodes: the second region is not run" \
		not_printed "second region"
	check "np $nodes: a difference in the heap is found" says "in_region.c:9 memory at 0x"

	verify "$nodes" alike
	check "np $nodes: clocks, process numbers and random bytes are alike" \
		ended_well "999 1"

	verify "$nodes" handler
	check "np $nodes: what the kernel leaves for handlers is let be" ended_well "90"
done
plan_done
