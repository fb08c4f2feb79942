#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Exchange by need, as the monitors see it: cape-run's option, what programs ask of their monitors.
. "$(dirname "$0")/../tap.sh"

plan 41

build() {
	local name

	for name; do
		cape-cc -O2 -g --no-plan -I"$root/libcape" "$root/tests/run/need/$name.c" -o "$work/$name" ||
			return
	done
}

check "the programs build" build push fetch pieces columns rows huge parts counts moves shreds sweeps
for count in 2 5; do
	run cape-run -np $count --exchange need "$work/push"
	is_status 0 "$count nodes push to each other"
	check "all that was pushed came as it was sent" is "$(cat "$work/stdout")" "0 wrong"
done
run cape-run -np 1 --exchange need "$work/push"
check "one node has nobody to push to" is "$(cat "$work/stdout")" "0 wrong"
run cape-run -np 2 --exchange stress --method dickpt "$work/push"
refused 2 'exchange stress needs --method tickpt2 .*, not dickpt and master-slave' \
	"by need goes with tickpt2 and spmd only"

for count in 2 5; do
	run cape-run -np $count --exchange need "$work/fetch"
	check "$count nodes fetch from each other, at sync points, too" \
		is "$status $(cat "$work/stdout")" "0 0 wrong"
done
run cape-run -np 2 --exchange need "$work/fetch" late
check "a fetch waits until the owner has the version that the reader has" \
	is "$status $(cat "$work/stdout")" "0 0 wrong"

run cape-run -np 2 "$work/pieces"
check "pages are claimed as far as the kernel can protect so many" \
	is "$status $(cat "$work/stdout")" "0 24465000"

for writers in 1 2; do
	run cape-run -np 1 "$work/shreds" $writers
	sum=$(cat "$work/stdout")
	run cape-run -np 3 "$work/shreds" $writers
	check "... and held by others, where $writers write" is "$status $(cat "$work/stdout")" "0 $sum"
done

run cape-run -np 2 --stats=json "$work/columns"
check "columns that are read bring each page once" \
	jq -e '.nodes[0].sent_fetched_bytes | . >= 500 * 4096 and . < 501 * 4096' "$work/stderr"

# 16 steps, in each of which half of 576 pages go to the other node, and back.
run cape-run -np 1 "$work/moves"
sum=$(cat "$work/stdout")
run cape-run -np 2 --stats=json "$work/moves"
check "pages that change hands" is "$status $(cat "$work/stdout")" "0 $sum"
check "... go where they are used next, and nowhere else" \
	jq -e '[.nodes[].sent_bytes] | add < 1.4 * 16 * 576 * 4096' "$work/stderr"

# Of its half of the arrays, 32 MB, all but the ends.
if grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
	skip 1 "this kernel gives no huge pages"
else
	run cape-run -np 2 "$work/huge"
	check "what a node alone writes stays in huge pages" \
		test "$(cat "$work/stdout")" -ge $((24 * 1024))
fi

# 3.2 MB each time that nodes change places; sequential code reads all in the end.
run cape-run -np 2 --no-replicate --stats=json "$work/sweeps"
check "a node has the same elements in loops that count up and down" \
	jq -e '[.nodes[].sent_bytes] | add < 1.2 * 3.2e6' "$work/stderr"

check "a program of known loops builds" \
	cape-cc -O2 "$root/tests/run/need/resident.c" -o "$work/resident"
for threads in 1 2; do
	run cape-run -np 2 --threads $threads --no-replicate "$work/resident"
	check "what they use of sequential code's is in memory once, $threads threads a node" \
		is "$(cat "$work/stdout")" "70368735789056, once"
done

# address_of NAME
address_of() {
	printf '%d' "0x$(nm "$work/input" | awk -v name="$1" '$3 == name { print $1; exit }')"
}

# It is read at a region's end; all nodes have that page at any time.
build_input() {
	cape-cc -O2 "$root/tests/run/need/input.c" -o "$work/input" &&
		(($(address_of input) % 4096 == 0 && $(address_of cape_runtime) % 4096 == 0))
}
check "the run time's place in the input begins a page of its own" build_input
run cape-run -np 2 "$work/input" < "$0"
check "a page that is read at a region's end is not given up there" \
	is "$status $(cat "$work/stdout")" "0 0 wrong"

# Half of each row is in a page that another writes to: 19 times a third of all goes to one node.
run cape-run -np 6 --stats=json --verify "$work/rows"
check "what two nodes write to goes to these two" \
	jq -e '[.nodes[].sent_bytes] | add | . > 4e6 and . < 8e6' "$work/stderr"
sum=$(cat "$work/stdout")
run cape-run -np 2 "$work/rows"
check "and is right" is "$(cat "$work/stdout")" "$sum"

run cape-run -np 4 --stats=json "$work/parts"
check "parts of a long loop end where pages of a vector do" \
	jq -e '[.nodes[].sent_bytes] | add < 4e5' "$work/stderr"

# ended_by WHAT STATUS REASON NAME
ended_by() {
	run cape-run -np 2 --exchange need "$work/fetch" "$1"
	refused "$2" "$3" "$4"
}

where='node 0: at or after [^ ]*fetch\.c:[0-9]+'
ended_by die 139 'node 1: the program was killed by signal 11' "an owner dies that a reader waits for"
ended_by unmapped 1 "$where: the page 0x10000000000 cannot be had of .* node 1,.*: Bad address" \
	"a page that the owner does not have"
ended_by many 1 "$where: fetches 1 stretches of pages, " "more pages than there may be"
ended_by nobody 1 "$where: fetches 1 stretches of pages, from 0x[0-9a-f]*, of node 2," "a node that is none"
ended_by crooked 1 "$where: fetches 1 stretches of pages, from 0x.*8, of" "an address that is no page's"
ended_by twice 1 "$where: fetches pages while it waits for others" "a fetch before the last is done"
# Both ask, and either may be the first.
run cape-run -np 2 --exchange eager "$work/fetch"
refused 1 "${where/0/[01]}: .* without --exchange need" "a run that exchanges eagerly"

# Over TCP, between machines.
if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	skip 8 "needs root, and ip and tc (package iproute2)"
	exit
fi
cluster=$root/scripts/cluster
cluster_name=need$$
trap '"$cluster" --name "$cluster_name" down; finish' EXIT
"$cluster" --name "$cluster_name" up 3
for program in push fetch; do
	run "$cluster" --name "$cluster_name" run cape-run -np 3 --exchange need "$work/$program"
	check "3 machines $program" is "$status $(cat "$work/stdout")" "0 0 wrong"
done

# What is read is 480 KB 8 times over, whole pages of it, which go by the monitors, and a third of
# that, which goes straight from program to program; and what goes round as notices.
"$cluster" --name "$cluster_name" down
"$cluster" --name "$cluster_name" up 3 --rate 100mbit
for size in 60000 20000; do
	sent=()
	for numbers in "" mixed; do
		run cape-run -np 1 "$work/counts" $size $numbers
		sum=$(cat "$work/stdout")
		run "$cluster" --name "$cluster_name" run cape-run -np 3 --stats=json "$work/counts" \
			$size $numbers
		check "3 machines read $size ${numbers:-alike} numbers" \
			is "$status $(cat "$work/stdout")" "0 $sum"
		sent+=("$(jq '[.nodes[].sent_bytes] | add' "$work/stderr")")
	done
	note "${sent[*]} bytes"
	check "what is alike takes fewer bytes between machines" \
		test $((4 * sent[0])) -lt "${sent[1]}"
done
