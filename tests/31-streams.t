#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 31-streams.t - what programs print arrives whole, or the run fails and says so.
set -u
. "$(dirname "$0")/tap.sh"
plan 7

streams=$root/tests/streams
cape-cc -O2 -o "$work/lines" "$streams/lines.c" || exit 1

# into COMMAND WHAT: runs COMMAND with its stdout in a pipe to WHAT; $work/stdout is what that prints.
into() {
	run bash -c "set -o pipefail; $1 | $2"
}

test_errors() {
	run bash -c "cape-run -np 3 '$work/lines' >/dev/full"
	is_status 1 "a full device ends the run with status 1"
	stderr_has '^cape-run: cannot write to standard output: No space left on device$' \
		"and says so"
	check "once" is "$(wc -l <"$work/stderr")" 1
}

test_closed_pipe() {
	into "cape-run -np 3 '$work/lines' 300000" "head -n 1"
	is_status 141 "a reader that leaves ends the run as SIGPIPE does"
	stdout_is "line 0 of a text that is long enough to fill some buffers" "it got what it read"
	check "in silence" [ ! -s "$work/stderr" ]
}

test_slow_reader() {
	"$work/lines" 200000 >"$work/expected"
	into "cape-run -np 3 '$work/lines' 200000" "(sleep 1; cat)"
	check "a slow reader gets all" cmp "$work/expected" "$work/stdout"
}

test_errors
test_closed_pipe
test_slow_reader
