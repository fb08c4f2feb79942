# shellcheck shell=bash disable=SC2034,SC2154 # variables of tap.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# background.bash - runs of tests/run/cli/end.c in the background, for tests that kill them.
#
# Needs tap.sh; the test builds what it needs in $folder, and $end_program, whose name is unique, so
# that processes of its runs can be told from all others.
folder=$work/programs
end_program=$folder/end-$$

no_process() {
	! pgrep -f "$1" >/dev/null
}

# nothing_left: no process of a run of this test is left within 10 seconds.
nothing_left() {
	within_10s no_process "$work/" && return
	note "left over: $(pgrep -af "$work/" | tr '\n' ';')"
	pkill -KILL -f "$work/"
	return 1
}

# begin_in_background COMMAND...: $runner; returns when the program that it runs has begun.
begin_in_background() {
	command_text=$*
	# Emptied here: the background may come to it only after "begun" of an earlier run was read.
	: >"$work/stdout"
	"$@" </dev/null >"$work/stdout" 2>"$work/stderr" &
	runner=$!
	within_10s grep -q begun "$work/stdout"
}

# start_run ARGUMENT...: cape-run, and its nodes are given the time to come to what they wait for.
start_run() {
	begin_in_background cape-run "$@"
	sleep 0.3
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# Waits for $runner, at most 10 seconds; its exit status is then in $status.
await_end() {
	within_10s has_ended "$runner"
	kill -KILL "$runner" 2>/dev/null && note "cape-run did not end within 10 seconds"
	status=0
	wait "$runner" 2>/dev/null || status=$?
}
