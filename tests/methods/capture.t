#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dickpt and tickpt1 with page protection from user space: what programs may do while their memory is
# locked (system calls, faults, threads, processes), and how runs end that die meanwhile.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../run/background.bash"

plan 86

build_programs() {
	local name
	mkdir "$folder"
	for name in system-calls faults processes own spawn stopped signals; do
		cape-cc -O2 -g "$root/tests/methods/capture/$name.c" -o "$folder/$name" || return
	done
	cape-cc -O2 -g "$root/tests/run/cli/end.c" -o "$end_program"
}

# under METHOD NODES PROGRAM ARGUMENT...
under() {
	local method=$1 nodes=$2 program=$3
	shift 3
	run "${cape_run[@]}" -np "$nodes" --verify --method "$method" --model spmd --protect mprotect \
		"$folder/$program" "$@" </dev/null
}

# right NAME: all went well in the run.
right() {
	check "$1" eval 'is "$status" 0 && is "$(cat "$work/stdout")" "all right"'
}

# dies METHOD HOW PATTERN: faults.c HOW ends by a fault of its last node, of which one line tells.
dies() {
	under "$1" 3 faults "$2"
	is_status 139 "$1: a fault of the program's own ends it: $2"
	check "$1: one line says where: $2" eval \
		'is "$(grep -vc "^cape: asked for" "$work/stderr")" 1 && grep -qE "node [0-2]: the program was killed by signal 11 .*$3.*faults\.c:[0-9]+" "$work/stderr"'
}

test_programs() {
	local method nodes how
	for method in dickpt tickpt1; do
		for nodes in 1 3; do
			under "$method" "$nodes" system-calls
			right "$method: system calls write to locked memory, $nodes nodes"
			under "$method" "$nodes" faults handled
			right "$method: handlers of the program's faults work, $nodes nodes"
			under "$method" "$nodes" processes
			right "$method: threads and children of the program's own, $nodes nodes"
			under "$method" "$nodes" signals
			right "$method: a handler runs when memory is about to be opened, $nodes nodes"
		done
		for nodes in 2 4; do
			under "$method" "$nodes" own
			right "$method: what is a node's own stays so, $nodes nodes"
		done
		for how in null constant unmapped protected ignored; do
			dies "$method" "$how" 'in a parallel region'
		done
		dies "$method" sequential 'in sequential code'
		under "$method" 2 processes exec
		check "$method: the program may become another one" \
			eval 'is "$status" 0 && is "$(tail -n 1 "$work/stdout")" "another program"'
		under "$method" 3 processes exec-in
		check "$method: in a region, too, as threads do" \
			eval 'is "$status" 0 && is "$(tail -n 1 "$work/stdout")" "another program"'
	done
}

# Nobody can block SIGSTOP: it waits until memory is locked or changed.
test_stopped() {
	under dickpt 2 stopped
	right "dickpt: a program that is stopped and goes on, all the time"
}

# What waits in vfork() for its child does not stop.  Since glibc 2.41 posix_spawn() itself takes a
# lock in shared memory, which no thread of the program's own may do.
test_spawn() {
	local nodes version
	version=$(getconf GNU_LIBC_VERSION)
	if [ "$(printf '%s\n' "$version" 'glibc 2.41' | sort -V | head -n 1)" = "glibc 2.41" ]; then
		skip 2 "$version: a thread may not start processes under tickpt1 by mprotect"
		return
	fi
	for nodes in 1 2; do
		under tickpt1 "$nodes" spawn 15
		right "tickpt1: a thread that starts processes while regions run, $nodes nodes"
	done
}

# What makes nodes wait for each other between sync points is for tickpt2 and spmd alone.
test_refusals() {
	local name method model
	for name in critical atomic-operators locks task-list; do
		cape-cc -O2 "$root/tests/programs/$name.c" -o "$folder/$name" -lm || return
	done
	while read -r name method model; do
		run "${cape_run[@]}" -np 3 --method "$method" --model "$model" --protect mprotect \
			"$folder/$name" </dev/null
		refused 1 "$name\.c:[0-9]+: critical, atomic, .* need --method tickpt2 and --model spmd" \
			"$name by $method and $model is refused, by line"
	done <<-END
		critical dickpt spmd
		atomic-operators tickpt1 spmd
		locks complete spmd
		task-list tickpt2 master-slave
		critical tickpt2 scatter
	END
}

# Starts end.c by METHOD in the background; returns when its memory is locked.
start() {
	start_run -np 3 --method "$1" --protect mprotect "$end_program" wait-all
}

# killed NAME PATTERN PROCESS: after SIGKILL the run ends, says why, and leaves nothing behind.
killed() {
	check "$1: there is one to kill" test -n "$3"
	kill -KILL "$3"
	await_end 2>/dev/null
	check "$1: not a success" test "$status" -ne 0
	check "$1: nothing is left" nothing_left
	[ -z "$2" ] || stderr_has "$2" "$1: it is said which"
}

# The process of node $2, of those whose command line matches $1.
process_of() {
	pgrep -f "$1" | sed -n "$(($2 + 1))p"
}

test_kills() {
	local method
	for method in dickpt tickpt1; do
		start "$method"
		killed "$method: kill -9 of a program" 'node [0-2]: the program was killed by signal 9' \
			"$(process_of "^$end_program " 1)"
		start "$method"
		killed "$method: kill -9 of a monitor" "node 1: its monitor has died" \
			"$(process_of "^[^ ]*/cape-monitor .*$end_program\$" 1)"
		start "$method"
		killed "$method: kill -9 of node 0's monitor" "node 0: its monitor has died" \
			"$(process_of "^[^ ]*/cape-monitor .*$end_program\$" 0)"
		start "$method"
		killed "$method: kill -9 of cape-run" "" "$runner"
	done 2>/dev/null
}

build_programs || {
	echo "Bail out! cape-cc does not build tests/methods/capture/*.c" >&3
	exit 1
}
test_programs
test_spawn
test_stopped
test_refusals
test_kills
