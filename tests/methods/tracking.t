#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a region publishes often, what it compares each time is what was written, not all memory:
# from when that begins to pay, and again after it has not.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

if [ "$(printf '%s\n' 6.7 "$(uname -r)" | sort -V | head -n 1)" != 6.7 ]; then
	echo "1..0 # SKIP Linux $(uname -r) has no asynchronous write protection (6.7 and later)"
	exit 0
fi

# What the node that compared most has compared, in MiB.
compared() {
	grep -o '"compared_bytes": [0-9]*' "$work/stderr" | awk '$2 > most { most = $2 }
		END { print int(most / 1048576) }'
}

plan 4
cape-cc -O2 "$root/tests/methods/capture/tracking.c" -o "$work/tracking" || exit
declare -A printed=([late]="612 549755290200" [again]="612 3848287027800")
for way in late again; do
	run "${cape_run[@]}" -np 2 --exchange eager --stats=json "$work/tracking" $way
	stdout_is "${printed[$way]}" "$way: the program prints what it should"
	# 300 times 8 MiB, were all compared each time.
	check "$way: no more than 1000 MiB are compared ($(compared))" test "$(compared)" -lt 1000
done
