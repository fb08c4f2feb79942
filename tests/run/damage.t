#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# damage.t - damage in a save, or in one that it goes on from, costs one more start: the run goes on
# from the newest save that is whole.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
saved=$work/saved

run cape-cc -O2 "$root/tests/run/restart/tenth.c" -o "$work/tenth"
check "a program is built" [ "$status" = 0 ]
# On a busy machine a step may pass before the save behind the last one has ended.
for _ in 1 2 3 4 5; do
	rm -rf "$saved"
	run "${cape_run[@]}" -np 2 --checkpoint "$saved" --every 1 --keep 100 "$work/tenth" 14 0 "$saved"
	[ "$(find "$saved" -name run | wc -l)" -lt 14 ] || break
done
cp "$work/stdout" "$work/whole"
base=
for set in "$saved"/0*; do
	case $(cape-ckpt info --json "$set/node-1" | jq -r '.[].kind') in
	state) base=${set##*/} ;;
	esac
done
base=$((10#$base))
check "it is saved, in a second chain of several" [ "$base" -gt 8 ]
check "of which there are several" [ -d "$saved/$(printf %06d $((base + 2)))" ]

# number N: the name of a set.
number() {
	printf %06d "$1"
}

# spoil FOLDER NUMBER NODE: that file is damaged.
spoil() {
	local file
	file=$1/$(number "$2")/node-$3
	printf '\377\376' | dd of="$file" bs=1 conv=notrunc status=none \
		seek=$(($(stat -c %s "$file") / 2))
}

newest=$(number $(($(find "$saved" -name run | wc -l))))

# same_end SET: what was printed is what the run prints that goes on from there.
same_end() {
	cmp -s "$work/stdout" <(tail -n +"$((10#$(number "$1")))" "$work/whole")
}

# went_on PATTERN: one line says that it goes on from there.
went_on() {
	is "$(grep -c 'goes on from' "$work/stderr")" 1 && grep -qE "goes on from .*/$1" "$work/stderr"
}

cp -r "$saved" "$work/base"
spoil "$work/base" "$base" 1
run "${cape_run[@]}" -np 3 --restart "$work/base"
is_status 0 "with the first of a chain damaged, a run goes on"
check "behind the save before it" same_end $((base - 1))
stderr_has "cannot continue from .*/base/$newest: .*/base/$(number "$base")/node-1" \
	"the damaged file is told"
check "and all that it goes on from, once" \
	went_on "$(number $((base - 1))), for .*/$newest and [0-9]* before it are damaged$"
check "but no save is marked that the run does not save to" \
	is "$(find "$work/base" -name .given-up | wc -l)" 0

# More damage in the chain before.
spoil "$work/base" 4 0
run "${cape_run[@]}" -np 2 --restart "$work/base" --checkpoint "$work/base" --max-restarts 1 --every 1h
is_status 0 "with the chain before damaged as well, one restart will do"
check "behind the newest save that is whole" same_end 3
check "which is told once" went_on "000003, for .*/$newest and .* \(restart 1 of 1\)$"
check "all that are damaged are marked" \
	is "$(find "$work/base" -name .given-up | wc -l)" $((10#$newest - 3))
run "${cape_run[@]}" -np 2 --restart "$work/base"
check "so that the next restart does not read them" same_end 3
check "and says nothing of it" is "$(cat "$work/stderr")" ''

run "${cape_run[@]}" -np 2 --restart "$work/base/$(number 5)"
is_status 1 "a save that is named is not replaced by another"
stderr_has 'the newest sound save before it: cape-run --restart .*/base/000003$' \
	"but one is named that is whole"

# What makes a set complete is damaged, and so is the save before it.
cp -r "$saved" "$work/run"
printf '\377\376' | dd of="$work/run/$newest/run" bs=1 seek=40 conv=notrunc status=none
spoil "$work/run" $((10#$newest - 1)) 0
run "${cape_run[@]}" -np 2 --restart "$work/run"
is_status 0 "with the file damaged that makes a save complete, a run goes on"
check "from the newest one that is whole" went_on "$(number $((10#$newest - 2))), for"

# Something else is in its place.
other=$work/run/$newest/run
for kind in 'an empty file' 'a folder' 'a pipe' 'a dead link' "another run's"; do
	rm -f "$other"
	case $kind in
	*file) touch "$other" ;;
	*folder) mkdir "$other" ;;
	*pipe) mkfifo "$other" ;;
	*link) ln -s missing "$other" ;;
	*) cp "$saved/$(number $((10#$newest - 2)))/run" "$other" ;;
	esac
	run "${cape_run[@]}" -np 2 --restart "$work/run"
	check "with $kind in its place the run goes on, and it is told" \
		went_on "$(number $((10#$newest - 2))), for .*/$newest and 1 before it are damaged"
	stderr_has "^cape-run: --restart: $other" "with what is wrong"
	[ ! -d "$other" ] || rmdir "$other"
done
: >"$other"
run "${cape_run[@]}" -np 2 --restart "$work/run/$newest"
stderr_has "^cape-run: --restart: $other: .*not a checkpoint of CAPE" "so it is of a save that is named"

# What saves go on from is removed; and a save is named by a link.
cp -r "$saved" "$work/gone"
rm -r "$work/gone/$(number "$base")"
run "${cape_run[@]}" -np 2 --restart "$work/gone"
is_status 0 "with the first of a chain removed, a run goes on"
check "behind the save before it" same_end $((base - 1))
check "which is told" \
	went_on "$(number $((base - 1))), because a save that .*/$newest depends on is missing$"
ln -s "$saved/$newest" "$work/link"
run "${cape_run[@]}" -np 2 --restart "$work/link"
is_status 0 "of a save that a link names it is found what it goes on from"
check "and the run goes on behind it" same_end $((10#$newest))

# A file is gone; and nothing is whole.
rm "$work/run/000001/node-1"
for ((set = base; set <= 10#$newest; set++)); do
	rm -r "$work/run/$(number $set)"
done
run "${cape_run[@]}" -np 2 --restart "$work/run"
is_status 1 "where no save is whole, the run ends"
stderr_has 'run/000001/node-1: ' "and it is told what is wrong"
stderr_has 'is damaged, and there is no older save to continue from' "and that no other is left"

# What info says of a save of which something is not there: one word, and which file.
# state SET: in JSON, and the same at the beginning of the text.
state() {
	local word
	word=$(cape-ckpt info --json "$1" | jq -r '.[0].state')
	cape-ckpt info "$1" | grep -q "^$1: ${word/given-up/given up}" && echo "$word"
}
cp -r "$saved" "$work/info"
info=$work/info
check "a save that is whole is told to be complete" is "$(state "$info/000003")" complete
mv "$info/000003/node-1" "$work/node-1"
check "one without a node's file to be broken" is "$(state "$info/000003")" broken
run cape-ckpt info "$info/000003"
stdout_has '/000003: broken: .*/000003/node-1: .*No such file' "with the file"
check "and so is what goes on from it" is "$(state "$info/000004")" broken
head -c 200 "$work/node-1" >"$info/000003/node-1"
check "so is one with a node's file that is cut" is "$(state "$info/000003")" broken
mv "$work/node-1" "$info/000003/node-1"
for bytes in 100 0; do
	head -c $bytes "$saved/000003/run" >"$info/000003/run"
	check "or with $bytes bytes of what makes it complete" is "$(state "$info/000003")" broken
done
rm "$info/000003/run"
check "one without it is incomplete" is "$(state "$info/000003")" incomplete
check "and what goes on from it broken" is "$(state "$info/000004")" broken
run cape-ckpt info --json "$info/000004"
check "with the file, in JSON" jq -e '.[0].error | test("/000003/run: .*No such file")' "$work/stdout"
check "with an own mark it is given up" \
	is "$(touch "$info/000004/.given-up" && state "$info/000004")" given-up
plan_done
