#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts that die, or do not come about: they are made again, or end with a word, and leave nothing.
. "$(dirname "$0")/../tap.sh"

plan 25

program=$work/faulty-$$
cape-cc -O2 "$root/tests/run/restart/faulty.c" -o "$program" &&
	gcc -O2 -shared -fPIC "$root/tests/run/starts/harm.c" -o "$work/harm.so" -ldl || exit 1
run cape-run -np 1 "$program" 2 9 exit </dev/null
whole=$(cat "$work/stdout")
mkdir -m 1777 "$work/tmp"

# harm HOW NODE OPTION...: a run of two nodes, the start of which it meets.
harm() {
	touch "$work/harm"
	run env TMPDIR="$work/tmp" LD_PRELOAD="$work/harm.so" HARM="$1" HARM_NODE="$2" HARM_FILE="$work/harm" \
		cape-run -np 2 "${@:3}" "$program" 2 9 exit </dev/null
}

nothing_left() {
	soon eval '! pgrep -f "$program" && [ -z "$(ls "$work/tmp")" ]' >/dev/null
}

for case in 'init 0' 'init 1' 'seize 1' 'poke 0'; do
	rm -rf "$work/saved"
	# shellcheck disable=SC2086 # two words
	harm $case --checkpoint "$work/saved" --max-restarts 1
	is_status 0 "$case: the run comes to its end"
	stdout_is "$whole" "... and prints all"
	stderr_has 'starts again at the beginning, .*\(restart 1 of 1\)$' "... when it has begun again"
done
harm seize 1
is_status 137 "without --max-restarts it ends"
stderr_has '^cape-run: node 1: the process that was to become .* was killed by signal 9' "... which is told"
check "nothing is left of them" nothing_left

# A loaded machine may need as long for the second.
# shellcheck disable=SC2034 # of tap.sh
slow_starts_count=1
harm hang 1 --start-within 12
is_status 0 "a start that hangs once is made once more"
stdout_is "$whole" "... and the run prints all"
stderr_has '^cape-run: the run has not started after [34] s: .*the monitors wait.*is ended after 12 s' \
	"... what it waits for is told before"
stderr_has '^cape-run: the run has not started within 12 s \(--start-within\): the monitors wait' \
	"... and that it has waited too long"
stderr_has '^cape-run: the run is started again$' "... and what comes then"
export HARM_ALWAYS=1
harm hang 0 --start-within 1
is_status 1 "a start that always hangs ends"
check "... after two tries" is "$(grep -c 'has not started within 1 s' "$work/stderr")" 2
check "... of which nothing is left" nothing_left
rm -rf "$work/saved"
harm hang 0 --start-within 1 --checkpoint "$work/saved" --max-restarts 1
check "... and --max-restarts adds as many" is "$(grep -c 'has not started within 1 s' "$work/stderr")" 3
run cape-run -np 2 --start-within 0 "$program"
refused 2 '--start-within 0: the number of seconds must be 1 to 86400' "no time at all is refused"
