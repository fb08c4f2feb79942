#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pages.t - what becomes of pages is in the table of libcape/memory/transitions.c: by CAPE_TEST_PAGES
# each node looks it up, and an event that this names is found as if the table did not have it.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

events="open shut fetch serve share expect publish notice push claim join"
programs="need-given need-writers need-log-pushes need-columns jacobi lu"

# on NODES EXCHANGE PROGRAM...: runs it.
on() {
	run "${cape_run[@]}" -np "$1" --exchange "$2" "${@:3}"
}

# is_found EVENT: the run ended, for it came.
is_found() {
	[ "$status" -ne 0 ] && grep -qE "^cape-run: $1 makes the page of .*, which was " "$work/stderr"
}

# looks_for EVENT: a run finds it.  Whether a page is served in time hangs on who is faster.
looks_for() {
	local try

	for try in 1 2 3 4 5; do
		on 3 need "$work/need-given"
		is_found "$1" && return
		note "run $try did not find $1"
	done
	return 1
}

# without WHAT: the same run without the look at the table.
without() {
	mv "$work/stdout" "$work/checked"
	run env --unset=CAPE_TEST_PAGES "$@"
	[ "$status" = 0 ] && [ -s "$work/checked" ] && cmp "$work/stdout" "$work/checked"
}

build() {
	local name

	for name in $programs; do
		cape-cc -O2 --no-plan "$root/tests/programs/$name.c" -o "$work/$name" -lm || return
	done
	cape-cc -O2 "$root/tests/run/restart/cg.c" -o "$work/saved" -lm
}

check "the programs build" build
for event in $events; do
	export CAPE_TEST_PAGES=$event
	check "$event is looked for" looks_for "$event"
done

export CAPE_TEST_PAGES=1
for name in $programs; do
	on 3 need "$work/$name"
	is_status 0 "$name does as the table says"
	check "... and what it does without it" without cape-run -np 1 "$work/$name"
	on 4 stress "$work/$name"
	is_status 0 "so does it by need as hard as it can be"
done
for name in need-writers need-log-pushes jacobi lu; do
	run env --unset=CAPE_TEST_PAGES cape-run -np 1 "$work/$name"
	mv "$work/stdout" "$work/right"
	CAPE_TEST_LEARN=1 on 4 need --verify "$work/$name"
	is_status 0 "where nodes learn at random $name does as the table says"
	check "... and what it does without" cmp "$work/stdout" "$work/right"
done

# sent: bytes that nodes sent, in what --stats printed.
sent() {
	awk '/bytes sent/ { f = 1; next } f && $1 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }' \
		"$work/stderr"
}
on 3 need --stats "$work/need-given"
learned=$(sent)
CAPE_TEST_LEARN=1 on 3 need --stats "$work/need-given"
check "what is learned at random costs ($(sent) bytes for $learned)" [ "$(sent)" -gt "$learned" ]

# save VALUE: a run goes on in the environment in which it was saved.  How many saves are complete
# before it is over hangs on the disk: it goes on from the first, and there is one in some run.
save() {
	local try

	export CAPE_TEST_PAGES=$1
	for try in 1 2 3 4 5; do
		rm -rf "$work/folder"
		on 3 need --checkpoint "$work/folder" --every 1 --keep 100 "$work/saved" 2 0 \
			"$work/folder"
		cp "$work/stdout" "$work/whole"
		set=$(dirname "$(printf '%s\n' "$work"/folder/*/run | head -n 1)")
		[ ! -e "$set/run" ] || return 0
		note "run $try was over before it was saved"
	done
}

save 1
is_status 0 "a run that is saved does as the table says"
on 2 need --restart "$set"
check "... and one that goes on from there" same_end "$work/stdout" "$work/whole"
save restore
on 2 need --restart "$set"
check "restore is looked for" is_found restore
plan_done
