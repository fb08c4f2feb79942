#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# regions.t - runs that are saved inside a parallel region, and go on there on as many nodes.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/regions
cluster=$root/scripts/cluster
cluster_name=regions$$
alone=("${cape_run[@]}") # on this machine
at_least=2 # saves
# In memory, where it can be: regions are over before a slow disk has one save.
memory=$(mktemp -d /dev/shm/cape-test-XXXXXX 2>/dev/null) || memory=$work
saved=$memory/saved

leave() {
	[ "$BASHPID" = $$ ] && [ "$memory" != "$work" ] && rm -rf "$memory"
	[ "${cape_run[*]}" = "${alone[*]}" ] || "$cluster" --name "$cluster_name" down
	finish
}

trap leave EXIT

# same_end FILE WHOLE: the file is how the other ends, and not empty.
same_end() {
	local lines
	lines=$(wc -l <"$1")
	[ "$lines" -gt 0 ] && tail -n "$lines" "$2" | cmp -s "$1" -
}

# refused NAME PATTERN: what was run has failed, with a line that tells why.
refused() {
	check "$1" grep -q -- "$2" "$work/stderr"
	check "$1, and the run fails" [ "$status" -ne 0 ]
}

# inside FOLDER: its saves that were made inside a region.
inside() {
	cape-ckpt info "$1" | grep -c '^ *region '
}

for program in stencil many held logged loops refuses tasks grouped settings; do
	run cape-cc -O2 "$here/$program.c" -o "$work/$program"
	check "$program is built" [ "$status" = 0 ]
done

