#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What messages on data races say: who, which part of which variable, values by their types, and
# where memory was allocated.

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/tap.sh"

# compiled NAME [OPTION...]: the executable of tests/races/NAME.c.
compiled() {
	local name=$1
	shift
	cape-cc -O2 "$@" -o "$work/$name" "$root/tests/races/$name.c" || exit 1
	echo "$work/$name"
}

# race NAME: runs it with --races.
race() {
	run cape-run -np 4 --races "$(compiled "$1" -g)"
}

plan 8
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

run cape-run -np 4 --races "$(compiled equal)"
stderr_has "variable 'count' .*: both wrote 0x19; build with -g" "without -g: in hexadecimal"
run cape-run -np 4 --races "$(compiled row)"
stderr_has "byte 16 in the block of 40 bytes .*build with -g" "and bytes of the heap by number"
run cape-run -np 4 "$(compiled equal)"
stdout_is 25 "nobody looks without --races"
