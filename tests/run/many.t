#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# More nodes than a word has bits, by need: what they hold and fetch is the same as for few.
# On this machine without mpirun, whatever LONG says: it takes a minute to start as many by it.
. "$(dirname "$0")/../tap.sh"

plan "$([[ -n ${LONG-} ]] && echo 8 || echo 7)"

# by_need NODES WAY [SEED]: all values come, and pages were fetched.
by_need() {
	CAPE_TEST_PAGES=1 run cape-run --wire "test${3+:$3}" -np "$1" --exchange "$2" --verify --stats=json "$work/many"
	check "$1 nodes hold pages together, --exchange $2${3+, as if apart}" is "$status $(cat "$work/stdout")" "0 0 wrong"
	check "... and fetch them" jq -e '[.nodes[].sent_fetched_bytes] | add > 4096 * length' "$work/stderr"
}

check "a program is built" cape-cc -O2 "$root/tests/run/need/many.c" -o "$work/many"
by_need 65 stress
by_need 100 need
# Of this seed as if each were on a machine of its own: what is pushed goes with exchanges.
by_need 70 need 3
if [[ -n ${LONG-} ]]; then
	run cape-run --wire test -np 260 --verify "$work/many"
	check "260 nodes run it" is "$status $(cat "$work/stdout")" "0 0 wrong"
fi
