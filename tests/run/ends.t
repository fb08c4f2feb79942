#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How runs start and end when something is in the way: limits, signals, strangers, words for mpirun.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/background.bash"

plan 65

echo_program=$folder/echo-$$

build_programs() {
	mkdir "$folder"
	cape-cc -O2 -g "$root/tests/run/cli/echo.c" -o "$echo_program" &&
		cape-cc -O2 -g "$root/tests/run/cli/end.c" -o "$end_program" &&
		cape-cc -O2 -g "$root/tests/run/cli/parted.c" -o "$folder/parted" &&
		cape-cc -O2 "$root/tests/run/cli/recursion.c" -o "$folder/recursion" &&
		cape-cc -O2 "$root/tests/programs/exit-quick.c" -o "$folder/quick" &&
		cape-cc -O2 "$root/tests/programs/exit-in-region.c" -o "$folder/exit" &&
		gcc -O2 -shared -fPIC "$root/tests/run/cli/slow_end.c" -o "$folder/slow_end.so"
}

# mpirun takes a lone ":" for the end of one program's command and starts what follows.
test_colon() {
	run cape-run -np 2 "$echo_program" a : -np 1 touch "$work/touched" </dev/null
	stdout_has '^argument 2: <:>$' 'a lone ":" is an argument as any other'
	check "and starts nothing" test ! -e "$work/touched"
	run cape-run -np 2 --wdir : "$echo_program"
	refused 2 '^cape-run: --wdir :: ' "as an option's value it is refused"
}

# The others need no time to find out: the node that ended tells how far it came.
test_parted() {
	local model before
	for model in spmd scatter; do
		before=$EPOCHREALTIME
		run cape-run -np 3 --model "$model" "$folder/parted" "$work/made-$model" </dev/null
		stderr_has 'node [0-2] ended with exit status 5 while node [0-2] waits at .*parted\.c:[0-9]+' \
			"$model: a node that ends alone is named"
		note "$model: ended after $(bc <<<"$EPOCHREALTIME - $before") s"
	done
}

test_limits() {
	run bash -c 'ulimit -n 40; cape-run -np 2 "$0" </dev/null' "$echo_program"
	refused 1 'ulimit -n is 40 here, but CAPE needs 1024 open files; raise' "few open files are allowed: refused"
	run bash -c 'ulimit -Sn 40; cape-run -np 2 "$0" </dev/null' "$echo_program"
	stdout_has 'on 0 of 2' "few, but the limit can be raised: it is"
	is_status 0 "with success"
}

# Whatever the hard limit allows: memory is all the machine's.
test_stack() {
	local hard
	hard=$(ulimit -H -s)
	if [ "$hard" != unlimited ] && [ "$hard" -lt 2000000 ]; then
		skip 4 "the stack has a hard limit below 2 GB"
		return
	fi
	run bash -c 'ulimit -S -s 8192; exec cape-run -np 2 "$@"' - "$folder/recursion" 900 </dev/null
	is_status 0 "a private array of 900 MB has room on the stack"
	run bash -c 'ulimit -S -s 8192; exec cape-run -np 2 "$@"' - "$folder/recursion" 1200 </dev/null
	is_status 139 "an endless recursion ends before it has all memory"
	stderr_has '^cape-run: .*signal 11' "and is told"
	run bash -c 'ulimit -S -s 1500000; exec cape-run -np 2 "$@"' - "$folder/recursion" 1200 \
		</dev/null
	is_status 0 "unless its user has set a limit above that"
}

# Started by mpirun itself, copies would write over each other's files.
test_copies() {
	run env OMPI_COMM_WORLD_SIZE=2 "$echo_program" </dev/null
	refused 1 'one of 2 copies .* cape-run -np 2' "a program that mpirun starts refuses to run"
}

test_program() {
	cp "$echo_program" "$folder/setuid"
	chmod u+s "$folder/setuid"
	run cape-run -np 2 "$folder/setuid" </dev/null
	refused 126 'has the set-user-ID .*chmod ug-s' "a set-user-ID program is refused"
	run cape-run -np 2 --nooversubscribe "$echo_program" </dev/null
	check "mpirun's refusal is told" grep -q '^cape-run: ' "$work/stderr"
	check "and its status" test "$status" -ne 0
	run cape-run -np 2 --wdir /nonexistent "$echo_program" </dev/null
	refused 1 '^cape-run: .* --wdir /nonexistent: No such file' "a folder that is missing is named"
	run cape-run -np 2 -H localhost:2 --wdir /nonexistent "$echo_program" </dev/null
	stderr_has 'Working directory: /nonexistent|of a folder of --wdir' "so it is by mpirun"
	# mpirun may end before it has heard why, as Open MPI 5's does every other time under load.
	for _ in {1..25}; do
		run cape-run -np 2 --mca btl nonsense "$echo_program" </dev/null
		! grep -q 'Component: nonsense' "$work/stderr" || break
	done
	stderr_has '^  Component: nonsense$' "so is why MPI does not start"
}

# Whether the process is cape-run by now, and heeds signals; a shell that forks blocks them, too.
heeds_signals() {
	[ "$(cat "/proc/$1/comm")" = cape-run ] &&
		grep -qE '^SigBlk:.*[13579bdf][0-9a-f]{4}$' "/proc/$1/status"
}

# cut_off SIGNAL STATUS SECONDS [NODES]: a run that waits for input gets SIGNAL.
cut_off() {
	local runner
	env --default-signal=HUP,INT,QUIT cape-run -np "${4-3}" "$end_program" wait-all </dev/null \
		>"$work/stdout" 2>"$work/stderr" &
	runner=$!
	soon heeds_signals "$runner"
	sleep "$3"
	kill "-$1" "$runner"
	soon has_ended "$runner"
	status=0
	wait "$runner" || status=$?
	is_status "$2" "SIG$1 after $3 s${4:+, one node}: status $2"
	check "SIG$1 after $3 s${4:+, one node}: it is told" \
		grep -q "^cape-run: the run was ended by signal" "$work/stderr"
	check "SIG$1 after $3 s${4:+, one node}: no process is left" nothing_left
}

