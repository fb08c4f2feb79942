#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# streams.t - what programs print arrives whole, or the run fails and says so; what they read is
# read as they ask for it.
set -u
. "$(dirname "$0")/../tap.sh"
plan 51

streams=$root/tests/run/streams
for program in burst lines ends full order rounds read; do
	cape-cc -O2 -o "$work/$program" "$streams/$program.c" || exit 1
done
for program in full order; do
	gcc -O2 -fopenmp -o "$work/$program.gcc" "$streams/$program.c" || exit 1
done
cd "$work" || exit 1
# What is about descriptors that mpirun has, too, and its end, is left to it.
quick=${cape_run[*]}

# shell COMMAND: as a user types it.
shell() {
	run bash -c "set -o pipefail; $1"
}

test_errors() {
	shell "cape-run -np 3 ./lines >/dev/full"
	is_status 1 "a full device ends the run with status 1"
	stderr_has '^cape-run: cannot write to standard output: No space left on device$' \
		"and says so"
	check "once" is "$(wc -l <"$work/stderr")" 1
	shell "cape-run -np 2 ./lines >&-"
	is_status 1 "a closed stdout ends a run that prints"
	stderr_has '^cape-run: cannot write to standard output: Bad file descriptor$' "and says so"
	shell "for run in 1 2 3 4 5 6 7 8; do cape-run -np 2 ./lines 0 >&- || exit; done"
	is_status 0 "but not one that does not"
	shell "cape-run -np 2 ./lines 2>&-"
	is_status 0 "a closed stderr does no harm"
	shell "cape-run -np 2 ./read <&-"
	stdout_is "0 bytes, sum 0" "a closed stdin is empty"
	shell "cape-run -np 2 ./read </"
	is_status 1 "an unreadable stdin ends the run"
	stderr_has '^cape-run: cannot read standard input: Is a directory$' "and says so"
}

# A file system with room for some of it.
test_full_disk() {
	mkdir "$work/small"
	if ! unshare --mount true 2>/dev/null; then
		skip 6 "no right to mount"
		return
	fi
	run unshare --mount bash -c "mount -t tmpfs -o size=64k none small &&
		cape-run -np 2 ./lines 20000 >small/file"
	is_status 1 "a full disk ends the run"
	stderr_has '^cape-run: cannot write to standard output: No space left' "and says so"
	run unshare --mount bash -c "mount -t tmpfs -o size=100k none small &&
		./full.gcc small/file >expected && cape-run -np 3 ./full small/file"
	is_status 0 "a full disk is for the program to see that writes a file"
	check "and is full as under OpenMP" is "$(<"$work/stdout")" "$(<"$work/expected")"
	run unshare --mount bash -c "mount -t tmpfs -o size=258m none small &&
		cape-run -np 2 ./full small/file 'cd small && fallocate -l 256m rest &&
		! head -c 3m /dev/zero >more 2>&1'"
	is_status 1 "so is one that others fill up, or else the run ends"
	stderr_has "^cape-run: node 0: at or after .*full.c:[0-9]+: write\\(\\): '.*/small/file': No space" \
		"and says where"
}

test_closed_pipe() {
	shell "$quick -np 3 ./lines 300000 | head -n 1"
	is_status 141 "a reader that leaves ends the run as SIGPIPE does"
	stdout_is "line 0 of a text that is long enough to fill some buffers" "it got what it read"
	check "in silence" [ ! -s "$work/stderr" ]
	shell "trap '' PIPE; $quick -np 3 ./lines 300000 | head -n 1"
	is_status 1 "where SIGPIPE is ignored, that is an error"
	stderr_has '^cape-run: cannot write to standard output: Broken pipe$' "and told"
}

test_slow_reader() {
	./lines 1000000 >expected
	shell "$quick -np 3 ./lines 1000000 | (sleep 4; cat)"
	check "a slow reader gets all" cmp expected stdout
	is_status 0 "and the run ends well"
}

# As with Ctrl-Z, just before the program's end.
test_stopped() {
	local run
	: >stdout
	cape-run -np 2 ./burst </dev/null >stdout 2>stderr &
	run=$!
	soon grep -q begun stdout
	kill -STOP "$run"
	sleep 5
	kill -CONT "$run"
	status=0
	wait "$run" || status=$?
	check "cape-run is stopped and goes on: all is there" is "$(wc -c <stdout)" 2050006
	is_status 0 "and the run ends well"
}

# Both streams of all nodes, binary: alone, and into one file.
test_order() {
	local nodes command
	./order.gcc 20 9999 >expected 2>expected.err
	./order.gcc 20 9999 >expected.both 2>&1
	for nodes in 1 2 3 5 8; do
		command=$quick
		[ $nodes != 3 ] || command=cape-run
		shell "$command -np $nodes --verify ./order 20 9999"
		check "np $nodes: stdout" cmp expected stdout
		check "np $nodes: stderr" cmp expected.err stderr
		shell "$command -np $nodes --verify ./order 20 9999 2>&1"
		check "np $nodes: both in one file" cmp expected.both stdout
	done
}

test_ends() {
	shell "cape-run -np 3 ./ends assert 20000"
	is_status 134 "a node fails an assertion after it printed much"
	check "all that it printed is there" is "$(grep -c '^line' stdout)" 20000
	check "and nothing of it on stderr" is "$(wc -l <stderr)" 2
	shell "$quick -np 3 ./ends printing >/dev/null"
	is_status 134 "a node aborts while node 0 prints for ever"
	stderr_has '^cape-run: node 1: the program was killed by signal 6' "that is told"
	shell "timeout 10 $quick -np 2 ./ends child 10 | tail -n 1"
	check "a child that prints for ever is not waited for" is "$status" 0
}

test_endless_input() {
	shell "$quick -np 3 ./read 1000000 </dev/zero"
	stdout_is "1000000 bytes, sum 0" "an endless stdin is read as far as it is asked for"
	shell "head -c 40000000 /dev/zero | { $quick -np 3 ./lines 1; wc -c; }"
	check "what nobody reads is left to others, but for 1 MB" [ "$(tail -n 1 stdout)" -gt 39000000 ]
}

test_large_input() {
	local nodes
	head -c 30000000 /dev/urandom >data
	run ./read <data
	cp stdout expected
	for nodes in 1 3; do
		shell "cat data | $quick -np $nodes --verify ./read"
		check "np $nodes: a pipe of 30 MB" cmp expected stdout
	done
}

# What a node prints before a barrier comes before what others print after it.
test_rounds() {
	for _ in 1 2 3 4 5 6; do
		cape-run -np 3 --no-replicate ./rounds
	done </dev/null | awk '$2 == "B" { seen[$1] = 1 }
		$2 == "A" && $1 in seen { late++ }
		$1 == 69 { delete seen }
		END { print NR, late + 0 }' >late
	check "barriers keep apart what is printed before them and after them" is "$(<late)" "2520 0"
}

test_errors
test_full_disk
test_closed_pipe
test_slow_reader
test_stopped
test_order
test_rounds
test_ends
test_endless_input
test_large_input
