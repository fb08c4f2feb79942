#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart-disk.t - disks that fail while a run is saved: it goes on and says so, once, and what was
# saved before stays good; and a run that ends while it is saved leaves nothing behind.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/restart

run cape-cc -O2 "$here/jacobi.c" -o "$work/jacobi"
check "a program is built" [ "$status" = 0 ]
run gcc -shared -fPIC -O2 "$here/disk.c" -o "$work/disk.so" -ldl
check "and a disk that fails" [ "$status" = 0 ]

lines() {
	[ "$(wc -l <"$work/stdout")" -ge "$1" ]
}

has_set() {
	compgen -G "$1/*/run" >/dev/null
}

# newer FOLDER SET: it has a complete set that is newer.
newer() {
	local all=("$1"/*/run)
	[[ ${all[-1]} > $2/run ]]
}

# begin FOLDER ORDER: a run that is saved there, until the disk fails as ORDER says.
begin() {
	command_text="begin $*"
	rm -f "$work/fail"
	: >"$work/stderr"
	LD_PRELOAD=$work/disk.so CAPE_TEST_DISK=$2 CAPE_TEST_DISK_FILE=$work/fail \
		"${cape_run[@]}" -np 2 --checkpoint "$1" --every 1 --keep 1 "$work/jacobi" 100000 5000 \
		</dev/null >"$work/stdout" 2>>"$work/stderr" &
	process=$!
	soon has_set "$1"
}

# survives NAME REASON FOLDER: the run cannot be saved there any more, for that reason.
survives() {
	local all
	check "$1: is told" soon grep -q "could not be saved to .*: .*$2; the run goes on" \
		"$work/stderr"
	all=("$3"/*/run)
	set=${all[-1]%/run}
	check "$1: the run goes on" soon lines $(($(wc -l <"$work/stdout") + 20))
	check "$1: what was saved is good" cape-ckpt verify "$set"/*
	check "$1: it was told once" is "$(grep -c 'could not be saved' "$work/stderr")" 1
}

# ends: ends the run that begin() began.
ends() {
	kill "$process"
	wait "$process"
}

while read -r name order reason; do
	begin "$work/$name" "${order//,/ }"
	touch "$work/fail"
	survives "$name" "$reason" "$work/$name"
	rm "$work/fail"
	check "$name: and is saved again when the disk is well" soon newer "$work/$name" "$set"
	ends
done <<'END_OF_LIST'
EIO fsync,node-1,5 Input/output error
EDQUOT write,node-0,122 Disk quota exceeded
ENOSPC write,run,28 No space left on device
thread thread,-,11 cannot start a thread that writes it: Resource temporarily unavailable
END_OF_LIST

# What the program has written must be on the disk, too.
run cape-cc -O2 "$here/shared.c" -o "$work/shared"
check "a program that writes a file is built" [ "$status" = 0 ]
touch "$work/fail"
LD_PRELOAD=$work/disk.so CAPE_TEST_DISK='fsync numbers 5' CAPE_TEST_DISK_FILE=$work/fail \
	run "${cape_run[@]}" -np 2 --checkpoint "$work/written" --every 1 "$work/shared" "$work/numbers"
is_status 0 "a run goes on whose file cannot be brought to the disk"
stderr_has 'could not be saved to .*/written: .*/numbers: Input/output error; the run goes on' \
	"and is not saved"

# A run that ends before a node has begun to write, and node 0 has.
touch "$work/fail"
LD_PRELOAD=$work/disk.so CAPE_TEST_DISK='mkdir 1 0' CAPE_TEST_DISK_FILE=$work/fail \
	run "${cape_run[@]}" -np 2 --checkpoint "$work/left" --every 1 "$work/jacobi" 3 100000
is_status 0 "a run that ends while it is saved"
check "leaves nothing behind" is "$(ls -A "$work/left")" ""

# A run that ends when all of a save is there, but the disk has not said so yet.
run cape-cc -O2 "$here/until.c" -o "$work/until"
check "a program is built that ends when it has been saved" [ "$status" = 0 ]
touch "$work/fail"
LD_PRELOAD=$work/disk.so CAPE_TEST_DISK='fsync 000001 0' CAPE_TEST_DISK_FILE=$work/fail \
	run "${cape_run[@]}" -np 2 --checkpoint "$work/late" --every 1 "$work/until" \
	"$work/late/000001/run"
is_status 0 "a run that ends when its save is about to be complete"
check "has it" cape-ckpt verify "$work/late/000001"/*

# A folder that goes away, with what was saved, and comes back.
begin "$work/gone" none
mv "$work/gone" "$work/away"
check "a folder that is gone: is told" \
	soon grep -q 'could not be saved to .*: No such file or directory; the run goes on' "$work/stderr"
check "a folder that is gone: the run goes on" soon lines $(($(wc -l <"$work/stdout") + 20))
check "a folder that is gone: what was saved is good" cape-ckpt verify "$work/away"/*/*
all=("$work/away"/*/run)
set=$work/gone/$(basename "${all[-1]%/run}")
mv "$work/away" "$work/gone"
check "a folder that is gone: the run is saved again when it is back" \
	soon newer "$work/gone" "$set"
ends

# A program that somebody has open to write to.
exec 9>>"$work/jacobi"
run "${cape_run[@]}" -np 2 --restart "$work/gone"
exec 9>&-
is_status 126 "with its program open to write to, it does not go on"
stderr_has "^cape-run: node [01]: cannot start $work/jacobi: Text file busy$" "and it is told why"

# A folder that is full, one that cannot be written to.
if [ "$(id -u)" -ne 0 ] || ! mkdir "$work/small" ||
	! mount -t tmpfs -o size=1m none "$work/small" 2>/dev/null; then
	skip 9 "needs root, and mount"
else
	trap 'umount "$work/small"; finish' EXIT
	begin "$work/small/saved" none
	head -c 1M /dev/zero >"$work/small/much" 2>/dev/null
	survives "a full folder" 'No space left on device' "$work/small/saved"
	rm "$work/small/much"
	check "a full folder: the run is saved again when there is room" \
		soon newer "$work/small/saved" "$set"
	: >"$work/stderr"
	soon mount -o remount,ro "$work/small" 2>/dev/null
	survives "a read-only folder" 'Read-only file system' "$work/small/saved"
	ends
fi
plan_done
