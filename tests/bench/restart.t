#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart.t - what cape-bench's experiment restart measures of one run.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
plan 5

# value NAME: of what was measured.
value() {
	sed -n "s/^$1 //p" "$work/stdout"
}

export PYTHONPATH=$root/bench
run python3 -B -m cape_bench.restart $(((4 << 20) / 10)) "$build/bin/cape-run" -np 2 -- \
	"$build/lib/cape/bench/cape/saved" 4 10 1000
is_status 0 "a run is measured alone, saved, and going on"
check "it was saved" [ "$(value saves)" -gt 0 ]
size=$(value set_bytes)
check "the first save has all there is, and not more" [ $((size > 4 << 20 && size < 5 << 20)) = 1 ]
check "the others have what changed, and not more" \
	awk "BEGIN { exit !($(value increment_ratio) > 0.9 && $(value increment_ratio) < 1.05) }"
check "times are there" grep -q '^restart_reads [0-9.]*$' "$work/stdout"
