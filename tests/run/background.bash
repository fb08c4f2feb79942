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

# nothing_left: no process of a run of this test is left soon.
nothing_left() {
	soon no_process "$work/" && return
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
	soon grep -q begun "$work/stdout"
}

# start_run ARGUMENT...: cape-run, and its nodes are given the time to come to what they wait for.
start_run() {
	# A shell starts what is in the background deaf to Ctrl-C.
	begin_in_background env --default-signal=HUP,INT,QUIT cape-run "$@"
	sleep 0.3
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# Waits for $runner, not for ever; its exit status is then in $status.
await_end() {
	soon has_ended "$runner"
	kill -KILL "$runner" 2>/dev/null && note "cape-run did not end within 100 seconds"
	status=0
	wait "$runner" 2>/dev/null || status=$?
}
