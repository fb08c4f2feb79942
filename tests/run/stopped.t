#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stopped.t - processes that are stopped, and continued later: the run goes on, and says of which
# process it waits only if nobody continues it.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

plan 6

cat >"$work/hello.c" <<'END'
#include <stdio.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	printf("sum %d\n", sum);
	return 0;
}
END
cape-cc -O2 "$work/hello.c" -o "$work/hello" || exit

# A monitor's child stops itself before it becomes the program, and leaves its number.
cat >"$work/stop.c" <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int execve(const char *path, char *const arguments[], char *const environment[])
{
	const char *program = getenv("STOP_PROGRAM"), *note = getenv("STOP_NOTE");
	FILE *file;

	if (program && note && strcmp(path, program) == 0 && (file = fopen(note, "a"))) {
		fprintf(file, "%ld\n", syscall(SYS_getpid));
		fclose(file);
		raise(SIGSTOP);
	}
	return (int)syscall(SYS_execve, path, arguments, environment);
}
END
gcc -O2 -shared -fPIC "$work/stop.c" -o "$work/stop.so" || exit

has_mpirun() {
	pgrep -P "$1" -x "mpirun|prterun" >/dev/null
}

stop_at_start() {
	cape-run -np 2 "$work/hello" </dev/null >"$work/stdout" 2>"$work/stderr" &
	runner=$!
	soon has_mpirun "$runner" && kill -STOP "$runner" && sleep 9
	kill -CONT "$runner"
	status=0
	wait "$runner" || status=$?
}

stop_at_start
is_status 0 "cape-run is stopped for 9 seconds before node 0's monitor calls: the run goes on"
stdout_is "sum 45" "and is right"

# have_stopped NUMBER: so many children have noted that they stop, and have.
have_stopped() {
	[ "$(wc -l <"$work/note")" -eq "$1" ] &&
		! grep -qvi 't' <(xargs ps -o state= -p <"$work/note")
}

stop_before_program() {
	local child

	: >"$work/note"
	STOP_PROGRAM=$work/hello STOP_NOTE=$work/note LD_PRELOAD=$work/stop.so \
		cape-run -np 1 --method "$1" --model spmd "$work/hello" </dev/null >"$work/stdout" 2>"$work/stderr" &
	runner=$!
	soon have_stopped 1 || note "nothing has stopped"
	while read -r child; do
		kill -CONT "$child"
	done <"$work/note"
	status=0
	wait "$runner" || status=$?
}

stop_before_program tickpt1
is_status 0 "the program's process is stopped before it becomes the program: the run goes on"
stdout_is "sum 45" "and is right"

cat >"$work/long.c" <<'END'
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (volatile unsigned long i = 0; i < 4000000000; i++)
		;
	return 0;
}
END
cape-cc -O2 "$work/long.c" -o "$work/long" || exit

# stop_program SECONDS TIMES: stops the program for so long, so many times, and ends the run.
stop_program() {
	: >"$work/stdout"
	cape-run -np 1 "$work/long" </dev/null >"$work/stdout" 2>"$work/stderr" &
	runner=$!
	soon test -s "$work/stdout"
	for ((i = 0; i < $2; i++)); do
		kill -STOP "$(<"$work/stdout")"
		sleep "$1"
		kill -CONT "$(<"$work/stdout")"
		sleep 0.01
	done
	kill "$runner"
	wait "$runner"
}

stop_program 12 1
stderr_has "^cape-run: node 0: its program, process $(<"$work/stdout") on .*, has been stopped for 10 s; kill -CONT" \
	"who stays stopped is named"
stop_program 0.3 40
check "who is stopped often, each time for a moment, is not" \
	eval "! grep 'has been stopped' '$work/stderr'"
