#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart.t - runs that are saved, and go on from there: from every set, on other numbers of nodes.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/restart

# same_state: the files that state.c writes are what a run without an end made of them.
same_state() {
	local file
	for file in out log both; do
		cmp "$work/folder/$file" "$work/other/folder/$file" || return 1
	done
}

for program in jacobi lists state; do
	run cape-cc -O2 "$here/$program.c" -o "$work/$program" -lm
	check "$program is built" [ "$status" = 0 ]
done

# sets FOLDER: its complete sets, the oldest first.
sets() {
	local file
	for file in "$1"/*/run; do
		[ ! -e "$file" ] || dirname "$file"
	done
}

for program in jacobi lists; do
	run "${cape_run[@]}" -np 1 "$work/$program" 4
	cp "$work/stdout" "$work/whole.$program"
	run cape-run -np 3 --checkpoint "$work/saved.$program" --every 1 --keep 100 \
		"$work/$program" 4 0 "$work/saved.$program"
	check "$program: prints the same when it is saved" cmp "$work/stdout" "$work/whole.$program"
	all=$(sets "$work/saved.$program")
	check "$program: is saved more than once" [ "$(wc -l <<<"$all")" -gt 1 ]
	nodes=0
	for set in $(sets "$work/saved.$program" | awk 'NR % 2'); do
		nodes=$((nodes % 4 + 1))
		run "${cape_run[@]}" -np "$nodes" --verify --restart "$set"
		check "$program: goes on from $(basename "$set") on $nodes nodes" \
			same_end "$work/stdout" "$work/whole.$program"
	done
done

mkdir "$work/folder" "$work/other"
(cd "$work/other" && mkdir folder && "${cape_run[@]}" -np 1 "$work/state" folder 3 >../whole.state)
cd "$work" || exit 1
run "${cape_run[@]}" -np 3 --checkpoint "$work/saved.state" --every 1 --keep 100 ./state folder 3 0 "$work/saved.state"
check "state: prints the same when it is saved" cmp "$work/stdout" "$work/whole.state"
cd / || exit 1
nodes=2
for set in $(sets "$work/saved.state" | awk 'NR % 2'); do
	nodes=$((4 - nodes))
	[ "$nodes" -gt 0 ] || nodes=1
	run "${cape_run[@]}" -np "$nodes" --exchange eager --restart "$set"
	check "state: goes on from $(basename "$set") on $nodes nodes" \
		same_end "$work/stdout" "$work/whole.state"
	check "state: and its files are the same" same_state
done

# refused NAME PATTERN: what was run has failed, with a line that tells why.
refused() {
	check "$1" grep -q -- "$2" "$work/stderr"
	check "$1, and the run fails" [ "$status" -ne 0 ]
}

run "${cape_run[@]}" --restart "$work/folder"
refused "a folder without a save" '^cape-run: --restart .*no run is saved there'
run "${cape_run[@]}" --restart "$work/jacobi"
refused "a file" "^cape-run: --restart $work/jacobi: Not a directory"
for option in --checkpoint --restart --save-checkpoints; do
	run "${cape_run[@]}" -np 2 "$option" '' "$work/jacobi"
	refused "$option without a name" "^cape-run: $option needs a folder"
done
run "${cape_run[@]}" --restart "$work/saved.jacobi" "$work/jacobi"
refused "a program beside --restart" '^cape-run: --restart .*do not name'
run "${cape_run[@]}" -np 2 --checkpoint /proc/none "$work/jacobi"
refused "a folder that cannot be made" '^cape-run: --checkpoint /proc/none: '
# What nodes still have on their way to each other then comes at another time in each run.
said=
for ((i = 0; i < 10; i++)); do
	run cape-run -np 2 --checkpoint "$work/missing/x" "$work/jacobi"
	said+=$(<"$work/stderr")$'\n'
done
check "and that is all there is to read, each time" \
	is "$(grep -c . <<<"$said") $(grep -c '^cape-run: --checkpoint .*/x: ' <<<"$said")" "10 10"
run "${cape_run[@]}" -np 2 --checkpoint "$work/none" --method dickpt "$work/jacobi"
refused "another method" '^cape-run: --checkpoint needs --method tickpt2'
run "${cape_run[@]}" -np 2 --checkpoint "$work/none" --every often "$work/jacobi"
refused "no time" '^cape-run: --every often: '
for every in 99999999999h 99999999999p; do
	run "${cape_run[@]}" -np 2 --checkpoint "$work/none" --every "$every" "$work/jacobi"
	refused "too long a time" '^cape-run: --every 99999999999: the number of .* must be 1 to '
	check "and nothing else is said of it" is "$(grep -c . "$work/stderr")" 1
done
run "${cape_run[@]}" -np 2 --keep 3 "$work/jacobi" 4
refused "a way to save without saving" '^cape-run: --keep needs --checkpoint FOLDER'

mkdir "$work/elsewhere"
cd "$work/elsewhere" || exit 1
echo "localhost slots=8" >hosts
set=$(sets "$work/saved.jacobi" | head -n 1)
run cape-run -np 2 --hostfile hosts --profile=own.trace.json --restart "$set"
check "files are found from where it is started again" same_end "$work/stdout" "$work/whole.jacobi"
check "and made there" [ -s "$work/elsewhere/own.trace.json" ]
cd / || exit 1

run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.jacobi" "$work/jacobi"
is_status 2 "a folder that holds another run"
stderr_has '^cape-run: --checkpoint .*: it holds a saved run already; .* --restart .*saved.jacobi' \
	"and it says what to do"
run "${cape_run[@]}" -np 2 --restart "$work/saved.lists" --checkpoint "$work/saved.jacobi"
is_status 2 "a folder that holds another run than the one that goes on"
run "${cape_run[@]}" -np 2 --restart "$work/saved.lists" --checkpoint "$work/saved.lists/" --keep 100
is_status 0 "the folder that the run goes on from is taken"

cp -r "$work/saved.jacobi/000001" "$work/damaged"
size=$(stat -c %s "$work/damaged/node-0")
printf '\377\376' | dd of="$work/damaged/node-0" bs=1 seek=$((size / 2)) conv=notrunc status=none
run "${cape_run[@]}" -np 2 --restart "$work/damaged"
refused "a damaged file is named" 'cape-run: .*/damaged/node-0: '
check "and that nothing is older" grep -q '^cape-run: there is no older save' "$work/stderr"
mkdir "$work/older"
mv "$work/damaged" "$work/older/000009"
cp -r "$work/saved.jacobi/000001" "$work/older/000007"
mkdir "$work/older/000008"
run "${cape_run[@]}" -np 2 --restart "$work/older/000009"
refused "and the save before it" 'sound save before it: cape-run --restart .*/older/000007$'
printf '\377\376' | dd of="$work/older/000009/run" bs=1 seek=40 conv=notrunc status=none
run "${cape_run[@]}" -np 2 --restart "$work/older/000009"
refused "so it is of what makes a save complete" 'sound save before it: cape-run --restart .*/older/000007$'
cp -r "$work/saved.jacobi/000001" "$work/orders"
python3 "$here/orders.py" "$work/orders/run"
check "a file is made that only looks sound" cape-ckpt verify -q "$work/orders/run"
run "${cape_run[@]}" -np 2 --restart "$work/orders"
refused "arguments that cannot be are told" 'cannot continue from .*/orders: .*environment are damaged'
cp "$work/lists" "$work/jacobi.new"
cp "$work/jacobi" "$work/jacobi.old"
mv "$work/jacobi.new" "$work/jacobi"
run "${cape_run[@]}" -np 2 --restart "$work/saved.jacobi"
refused "another program" 'cape-run: .*is not the one that was saved'
mv "$work/jacobi.old" "$work/jacobi"

# await COMMAND...: until it succeeds, for a while at most.
await() {
	local i
	for ((i = 0; i < 2000; i++)); do
		"$@" && return
		sleep 0.05
	done
	return 1
}

# lines COUNT: at least so many were printed.
lines() {
	[ "$(wc -l <"$work/stdout")" -ge "$1" ]
}

# What is somebody else's in the folder of a run, or in a set, stays, and stops nothing.
others=(5/notes 20250101/run 20250101/node-0 20250101/node-1.txt 000001/notes)
for file in "${others[@]}"; do
	mkdir -p "$work/shared/${file%/*}"
	echo "not CAPE's" >"$work/shared/$file"
done
mkdir "$work/shared/20250102"
cp "$work/saved.jacobi/000001/node-0" "$work/shared/20250102"
"${cape_run[@]}" -np 2 --checkpoint "$work/shared" --every 1 "$work/jacobi" 100000 10000 \
	>"$work/stdout" 2>"$work/stderr" &
process=$!
check "what is left of a set is removed" await [ ! -e "$work/shared/20250102" ]
check "and the run goes on" await lines $(($(wc -l <"$work/stdout") + 10))
kill "$process"
wait "$process"
check "and what is not CAPE's is as it was" \
	is "$(cd "$work/shared" && cat "${others[@]}" | grep -c "^not CAPE's$")" 5

# The folder is lost while the program runs.
"${cape_run[@]}" -np 2 --checkpoint "$work/lost" --every 1 "$work/jacobi" 100000 10000 \
	>"$work/stdout" 2>"$work/stderr" &
process=$!
await compgen -G "$work/lost/*/run" >/dev/null
mv "$work/lost" "$work/kept"
touch "$work/lost"
check "a save that fails is told" \
	await grep -q 'could not be saved to .*/lost: .*; the run goes on' "$work/stderr"
check "and the run goes on" await lines $(($(wc -l <"$work/stdout") + 10))
kill "$process"
wait "$process"
check "and it was told once" [ "$(grep -c 'could not be saved' "$work/stderr")" = 1 ]

# What is buffered of a pipe is read on, whatever standard input is then.
run cape-cc -O2 "$here/ahead.c" -o "$work/ahead"
check "ahead is built" [ "$status" = 0 ]
seq 6 >"$work/numbers"
run "${cape_run[@]}" -np 1 "$work/ahead" 6 <"$work/numbers"
cp "$work/stdout" "$work/whole.ahead"
seq 6 | "${cape_run[@]}" -np 2 --checkpoint "$work/saved.ahead" --every 1 --keep 100 \
	"$work/ahead" 6 0 "$work/saved.ahead" >"$work/stdout"
check "ahead: prints the same when it is saved" cmp "$work/stdout" "$work/whole.ahead"
run "${cape_run[@]}" -np 3 --checkpoint "$work/saved.again" --every 1 --keep 100 \
	--restart "$work/saved.ahead/000002" </dev/null
check "ahead: goes on with /dev/null in a pipe's place" same_end "$work/stdout" "$work/whole.ahead"
run "${cape_run[@]}" -np 2 --restart "$(sets "$work/saved.again" | head -n 1)" <"$work/whole.ahead"
check "ahead: and with a file in the place of that" same_end "$work/stdout" "$work/whole.ahead"

# What cannot be restored is not saved.
run cape-cc -O2 "$here/loaded.c" -o "$work/loaded"
check "loaded is built" [ "$status" = 0 ]
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.loaded" --every 1 "$work/loaded" library
check "a loaded library is told" grep -q 'has loaded libraries since it began' "$work/stderr"
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.loaded" --every 1 "$work/loaded" locale
check "a locale in use is told" grep -q 'uses a locale of its own' "$work/stderr"
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.loaded" --every 1 "$work/loaded" timer
check "a timer is told" grep -q 'has made timers by timer_create()' "$work/stderr"
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.loaded" --every 1 "$work/loaded" proc
check "an open file of /proc is told" grep -q 'has a file of /proc open' "$work/stderr"
check "and none is saved" [ -z "$(sets "$work/saved.loaded")" ]
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.loaded" --every 1 "$work/loaded" \
	nothing 0 "$work/saved.loaded"
check "without them it is" [ -n "$(sets "$work/saved.loaded")" ]
plan_done
