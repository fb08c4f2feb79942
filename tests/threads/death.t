#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# death.t - which thread died of a signal, in which construct, and whether its stack was full; and
# that programs see nothing of what finds it out.
. "$(dirname "$0")/../tap.sh"

source=$root/tests/threads/death.c
die=$work/die
cape-cc -g -O1 "$source" -o "$die" || exit 1
export OMP_NUM_THREADS=3
ulimit -c 0
ulimit -s 8192
exec 2>/dev/null # for the shell's own words on each death

line() {
	grep -nF "$1" "$source" | head -n 1 | cut -d: -f 1
}

once() {
	check "... in one line" is "$(grep -c '^cape' "$work/stderr")" 1
}

region="in a parallel region, at or after the construct at .*death\.c:$(line "the region")"
behind="in sequential code, after the construct at .*death\.c:$(line "the first region")"

# -- by itself ------------------------------------------------------------------------------------

# names_line TEXT: what it is told to call prints the source line.
names_line() {
	# shellcheck disable=SC2091 # what is told is a command
	$(grep -o 'addr2line [^;]*0x[0-9a-f]*' "$work/stderr") >"$work/named"
	check "... and how to find the line" grep -q "death.c:$(line "$1")" "$work/named"
}

run "$die" write 2
is_status 139 "a fault of a thread: the program dies of it"
stderr_has "^cape: thread 2 of 3 dies of signal 11 \(Segmentation fault\), $region; it used address 0x100000;" \
	"which thread, where, and of what address"
names_line "*hidden = 3"
once
run "$die" write 0
stderr_has "^cape: thread 0 of 3 dies of signal 11 .*, $region; it used address 0x100000;" "the first thread"
run "$die" divide 1
is_status 136 "a division by 0"
stderr_has "^cape: thread 1 of 3 dies of signal 8 \(Floating point exception\), $region; addr2line" "is told, too"
cp "$die" "$work/it's \$(here)"
run "$work/it's \$(here)" write 2
sh -c "$(grep -o 'addr2line [^;]*0x[0-9a-f]*' "$work/stderr")" >"$work/named"
check "a name that a shell would take apart can be pasted" grep -q "death.c:$(line "*hidden = 3")" "$work/named"
run "$die" write
stderr_has "^cape: the program dies of signal 11 .*, $behind; it used" "in sequential code"
run "$die" early
stderr_has "^cape: the program dies of signal 11 .*, before its first construct; it used" "before any"
run "$die" kernel
is_status 139 "an address that is none"
check "... is not told to be 0" eval '! grep -q "it used" "$work/stderr"'
run "$die" library 1
stderr_has "thread 1 of 3 dies" "in a function of a library"
run "$die" raise 1
is_status 135 "a signal that the program sends itself"
run "$die" abort 1
is_status 134 "abort()"
check "... of which nothing is said" [ ! -s "$work/stderr" ]
run "$die" write 99
is_status 139 "several threads at once"
once
run "$die" child
stdout_is 11 "a child of fork() dies as it would"

for way in large deep print; do
	run env OMP_STACKSIZE=4M "$die" $way 1
	is_status 139 "$way: a thread's stack is full"
	stderr_has "^cape: thread 1 of 3 .*$region; it used address 0x.*; its stack of 4096 kB is full, .*OMP_STACKSIZE=[0-9]+M .*ulimit -s [0-9]+ that of the first" \
		"... which is said, with how to make it larger"
	run "$die" $way 0
	is_status 139 "$way: the first thread's"
	stderr_has "^cape: thread 0 of 3 .*its stack of [0-9]+ kB is full, .*: ulimit -s [0-9]+ makes it larger" \
		"... which is the limit's"
done
run env OMP_STACKSIZE=4M "$die" large 1
size=$(grep -o 'OMP_STACKSIZE=[0-9]*M' "$work/stderr")
run env "$size" "$die" large 1
stdout_is 45 "what it says is enough ($size)"

run "$die" look
stdout_is "1 2" "a program sees no handler and no stack for it, and its own is called"
run env OMP_NUM_THREADS=1 "$die" look
stdout_is "1 2" "... with one thread, too"

if command -v gdb >/dev/null; then
	run gdb -batch -ex "run write 2" -ex bt -ex continue -ex continue "$die"
	stdout_has "^#0 .*end \(" "gdb stops where the fault is"
	stdout_has "terminated with signal SIGSEGV" "... and it is the program's end"
