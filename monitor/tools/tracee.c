/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracee.c - ptrace of a process with all its threads.
 *
 * The process was seized, not attached: nothing is seen by it, its signals and stops stay its own.
 */
#include "tracee.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include "common/list.h"
#include "uapi/cape.h"

static struct tracee_thread *find(struct tracee *tracee, pid_t id)
{
	for (size_t i = 0; i < tracee->count; i++)
		if (tracee->thread[i].id == id)
			return &tracee->thread[i];
	return NULL;
}

static struct tracee_thread *add(struct tracee *tracee, pid_t id)
{
	struct tracee_thread *list =
		list_room(tracee->thread, tracee->count, &tracee->capacity, sizeof(*list));

	if (!list)
		return NULL;
	tracee->thread = list;
	list[tracee->count] = (struct tracee_thread){.id = id};
	return &tracee->thread[tracee->count++];
}

static void forget(struct tracee *tracee, struct tracee_thread *thread)
{
	*thread = tracee->thread[--tracee->count];
	if (tracee->count == 0)
		tracee->ended = true;
}

static int seize_thread(struct tracee *tracee, pid_t id, size_t *found)
{
	if (find(tracee, id))
		return 0;
	if (ptrace(PTRACE_SEIZE, id, NULL, PTRACE_O_TRACECLONE) < 0)
		return errno == ESRCH ? 0 : -errno;
	++*found;
	return add(tracee, id) ? 0 : -ENOMEM;
}

/* One look at the list of threads; FOUND: how many were not known yet. */
static int seize_threads(struct tracee *tracee, size_t *found)
{
	char path[64];
	struct dirent *entry;
	DIR *folder;
	int error = 0;

	*found = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", tracee->pid);
	folder = opendir(path);
	if (!folder)
		return -ESRCH;
	while (!error && (entry = readdir(folder))) {
		int id = atoi(entry->d_name);

		if (id > 0)
			error = seize_thread(tracee, id, found);
	}
	closedir(folder);
	return error;
}

int tracee_seize(struct tracee *tracee, pid_t pid)
{
	size_t found;
	int error;

	*tracee = (struct tracee){.pid = pid};
	do {
		error = seize_threads(tracee, &found);
	} while (!error && found);
	if (!error && !tracee->count)
		error = -ESRCH;
	if (error)
		tracee_release(tracee);
	return error;
}

/* Whether the thread stopped because the driver tells of a write. */
static bool is_notice(pid_t id, uint64_t *address)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, id, NULL, &info) < 0 || info.si_signo != SIGSEGV ||
	    info.si_errno != CAPE_NOTIFY_ERRNO)
		return false;
	*address = (uint64_t)(uintptr_t)info.si_addr;
	return true;
}

/* What THREAD's stop means: the signal that it is to get, 0 for none. */
static int signal_of_stop(struct tracee *tracee, pid_t id, int status)
{
	uint64_t address;

	if (status >> 16)
		return 0;
	if (WSTOPSIG(status) == SIGSEGV && is_notice(id, &address)) {
		if (tracee->written)
			tracee->written(tracee->context, id, address);
		return 0;
	}
	return WSTOPSIG(status);
}

static bool is_group_stop(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
}

static void go_on(struct tracee_thread *thread)
{
	thread->stopped = false;
	if (thread->is_group_stop)
		ptrace(PTRACE_LISTEN, thread->id, NULL, NULL);
	else
		ptrace(PTRACE_CONT, thread->id, NULL, (void *)(intptr_t)thread->signal);
}

/* One event of one thread.  The thread then stands, or is forgotten. */
static void take(struct tracee *tracee, pid_t id, int status, bool stopping)
{
	struct tracee_thread *thread = find(tracee, id);

	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		if (thread)
			forget(tracee, thread);
		if (id == tracee->pid)
			tracee->ended = true;
		return;
	}
	if (!thread)
		thread = add(tracee, id);
	if (!thread)
		return;
	thread->stopped = true;
	thread->is_group_stop = is_group_stop(status);
	thread->in_call = status >> 16 && status >> 16 != PTRACE_EVENT_STOP;
	thread->signal = signal_of_stop(tracee, id, status);
	if (!stopping)
		go_on(thread);
}

void tracee_attend(struct tracee *tracee)
{
	int status;
	pid_t id;

	while ((id = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		take(tracee, id, status, false);
	if (id < 0 && errno == ECHILD)
		tracee->ended = true;
}

static struct tracee_thread *first_running(struct tracee *tracee)
{
	for (size_t i = 0; i < tracee->count; i++)
		if (!tracee->thread[i].stopped)
			return &tracee->thread[i];
	return NULL;
}

bool tracee_stop(struct tracee *tracee)
{
	struct tracee_thread *thread;
	int status;

	for (size_t i = 0; i < tracee->count; i++)
		ptrace(PTRACE_INTERRUPT, tracee->thread[i].id, NULL, NULL);
	while ((thread = first_running(tracee))) {
		pid_t id = waitpid(thread->id, &status, __WALL);

		if (id > 0)
			take(tracee, id, status, true);
		else if (errno != EINTR)
			forget(tracee, thread);
	}
	return !tracee->ended;
}

void tracee_continue(struct tracee *tracee)
{
	for (size_t i = 0; i < tracee->count; i++)
		if (tracee->thread[i].stopped)
			go_on(&tracee->thread[i]);
}

void tracee_release(struct tracee *tracee)
{
	if (tracee->count && tracee_stop(tracee))
		for (size_t i = 0; i < tracee->count; i++)
			ptrace(PTRACE_DETACH, tracee->thread[i].id, NULL,
			       (void *)(intptr_t)tracee->thread[i].signal);
	free(tracee->thread);
	*tracee = (struct tracee){.ended = true};
}
