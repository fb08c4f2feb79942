#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# again.t - --max-restarts: runs that die of a fault go on by themselves, and others do not.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/restart

run cape-cc -O2 "$here/faulty.c" -o "$work/faulty"
check "a program is built" [ "$status" = 0 ]
run cape-run -np 1 "$work/faulty" 8 5 wait "$work/wait"
cp "$work/stdout" "$work/whole"

# printed WHOLE: every line of it, some of them more than once, and nothing else.
printed() {
	sort -u "$work/stdout" | cmp -s - <(sort -u "$1")
}

waits() {
	grep -q '^step 5' "$work/stdout"
}

has_set() {
	compgen -G "$1/*/run" >/dev/null
}

# tree PROCESS: all that it has started.
tree() {
	local child
	for child in $(pgrep -P "$1"); do
		echo "$child"
		tree "$child"
	done
}

# find_victim NAME: a process of the run that is called so; Open MPI 5's mpirun becomes prterun.
find_victim() {
	local pid
	for pid in $(tree "$process"); do
		[ "$(sed 's/^prterun$/mpirun/' "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && victim=$pid
	done
	[ -n "$victim" ]
}

# newest FOLDER: has become its newest set, of more than one, and stays that; its path is in $last.
newest() {
	local all=("$1"/*/run)
	last=${all[-1]%/run}
	sleep 0.5
	all=("$1"/*/run)
	[ ${#all[@]} -gt 1 ] && [ "$last" = "${all[-1]%/run}" ]
}

# begin NAME OPTION...: a run that waits at step 5, and may be restarted $restarts times.
restarts=2
begin() {
	command_text="begin $*"
	touch "$work/wait"
	: >"$work/stdout"
	cape-run -np 2 --checkpoint "$work/saved.$1" --max-restarts "$restarts" "${@:2}" \
		"$work/faulty" 8 5 wait "$work/wait" </dev/null >"$work/stdout" 2>"$work/stderr" &
	process=$!
}

# murder NAME: kills a process of the run, which then waits no more.
murder() {
	soon waits
	victim=
	find_victim "$1"
	kill -KILL "$victim"
	rm "$work/wait"
}

# ended: the run has ended; its status.
ended() {
	status=0
	wait "$process" || status=$?
}

for name in faulty cape-monitor mpirun; do
	begin "$name" --every 1
	soon has_set "$work/saved.$name"
	murder "$name"
	ended
	is_status 0 "$name is killed: the run comes to its end"
	check "$name is killed: all is printed" printed "$work/whole"
	stderr_has "^cape-run: the run goes on from $work/saved.$name/[0-9]* \(restart 1 of 2\)$" \
		"$name is killed: it is told where it goes on"
done

restarts=0
begin alone --every 1
soon has_set "$work/saved.alone"
murder faulty
ended
stderr_has "^cape-run: the run can go on from its newest save: cape-run --restart $work/saved.alone/[0-9]* --checkpoint $work/saved.alone$" \
	"who has not asked for restarts is shown how it can go on"
restarts=2

begin unsaved --every 1h
murder faulty
ended
is_status 0 "without a save it begins again"
check "and prints all" printed "$work/whole"
stderr_has '^cape-run: the run starts again at the beginning, because there is no save \(restart 1 of 2\)$' \
	"and that is told"

mkdir "$work/first"
cat >"$work/first/mpirun" <<END
#!/bin/sh
[ -e "$work/started" ] || { touch "$work/started"; kill -KILL \$\$; }
PATH=\${PATH#*:} exec mpirun "\$@"
END
chmod +x "$work/first/mpirun"
PATH=$work/first:$PATH run cape-run -np 2 --checkpoint "$work/saved.start" --max-restarts 2 \
	"$work/faulty" 8 8 none
is_status 0 "mpirun is killed before a node has begun: it begins again"
stdout_is "$(<"$work/whole")" "and prints all"

begin ended --every 1
soon has_set "$work/saved.ended"
kill -TERM "$process"
ended
is_status 143 "a run that the user ends is not restarted"
check "and nobody speaks of it" is "$(grep -c restart "$work/stderr")" 0

run cape-run -np 2 --checkpoint "$work/saved.exit" --every 1 --max-restarts 2 "$work/faulty" 8 4 exit
is_status 3 "nor one that ends with a status of its own"
check "of which nobody speaks either" is "$(wc -c <"$work/stderr")" 0

run cape-run -np 2 --checkpoint "$work/saved.abort" --every 1 --keep 9 --max-restarts 4 \
	"$work/faulty" 8 5 abort
is_status 137 "a run that always dies ends"
check "after as many restarts" is "$(grep -c '(restart . of 4)$' "$work/stderr")" 4
stderr_has "goes on from .*/[0-9]*, for .*/saved.abort/[0-9]*, which is given up, is where it died twice" \
	"a save behind which it has died twice is given up"
stderr_has '^cape-run: the run has died again, and is not restarted any more \(--max-restarts 4\)' \
	"and the end is told"

# spoil SET: it is damaged.
spoil() {
	printf '\377\376' | dd of="$1/node-0" bs=1 conv=notrunc status=none \
		seek=$(($(stat -c %s "$1/node-0") / 2))
}

# Damage is found when the set is read: the one before it is taken.
restarts=0 begin once --every 1 --keep 9
soon waits
soon newest "$work/saved.once"
murder faulty
ended
is_status 137 "a run dies"
all=("$work/saved.once"/*/run)
last=${all[-1]%/run}
spoil "$last"
run cape-run -np 2 --restart "$work/saved.once" --checkpoint "$work/saved.once" --max-restarts 1
is_status 0 "with its newest save damaged, it goes on"
stderr_has "goes on from .*/[0-9]*, for $last, which is given up, is damaged \(restart 1 of 1\)$" \
	"from the one before, which is told"

# So is damage to what makes a set complete, and no monitor dies of it.
cut() {
	truncate -s 300 "$1"
}

# The name of the folder, which nobody asks for here: its section's contents, behind name and sum.
alter() {
	local at
	at=$(LC_ALL=C grep -abo folder "$1")
	printf '\377\376\375' | dd of="$1" bs=1 seek=$((${at%%:*} + 40)) conv=notrunc status=none
}

for damage in cut alter; do
	saved=$work/saved.$damage
	begin "$damage" --every 1 --keep 9
	soon waits
	soon newest "$saved"
	$damage "$last/run"
	murder faulty
	ended
	is_status 0 "$damage: the run comes to its end"
	stderr_has "goes on from .*/[0-9]*, for $last, which is given up, is damaged \(restart 2 of 2\)$" \
		"$damage: from the save before, and why is told"
	check "$damage: no monitor has died of it" is "$(grep -vc ^cape-run: "$work/stderr")" 0
	check "$damage: and nothing is left in the folder" [ -z "$(compgen -G "$saved/start-*")" ]
done

# Nothing is older than the only save, however often it may be tried.
mkdir "$work/alone"
cp -r "${all[0]%/run}" "$work/alone/000001"
spoil "$work/alone/000001"
run cape-run -np 2 --restart "$work/alone" --checkpoint "$work/alone" --max-restarts 3
is_status 1 "with its only save damaged, it ends"
check "and is not tried again" is "$(grep -c '(restart . of 3)$' "$work/stderr")" 0
stderr_has "^cape-run: the run is not restarted: $work/alone/000001 is damaged, and there is no older" \
	"which is told"

# resume FROM TO OPTION...: the run saved in FROM, from there on, which waits at step 5.
resume() {
	command_text="resume $*"
	touch "$work/wait"
	: >"$work/stdout"
	cape-run -np 2 --restart "$1" --checkpoint "$2" "${@:3}" </dev/null >"$work/stdout" \
		2>"$work/stderr" &
	process=$!
}

run cape-run -np 2 --checkpoint "$work/line" --every 1 --keep 99 "$work/faulty" 8 5 wait "$work/wait"
made=("$work/line"/*/run)
early=${made[0]%/run}
resume "$early" "$work/other" --every 1 --keep 1 --max-restarts 9
soon has_set "$work/other"
soon waits
sleep 0.5
for one in "$work/other"/*/run; do
	spoil "${one%/run}"
done
murder faulty
ended
is_status 0 "with all its own saves damaged, a run comes to its end"
stderr_has "goes on from $early, for $work/other/[0-9]*(| and [0-9]* before it), which .* damaged" \
	"from where the user has let it begin"

resume "$early" "$work/line" --every 1h --max-restarts 1
murder faulty
ended
is_status 0 "a run from an older save is killed: it comes to its end"
stderr_has "^cape-run: the run goes on from $early \(restart 1 of 1\)$" \
	"from that save, and not from a newer one of another run"

# Standard input: a file is read again, a pipe cannot be.
seq 8 >"$work/numbers"
run cape-run -np 1 "$work/faulty" 8 <"$work/numbers"
cp "$work/stdout" "$work/whole.numbers"
check "a file was read" grep -q 'step 7: .* 8$' "$work/whole.numbers"
for every in 1 1h; do
	touch "$work/once"
	run cape-run -np 2 --checkpoint "$work/read.$every" --every "$every" --max-restarts 1 \
		"$work/faulty" 8 5 once "$work/once" read <"$work/numbers"
	is_status 0 "it dies once, saved each $every, and comes to its end"
	check "it has read the file again" printed "$work/whole.numbers"
	stderr_has '\(restart 1 of 1\)$' "in a second try"
done
touch "$work/once"
run cape-run -np 2 --checkpoint "$work/piped" --every 1 --max-restarts 1 \
	"$work/faulty" 8 5 once "$work/once" read < <(seq 8)
is_status 137 "what has read a pipe is not restarted"
stderr_has '^cape-run: the run is not restarted: it has read standard input that is not a file' \
	"which is told"
run cape-run -np 2 --keep 3 --max-restarts 2 "$work/faulty" 8
is_status 2 "without --checkpoint it is refused"
run cape-run -np 2 --checkpoint "$work/none" --save-checkpoints "$work/kept" --max-restarts 2 \
	"$work/faulty" 8
is_status 2 "and with --save-checkpoints"
plan_done