else
	skip 2 "gdb is missing"
fi

# -- by cape-run ----------------------------------------------------------------------------------

for service in "" --stats; do
	# shellcheck disable=SC2086 # nothing, or one word
	dies() {
		run cape-run --threads 3 $service "$die" "$@" </dev/null
	}
	name=cape-run${service:+ $service}
	dies write 2
	is_status 139 "$name: a fault: the status"
	stderr_has "^cape-run: thread 2 of 3: the program was killed by signal 11 \(Segmentation fault\), in end\(\) at death.c:$(line "*hidden = 3"), $region; it used address 0x100000$" \
		"... function and line, thread and construct"
	once
	dies write
	stderr_has "^cape-run: (node 0: )?the program was killed by signal 11 .*, in end\(\) at death.c:.*, $behind; it used" \
		"$name: in sequential code"
	dies abort 1
	is_status 134 "$name: abort()"
	stderr_has "^cape-run: thread 1 of 3: the program was killed by signal 6 \(Aborted\), $region$" "... by a thread"
	once
	dies kill 1
	is_status 137 "$name: killed from outside"
	stderr_has "^cape-run: (node 0: )?the program was killed by signal 9 \(Killed\), $region$" "... in a region"
	once
	OMP_STACKSIZE=4M dies large 1
	is_status 139 "$name: a stack that is full"
	stderr_has "^cape-run: thread 1 of 3: .*, in take\(\) at death.c:[0-9]+, $region; .*its stack of 4096 kB is full, of which large \(line $(line "volatile char large")\) takes 65536 kB: OMP_STACKSIZE=[0-9]+M" \
		"... by which variable"
	dies look
	stdout_is "1 2" "$name: a program sees no handler"
	dies child
	stdout_is 11 "$name: a child of fork() dies by itself"
	OMP_THREAD_LIMIT=3 dies none 2
	stdout_is 45 "$name: a program that does not die prints what it prints"
	[ -n "$service" ] || check "... and no more is said" [ ! -s "$work/stderr" ]
done
# -- what cape-run does in the place of the program --------------------------------------------

# Starts one that waits; its process is then in $program, cape-run's in $runner.
start_talk() {
	: >"$work/stdout"
	cape-run --threads 2 "$die" talk </dev/null >"$work/stdout" 2>"$work/stderr" &
	runner=$!
	soon test -s "$work/stdout"
	program=$(<"$work/stdout")
}

await_end() {
	status=0
	wait "$runner" || status=$?
}

in_state() {
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat")" = "$2" ]
}

is_gone() {
	! kill -0 "$1"
}

start_talk
kill -USR1 "$runner"
await_end
is_status 3 "a signal for cape-run is the program's"
check "... and nothing is said" [ ! -s "$work/stderr" ]
start_talk
kill -TERM "$runner"
await_end
is_status 143 "SIGTERM"
stderr_has "^cape-run: the run was ended by signal 15 \(Terminated\)$" "... of which both die, is told"
start_talk
# Not by SIGTSTP, which stops nobody where the test's process group has no shell.
kill -STOP "$program"
check "a stop stops the program" soon in_state "$program" T
check "... and cape-run" soon in_state "$runner" T
kill -CONT "$runner"
check "... both go on" soon in_state "$program" S
kill -STOP "$program"
check "stopped once more" soon in_state "$runner" T
kill -CONT "$program"
check "... it goes on by itself, and cape-run with it" soon in_state "$runner" S
kill -KILL "$runner"
await_end
check "without cape-run there is no program" soon is_gone "$program"
# The reader says so as soon as it has read all, on which the program waits.
mkfifo "$work/read"
# shellcheck disable=SC2016 # for the shell there
run bash -c 'cape-run --threads 2 "$0" close "$1" | { cat >"$1.all"; true >"$1"; }' "$die" "$work/read"
is_status 0 "who reads what the program prints sees the end when the program closes it"
run cape-run --threads 2 "$die" environment </dev/null
stdout_is "0 0" "the program has no variable and no descriptor of cape-run's"
echo "far less than a note" >"$work/short"
# shellcheck disable=SC2016 # for the shell there
run bash -c 'CAPE_DEATH=0 "$0" environment <"$1"; CAPE_DEATH=x "$0" environment <"$1"' "$die" "$work/short"
is_status 0 "what the user has set the variable to does no harm"
plan_done
