#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --wire test: monitors without mpirun and MPI; runs end as they do by mpirun.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/background.bash"

plan 76

echo_program=$folder/echo-$$

build_programs() {
	mkdir "$folder"
	cape-cc -O2 -g "$root/tests/run/cli/echo.c" -o "$echo_program" &&
		cape-cc -O2 -g "$root/tests/run/cli/end.c" -o "$end_program" &&
		cape-cc -O2 "$root/tests/run/streams/lines.c" -o "$folder/lines" &&
		cape-cc -O2 "$root/tests/run/streams/order.c" -o "$folder/order" &&
		gcc -O2 -fopenmp "$root/tests/run/streams/order.c" -o "$folder/order.gcc" &&
		cape-cc -O2 "$root/tests/programs/once.c" -o "$folder/once" &&
		gcc -O2 -fopenmp "$root/tests/programs/once.c" -o "$folder/once.gcc"
}

test_command_line() {
	run cape-run --help
	check "--help does not speak of it" eval '! grep -q -e --wire "$work/stdout"'
	run cape-run -np 2 --wire nonsense "$echo_program"
	refused 2 '^cape-run: --wire nonsense: must be test' "another wire is refused"
	run cape-run -np 2 --wire
	refused 2 '^cape-run: --wire : must be test' "so is none"
	for seed in 0 -1 7x 7,cuts; do
		run cape-run -np 2 --wire "test:$seed" "$echo_program"
		refused 2 "^cape-run: --wire test:$seed: must be test, or test:SEED" "so is seed $seed"
	done
	run cape-run -np 513 --wire test "$echo_program"
	refused 2 '^cape-run: --wire test is for 512 nodes at most' "so are 513 nodes"
	run cape-run -np 2 --wire test --bind-to none "$echo_program"
	refused 2 'without mpirun.* cannot be combined with --bind-to' "and an option of mpirun's"
	run cape-run -np 2 --wire test -H localhost "$echo_program"
	refused 2 'on this machine alone.* cannot be combined with -H' "and other machines"
	run env PATH="$folder" "$(command -v cape-run)" -np 2 --wire test "$echo_program" </dev/null
	stdout_has 'on 0 of 2$' "it needs no mpirun"
	run cape-run -np 1 --wire test "$echo_program" </dev/null
	stdout_has 'on 0 of 1$' "one node is alone as without it"
}

test_streams() {
	local bytes nodes
	head -c 300000 /dev/urandom >"$work/data"
	run cape-run -np 1 "$echo_program" <"$work/data"
	bytes=$(grep '^input:' "$work/stdout")
	run cape-run -np 3 --wire test "$echo_program" <"$work/data"
	check "a file on stdin is the same" is "$(grep '^input:' "$work/stdout")" "$bytes"
	run cape-run -np 3 --wire test "$echo_program" < <(head -c 1000 "$work/data"; sleep 0.3
		tail -c +1001 "$work/data")
	check "a pipe that halts in between too" is "$(grep '^input:' "$work/stdout")" "$bytes"
	run env CAPE_TEST="some value" cape-run -np 3 --wire test "$echo_program" a '*' </dev/null
	stdout_is "argument 1: <a>
argument 2: <*>
input: 0 bytes, sum 0
CAPE_TEST: <some value> on 3 of 3" "arguments and environment arrive"
	check "stderr comes once and on stderr" is "$(cat "$work/stderr")" "a line on stderr"
	run cape-run -np 3 --wire test "$folder/lines" 300000
	check "much output arrives" cmp "$work/stdout" <("$folder/lines" 300000)
	run bash -c "set -o pipefail; cape-run -np 3 --wire test '$folder/lines' 300000 | head -n 1"
	is_status 141 "a reader that leaves ends the run as SIGPIPE does"
	"$folder/order.gcc" 20 9999 >"$work/expected" 2>&1
	for nodes in 2 5; do
		run bash -c "cape-run -np $nodes --wire test --verify '$folder/order' 20 9999 2>&1"
		check "np $nodes: all streams are in order" cmp "$work/expected" "$work/stdout"
	done
}

# The limit on open files is the caller's for all that the nodes start.
test_many() {
	run env OMP_NUM_THREADS=64 "$folder/once.gcc"
	cp "$work/stdout" "$work/expected"
	run cape-run -np 64 --wire test "$folder/once" </dev/null
	is_status 0 "64 nodes run"
	check "and print the same" cmp "$work/stdout" "$work/expected"
	run bash -c 'ulimit -n 1024; cape-run -np 64 --wire test "$0" </dev/null' "$echo_program"
	refused 2 '^cape-run: --wire test needs 1152 open files for 64 nodes, and ulimit -Hn is 1024' \
		"as far as files may be opened"
}

