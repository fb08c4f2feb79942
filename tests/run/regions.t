#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# regions.t - runs that are saved inside a parallel region, and go on there on as many nodes.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/regions
test_limit=200

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

for program in stencil many held logged; do
	run cape-cc -O2 "$here/$program.c" -o "$work/$program"
	check "$program is built" [ "$status" = 0 ]
done

# each NODES POINTS OPTIONS PROGRAM ARGUMENTS...: it goes on from every save, and does the rest.
each() {
	local nodes=$1 points=$2 set name="$5 on $1 nodes"
	local -a options
	read -ra options <<<"$3"
	shift 4
	run cape-run -np "$nodes" "$work/$1" "${@:2}"
	cp "$work/stdout" "$work/whole"
	rm -rf "$work/saved"
	run cape-run -np "$nodes" "${options[@]}" --checkpoint "$work/saved" --every "$points" \
		--keep 100 "$work/$1" "${@:2}"
	check "$name: prints the same when it is saved" cmp "$work/stdout" "$work/whole"
	check "$name: is saved inside the region" [ "$(inside "$work/saved")" -gt 1 ]
	for set in "$work"/saved/*; do
		run cape-run -np "$nodes" --verify "${options[@]}" --restart "$set"
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

# What a node alone has for a while is waited for.
for what in lock /dev/null "$here/held.c"; do
	case $what in
	lock) why='a lock' ;;
	/dev/null) why='other file descriptors' ;;
	*) why='a file' ;;
	esac
	each 2 15p "" -- held "$what" 34
	run cape-run -np 2 --checkpoint "$work/waits.${what##*/}" --every 5p "$work/held" "$what" 34
	check "a node that has $why postpones the save, and says so" \
		grep -q "^cape: the run is not saved at .*held.c:.* node 1: it .*$why" "$work/stderr"
	check "once" [ "$(grep -c '^cape: ' "$work/stderr")" = 1 ]
done

# Files that were open before the region, and that nodes write to and read in it.
mkdir "$work/whole.files" "$work/files"
run cape-run -np 3 "$work/logged" "$work/whole.files" 16
cp "$work/stdout" "$work/whole"
run cape-run -np 3 --checkpoint "$work/saved.files" --every 11p --keep 100 \
	"$work/logged" "$work/files" 16
check "logged: prints the same when it is saved" cmp "$work/stdout" "$work/whole"
check "logged: is saved inside the region" [ "$(inside "$work/saved.files")" -gt 1 ]
for set in $(printf '%s\n' "$work"/saved.files/* | sort -r); do
	echo "to be cut off" | tee -a "$work/files/log" "$work/files/places" >>"$work/files/turns"
	run cape-run --restart "$set"
	check "logged: goes on from $(basename "$set")" same_end "$work/stdout" "$work/whole"
	check "logged: and its files are the same" diff -r "$work/files" "$work/whole.files"
done

# printed: every line of the whole, some of them more than once, and nothing else.
printed() {
	sort -u "$work/stdout" | cmp -s - <(sort -u "$work/whole")
}

# Killed while it runs, it goes on by itself.
run cape-run -np 3 "$work/stencil" 60
cp "$work/stdout" "$work/whole"
cape-run -np 3 --checkpoint "$work/again" --every 9p --max-restarts 2 "$work/stencil" 60 50000 \
	>"$work/stdout" 2>"$work/stderr" </dev/null &
process=$!
for ((i = 0; i < 600; i++)); do
	grep -q '^step 30:' "$work/stdout" && break
	sleep 0.05
done
victim=$(pgrep -f "^$work/stencil 60 50000" | tail -n 1)
kill -KILL "$victim"
wait "$process"
check "--max-restarts: the run ends well" [ $? = 0 ]
check "--max-restarts: and prints the same" printed
check "--max-restarts: it went on from a save" grep -q 'again/0' "$work/stderr"

# By time: where a region lasts longer than that.
rm -rf "$work/saved"
run cape-run -np 2 "$work/stencil" 40
cp "$work/stdout" "$work/whole"
run cape-run -np 2 --checkpoint "$work/saved" --every 1s "$work/stencil" 40 80000
check "a long region prints the same when it is saved" cmp "$work/stdout" "$work/whole"
check "a long region is saved by time" [ "$(inside "$work/saved")" -gt 0 ]
set=$(find "$work/saved" -maxdepth 1 -name '0*' | sort | tail -n 1)
run cape-run --restart "$work/saved"
check "it goes on on as many nodes as it had" same_end "$work/stdout" "$work/whole"
run cape-run -np 3 --restart "$work/saved"
refused "other numbers of nodes" 'saved inside a parallel region, at .*stencil.c:.*: -np 2; there is no'
is_status 2 "and that is told before the run begins"
cp -r "$work/saved" "$work/damaged"
size=$(stat -c %s "$work/damaged/${set##*/}/node-1")
printf '\377\376' | dd of="$work/damaged/${set##*/}/node-1" bs=1 seek=$((size / 2)) conv=notrunc status=none
run cape-run --restart "$work/damaged/${set##*/}"
refused "a damaged file of a node" "cape-run: .*/damaged/${set##*/}/node-1: "
cp -r "$work/saved" "$work/swapped"
cp "$work/swapped/${set##*/}/node-0" "$work/swapped/${set##*/}/node-1"
run cape-run --restart "$work/swapped/${set##*/}"
refused "a file of another node" "cape-run: .*/swapped/${set##*/}/node-1"

# By a number of regions: never inside one.
run cape-run -np 2 --checkpoint "$work/behind" --every 1 --keep 100 "$work/many" 4 20000
check "a number of regions counts regions" [ "$(inside "$work/behind")" = 0 ]
run cape-run -np 2 --checkpoint "$work/within" --every 9p --keep 100 "$work/many" 4 20000
mkdir "$work/both"
cp -r "$work/behind/000001" "$work/both"
cp -r "$work/within/000001" "$work/both/000002"
run cape-run -np 3 --restart "$work/both"
refused "an older save of sequential code is named" ': --restart .*/both/000001$'
run cape-run -np 3 --restart "$work/both/000001"
is_status 0 "and goes on on another number of nodes"

plan_done
