/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.c - hands a program's arguments and environment past the user's command, and a program to
 * the user's debugger.
 *
 * A command may change its environment, and with that all addresses of the stack: so after it
 * comes a monitor that only knows the file in which both are, and becomes the program.  A debugger
 * must not start the program, for its first bytes are this monitor's to set: it attaches.
 */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/nodes.h"
#include "common/process_state.h"
#include "common/signals.h"

#define OWN_PATH  "/proc/self/exe"
#define BECOME	  "--become"
#define LOOK_USEC 2000

/* A jump to itself. */
#define HERE	  0xfeebul
#define HERE_MASK 0xfffful

/* What the file begins with; the strings, each with its 0, follow: program, arguments, environment.
 */
struct handed {
	pid_t process;
	uint32_t arguments, variables;
};

const char *wrap_command(const char *wish, int rank)
{
	const char *command = wish ? nodes_command(wish) : NULL, *at = wish;
	long first, last;

	while (at < command && nodes_next(&at, &first, &last))
		if (first <= rank && rank <= last)
			return command;
	return command == wish ? command : NULL;
}

static bool put(FILE *file, const char *string)
{
	return fwrite(string, strlen(string) + 1, 1, file) == 1;
}

/* An inherited file with all of it, or -errno. */
static int hand(const char *program, char **arguments, char **environment)
{
	struct handed handed = {.process = getpid()};
	int descriptor = memfd_create("cape-handed", 0), error;
	FILE *file = descriptor < 0 ? NULL : fdopen(dup(descriptor), "w");
	bool good;

	while (arguments[handed.arguments])
		handed.arguments++;
	while (environment[handed.variables])
		handed.variables++;
	good = file && fwrite(&handed, sizeof(handed), 1, file) == 1 && put(file, program);
	for (char **at = arguments; *at && good; at++)
		good = put(file, *at);
	for (char **at = environment; *at && good; at++)
		good = put(file, *at);
	error = errno;
	if (file && fclose(file) == 0 && good)
		return descriptor;
	return -(error ? error : EIO);
}

int wrap_become(const char *command, const char *program, char **arguments, char **environment)
{
	int file = hand(program, arguments, environment);
	char own[4096], number[16], *words;
	ssize_t length = readlink(OWN_PATH, own, sizeof(own) - 1);

	if (file < 0)
		return -file;
	if (length < 0 || asprintf(&words, "exec %s \"$@\"", command) < 0)
		return errno;
	own[length] = '\0';
	snprintf(number, sizeof(number), "%d", file);
	execle("/bin/sh", "sh", "-c", words, "cape-run: --wrap", own, BECOME, number, (char *)NULL,
	       environment);
	return errno;
}

/* COUNT strings of TEXT, which goes on after them; NULL: out of memory. */
static char **take(char **text, const char *end, uint32_t count)
{
	char **list = calloc((size_t)count + 1, sizeof(*list));

	for (uint32_t i = 0; list && i < count && *text < end; i++) {
		list[i] = *text;
		*text += strlen(*text) + 1;
	}
	return list;
}

int wrap_end(const char *file)
{
	int descriptor = atoi(file);
	struct stat status;
	const struct handed *handed;
	char *text, *end, *program, **arguments, **environment;

	if (fstat(descriptor, &status) < 0 || (size_t)status.st_size <= sizeof(*handed))
		return 126;
	text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	close(descriptor);
	if (text == MAP_FAILED)
		return 126;
	handed = (const struct handed *)text;
	/* A child of the command's is not the process that the monitor watches, and says so. */
	if (handed->process != getpid())
		return 126;
	end = text + status.st_size;
	program = text + sizeof(*handed);
	text = program + strlen(program) + 1;
	arguments = take(&text, end, handed->arguments);
	environment = take(&text, end, handed->variables);
	if (arguments && environment)
		execve(program, arguments, environment);
	free(arguments);
	free(environment);
	return 126;
}

void wrap_let_go(pid_t child)
{
	unsigned long made;
	int status;

	if (ptrace(PTRACE_GETEVENTMSG, child, NULL, &made) == 0 &&
	    waitpid((pid_t)made, &status, __WALL) > 0)
		ptrace(PTRACE_DETACH, (pid_t)made, NULL, NULL);
}

bool wrap_is_program(pid_t child, const char *program)
{
	struct stat own, expected;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", child);
	return stat(path, &own) == 0 && stat(program, &expected) == 0 &&
	       own.st_dev == expected.st_dev && own.st_ino == expected.st_ino;
}

static pid_t start_beside(const char *command, pid_t process)
{
	char words[4096];
	pid_t child;

	snprintf(words, sizeof(words), "exec %s %d", command, process);
	child = fork();
	if (child == 0) {
		/* A debugger may well depend on them. */
		signals_give(&(struct signals){0});
		execl("/bin/sh", "sh", "-c", words, "cape-run: --attach", (char *)NULL);
		_exit(127);
	}
	return child;
}

/*
 * Until somebody traces PROCESS, or COMMAND, which is to do so, has ended.  False: it has, and
 * nobody does.
 */
static bool await_tracer(pid_t process, pid_t command)
{
	siginfo_t ended = {.si_pid = 0};

	while (!process_number(process, "TracerPid", 10)) {
		if (kill(process, 0) < 0)
			return true;
		if (ended.si_pid)
			return false;
		usleep(LOOK_USEC);
		waitid(P_PID, (id_t)command, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
	return true;
}

int wrap_attach(const char *command, pid_t child, bool *traced)
{
	struct user_regs_struct registers;
	char path[32];
	unsigned long word;
	int memory, error = 0;
	pid_t beside;

	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0 || ptrace(PTRACE_GETREGS, child, NULL, &registers) < 0 ||
	    pread(memory, &word, sizeof(word), (off_t)registers.rip) != sizeof(word) ||
	    ptrace(PTRACE_POKEDATA, child, (void *)registers.rip,
		   (void *)((word & ~HERE_MASK) | HERE)) < 0 ||
	    ptrace(PTRACE_DETACH, child, NULL, NULL) < 0) {
		error = -errno;
		goto out;
	}
	beside = start_beside(command, child);
	*traced = beside > 0 && await_tracer(child, beside);
	if (pwrite(memory, &word, sizeof(word), (off_t)registers.rip) != sizeof(word))
		error = -errno;
out:
	if (memory >= 0)
		close(memory);
	return error;
}
