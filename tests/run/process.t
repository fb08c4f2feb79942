#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a program asks the kernel for itself and nodes cannot share is refused, with the place.
. "$(dirname "$0")/../tap.sh"

plan 32

# refuse WORDS CODE [BEFORE]: a program that runs BEFORE, then CODE for each thread, is ended on 3 nodes by a
# message that has WORDS.
refuse() {
	cat >"$work/refused.c" <<END
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
static char page[8192] __attribute__((aligned(4096)));
int main(void)
{
	void *given = page;
	int file = open("$work/mapped", O_RDWR | O_CREAT, 0644);
	if (file < 0)
		return 9;
	$3
#pragma omp parallel
	{ $2; }
	return given == MAP_FAILED;
}
END
	run cape-cc -o "$work/refused" "$work/refused.c"
	is_status 0 "a program with '${2%%(*}' builds"
	run "${cape_run[@]}" -np 3 "$work/refused" </dev/null
	stderr_has "$1" "... is told: $1"
}

refuse 'refused.c:17.*setlocale\(\) inside a parallel region' 'setlocale(LC_ALL, "C")'
refuse 'refused.c:17.*fixed address' 'given = mmap((void *)0x600000000000, 4096, PROT_READ | PROT_WRITE,
	MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)'
refuse 'refused.c:17.*map it before the region' 'given = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	MAP_SHARED, file, 0)'
refuse 'refused.c:17.*removes access' 'mprotect(page, 4096, PROT_NONE)'
refuse 'refused.c:17.*memory of System V' 'shmget(IPC_PRIVATE, 4096, 0600)'
refuse 'unmap the file' '(void)0' 'given = mremap(mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	MAP_SHARED, file, 0), 4096, 8192, MREMAP_MAYMOVE);'
refuse 'makes memory writable' '(void)0' 'mprotect(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0), 4096,
	PROT_READ | PROT_WRITE);'

refuse 'file descriptor [0-9]+ was opened before the region, and cannot be duplicated' 'dup(file)'
refuse 'file descriptor [0-9]+ was opened before the region, and cannot be replaced' 'dup2(open("/dev/null", 0), file)'
deep=$(printf 'a-folder-with-a-long-name/%.0s' {1..12})
mkdir -p "$work/$deep"
refuse 'by a path of more than 255 bytes; close it in the region' "creat(\"$work/${deep}x\", 0600)"

# Limits on addresses: in the monitor, in the program, and without cape-run.
limited() {
	local limit=$1
	shift
	run bash -c 'ulimit "$0" "$1"; shift; exec "$@"' "${limit% *}" "${limit#* }" "$@" </dev/null
	stderr_has "ulimit ${limit/ / is } kB.*lift it" "ulimit $limit is named: $1"
}
echo 'int main(void) { return 0; }' >"$work/limited.c"
cape-cc -o "$work/limited" "$work/limited.c"
limited '-v 1000000' cape-run -np 2 "$work/limited"
check "... once" test "$(wc -l <"$work/stderr")" = 1
limited '-v 31000000000' cape-run -np 2 "$work/limited"
run bash -c 'ulimit -d 100000000; exec "$0"' "$work/limited"
is_status 0 "a program by itself reserves no addresses"

# Tools that watch memory.
cat >"$work/plain.c" <<'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
	const char *kept = strdup("kept");
	int total = 0;
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < 100; i++)
		total += i;
	printf("%d %s\n", total, kept);
	return 0;
}
END
run cape-cc -fsanitize=undefined,address -o "$work/plain" "$work/plain.c"
stderr_has "'-fsanitize=undefined,address' is not supported: .* valgrind" "AddressSanitizer is refused"
run cape-cc -fsanitize=thread -o "$work/plain" "$work/plain.c"
stderr_has "'-fsanitize=thread' is not supported: .* --check-races" "so is ThreadSanitizer"
if command -v valgrind >/dev/null; then
	run cape-cc -g -o "$work/plain" "$work/plain.c"
	run valgrind --quiet --leak-check=no --error-exitcode=9 "$work/plain"
	is_status 0 "valgrind ends"
	check "... and has nothing to say of the regions" \
		eval '! grep -v "large range" "$work/stderr" | grep -q .'
else
	skip 2 "no valgrind"
fi

# A region on a stack that is not main()'s, where what is private would be exchanged.
cat >"$work/routine.c" <<'END'
#include <stdio.h>
#include <ucontext.h>
static ucontext_t back, routine;
static char stack[1 << 16];
static int total;
static void run(void)
{
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < 100; i++)
		total += i;
}
int main(void)
{
	getcontext(&routine);
	routine.uc_stack.ss_sp = stack;
	routine.uc_stack.ss_size = sizeof(stack);
	routine.uc_link = &back;
	makecontext(&routine, run, 0);
	swapcontext(&back, &routine);
	printf("%d\n", total);
	return 0;
}
END
cape-cc -o "$work/routine" "$work/routine.c" || exit 1
run "${cape_run[@]}" -np 2 "$work/routine"
stderr_has 'routine.c:8: the region begins on a stack that the program has made itself' \
	"a region in a coroutine is refused"
run "${cape_run[@]}" -np 1 "$work/routine"
stdout_is 4950 "... but not where there is one node"

# The monitor is in its program's process group.
cat >"$work/group.c" <<'END'
#include <signal.h>
#include <stdio.h>
static volatile sig_atomic_t came;
static int rounds;
static void note(int number)
{
	came += number > 0;
}
static void send(int number)
{
	int before = came;
	signal(number, note);
	kill(0, number);
	while (came == before)
		;
#pragma omp parallel for reduction(+ : rounds)
	for (int i = 0; i < 4; i++)
		rounds++;
}
int main(void)
{
	static const int number[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGWINCH,
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
	for (unsigned i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		send(number[i]);
	send(SIGRTMIN);
	send(SIGRTMAX);
	printf("%d\n", rounds);
	fflush(stdout);
	signal(SIGTERM, SIG_DFL);
	kill(0, SIGTERM);
	for (;;)
		;
}
END
cape-cc -o "$work/group" "$work/group.c" || exit 1
run "${cape_run[@]}" -np 2 "$work/group" </dev/null
stdout_is 68 "signals that a program sends to its process group are its own"
check "... which may end it" test "$status" = 143 -a "$(wc -l <"$work/stderr")" = 1
