// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * harm.c - preloaded into monitors: what meets one of them, node HARM_NODE's, while it starts.
 *
 * HARM says what: "init" kills it in MPI_Init(), "hang" has it wait there, "seize" and "poke" kill
 * its child before it is traced, or while.  Only as long as there is the file HARM_FILE, which goes
 * with the first harm unless HARM_ALWAYS is set.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int harms(const char *how)
{
	const char *harm = getenv("HARM"), *node = getenv("HARM_NODE"), *file = getenv("HARM_FILE");
	const char *own = getenv("OMPI_COMM_WORLD_RANK");

	if (!harm || !node || !file || !own || strcmp(harm, how) != 0 || strcmp(own, node) != 0)
		return 0;
	return getenv("HARM_ALWAYS") ? access(file, F_OK) == 0 : unlink(file) == 0;
}

int MPI_Init(int *count, char ***arguments)
{
	int (*own)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");

	if (harms("init"))
		kill(getpid(), SIGKILL);
	while (harms("hang"))
		for (;;)
			pause();
	return own(count, arguments);
}

static void kill_child(pid_t child)
{
	siginfo_t end;

	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT);
}

long ptrace(enum __ptrace_request request, ...)
{
	long (*own)(int, ...) = (long (*)(int, ...))dlsym(RTLD_NEXT, "ptrace");
	va_list list;
	pid_t child;
	void *address, *data;

	va_start(list, request);
	child = va_arg(list, pid_t);
	address = va_arg(list, void *);
	data = va_arg(list, void *);
	va_end(list);
	if ((request == PTRACE_SEIZE && harms("seize")) ||
	    (request == PTRACE_POKEDATA && harms("poke")))
		kill_child(child);
	return own(request, child, address, data);
}
