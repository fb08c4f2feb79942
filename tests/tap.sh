# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tap.sh - what the tests in bash share: plan, run, checks of what was run, skip.
#
# A failed check prints the command that it looked at and all that came of it, and the scratch
# folder $work is then kept.  CAPE_BUILD names another build folder than build/.

# shellcheck disable=SC2034 # for the tests
{
	root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	build=$(realpath "${CAPE_BUILD-$root/build}")
	PATH=$build/bin:$PATH
}
work=$(mktemp -d "${TMPDIR-/tmp}/cape-test-XXXXXX")
test_limit=200 # seconds that a command may take, on a machine that is busy with much else
slow_starts_count= # 1: what cape-run says of a slow start is kept
# cape-run without Open MPI, whose start costs more than most runs do: for what does not hang on it.
# LONG=1, or CAPE_TEST_WIRE=mpi: over Open MPI, too.
# shellcheck disable=SC2034 # for the tests
if [ -n "${LONG-}" ] || [ "${CAPE_TEST_WIRE-}" = mpi ]; then
	cape_run=(cape-run)
else
	cape_run=(cape-run --wire test)
fi
test_number=0
test_failed=0
command_text=
status=
exec 3>&1 # where TAP goes

# A child that a signal ends before it has become another program runs this, too.
finish() {
	[ "$BASHPID" = $$ ] || return
	[ "$test_failed" -eq 0 ] && rm -rf "$work" && return
	echo "# kept for a look: $work" >&3
}
trap finish EXIT

plan() {
	echo "1..$1" >&3
}

# At the end, where a test does not know before how many checks it makes.
plan_done() {
	plan "$test_number"
}

note() {
	printf '# %s\n' "$*" >&3
}

# Just before a command has taken too long: what its processes wait for, and whether they computed.
tell_if_stuck() {
	local pipe
	exec {pipe}<> <(:)
	read -r -t $((test_limit - 2)) -u "$pipe"
	echo "# after $((test_limit - 2)) s, load $(cat /proc/loadavg), $command_text has:"
	ps -eo pid,ppid,stat,time,wchan:20,args | awk -v test=$$ '
		NR == 1 || $2 in below || $2 == test { below[$1]; print "#   " substr($0, 1, 150) }'
}

# run COMMAND...: its exit status is then in $status, what it printed in $work/stdout, $work/stderr.
# Standard input is the test's own: give it by <.
run() {
	local watcher
	command_text=$(printf '%q ' "$@")
	status=0
	# By another shell: $! stays what it is.
	watcher=$(tell_if_stuck </dev/null >&3 2>&3 & echo $!)
	timeout --kill-after=5 "$test_limit" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	kill -KILL "$watcher" 2>/dev/null
	[ -n "$slow_starts_count" ] || forget_slow_start
}

# cape-run tells of a start that takes long, as it may on a busy machine.
forget_slow_start() {
	local lines
	mapfile -t lines <"$work/stderr"
	[[ ${lines[*]} != *"the run has not started after"* ]] ||
		sed -i '/^cape-run: the run has not started after/d' "$work/stderr"
}

# compiled NAME [OPTION...]: prints the executable of tests/NAME.c, which is built once in each way.
compiled() {
	local source=$root/tests/$1.c program
	shift
	program=$work/$(basename "$source" .c)$(printf %s "${CAPE_CC-}" "$@")
	[ -e "$program" ] || cape-cc -O2 "$@" -o "$program" "$source" || exit 1
	echo "$program"
}

# same_end FILE WHOLE: the file is how the other ends, and not empty.
same_end() {
	local lines
	lines=$(wc -l <"$1")
	[ "$lines" -gt 0 ] && tail -n "$lines" "$2" | cmp -s "$1" -
}

# report STATUS NAME: one test, passed if the status is 0; this status again.
report() {
	test_number=$((test_number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $test_number - $2" >&3
		return
	fi
	test_failed=1
	echo "not ok $test_number - $2" >&3
	return "$1"
}

# check NAME COMMAND...: one test, passed if the command succeeds.
check() {
	local name=$1 file passed=0
	shift
	"$@" || passed=$?
	report "$passed" "$name" && return
	{
		printf '# expected: %s\n' "$*"
		[ -z "$command_text" ] || printf '# after: %s\n' "$command_text"
		printf '# exit status: %s\n' "$status"
		for file in stdout stderr; do
			[ -s "$work/$file" ] || continue
			echo "# $file:"
			head -n 40 "$work/$file" | sed 's/^/#   /'
		done
	} >&3
}

# soon COMMAND...: the command succeeds before long; it is tried again and again.  The limit is for
# a machine that is busy with much else.
soon() {
	local tries
	for ((tries = 0; tries < 1000; tries++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# skip COUNT REASON: that many tests cannot be made here.
skip() {
	local i
	for ((i = 0; i < $1; i++)); do
		test_number=$((test_number + 1))
		echo "ok $test_number # SKIP $2" >&3
	done
}

is() {
	[ "$1" = "$2" ]
}

# is_status STATUS NAME, stdout_is TEXT NAME, stdout_has PATTERN NAME, stderr_has PATTERN NAME: one
# test each of the command that was run last; patterns are extended regular expressions.
is_status() {
	check "$2" is "$status" "$1"
}

stdout_is() {
	check "$2" is "$(cat "$work/stdout")" "$1"
}

stdout_has() {
	check "$2" grep -qE -e "$1" "$work/stdout"
}

stderr_has() {
	check "$2" grep -qE -e "$1" "$work/stderr"
}

# refused STATUS PATTERN NAME: the exit status, and one line on stderr that matches.
is_refused() {
	is "$status" "$1" && grep -qE -e "$2" "$work/stderr" &&
		is "$(grep -c . "$work/stderr")" 1 && [ ! -s "$work/stdout" ]
}

refused() {
	check "$3" is_refused "$1" "$2"
}