# each NODES POINTS OPTIONS PROGRAM ARGUMENTS...: it goes on from every save, and does the rest.
each() {
	local nodes=$1 points=$2 set name="$5 $6 on $1 nodes"
	local -a options
	read -ra options <<<"$3"
	shift 4
	run "${cape_run[@]}" -np "$nodes" "$work/$1" "${@:2}" </dev/null
	cp "$work/stdout" "$work/whole"
	# On a busy machine one node may do nearly all, before a save is due.
	for _ in 1 2 3 4 5; do
		rm -rf "$saved"
		run "${cape_run[@]}" -np "$nodes" "${options[@]}" --checkpoint "$saved" \
			--every "$points" --keep 100 "$work/$1" "${@:2}" </dev/null
		cmp -s "$work/stdout" "$work/whole" || break
		[ "$(inside "$saved" 2>/dev/null)" -lt "$at_least" ] || break
	done
	check "$name: prints the same when it is saved" cmp "$work/stdout" "$work/whole"
	check "$name: is saved inside the region" [ "$(inside "$saved")" -ge "$at_least" ]
	for set in "$saved"/*; do
		run "${cape_run[@]}" -np "$nodes" --verify "${options[@]}" --restart "$set" </dev/null
		check "$name: goes on from $(basename "$set")" same_end "$work/stdout" "$work/whole"
	done
}

each 1 33p "" -- stencil 16 20000
each 2 27p "" -- stencil 16 20000
each 3 21p "--exchange eager" -- stencil 12 20000
each 4 25p "--exchange stress" -- stencil 12 20000
each 2 39p "" -- many 4 20000
each 3 43p "--exchange eager" -- many 4 20000
each 4 41p "" -- many 4 20000 3
each 4 19p "--exchange stress" -- many 3 20000 2

# The file that completes such a set holds the most.
rm -rf "$saved"
run "${cape_run[@]}" -np 2 --checkpoint "$saved" --every 15p --keep 100 --partner \
	"$work/stencil" 16 20000 </dev/null
is_status 0 "a run is saved inside a region, and by partners"
check "more than once" [ "$(inside "$saved")" -ge "$at_least" ]

# Most of the run is one loop whose chunks nodes ask for; an iteration that runs twice is told of.
at_least=1 each 1 17p "" -- loops dynamic 120 8000
each 2 11p "" -- loops dynamic 120 8000
each 3 7p "--exchange stress" -- loops dynamic 120 8000
each 4 5p "--exchange eager" -- loops dynamic 120 8000 3
at_least=1 each 3 2p "" -- loops guided 400 3000
OMP_SCHEDULE=guided,1 at_least=1 each 2 2p "" -- loops runtime 400 3000
OMP_SCHEDULE=dynamic,4 each 3 4p "--exchange stress" -- loops runtime 200 5000
each 3 13p "" -- loops ordered 120 8000
each 2 19p "--exchange eager" -- loops ordered 120 6000
at_least=1 each 1 19p "" -- loops ordered 60 6000
each 3 11p "" -- loops own 120 8000
each 4 11p "--exchange stress" -- loops own 120 8000 2
each 3 7p "" -- loops nowait 120 6000
each 2 7p "" -- loops tail 120 6000
# A loop that has no chunk left when its nodes would meet puts off no other's.
at_least=4 each 2 5p "" -- loops short 160 4000
# What tasks add goes where it went before.
at_least=1 each 1 17p "" -- tasks 60 6000
each 2 11p "" -- tasks 100 6000
# Sequential code's task group goes on behind regions that were gone on in.
at_least=4 each 2 7p "" -- grouped 10 6000
at_least=4 each 3 5p "--exchange stress" -- grouped 8 6000
# Each thread has its own settings again.
each 1 9p "" -- settings 40 6000
each 2 9p "" -- settings 30 6000
each 3 7p "--exchange stress" -- settings 24 6000
# Where nodes are on several machines node 0's monitor hands out.
if [ "$(id -u)" -eq 0 ] && command -v tc >/dev/null; then
	"$cluster" --name "$cluster_name" up 2 --owner $$
	cape_run=("$cluster" --name "$cluster_name" run cape-run)
	saved=$work/saved
	each 3 7p "" -- loops dynamic 120 8000
	each 3 13p "" -- loops ordered 120 8000
	"$cluster" --name "$cluster_name" down
	cape_run=("${alone[@]}")
else
	skip 6 "needs root, and ip and tc (package iproute2)"
fi

# By time, in a region of one loop.
run "${cape_run[@]}" -np 2 "$work/loops" dynamic 700
cp "$work/stdout" "$work/whole"
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.loop" --every 1s "$work/loops" dynamic 700 8000
check "a long loop prints the same when it is saved" cmp "$work/stdout" "$work/whole"
check "a long loop is saved by time" [ "$(inside "$work/saved.loop")" -gt 0 ]
run "${cape_run[@]}" --restart "$work/saved.loop"
check "it goes on with the chunks that were left" same_end "$work/stdout" "$work/whole"

# A chunk that waits for one that is handed out later is not waited for.
run "${cape_run[@]}" -np 2 "$work/loops" waits 80
cp "$work/stdout" "$work/whole"
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.waits" --every 2p "$work/loops" waits 80 10000
is_status 0 "a chunk that waits for a later one gets it"
check "and the loop prints the same" cmp "$work/stdout" "$work/whole"

# Who cannot be saved has the meeting called off, for all.
run "${cape_run[@]}" -np 3 --checkpoint "$work/saved.refuses" --every 20p "$work/refuses" 250 4000
is_status 0 "a node that holds a lock has no meeting"
check "and node 0 gets chunks meanwhile" [ "$(cat "$work/stdout")" -gt 60 ]
check "which is told once" [ "$(grep -c '^cape: ' "$work/stderr")" = 1 ]

# What a node alone has for a while is waited for.
for what in lock /dev/null "$here/held.c"; do
	case $what in
	lock) why='a lock' ;;
	/dev/null) why='other file descriptors' ;;
	*) why='a file' ;;
	esac
	each 2 15p "" -- held "$what" 34
	run "${cape_run[@]}" -np 2 --checkpoint "$work/waits.${what##*/}" --every 5p "$work/held" "$what" 34
	check "a node that has $why postpones the save, and says so" \
		grep -q "^cape: the run is not saved at .*held.c:.* node 1: it .*$why" "$work/stderr"
	check "once" [ "$(grep -c '^cape: ' "$work/stderr")" = 1 ]
done

# Files that were open before the region, and that nodes write to and read in it.
mkdir "$work/whole.files"
run "${cape_run[@]}" -np 3 "$work/logged" "$work/whole.files" 16
cp "$work/stdout" "$work/whole"
for _ in 1 2 3 4 5; do
	rm -rf "$work/saved.files" "$work/files"
	mkdir "$work/files"
	run "${cape_run[@]}" -np 3 --checkpoint "$work/saved.files" --every 11p --keep 100 \
		"$work/logged" "$work/files" 16
	cmp -s "$work/stdout" "$work/whole" || break
	[ "$(inside "$work/saved.files" 2>/dev/null)" -lt 2 ] || break
