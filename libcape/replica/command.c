// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * command.c - commands that sequential code starts: they run once, on node 0.
 *
 * What a command prints for popen(..., "r") is read to its end by node 0, and every node reads a
 * copy; what is written to one is written by node 0 alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "replica/description.h"
#include "replica/exec.h"
#include "replica/files.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/open_files.h"

#define OPEN_LIMIT 256

/* Commands that popen() has started; shared memory, alike on all nodes. */
static struct command {
	FILE *stream;  /* what the program has; NULL: free */
	pid_t process; /* on node 0, while it may run; else 0 */
	int status;    /* of one that has ended */
} command[OPEN_LIMIT];

/* By the C library, whose child is to have the stack that others have. */
static int run_by(struct cape_runtime *runtime, const char *line, int (*own)(const char *))
{
	int status;

	cape_exec_limit(runtime);
	status = own(line);
	cape_exec_limit_end(runtime);
	return status;
}

static int run_once(struct cape_runtime *runtime, const char *line, int (*own)(const char *))
{
	long status = 0;

	cape_files_await_readers(runtime);
	runtime->files->wrote = true;
	if (runtime->node == 0)
		status = run_by(runtime, line, own);
	return (int)cape_files_agree(runtime, status, "system()");
}

/* What the command is given is here, on all nodes, before node 0 alone starts it. */
static void touch(const char *line)
{
	cape_need_touch_text(line);
	cape_need_touch(&__environ, sizeof(__environ));
	cape_need_touch_texts(__environ);
}

CAPE_FUNCTION(int, system, (const char *line))
{
	struct cape_runtime *runtime = cape_runtime_get();

	touch(line);
	cape_description_await_master(runtime);
	return cape_is_replicated(runtime) ? run_once(runtime, line, CAPE_OWN_FUNCTION(system))
					   : run_by(runtime, line, CAPE_OWN_FUNCTION(system));
}

/*
 * Node 0: starts LINE with its descriptor END (0 or 1) at the other end of *FILE.  Not by the
 * library's popen(), which allocates: the heaps of the other nodes would not follow.
 */
static pid_t start(struct cape_runtime *runtime, const char *line, int end, int *file)
{
	const char *words[] = {"sh", "-c", line, NULL};
	int side[2];
	pid_t process;

	if (pipe2(side, O_CLOEXEC) < 0)
		return -1;
	process = vfork();
	if (process == 0) {
		/* Changes nothing of the parent's. */
		cape_exec_limit(runtime); /* NOLINT(clang-analyzer-unix.Vfork) */
		dup2(side[end], end);	  /* NOLINT(clang-analyzer-unix.Vfork) */
		syscall(SYS_execve, "/bin/sh", words, __environ);
		_exit(127);
	}
	close(side[end]);
	/* The lowest number that is free, as the other nodes have it. */
	*file = fcntl(side[!end], F_DUPFD_CLOEXEC, 0);
	close(side[!end]);
	return process;
}

static int wait_for(pid_t process)
{
	int status = -1;

	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Node 0: runs LINE and keeps all of what it prints in FILE.  The command's status. */
static int run(struct cape_runtime *runtime, const char *line, int file)
{
	char piece[16384];
	int output;
	pid_t process = start(runtime, line, STDOUT_FILENO, &output);
	ssize_t got;

	if (process < 0)
		return -1;
	while ((got = read(output, piece, sizeof(piece))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0 && write(file, piece, (size_t)got) != got)
			break;
	close(output);
	return wait_for(process);
}

/* Gives every node what node 0 has in FILE. */
static void share_contents(struct cape_runtime *runtime, int file)
{
	char piece[16384];
	ssize_t length = 1;

	for (off_t at = 0; length > 0; at += length) {
		memset(piece, 0, sizeof(piece));
		length = runtime->node == 0 ? pread(file, piece, sizeof(piece), at) : 0;
		cape_one_truth(runtime, &length, sizeof(length), "popen()");
		if (length <= 0)
			break;
		cape_one_truth(runtime, piece, (size_t)length, "popen()");
		if (runtime->node > 0 && pwrite(file, piece, (size_t)length, at) != length)
			cape_fail(runtime, 0, "node %u: no memory for a command's output",
				  runtime->node);
	}
	lseek(file, 0, SEEK_SET);
}

static int read_command(struct cape_runtime *runtime, const char *line, struct command *started)
{
	int file = memfd_create("cape-command", MFD_CLOEXEC);

	if (runtime->node == 0 && file >= 0)
		started->status = run(runtime, line, file);
	started->status = (int)cape_files_agree(runtime, started->status, "popen()");
	if (started->status < 0) {
		close(file);
		return -1;
	}
	share_contents(runtime, file);
	return file;
}

static int write_command(struct cape_runtime *runtime, const char *line, struct command *started)
{
	int file = -1;

	if (runtime->node == 0)
		started->process = start(runtime, line, STDIN_FILENO, &file);
	else
		file = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC, 0);
	started->process = (pid_t)cape_files_agree(runtime, started->process, "popen()");
	return started->process < 0 ? -1 : file;
}

static struct command *find(const FILE *stream)
{
	for (size_t i = 0; i < OPEN_LIMIT; i++)
		if (command[i].stream == stream)
			return &command[i];
	return NULL;
}

CAPE_FUNCTION(FILE *, popen, (const char *line, const char *mode))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct command started = {0}, *free = find(NULL);
	bool reads = strchr(mode, 'r') != NULL;
	int file;

	touch(line);
	cape_description_await_master(runtime);
	if (!cape_is_replicated(runtime)) {
		cape_exec_limit(runtime);
		started.stream = CAPE_OWN_FUNCTION(popen)(line, mode);
		cape_exec_limit_end(runtime);
		return started.stream;
	}
	if (!free) {
		errno = EMFILE;
		return NULL;
	}
	cape_files_await_readers(runtime);
	runtime->files->wrote = true;
	file = reads ? read_command(runtime, line, &started)
		     : write_command(runtime, line, &started);
	if (file >= 0)
		cape_open_files_add(runtime, file, reads ? CAPE_OPEN_READ : CAPE_OPEN_STREAM, NULL);
	if (!reads)
		cape_open_files_share(runtime, file, 0);
	if (file < 0)
		return NULL;
	started.stream = fdopen(file, reads ? "r" : "w");
	*free = started;
	return started.stream;
}

CAPE_FUNCTION(int, pclose, (FILE * stream))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct command *ended = find(stream);
	long status;

	if (!ended || !cape_is_replicated(runtime))
		return CAPE_OWN_FUNCTION(pclose)(stream);
	fclose(stream);
	ended->stream = NULL;
	if (!ended->process)
		return ended->status;
	status = runtime->node == 0 ? wait_for(ended->process) : 0;
	return (int)cape_files_agree(runtime, status, "pclose()");
}
