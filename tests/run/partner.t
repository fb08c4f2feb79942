#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# partner.t - --partner: each machine saves to its own disk, and the next one keeps a copy.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

cluster=$root/scripts/cluster
cluster_name=partner$$
own=$work/own # what is there on machine I is $own.nodeI outside
saved=$own/saved

if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	plan 1
	skip 1 "needs root, and ip and tc (package iproute2)"
	exit
fi

leave() {
	"$cluster" --name "$cluster_name" down
	umount "$own.node3" 2>/dev/null
	finish
}

trap leave EXIT

run cape-cc -O2 "$root/tests/run/restart/tenth.c" -o "$work/tenth"
check "a program is built" [ "$status" = 0 ]
run cape-run -np 1 "$work/tenth" 8
cp "$work/stdout" "$work/whole"
mkdir "$own" "$own.node1" "$own.node2" "$own.node3"
"$cluster" --name "$cluster_name" up 3 --owner $$

# on_machines OPTION...: cape-run on them.
on_machines() {
	run "$cluster" --name "$cluster_name" run --own "$own" cape-run --verify "$@" </dev/null
}

# begin PROGRAM_ARGUMENT...: a run that is saved, in the background.
begin() {
	command_text="begin $*"
	rm -rf "$own".node?/*
	: >"$work/stdout"
	: >"$work/stderr"
	"$cluster" --name "$cluster_name" run --own "$own" cape-run -np 3 --verify \
		--checkpoint "$saved" --every 1 --keep 1 --partner "$work/tenth" "$@" \
		</dev/null >"$work/stdout" 2>>"$work/stderr" &
	process=$!
}

ends() {
	kill "$process"
	wait "$process"
}

# holders FILE: on which machines that file of the newest set is.
holders() {
	(cd "$work" && find own.node?/saved/"$newest" -name "$1" | cut -c 9 | sort | xargs)
}

# find_newest MACHINE: its newest complete set, in $newest.
find_newest() {
	local all=("$own.node$1"/saved/*/run)
	newest=${all[-1]%/run}
	newest=${newest##*/}
}

# newer MACHINE SET: it has a newer one.
newer() {
	find_newest "$1"
	[[ $newest > $2 ]]
}

# merge SET MACHINE...: that save, or with "." all, as these machines have it, in $work/merged.
merge() {
	local machine
	rm -rf "$work/merged"
	mkdir "$work/merged"
	for machine in "${@:2}"; do
		cp -r "$own.node$machine/saved/$1" "$work/merged"
	done
}