test_signals() {
	cut_off INT 130 1
	cut_off TERM 143 0.3
	cut_off HUP 129 0.1
	cut_off QUIT 131 0.2
}

pid_of_monitor() {
	pgrep -f "^[^ ]*/cape-monitor .*$end_program\$"
}

# kill_alone VICTIM: the run of one node of which it is killed leaves nothing behind.
kill_alone() {
	local runner victim place
	begin_in_background cape-run -np 1 "$end_program" wait-all
	place=$(tr '\0' '\n' <"/proc/$(pid_of_monitor)/cmdline" | sed -n 's/^--folder=//p')
	case $1 in
	cape-run) victim=$runner ;;
	monitor) victim=$(pid_of_monitor) ;;
	program) victim=$(pgrep -f "^$end_program ") ;;
	esac
	kill -KILL "$victim"
	await_end
	is_status 137 "one node, $1 killed: status 137"
	check "one node, $1 killed: no process is left" nothing_left
	check "one node, $1 killed: nor a file" soon test ! -e "${place:?}"
}

# Without mpirun, cape-run is the monitor's parent, and without MPI both start at once.
test_alone() {
	local runner
	kill_alone cape-run
	kill_alone monitor
	stderr_has '^cape-run: node 0: its monitor has died$' "it is said"
	check "once" is "$(wc -l <"$work/stderr")" 1
	kill_alone program
	stderr_has '^cape-run: node 0: the program was killed by signal 9 ' "it is said"
	cut_off INT 130 0 1
	cut_off TERM 143 0.1 1
	begin_in_background cape-run -np 1 "$end_program" wait-all
	check "one node knows no MPI" \
		eval '! grep -q libmpi "/proc/$(pid_of_monitor)/maps"'
	kill -TERM "$(pid_of_monitor)"
	await_end
	is_status 143 "one node, SIGTERM for its monitor: status 143"
	stderr_has '^cape-run: ended by a signal ' "it is said"
}

# mpirun takes a status for a failure, and the seconds that it needs to clear up.
test_status() {
	run cape-run -np 2 --verbose "$folder/quick" </dev/null
	is_status 11 "a program's status is the run's"
	check "and nothing that mpirun would wait for" is "$(grep -c non-zero "$work/stderr")" 0
}

# mpirun kills whoever is still there a second after a monitor has left with a status.
test_slow_end() {
	run env LD_PRELOAD="$folder/slow_end.so" cape-run -np 3 "$folder/quick" </dev/null
	is_status 11 "monitors that are slow to leave change no status"
	check "and are not said to have died" is "$(cat "$work/stderr")" ""
	run env SLOW_MEETINGS=1 LD_PRELOAD="$folder/slow_end.so" \
		cape-run -np 2 "$folder/exit" </dev/null
	is_status 5 "nor after an exit in a region"
	check "where they have not died, either" is "$(cat "$work/stderr")" ""
}

# Once asked to end the run, mpirun kills in any order: here programs before their monitors.
test_asked() {
	local runner
	mkdir "$folder/bin"
	cat >"$folder/bin/mpirun" <<END
#!/bin/bash
"$(command -v mpirun)" "\$@" &
trap 'pkill -KILL -f "^$end_program "' TERM
wait
wait
END
	chmod +x "$folder/bin/mpirun"
	PATH=$folder/bin:$PATH start_run -np 2 "$end_program" wait-all
	kill -TERM "$runner"
	await_end
	is_status 143 "programs are killed when cape-run has asked for the end"
	check "of which no more is said" is "$(wc -l <"$work/stderr")" 1
}

# What a shell has started before it became cape-run is not the run's to end.
test_caller() {
	local runner other
	begin_in_background bash -c 'sleep 60 & echo $! >"$1"; exec cape-run -np 2 "$0" wait-all' \
		"$end_program" "$work/other"
	kill -TERM "$runner"
	await_end
	other=$(<"$work/other")
	check "a child that the caller had outlives a run that is ended" kill -0 "$other"
	kill "$other" 2>/dev/null
}

# The run's folder goes with it even when it is killed while it makes it.
test_folder() {
	local stop
	if [ "$(id -u)" -ne 0 ] || ! command -v gdb >/dev/null; then
		skip 4 "needs root, and gdb"
		return
	fi
	for stop in call return; do
		# shellcheck disable=SC2016 # for the shell there
		run unshare --pid --fork --kill-child --mount --mount-proc bash -c '
			mount -t tmpfs none /dev/shm
			[ "$1" = call ] || on=(-ex continue)
			gdb -batch -ex "catch syscall flock" -ex run "${on[@]}" -ex kill --args \
				cape-run -np 1 "$0" </dev/null
			for ((i = 0; i < 1000; i++)); do
				[ -z "$(ls /dev/shm)" ] && ! pgrep cape-keeper && exit
				sleep 0.1
			done
			ls /dev/shm
			exit 1' "$echo_program" "$stop"
		stdout_has "$stop.* syscall .*flock" "cape-run is killed at the $stop that holds its folder"
		is_status 0 "and leaves none"
	done
}

build_programs || {
	echo "Bail out! cape-cc does not build tests/run/cli/*.c" >&3
	exit 1
}
test_colon
test_parted
test_limits
test_stack
test_copies
test_program
test_signals
test_alone
test_status
test_slow_end
test_asked
test_caller
test_folder
