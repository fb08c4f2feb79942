#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# claim.t - one folder, one run: a second run is not saved to it, what dead runs have left of a save
# goes, and cape-ckpt tells which saves are complete.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/restart
saved=$work/saved

run cape-cc -O2 "$here/faulty.c" -o "$work/faulty"
check "a program is built" [ "$status" = 0 ]
run cape-cc -O2 "$here/tenth.c" -o "$work/tenth"
check "and another" [ "$status" = 0 ]
run gcc -shared -fPIC -O2 "$here/disk.c" -o "$work/disk.so" -ldl
check "and a disk that fails" [ "$status" = 0 ]

waits() {
	grep -q '^step 5' "$work/first"
}

# begin FOLDER EVERY: a run that is saved there, and waits at step 5.
begin() {
	command_text="begin $*"
	touch "$work/wait"
	: >"$work/first"
	"${cape_run[@]}" -np 2 --checkpoint "$1" --every "$2" "$work/faulty" 8 5 wait "$work/wait" \
		</dev/null >"$work/first" 2>"$work/first.told" &
	process=$!
	soon waits
}

# ended: the run has ended; its status.
ended() {
	rm -f "$work/wait"
	status=0
	wait "$process" || status=$?
}

# A run that has nothing saved yet has the folder, too.
begin "$saved" 1h
check "who saves to a folder is told in it" grep -q "/faulty, process [0-9]* on " "$saved/cape-lock"
run "${cape_run[@]}" -np 2 --checkpoint "$saved" --every 1 "$work/faulty" 8 5 exit
is_status 2 "a second run is not saved there"
stderr_has "^cape-run: --checkpoint $saved: another run is being saved there: .*/faulty, process [0-9]* on .* since .*; name another folder" \
	"and it is told who is"
check "and has not begun" is "$(cat "$work/stdout")" ''
ended
is_status 0 "the first comes to its end"
check "without a word" is "$(cat "$work/first.told")" ''
check "and leaves no lock" is "$(ls -A "$saved")" ''

# Who goes on from a save of a run that lives would write to its files.
begin "$work/alive" 1
run "${cape_run[@]}" -np 2 --restart "$work/alive"
is_status 2 "from what a run that lives has saved no other goes on"
stderr_has "^cape-run: --restart $work/alive/0*[0-9]: a run is still being saved to $work/alive: .*/faulty, process [0-9]* on .*; end it first" \
	"and it is told which run that is"
ended
is_status 0 "and it comes to its end"
run "${cape_run[@]}" -np 2 --restart "$work/alive"
is_status 0 "behind which one goes on"

near_end() {
	compgen -G "$work/short/00002[6-9]/run" >/dev/null
}

# Who waits for a run that ends goes on from its last save, though that of the beginning is gone.
"${cape_run[@]}" -np 1 --checkpoint "$work/short" --every 1 --keep 1 "$work/tenth" 30 20000 >"$work/whole" \
	2>/dev/null </dev/null &
process=$!
soon near_end
run "${cape_run[@]}" -np 1 --restart "$work/short"
is_status 0 "a run that ends within 5 seconds is waited for"
check "and one goes on from its last save" is "$(tail -n 1 "$work/stdout")" "$(tail -n 1 "$work/whole")"
ended

# Locks that there are none of.
touch "$work/fail"
LD_PRELOAD=$work/disk.so CAPE_TEST_DISK='flock cape-lock 37' CAPE_TEST_DISK_FILE=$work/fail \
	run "${cape_run[@]}" -np 2 --checkpoint "$work/unlocked" --every 1 "$work/faulty" 8 9 exit
is_status 0 "where there are no locks, a run is saved"
stderr_has "^cape-run: --checkpoint $work/unlocked: there are no locks on its file system" \
	"which is told"
check "to the end" [ -n "$(compgen -G "$work/unlocked/*/run")" ]

# What runs leave that are killed, and what is not theirs.
run "${cape_run[@]}" -np 2 --checkpoint "$saved" --every 1 --keep 9 "$work/faulty" 8 9 exit
all=("$saved"/*/run)
last=${all[-1]%/run}
number=$((10#${last##*/}))
left=$saved/$(printf %06d $((number + 1)))
newest=$saved/$(printf %06d $((number + 2)))
mkdir "$left" "$newest" "$saved/20250101"
cp "$last/node-0" "$left"
touch "$left/node-1.partial.0123abcd" "$saved/start-0123456789abcdef" "$saved/start-now"
touch "$last/run.partial.89abcdef" "$last/node-0.partial.x"
cp "$last/node-1" "$newest"
echo mine >"$newest/notes"
echo mine >"$saved/20250101/run"
echo "another run: /no/such" >"$saved/cape-lock"
touch "$saved/000001/.given-up"
run cape-ckpt info "$saved"
stdout_has "^$newest: incomplete" "cape-ckpt tells of a save that is not complete"
stdout_has "^$last: complete" "and of one that is"
stdout_has "^$saved/000001: given up" "and of one that is given up"
check "and of none that is another's" is "$(grep -c 20250101 "$work/stdout")" 0
run cape-ckpt info --json "$saved"
check "and does so in JSON" is "$(jq -r '.[] | .state' "$work/stdout" | sort | uniq -c | xargs)" \
	"$((${#all[@]} - 1)) complete 1 given-up 2 incomplete"
rm "$saved/000001/.given-up"
run cape-ckpt info "$work"
is_status 2 "where nothing is saved, it is trouble"
run "${cape_run[@]}" -np 2 --restart "$last" --checkpoint "$saved" --every 1h --keep 9
is_status 0 "a run goes on where others have died, whose lock nobody has"
check "what they left of a save is gone" [ ! -e "$left" ]
check "so it is of the newest, and nothing else" is "$(ls -A "$newest")" notes
check "and what else is theirs" is "$(cd "$saved" && ls -d start-* cape-lock 2>/dev/null)" start-now
check "what never became whole in a complete one" [ ! -e "$last/run.partial.89abcdef" ]
check "but not what is called otherwise" [ -e "$last/node-0.partial.x" ]
check "but not what is another's" is "$(cat "$saved/20250101/run")" mine
check "and all that was complete is there" \
	is "$(cd "$saved" && echo 0*/run)" "$(cd "$saved" && echo "${all[@]#"$saved/"}")"
plan_done
