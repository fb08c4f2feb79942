#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Messages that are none, from a monitor of the run: it ends soon, with a line that names a node.  And
# monitors of another version.
. "$(dirname "$0")/../tap.sh"

locks=$(compiled programs/locks-hash)
loops=$(compiled programs/loop-dynamic)
pages=$(compiled programs/need-columns)
gcc -O2 -D_GNU_SOURCE -I"$root/monitor" -I"$root/libcape" -shared -fPIC "$root/tests/run/hostile/forge.c" \
	-o "$work/forge.so" -ldl || exit 1

# With this seed nodes do as if each were on a machine of its own: what they say goes by sockets.
seed=3

nothing_left() {
	soon eval '! pgrep -f "$1"' >/dev/null
}

# forged NODE FORGE PROGRAM PATTERN: what hostile/forge.c has NODE send ends the run of PROGRAM.
# exchange: by need, small exchanges go from program to program, and no monitor has a part in them.
exchange=need
forged() {
	local began=$SECONDS
	run env LD_PRELOAD="$work/forge.so" FORGE="$2" FORGE_NODE="$1" cape-run -np 3 --wire "test:$seed" \
		--exchange "$exchange" "$3" </dev/null
	check "node $1, $2: the run fails" test "$status" -ne 0
	stderr_has "^cape-run: $4" "... which is told"
	check "... soon" test $((SECONDS - began)) -lt 60
	check "... and nothing is left" nothing_left "$3"
}

test_links() {
	local none='what is no message'
	# Frames: kind, zero and size; of a request, a reply and a fetch.
	forged 1 'link request set kind 77' "$locks" "node 1 on .* has sent node 0 $none: Protocol error"
	forged 1 'link request set zero 1' "$locks" "node 1 on .* has sent node 0 $none: Protocol error"
	forged 1 'link request set size 0x1000000000000000' "$locks" "node 1 on .* has sent node 0 $none: Message too long"
	forged 0 'link reply set kind 77' "$locks" "node 0 on .* has sent node [12] $none: Protocol error"
	forged 1 'link fetch set kind 77' "$pages" "node 1 on .* has sent node [02] $none: Protocol error"
	# Of whom the answer is to whom is not clear then.
	# Nor is it clear which of two mistakes is found first.
	forged 1 'link request twice' "$loops" \
		"(node [01] on .* has sent node [01] $none: Protocol error|node 1: .*: a node takes part twice)"
	forged 1 'link request half' "$locks" 'the connection between the monitors of nodes [01] and [01] on .* broke'
	# Requests: kind, whose thread, what was seen, the size of what follows, nodes that take part.
	forged 1 'link request set request-kind 200' "$locks" 'node 1: .* that its monitor does not know'
	forged 1 'link request set tag 9999' "$locks" 'node 1: .* a node has more threads than can wait'
	forged 1 'link request set seen 99999' "$loops" 'node 1: .* a node has seen what was not published'
	forged 1 'link request set payload 5' "$loops" "node 1 on .* has sent node 0 $none"
	forged 1 'link request set nodes 0x10000000000' "$loops" 'node [0-2]: .* nodes disagree about'
	# Fetches: pages that are none, too many, of a version that never comes.
	forged 1 'link fetch set start 0x123' "$pages" "node 1 on .* has sent node [02] $none"
	forged 1 'link fetch set end -4096' "$pages" "node 1 on .* has sent node [02] $none"
	forged 1 'link fetch set version -1' "$pages" "node 1 on .* has sent node [02] $none"
}

test_wire() {
	exchange=eager
	forged 1 'wire bruck set kind 99' "$locks" 'node 1 has sent a message, tag 99, .*: that is none'
	forged 1 'wire any set kind 0' "$locks" 'node 1 has sent a message, tag 0, .*: that is none'
	forged 1 'wire bruck set wire-size 0x7fffffff' "$locks" 'node 1 has sent a message, .* of 2147483647 bytes: that is none'
	forged 1 'wire any set kind 16' "$locks" 'node 1 has sent a message, tag 16, .*: that is none'
	forged 1 'wire collect twice' "$locks" 'node 1 has sent a message, tag 7, .*: there is no room'
	forged 1 'wire bruck half' "$locks" 'the connection between the monitors of nodes [0-2] and [0-2] on .* broke'
	forged 1 'wire bruck set first-bytes -1' "$pages" 'node [0-2]: exchange at .*: Protocol error'
}

# As on a machine that has another version of CAPE than that where cape-run was started.
test_versions() {
	local other=$work/other/bin/cape-run version way told
	version=$(cape-run --version)
	version=${version#* }
	mkdir -p "$work/other/bin"
	ln -s "$build/lib" "$work/other/lib"
	ln -s "$build/bin/cape-monitor" "$work/other/bin/"
	LC_ALL=C sed "s/${version//./\\.}/9${version#?}/g" "$build/bin/cape-run" >"$other"
	chmod +x "$other"
	told="cape-run: cannot start a monitor on .*: CAPE is version $version there, and version 9${version#?} where"
	for way in '--np 1' '-np 3 --wire test' '-np 2'; do
		# shellcheck disable=SC2086 # two words, or more
		run "$other" $way "$locks" </dev/null
		check "cape-run of another version, $way: the run fails" test "$status" -ne 0
		stderr_has "^$told cape-run was started; install the same version on all machines\$" \
			"... with both versions"
		check "... once" is "$(grep -c 'is version' "$work/stderr")" 1
	done
}

test_links
test_wire
test_versions
plan_done