# --verify looks at all memory, and stress exchanges much of it.
seeds_are_right() {
	local seed
	for seed in {1..6}; do
		run cape-run -np 3 --wire "test:$seed" --exchange stress --verify "$folder/once" </dev/null
		is "$status" 0 && cmp "$work/stdout" "$work/expected" || return
	done
}

test_seeds() {
	run env OMP_NUM_THREADS=3 "$folder/once.gcc"
	cp "$work/stdout" "$work/expected"
	check "what seeds do to messages changes nothing" seeds_are_right
}

test_exit_status() {
	for code in 0 3 255; do
		run cape-run -np 3 --wire test "$end_program" exit "$code"
		is_status "$code" "exit status $code is the program's"
		check "no word of it" eval '[ ! -s "$work/stderr" ]'
	done
	for end in 'exit-in-region 1 3' 'exit-all 4'; do
		# shellcheck disable=SC2086 # words
		run cape-run -np 3 --wire test "$end_program" $end
		is_status "${end##* }" "$end: the exit status is the program's"
		stdout_is $'begun\nover' "what is called at the end is called once"
		check "no word of it, and nothing is left" eval '[ ! -s "$work/stderr" ] && nothing_left'
	done
}

is_one_line() {
	is "$(wc -l <"$work/stderr")" 1 && grep -qE -e "$1" "$work/stderr"
}

# failing NAME STATUS PATTERN ARGUMENT...: a run of end.c that ends with one line, soon.
failing() {
	local name=$1 code=$2 pattern=$3
	shift 3
	run cape-run -np 3 --wire test "$end_program" "$@"
	check "$name: one line says so" is_one_line "$pattern"
	is_status "$code" "$name: exit status $code"
	check "$name: nothing is left" nothing_left
}

test_failures() {
	failing "divide by zero on node 1" 136 'node 1.*killed by signal 8 .*end\.c:[0-9]+' divide 1
	failing "abort in sequential code" 134 'node [0-2].*killed by signal 6' abort-all
}

programs() {
	pgrep -f "^$end_program "
}

monitors() {
	pgrep -f "^[^ ]*/cape-monitor .*$end_program\$"
}

start_three() {
	start_run -np 3 --wire test "$end_program" "$@"
	place=$(tr '\0' '\n' <"/proc/$(monitors | head -n 1)/cmdline" | sed -n 's/^--folder=//p')
}

# killed NAME STATUS SIGNAL PROCESS: the run ends soon, with nothing left.
killed() {
	check "$1: there is one to kill" test -n "$4"
	kill -"$3" "$4"
	await_end
	is_status "$2" "$1: status $2"
	check "$1: nothing is left" nothing_left
	check "$1: nor a file" soon test ! -e "${place:?}"
}

test_kills() {
	local runner place
	start_three wait-all
	check "no mpirun is there" eval '! pgrep -P "$runner" "mpirun|prterun"'
	check "nor MPI" eval '! grep -q libmpi "/proc/$(monitors | head -n 1)/maps"'
	killed "a program" 137 KILL "$(programs | tail -n 1)"
	check "a program: one line names node, cause and place" \
		is_one_line 'node [0-2].*killed by signal 9 .*end\.c:[0-9]+'
	start_three wait-all
	killed "a monitor" 137 KILL "$(monitors | tail -n 1)"
	stderr_has 'node 2: its monitor has died' "a monitor: it is said which"
	start_three wait 1
	killed "node 0's monitor" 137 KILL "$(monitors | head -n 1)"
	stderr_has 'node 0: its monitor has died' "node 0's monitor: it is said"
	start_three wait-all
	killed "the starter" 137 KILL "$(pgrep -P "$runner" cape-starter)"
	stderr_has "^cape-run: the monitors' starter (was killed by signal 9|has died)" "it is said"
	start_three wait-all
	killed "cape-run" 137 KILL "$runner"
	start_three wait-all
	killed "SIGINT to cape-run" 130 INT "$runner"
	start_three wait 1
	killed "SIGTERM to cape-run" 143 TERM "$runner"
}

build_programs || {
	echo "Bail out! cape-cc does not build what this test needs" >&3
	exit 1
}
test_command_line
test_streams
test_many
test_seeds
test_exit_status
test_failures
test_kills
