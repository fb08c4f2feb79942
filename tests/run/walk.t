#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# walk.t - three nodes and two pages: from every state that they come to, all that can happen.
# LONG=1: for minutes each, in place of seconds.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

factor=1
[ -z "${LONG-}" ] || factor=50
test_limit=$((200 * factor))
fine=
export CAPE_TEST_PAGES=1

build() {
	"${CC-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -g -I"$root/libcape/include" -I"$root/libcape" -c \
		-o "$work/outside.o" "$root/tests/run/walk/outside.c" &&
		cape-cc -O2 -g -o "$work/walk" "$root/tests/run/walk/walk.c" "$work/outside.o"
}

# How many different events were tried, in how many states together.
tried() {
	sed -n 's/^right: [0-9]* states, \([0-9]*\) of .*/\1/p' "$work/stdout"
}

# walk WAY STEPS LEAST OPTION...: so many events are tried, and every node sees what is right.  With
# $fine, states differ in how nodes have written to a page, so there are more.
walk() {
	local way=$1 steps=$(($2 * factor)) least=$3
	shift 3
	rm -f "$work/memory"
	truncate --size=64M "$work/memory"
	run "$@" -np 3 "$work/walk" "$work/memory" "$steps" ${fine:+fine}
	is_status 0 "$way: every word that is read is one that may be seen there"
	note "$(cat "$work/stdout")"
	check "... and much was tried" [ "$(tried)" -ge "$least" ]
}

check "the program builds" build
walk "by need" 200000 20000 "${cape_run[@]}" --exchange need
stdout_has ', seen ff$' "... with pages in all of their states"
fine=1
walk "finely" 200000 50000 "${cape_run[@]}" --exchange need
fine=
walk "over Open MPI" 50000 5000 cape-run --exchange need
walk "on machines of their own" 20000 2000 cape-run --wire test:1 --exchange need
walk "as hard as it can be" 100000 10000 "${cape_run[@]}" --exchange stress
for seed in 1 2; do
	export CAPE_TEST_LEARN=$seed
	walk "learning at random, $seed" 100000 10000 "${cape_run[@]}" --exchange need --verify
done
unset CAPE_TEST_LEARN
walk "eagerly" 50000 5000 "${cape_run[@]}" --exchange eager
plan_done