# same_end: what was printed ends as the whole, and leaves out what was printed before the newest
# save.
same_end() {
	cmp -s "$work/stdout" <(tail -n +$((10#$newest)) "$work/whole")
}

sound() {
	cape-ckpt verify "$@" >/dev/null
}

on_machines -np 4 --checkpoint "$saved" --every 1 --keep 3 --partner "$work/tenth" 8 0 "$saved"
is_status 0 "a run is saved on each machine's own disk"
check "and prints what it should" cmp "$work/stdout" "$work/whole"
check "without a word" is "$(cat "$work/stderr")" ''
find_newest 1
check "all machines have what makes a save complete" is "$(holders run)" "1 2 3"
for node in 0 1 2 3; do
	check "two machines have node $node's file" is "$(holders node-$node | wc -w)" 2
done
check "copies are like what was copied" is "$(cat "$own".node?/saved/0*/node-* | wc -c)" \
	$((2 * $(merge . 1 2 3 && cat "$work/merged"/0*/node-* | wc -c)))
check "all files are sound" sound "$own".node?/saved/0*/*
check "all machines keep the same saves" is \
	"$(cd "$own.node1/saved" && ls)$(cd "$own.node1/saved" && ls)" \
	"$(cd "$own.node2/saved" && ls)$(cd "$own.node3/saved" && ls)"
check "and nothing else" is "$(find "$own".node?/saved -type f | grep -vcE '/(run|node-[0-3])$')" 0
mkdir "$work/kept"
cp -r "$own".node? "$work/kept"

# put_back: the machines' disks are as they were behind that run.
put_back() {
	rm -rf "$own".node?
	cp -r "$work/kept/." "$work"
}

# on_machine I COMMAND...: begun there.
on_machine() {
	# shellcheck disable=SC2016 # for the shell there
	run "$cluster" --name "$cluster_name" run --own "$own" \
		sh -c 'exec "$TMPDIR/rsh" "$@"' - "node$1" "${@:2}" </dev/null
}

# spoil MACHINE SET NODE: that file is damaged there.
spoil() {
	local file=$own.node$1/saved/$2/node-$3
	printf '\377\376' | dd of="$file" bs=1 conv=notrunc status=none \
		seek=$(($(stat -c %s "$file") / 2))
}

for lost in 1 2 3; do
	others=(1 2 3)
	unset "others[lost - 1]"
	others=("${others[@]}")
	put_back
	rm -rf "$own.node$lost"/*
	on_machine "${others[0]}" cape-run -np $((lost + 1)) --verify -H \
		"node${others[0]},node${others[1]}" --restart "$saved"
	is_status 0 "without machine $lost the run goes on, on $((lost + 1)) nodes"
	check "without machine $lost it prints the rest" same_end
done

# A machine that has another run's saves, of the same names, gets those of this one.
put_back
rm -rf "$own.node1/saved"
cape-run -np 3 --checkpoint "$own.node1/saved" --every 1 "$work/tenth" 4 0 "$own.node1/saved" \
	>"$work/foreign"
on_machine 2 cape-run -np 3 --verify --restart "$saved" --checkpoint "$saved" --partner
is_status 0 "a run goes on where a machine has another run's saves"
check "as it would without them" same_end
check "and all files are of one run" is \
	"$(cape-ckpt info --json "$own".node?/saved/0*/* | jq -r '.[].run' | sort -u | wc -l)" 1

# The run had died when only some machines had what makes the newest save complete; it went on from
# the one before, by way of a machine that had not.
put_back
rm "$own.node2/saved/$newest/run"
on_machine 2 cape-run -np 3 --verify --restart "$saved" --checkpoint "$saved" --every 1h --partner
is_status 0 "a run goes on from a save that is complete where it is started"
rm -rf "$own.node1"/*
on_machine 3 cape-run -np 3 --verify -H node2,node3 --restart "$saved"
is_status 0 "and without a machine from one that was complete on others"
check "which is the newest" same_end

put_back
rm -rf "$own.node1"/* "$own.node3"/*
on_machine 2 cape-run -np 2 -H node2,node3 --restart "$saved" --checkpoint "$saved" \
	--partner
is_status 1 "without two machines, a run does not go on"
stderr_has "cannot continue from $saved/$newest: no machine of the nodes has .*/0*1/node-3; let nodes" \
	"and it is told which file is missed"
check "and no save is given up for that" is "$(find "$own".node? -name .given-up | wc -l)" 0

put_back
spoil 1 "$newest" 0
on_machines -np 3 --restart "$saved"
is_status 0 "where a file is damaged, its copy is taken"
check "from which the run goes on" same_end
put_back
before=$(printf %06d $((10#$newest - 1)))
spoil 1 "$newest" 0
spoil 2 "$newest" 0
on_machines -np 3 --restart "$saved"
is_status 0 "where the copy is damaged, too, the run goes on"
stderr_has "goes on from $saved/$before, for $saved/$newest is damaged" \
	"from the save before"
newest=$before
check "which it does" same_end

# Where there is no room for what a machine lacks, nothing is copied.
put_back
find_newest 1
rm -rf "$own.node3"/*
mount -t tmpfs -o size=$(($(cat "$own.node2/saved"/0*/* | wc -c) / 2048))k none "$own.node3"
on_machines -np 3 --restart "$saved"
is_status 1 "where a machine has no room for what it lacks, a run does not go on"
stderr_has "cannot continue from $saved/$newest: on node 2's machine $saved needs [0-9.]* MB .* has " \
	"and is told how much it needs, and has"
check "and nothing is left there" is "$(find "$own.node3" -type f | wc -l)" 0
mount -o remount,size=64m "$own.node3"
on_machines -np 3 --restart "$saved"
is_status 0 "where there is room it does"
check "behind the same save" same_end
umount "$own.node3"

put_back
rm -rf "$own.node1/saved" "$own.node3/saved"
on_machines -np 3 --checkpoint "$saved" --every 1 --partner "$work/tenth" 8
is_status 2 "a folder that holds a saved run is refused, be it one machine's alone"
stderr_has "^cape-run: --checkpoint $saved on node2: it holds a saved run already; .* --partner" \
	"which is named"
on_machines -np 3 --checkpoint "$work/shared" --every 1 --partner "$work/tenth" 8
is_status 2 "a folder that machines share is refused"
stderr_has "^cape-run: --partner: node 0's machine and node 1's have one folder $work/shared: " \
	"with the reason"
check "and nothing is left in it" is "$(ls -A "$work/shared")" ''
rm -rf "$own.node2/saved"
on_machines -np 3 --checkpoint "$saved" --every 1 --partner "$work/tenth" 8
is_status 0 "a run that ends while it is saved"
check "leaves nothing incomplete on any machine" is \
	"$(cape-ckpt info "$own".node?/saved | grep -c incomplete; find "$own" -name '*.partial.*')" 0
run cape-run -np 2 --partner "$work/tenth" 1
is_status 2 "without --checkpoint it is refused"
run cape-run -np 2 --checkpoint "$work/alone" --every 1 --partner "$work/tenth" 2 0 "$work/alone"
is_status 0 "on one machine a run is saved"
stderr_has '^cape-run: --partner: all nodes are on one machine: ' "and told that there are no copies"
check "but saved" sound "$work/alone"/0*/*

# survives NAME REASON: the run cannot be saved any more, for that reason.
survives() {
	local lines
	check "$1: is told" soon grep -qE "could not be saved to $saved: .*$2; the run goes on" \
		"$work/stderr"
	lines=$(wc -l <"$work/stdout")
	check "$1: the run goes on" soon newer_line "$lines"
	check "$1: it was told once" is "$(grep -c 'could not be saved' "$work/stderr")" 1
}

# has_sound MACHINE...: these machines have, between them, the first one's newest save, $set; not so
# while one that could not be completed is still being removed.
has_sound() {
	find_newest "$1"
	set=$newest
	merge "$set" "$@" 2>/dev/null
	sound "$work/merged/$set"/*
}

newer_line() {
	[ "$(wc -l <"$work/stdout")" -gt $(($1 + 3)) ]
}

mount -t tmpfs -o size=64m none "$own.node3"
begin 100000 5000
soon newer 3 000001
head -c 64M /dev/zero >"$own.node3/much" 2>/dev/null
survives "a full disk" 'No space left on device'
check "a full disk: what was saved is good" soon has_sound 1 2
rm "$own.node3/much"
check "a full disk: the run is saved again when there is room" soon newer 2 "$set"
ends
umount "$own.node3"

begin 100000 5000
soon newer 2 000001
mv "$own.node2/saved" "$own.node2/away"
survives "a folder that is gone" 'No such file or directory'
check "a folder that is gone: what was saved is good" soon has_sound 1 3
check "with all nodes' files" is "$(cd "$work/merged/$set" && echo *)" "node-0 node-1 node-2 run"
mv "$own.node2/away" "$own.node2/saved"
check "a folder that is gone: the run is saved again when it is back" soon newer 2 "$set"
ends
# A machine is lost, with its disk, while a run is on it.
rm -rf "$own".node?/*
: >"$work/stdout"
command_text="a machine that is lost"
"$cluster" --name "$cluster_name" run --own "$own" cape-run --lost-after 2 -np 3 \
	--checkpoint "$saved" --every 1 --partner --max-restarts 3 "$work/tenth" 8 500000 \
	</dev/null >"$work/stdout" 2>"$work/stderr" &
process=$!
soon newer 1 000001
ip netns exec "$cluster_name-3" ip link set eth0 down
rm -rf "$own.node3"/*
status=0
wait "$process" || status=$?
is_status 0 "a run goes on by itself without a machine that is lost, and its disk"
stderr_has "goes on from $saved/[0-9]*, without node3 \(restart 1 of 3\)$" "and says so"
check "and prints what it should" cmp <(sort -u "$work/stdout") <(sort -u "$work/whole")
plan_done
