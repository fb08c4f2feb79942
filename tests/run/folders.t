#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# folders.t - folders of saves: whose they may be and who may look into them; files that are mapped;
# who can reach a run on one machine.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/restart

chmod 755 "$work"

run cape-cc -O2 "$here/mapped.c" -o "$work/mapped"
check "a program is built" [ "$status" = 0 ]

# modes FOLDER: of all that is in it, and of it.
modes() {
	find "$1" -printf '%y %m\n' | sort -u | tr '\n' ' '
}

cd "$work" || exit 1
seq 3000 >data
(umask 0 && "${cape_run[@]}" -np 2 --checkpoint saved --every 1 --keep 9 ./mapped data >whole 2>errors)
check "a run is saved that maps files" grep -q 'end' whole
check "and nothing is said of that" is "$(cat errors)" ''
check "whatever the umask is, nobody else may read memory" is "$(modes saved)" 'd 700 f 600 '
run "${cape_run[@]}" -np 3 --restart saved/000002
check "it goes on with what was mapped, on other nodes" \
	is "$(cat "$work/stdout")" "$(tail -n +3 whole)"
seq 4000 7000 >data
run "${cape_run[@]}" -np 2 --restart saved/000001
check "with what the files held then" is "$(cat "$work/stdout")" "$(tail -n +2 whole)"
(umask 0 && "${cape_run[@]}" -np 2 --save-checkpoints kept ./mapped data >/dev/null)
check "so it is with --save-checkpoints" is "$(modes kept)" 'd 700 f 600 '

# Memory that cannot be saved is named.
run "${cape_run[@]}" -np 2 --checkpoint none --every 1 ./mapped data shared
stderr_has "not be saved to $work/none: node 0: $work/data is mapped at 0x[0-9a-f]+, MAP_SHARED" \
	"a file that is mapped with MAP_SHARED to be read is named"
check "while the run goes on" [ "$status" = 0 ]
run "${cape_run[@]}" -np 2 --checkpoint none --every 1 ./mapped data raw
stderr_has 'memory without a name is mapped at 0x[0-9a-f]+, writable, and not by mmap\(\)' \
	"so is memory that is nobody's"

# no FOLDER PATTERN NAME: neither a restart nor a save is made there, in one line.
no() {
	run "${cape_run[@]}" -np 2 --restart "$1"
	refused 2 "^cape-run: --restart $work/$1(/000003)?: $2, and what .* --trust-folder$" "$3: a restart"
	run "${cape_run[@]}" -np 2 --restart saved --checkpoint "$1"
	refused 2 "^cape-run: --checkpoint $work/$1: $2; name a folder .* --trust-folder$" "$3: a save"
}

chmod 777 saved
run "${cape_run[@]}" -np 2 --restart saved
refused 2 "--restart $work/saved: $work/saved belongs to $(id -un) \(user $(id -u)\) and has mode 0777: other users can write" \
	"a folder that others can write to is refused"
run "${cape_run[@]}" -np 2 --restart saved --trust-folder
is_status 0 "who means it goes on"
stderr_has "^cape-run: --trust-folder: on .* the run goes on although $work/saved belongs" "but is told"
chmod 700 saved
mkdir -m 770 group && chgrp "$(id -g nobody)" group
cp -r saved group/in
no group/in "$work/group belongs to .* and has mode 0770: other users can write to it" \
	"a folder on the way that a group can write to"
mkdir -m 1777 sticky
cp -r saved sticky/own
run "${cape_run[@]}" -np 2 --restart sticky/own
is_status 0 "where others cannot remove what is one's own, as in /tmp, there can be saves"
cp -r saved files
chmod 666 files/000003/node-1
run "${cape_run[@]}" -np 2 --restart files
refused 2 "files/000003/node-1 belongs to .* mode 0666: other users can write" "a file that others can write to"
# As a single file of those that it goes on from.
chmod 600 files/000003/node-1
chmod 660 files/000001/node-0 && chgrp "$(id -g nobody)" files/000001/node-0
run "${cape_run[@]}" -np 2 --restart files
refused 2 "files/000001/node-0 belongs to .* mode 0660" "or that the save goes on from"

if [ "$(id -u)" = 0 ]; then
	cp -r saved theirs && chown -R nobody theirs
	no theirs "$work/theirs belongs to nobody \(user [0-9]*\) and has mode 0700: another user can change what is there" \
		"another user's folder"
	ln -s "$work/saved" sticky/link && chown -h nobody sticky/link
	no sticky/link "$work/sticky/link belongs to nobody .*: another user can change what is there" "another user's link"
	ln -s "$work/theirs" led
	no led "$work/theirs belongs to nobody .* change what is there" "a link that leads to another user's folder"
	chown nobody files/000003
	chmod 600 files/000001/node-0
	run "${cape_run[@]}" -np 2 --restart files
	refused 2 "files/000003 belongs to nobody" "another user's folder among one's own"
	run "${cape_run[@]}" -np 2 --restart saved --checkpoint theirs --partner
	refused 2 "--checkpoint $work/theirs.*: $work/theirs belongs to nobody" "with --partner too"
	check "and nothing is put there" is "$(ls theirs)" "$(ls saved)"

	# One who has the lock of a folder that everybody can read, from before it was closed.
	chmod 755 saved
	touch saved/cape-lock
	setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups \
		flock saved/cape-lock sleep 60 &
	stranger=$!
	soon grep -q "FLOCK.*:$(stat -c %i saved/cape-lock) " /proc/locks
	run "${cape_run[@]}" -np 2 --restart saved
	refused 2 "process [0-9]* \(flock\) of user nobody holds the lock cape-lock, and is not a run of yours" \
		"a stranger who has the lock is named"
	kill "$stranger"
	wait "$stranger" 2>"$work/stderr"
	rm saved/cape-lock
else
	skip 9 "another user's folders need root"
fi

# A run on one machine, started as a script starts what is to go on in the background.
(trap '' INT TERM HUP QUIT && umask 0 && exec cape-run -np 2 --checkpoint held ./mapped data slow >said 2>&1) &
run_of=$!
soon grep -q begin said
check "its lock is nobody else's to take" is "$(stat -c %a held/cape-lock)" 600
check "no process of CAPE listens beyond this machine" is "$(ss -Hltnp |
	grep -E "pid=($run_of|$(pgrep -d '|' -f '^[^ ]*cape-monitor .*held'))," |
	awk '{ print $4 }' | grep -v '^127\.0\.0\.1:')" ''
for name in INT TERM HUP QUIT; do
	kill -$name "$run_of"
done
wait "$run_of"
check "no signal ends it that was ignored when it began" is "$? $(grep -c end said)" "0 1"
plan_done
