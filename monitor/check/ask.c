/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.c - one child for each machine, with pipes for what it says, and one deadline for all.
 *
 * A signal that ends this process ends the children first: each is a session of its own, and the
 * user's Ctrl-C does not come to them.
 */
#include "ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/user_signals.h"

/* A machine says some ten thousand bytes; more is not heard. */
#define SAID_MOST (1u << 20)
/* For mpirun to end what it has started elsewhere. */
#define END_SECONDS 2

struct stream {
	int from; /* -1: it has ended */
	char *bytes;
	size_t used, room;
};

struct talk {
	pid_t child;
	struct stream stream[2]; /* stdout, stderr */
};

static bool is_open(const struct talk *talk)
{
	return talk->stream[0].from >= 0 || talk->stream[1].from >= 0;
}

/* Takes what is there. */
static void hear(struct stream *stream)
{
	ssize_t got;

	if (stream->used + 1 >= stream->room && stream->room < SAID_MOST) {
		size_t room = stream->room ? 2 * stream->room : 4096;
		char *more = realloc(stream->bytes, room);

		if (more) {
			stream->bytes = more;
			stream->room = room;
			stream->bytes[stream->used] = '\0';
		}
	}
	got = stream->used + 1 < stream->room ? read(stream->from, stream->bytes + stream->used,
						     stream->room - stream->used - 1)
					      : 0;
	if (got > 0) {
		stream->used += (size_t)got;
		stream->bytes[stream->used] = '\0';
	} else {
		close(stream->from);
		stream->from = -1;
	}
}

/* Whether AGENT's first word is the program NAME. */
static bool is_program(const char *agent, const char *name)
{
	size_t length = strcspn(agent, " ");
	const char *own = memrchr(agent, '/', length);

	own = own ? own + 1 : agent;
	length -= (size_t)(own - agent);
	return length == strlen(name) && strncmp(own, name, length) == 0;
}

/* Does not return.  mpirun must not be asked for a password either. */
static void be_agent(const struct question *question)
{
	const char *agent = question->agent;
	char *words;

	setsid();
	if (question->words) {
		execv(question->words[0], (char *const *)question->words);
		dprintf(STDERR_FILENO, "%s: %s\n", question->words[0], strerror(errno));
		_exit(127);
	}
	if (!agent)
		execl("/bin/sh", "sh", "-c", question->command, (char *)NULL);
	/* srun hands words over, where the others have a shell read them. */
	else if (asprintf(&words, "exec %s%s \"$0\" %s\"$1\"", agent,
			  is_program(agent, "ssh") ? " -o BatchMode=yes -o ConnectTimeout=10"
						     " -o ConnectionAttempts=1"
						   : "",
			  is_program(agent, "srun") ? "sh -c " : "") >= 0)
		execl("/bin/sh", "sh", "-c", words, question->host, question->command,
		      (char *)NULL);
	_exit(127);
}

static int start(struct talk *talk, const struct question *question, const sigset_t *mask)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1}, null;

	*talk = (struct talk){.stream = {{.from = -1}, {.from = -1}}};
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		goto fail;
	talk->child = fork();
	if (talk->child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigprocmask(SIG_SETMASK, mask, NULL);
		null = open("/dev/null", O_RDONLY);
		dup2(null, STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		be_agent(question);
	}
	if (talk->child < 0)
		goto fail;
	close(out[1]);
	close(err[1]);
	talk->stream[0].from = out[0];
	talk->stream[1].from = err[0];
	return 0;

fail:
	for (int i = 0; i < 2; i++) {
		if (out[i] >= 0)
			close(out[i]);
		if (err[i] >= 0)
			close(err[i]);
	}
	return -ENOMEM;
}

/*
 * Hears all until they have closed their streams: true; or it is DEADLINE (clock_now()), or SIGNALS
 * has one.  LIST has room for that, too.
 */
static bool hear_all(struct talk *talks, struct pollfd *list, size_t count, uint64_t deadline,
		     int signals)
{
	for (;;) {
		uint64_t now = clock_now();
		size_t open = 0;

		for (size_t i = 0; i < 2 * count; i++) {
			list[i] = (struct pollfd){talks[i / 2].stream[i % 2].from, POLLIN, 0};
			open += list[i].fd >= 0;
		}
		list[2 * count] = (struct pollfd){signals, POLLIN, 0};
		if (!open || now >= deadline)
			return !open;
		if (poll(list, 2 * count + 1, (int)((deadline - now) / 1000000) + 1) <= 0)
			continue;
		if (list[2 * count].revents)
			return false;
		for (size_t i = 0; i < 2 * count; i++)
			if (list[i].fd >= 0 && list[i].revents)
				hear(&talks[i / 2].stream[i % 2]);
	}
}

/* Whether CHILD, which may have closed its output, ends by DEADLINE, too. */
static bool await(pid_t child, uint64_t deadline, int *status)
{
	while (waitpid(child, status, WNOHANG) == 0) {
		if (clock_now() >= deadline)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	return true;
}

static void end(struct talk *talk, struct asked *answer, uint64_t deadline)
{
	bool late = is_open(talk);
	int status = 0;

	for (int i = 0; i < 2; i++)
		if (talk->stream[i].from >= 0)
			close(talk->stream[i].from);
	answer->said = talk->stream[0].bytes ? talk->stream[0].bytes : strdup("");
	answer->complaint = talk->stream[1].bytes ? talk->stream[1].bytes : strdup("");
	answer->status = -1;
	if (talk->child <= 0)
		return;
	if (!await(talk->child, deadline, &status)) {
		kill(-talk->child, SIGKILL);
		waitpid(talk->child, &status, 0);
	} else if (!late) {
		answer->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

/* Blocks signals that end this process until MASK is restored; a descriptor for them, or -1. */
static int hold_signals(sigset_t *mask)
{
	sigset_t set;

	sigemptyset(&set);
	user_signals_add(&set);
	sigprocmask(SIG_BLOCK, &set, mask);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int ask_all(const struct question *questions, struct asked *answers, size_t count, int seconds)
{
	struct talk *talks = calloc(count, sizeof(*talks));
	struct pollfd *list = calloc(2 * count + 1, sizeof(*list));
	uint64_t deadline = clock_now() + (uint64_t)seconds * 1000000000;
	int error = talks && list ? 0 : -ENOMEM;
	size_t started = 0;
	sigset_t mask;
	int signals = hold_signals(&mask);

	while (!error && started < count) {
		error = start(&talks[started], &questions[started], &mask);
		started++;
	}
	if (error || !hear_all(talks, list, count, deadline, signals)) {
		deadline = clock_now() + END_SECONDS * 1000000000ull;
		for (size_t i = 0; i < started; i++)
			if (is_open(&talks[i]))
				kill(-talks[i].child, SIGTERM);
	}
	for (size_t i = 0; i < started; i++) {
		end(&talks[i], &answers[i], deadline);
		if (!answers[i].said || !answers[i].complaint)
			error = -ENOMEM;
	}
	if (signals >= 0)
		close(signals);
	/* One that was held ends this process here. */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	free(list);
	free(talks);
	return error;
}
