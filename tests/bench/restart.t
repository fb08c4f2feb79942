#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart.t - what cape-bench's experiment restart measures of one run.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
plan 4
test_limit=120

# value NAME: of what was measured.
value() {
	sed -n "s/^$1 //p" "$work/stdout"
}

export PYTHONPATH=$root/bench
run python3 -B -m cape_bench.restart 10 "$build/bin/cape-run" -np 2 -- \
	"$build/lib/cape/bench/cape/saved" 4 400 40
is_status 0 "a run is measured alone, saved, and going on"
check "it was saved" [ "$(value saves)" -gt 0 ]
size=$(value set_bytes)
check "a save has what changed, and not more than there is" \
	[ $((size > (4 << 20) / 10 && size < 5 << 20)) = 1 ]
check "times are there" grep -q '^restart_reads [0-9.]*$' "$work/stdout"