done
check "logged: prints the same when it is saved" cmp "$work/stdout" "$work/whole"
check "logged: is saved inside the region" [ "$(inside "$work/saved.files")" -gt 1 ]
for set in $(printf '%s\n' "$work"/saved.files/* | sort -r); do
	echo "to be cut off" | tee -a "$work/files/log" "$work/files/places" >>"$work/files/turns"
	run "${cape_run[@]}" --restart "$set"
	check "logged: goes on from $(basename "$set")" same_end "$work/stdout" "$work/whole"
	check "logged: and its files are the same" diff -r "$work/files" "$work/whole.files"
done

# printed: every line of the whole, some of them more than once, and nothing else.
printed() {
	sort -u "$work/stdout" | cmp -s - <(sort -u "$work/whole")
}

# Killed while it runs, it goes on by itself.
run "${cape_run[@]}" -np 3 "$work/stencil" 60
cp "$work/stdout" "$work/whole"
touch "$work/wait"
: >"$work/stdout" # that of the last run has the step, too
cape-run -np 3 --checkpoint "$work/again" --every 9p --max-restarts 2 \
	"$work/stencil" 60 0 "$work/wait" >"$work/stdout" 2>"$work/stderr" </dev/null &
process=$!
soon grep -q '^step 30:' "$work/stdout"
victim=$(pgrep -f "^$work/stencil 60 0" | tail -n 1)
kill -KILL "$victim"
rm "$work/wait"
wait "$process"
check "--max-restarts: the run ends well" [ $? = 0 ]
check "--max-restarts: and prints the same" printed
check "--max-restarts: it went on from a save" grep -q 'again/0' "$work/stderr"

# By time: where a region lasts longer than that.
rm -rf "$work/saved"
run "${cape_run[@]}" -np 2 "$work/stencil" 40
cp "$work/stdout" "$work/whole"
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved" --every 1s "$work/stencil" 40 80000
check "a long region prints the same when it is saved" cmp "$work/stdout" "$work/whole"
check "a long region is saved by time" [ "$(inside "$work/saved")" -gt 0 ]
set=$(find "$work/saved" -maxdepth 1 -name '0*' | sort | tail -n 1)
run "${cape_run[@]}" --restart "$work/saved"
check "it goes on on as many nodes as it had" same_end "$work/stdout" "$work/whole"
run "${cape_run[@]}" -np 3 --restart "$work/saved"
refused "other numbers of nodes" 'saved inside a parallel region, at .*stencil.c:.*: -np 2; there is no'
is_status 2 "and that is told before the run begins"
cp -r "$work/saved" "$work/damaged"
size=$(stat -c %s "$work/damaged/${set##*/}/node-1")
printf '\377\376' | dd of="$work/damaged/${set##*/}/node-1" bs=1 seek=$((size / 2)) conv=notrunc status=none
run "${cape_run[@]}" --restart "$work/damaged/${set##*/}"
refused "a damaged file of a node" "cape-run: .*/damaged/${set##*/}/node-1: "
cp -r "$work/saved" "$work/swapped"
cp "$work/swapped/${set##*/}/node-0" "$work/swapped/${set##*/}/node-1"
run "${cape_run[@]}" --restart "$work/swapped/${set##*/}"
refused "a file of another node" "cape-run: .*/swapped/${set##*/}/node-1"

# By a number of regions: never inside one.
run "${cape_run[@]}" -np 2 --checkpoint "$work/behind" --every 1 --keep 100 "$work/many" 4 20000
check "a number of regions counts regions" [ "$(inside "$work/behind")" = 0 ]
run "${cape_run[@]}" -np 2 --checkpoint "$work/within" --every 9p --keep 100 "$work/many" 4 20000
mkdir "$work/both"
cp -r "$work/behind/000001" "$work/both"
cp -r "$work/within/000001" "$work/both/000002"
run "${cape_run[@]}" -np 3 --restart "$work/both"
refused "an older save of sequential code is named" ': --restart .*/both/000001$'
run "${cape_run[@]}" -np 3 --restart "$work/both/000001"
is_status 0 "and goes on on another number of nodes"

plan_done
