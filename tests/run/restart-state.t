#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart-state.t - descriptors that share a place, and the clock, of runs that go on; and what keeps
# a program from being saved, by each of its reasons.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
here=$root/tests/run/restart

for program in shared loaded; do
	run cape-cc -O2 "$here/$program.c" -o "$work/$program"
	check "$program is built" [ "$status" = 0 ]
done
run gcc -O2 "$here/refuse.c" -o "$work/refuse"
check "so is a command that refuses kcmp()" [ "$status" = 0 ]

# sets FOLDER: its complete sets, the oldest first.
sets() {
	local file
	for file in "$1"/*/run; do
		[ ! -e "$file" ] || dirname "$file"
	done
}

all='one other one other one other one other '
run "${cape_run[@]}" -np 2 --wrap "$work/refuse" --checkpoint "$work/saved" --every 1 --keep 9 \
	"$work/shared" "$work/file"
check "a program has two descriptors of one file" is "$(cat "$work/file")" "$all"
run "${cape_run[@]}" -np 3 --restart "$(sets "$work/saved" | head -n 1)"
is_status 0 "it goes on, though kcmp() was refused when it was saved"
check "and both have one place" is "$(cat "$work/file")" "$all"

if unshare --time --fork --monotonic 100000 true 2>/dev/null; then
	run unshare --time --fork --monotonic 100000 "${cape_run[@]}" -np 2 --checkpoint "$work/late" --every 1 \
		--keep 9 "$work/shared" "$work/file"
	run "${cape_run[@]}" -np 2 --restart "$(sets "$work/late" | tail -n 1)"
	is_status 0 "a run goes on where the kernel's clock is behind"
	check "and omp_get_wtime() goes on" is "$(grep -c 'goes back' "$work/stdout")" 0
else
	skip 2 "needs time namespaces"
fi

# Where all lies depends on how large the stack may become.
most=$(ulimit -H -s)
if [ "$most" = unlimited ] || [ "$most" -gt 65536 ]; then
	run bash -c 'ulimit -s 65536 && exec "$@"' - \
		"${cape_run[@]}" -np 2 --restart "$(sets "$work/saved" | head -n 1)"
	is_status 1 "a run does not go on under a lower limit of the stack"
	stderr_has '^cape-run: node [01]: the run cannot continue here: it had a stack of [0-9]* kB, and the hard limit is 65536 kB; set the earlier limit: ulimit -H -s [0-9]*$' \
		"which is told"
else
	skip 2 "needs a limit of the stack that can be lowered"
fi

# What cannot be restored is not saved, and the run goes on.
while read -r what reason; do
	run "${cape_run[@]}" -np 2 --checkpoint "$work/save.$what" --every 1 "$work/loaded" "$what" \
		</dev/null
	check "$what: the run goes on" is "$status $(cat "$work/stdout")" "0 14850"
	check "$what: the reason is told, once" is \
		"$(grep -c "^cape-run: the run could not be saved to .*: .*$reason" "$work/stderr")" 1
	check "$what: and it is not saved" is "$(sets "$work/save.$what")" ''
done <<'END_OF_LIST'
pipe has a pipe open
socket has a socket open
folder has a folder open
deleted has a file that is deleted open
shared maps memory with MAP_SHARED
child has started another process
setlocale has set a locale other than C
high has a file descriptor above 967 open (1500)
exec has become another one by exec()
END_OF_LIST
plan_done
