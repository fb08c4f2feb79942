#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 71-waits.t - loops that wait for another node, or only seem to.

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/tap.sh"

plan 5

build_programs() {
	local source
	for source in "$root"/tests/waits/*.c; do
		cape-cc -O2 "$source" -o "$work/$(basename "$source" .c)" || return
	done
}

check "the programs are built" build_programs

# 10 ns and more, if each look is a call that asks for the time.
run cape-run -np 2 "$work/hot"
is_status 0 "a hot loop that tests a volatile object ends"
turn=$(cat "$work/stdout")
note "a turn takes $turn ns"
check "each of its looks is cheap" test "$turn" -lt 8

run cape-run -np 2 --verify "$work/working"
is_status 0 "a loop that works is ended by another node's volatile object"
stdout_is soon "and soon"
