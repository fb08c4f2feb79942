#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --verify: replicas that differ are caught, by name and line; others are let alone.

set -u
cd "$(dirname "$0")/.." || exit 1
build=${CAPE_BUILD:-build}
cape_cc=$(realpath "$build")/bin/cape-cc
cape_run=$(realpath "$build")/bin/cape-run
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0

# check DESCRIPTION COMMAND...: one test, passed when COMMAND succeeds.
check() {
	local description=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $description"
	else
		echo "not ok $count - $description"
		sed 's/^/# /' "$scratch/stdout" "$scratch/stderr"
	fi
}

# run NODES PROGRAM: builds tests/verify/PROGRAM.c and runs it; its status is in $status.
run() {
	"$cape_cc" -O2 -g "tests/verify/$2.c" -o "$scratch/$2" || exit 1
	timeout 60 "$cape_run" -np "$1" --verify "$scratch/$2" \
		</dev/null >"$scratch/stdout" 2>"$scratch/stderr"
	status=$?
}

says() {
	grep -qE -- "$1" "$scratch/stderr"
}

not_printed() {
	! grep -q -- "$1" "$scratch/stdout"
}

ended_well() {
	[ "$status" -eq 0 ] && grep -qx -- "$1" "$scratch/stdout"
}

failed_with_one_line() {
	[ "$status" -ne 0 ] && [ "$(wc -l <"$scratch/stderr")" -eq 1 ]
}

for nodes in 2 5; do
	run "$nodes" static_variable
	check "np $nodes: a static variable that differs ends the run with one line" failed_with_one_line
	check "np $nodes: it is named, with the line of its declaration" \
		says "variable 'ticks'.*declared at .*static_variable.c:7"
	check "np $nodes: the sync point is named" says "static_variable.c:15 "
	check "np $nodes: both values are given" says "0x[0-9a-f]+ on node 0, 0x[0-9a-f]+ on node 1"

	run "$nodes" automatic_variable
	check "np $nodes: a shared automatic variable that differs is named" says "variable 'ticks'"

	run "$nodes" caller
	check "np $nodes: an array in a caller's frame that differs is found" \
		says "caller.c:8 the stack of the region's callers"

	run "$nodes" in_region
	check "np $nodes: what was right before is printed" grep -q "first region done" "$scratch/stdout"
	check "np $nodes: the second region is not run" \
		not_printed "second region"
	check "np $nodes: a difference in the heap is found" says "in_region.c:9 memory at 0x"

	run "$nodes" alike
	check "np $nodes: clocks, process numbers and random bytes are alike" \
		ended_well "999 1"
done
echo "1..$count"
