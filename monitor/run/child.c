/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.c - runs a program that needs no monitor, as a child, to say of what it died.
 *
 * It is to be as if the program had been started without cape-run: it has all that cape-run has
 * inherited, of which cape-run keeps but standard error; it gets what signals cape-run gets; and
 * it stops, and goes on, with cape-run.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "channel/channel.h"
#include "command.h"
#include "common/complain.h"
#include "common/process_state.h"
#include "launcher.h"

/* Above what a shell, a program, or a node of another run gives its descriptors. */
#define NOTE_FD (CAPE_LAST_FD + 10)

struct child {
	const char *program;
	pid_t process;
	struct cape_death_note *note; /* NULL: it cannot be had */
	int file;		      /* that it is in */
	sigset_t got;		      /* signals that came here */
};

static int become(const struct run_options *options, const struct surroundings *surroundings,
		  const char *program)
{
	int error;

	umask(surroundings->mask);
	signals_give(&surroundings->signals);
	execv(program, options->program);
	error = errno;
	complain("cannot start %s: %s", program, strerror(error));
	return error == ENOENT ? 127 : 126;
}

/* The program finds it by a variable; without one it reports its death by itself. */
static void share_note(struct child *child)
{
	int file = memfd_create("cape-death", MFD_CLOEXEC);
	void *note = MAP_FAILED;
	char number[16];

	child->file = file < 0 ? -1 : fcntl(file, F_DUPFD, NOTE_FD);
	if (file >= 0)
		close(file);
	if (child->file < 0)
		return;
	if (ftruncate(child->file, sizeof(*child->note)) == 0)
		note = mmap(NULL, sizeof(*child->note), PROT_READ | PROT_WRITE, MAP_SHARED,
			    child->file, 0);
	snprintf(number, sizeof(number), "%d", child->file);
	if (note == MAP_FAILED || setenv(CAPE_DEATH_VARIABLE, number, 1) < 0) {
		close(child->file);
		return;
	}
	child->note = note;
	child->note->magic = CAPE_DEATH_MAGIC;
}

/* Who waits for the end of a pipe is to learn of the program's, be it before cape-run's. */
static void keep_stderr_alone(const struct child *child)
{
	unsigned note = child->note ? (unsigned)child->file : ~0u;
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close_range(STDERR_FILENO + 1, note - 1, 0);
	close_range(note + (note != ~0u), ~0u, 0);
}

/*
 * What a terminal sends, or the child to all of its process group, comes to the child as well.  Of
 * others nobody knows whether they have sent it to the group; twice is better than never.
 */
static bool came_to_all(const struct child *child, const siginfo_t *signal)
{
	return signal->si_code == SI_KERNEL || signal->si_pid == child->process;
}

static void take_signal(struct child *child, const siginfo_t *signal)
{
	sigaddset(&child->got, signal->si_signo);
	if (!came_to_all(child, signal) || signal->si_signo == SIGCONT)
		kill(child->process, signal->si_signo);
}

/* By the monitor's program, which can read debug information; cape-run is to start fast. */
static bool tell_by_monitor(const struct child *child, int number)
{
	char *monitor = command_monitor(alone_launcher.monitor), note[16], signal[16];
	int status = -1;
	pid_t teller;

	snprintf(note, sizeof(note), "%d", child->file);
	snprintf(signal, sizeof(signal), "%d", number);
	teller = monitor && child->note ? fork() : -1;
	if (teller == 0) {
		execl(monitor, monitor, "--death", note, child->program, signal, (char *)NULL);
		_exit(127);
	}
	while (teller > 0 && waitpid(teller, &status, 0) < 0 && errno == EINTR)
		;
	free(monitor);
	return status == 0;
}

static void tell(const struct child *child, int number)
{
	/* A pipe that nobody reads is no fault of the program's. */
	if (number == SIGPIPE || (child->note && child->note->reported))
		return;
	if (sigismember(&child->got, number) == 1)
		complain("the run was ended by signal %d (%s)", number, strsignal(number));
	else if (!tell_by_monitor(child, number))
		complain("the program was killed by signal %d (%s)", number, strsignal(number));
}

/* A process that lets PARENT, cape-run, go on when the program does; or -1. */
static pid_t begin_waker(const struct child *child, pid_t parent)
{
	pid_t waker = fork();
	struct process_state state;

	if (waker)
		return waker;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent && process_state(child->process, &state) && state.letter == 'T')
		usleep(50000);
	if (getppid() == parent)
		kill(parent, SIGCONT);
	_exit(0);
}

/* The program is stopped: so that a shell learns of that, cape-run is, until one of both goes on.
 */
static void stop_as_well(const struct child *child)
{
	pid_t waker = begin_waker(child, getpid());

	raise(SIGSTOP);
	if (waker > 0 && waitpid(waker, NULL, WNOHANG) == waker)
		return;
	kill(child->process, SIGCONT);
	if (waker > 0) {
		kill(waker, SIGKILL);
		waitpid(waker, NULL, 0);
	}
}

/* Until the child has ended; its wait status.  It is asked for before a signal is waited for. */
static int await(struct child *child, const sigset_t *signals)
{
	siginfo_t signal;
	int status;
	pid_t changed;

	for (;;) {
		changed = waitpid(child->process, &status, WNOHANG | WUNTRACED);
		if (changed < 0 && errno != EINTR)
			return 0;
		if (changed > 0 && WIFSTOPPED(status)) {
			stop_as_well(child);
		} else if (changed > 0) {
			return status;
		} else if (sigwaitinfo(signals, &signal) > 0 && signal.si_signo != SIGCHLD) {
			take_signal(child, &signal);
		}
	}
}

int child_run(const struct run_options *options, const struct surroundings *surroundings,
	      const char *program, struct ending *ending)
{
	struct child child = {.program = program};
	pid_t parent = getpid();
	char number[16];
	sigset_t signals;
	int status;

	snprintf(number, sizeof(number), "%d", options->threads);
	if (options->threads && setenv("OMP_NUM_THREADS", number, 1) < 0) {
		complain("out of memory");
		return 1;
	}
	sigemptyset(&child.got);
	sigfillset(&signals);
	/* Ignored by the caller, it would leave no status of a child. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	share_note(&child);
	child.process = fork();
	if (child.process < 0) {
		/* For want of a second process nobody can report its death. */
		unsetenv(CAPE_DEATH_VARIABLE);
		if (child.note)
			close(child.file);
		return become(options, surroundings, program);
	}
	if (child.process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(126);
		_exit(become(options, surroundings, program));
	}
	keep_stderr_alone(&child);
	status = await(&child, &signals);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	tell(&child, WTERMSIG(status));
	if (sigismember(&child.got, WTERMSIG(status)) == 1 || WTERMSIG(status) == SIGPIPE)
		ending->by = WTERMSIG(status);
	return 128 + WTERMSIG(status);
}
