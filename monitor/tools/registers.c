/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.c - the registers of all threads of a process, by ptrace.
 */
#include "registers.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* As much as any processor's XSAVE takes, AMX included. */
#define EXTENDED_MOST 16384

/* What the kernel leaves in rax of a system call that is to be carried out again. */
#define RESTART_FIRST	    512 /* ERESTARTSYS */
#define RESTART_NOHAND	    514
#define RESTART_BLOCK	    516
#define SYSCALL_INSTRUCTION 2 /* bytes */

static int get(pid_t thread, int type, void *to, size_t *size)
{
	struct iovec data = {to, *size};

	if (ptrace(PTRACE_GETREGSET, thread, (void *)(intptr_t)type, &data) < 0)
		return errno;
	*size = data.iov_len;
	return 0;
}

static int set(pid_t thread, int type, const void *from, size_t size)
{
	struct iovec data = {(void *)from, size};

	return ptrace(PTRACE_SETREGSET, thread, (void *)(intptr_t)type, &data) < 0 ? errno : 0;
}

static int save_thread(struct registers_thread *thread, pid_t id)
{
	size_t size = sizeof(thread->general);
	int error;

	thread->id = id;
	thread->extended = malloc(EXTENDED_MOST);
	if (!thread->extended)
		return ENOMEM;
	error = get(id, NT_PRSTATUS, &thread->general, &size);
	if (error)
		return error;
	thread->extended_size = EXTENDED_MOST;
	error = get(id, NT_X86_XSTATE, thread->extended, &thread->extended_size);
	if (error)
		return error;
	if (ptrace(PTRACE_GETSIGMASK, id, (void *)sizeof(thread->blocked), &thread->blocked) < 0)
		return errno;
	return 0;
}

int registers_save(struct registers *registers, const struct tracee *tracee)
{
	int error = 0;

	*registers =
		(struct registers){.thread = calloc(tracee->count, sizeof(*registers->thread))};
	if (!registers->thread)
		return ENOMEM;
	while (!error && registers->count < tracee->count) {
		error = save_thread(&registers->thread[registers->count],
				    tracee->thread[registers->count].id);
		registers->count++;
	}
	if (error)
		registers_free(registers);
	return error;
}

static const struct registers_thread *find(const struct registers *registers, pid_t id)
{
	for (size_t i = 0; i < registers->count; i++)
		if (registers->thread[i].id == id)
			return &registers->thread[i];
	return NULL;
}

bool registers_fit(const struct registers *registers, const struct tracee *tracee)
{
	if (registers->count != tracee->count)
		return false;
	for (size_t i = 0; i < tracee->count; i++)
		if (!find(registers, tracee->thread[i].id) || tracee->thread[i].in_call)
			return false;
	return true;
}

/*
 * The kernel would carry a call out again only at the stop in which it was interrupted.  One that
 * had been taken up again already (restart_syscall) cannot be: it ends as by a signal.
 */
static struct user_regs_struct begin_call_anew(struct user_regs_struct general)
{
	long result = -(long)general.rax;

	if ((long)general.orig_rax < 0)
		return general;
	if (result == RESTART_BLOCK && general.orig_rax == SYS_restart_syscall) {
		general.rax = (unsigned long long)-EINTR;
	} else if ((result >= RESTART_FIRST && result <= RESTART_NOHAND) ||
		   result == RESTART_BLOCK) {
		general.rax = general.orig_rax;
		general.rip -= SYSCALL_INSTRUCTION;
	}
	general.orig_rax = (unsigned long long)-1;
	return general;
}

static bool tells_of_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP || signal == SIGSYS || signal == SIGABRT;
}

static int restore_thread(const struct registers_thread *saved, struct tracee_thread *thread)
{
	const struct user_regs_struct general = begin_call_anew(saved->general);
	int error = set(saved->id, NT_PRSTATUS, &general, sizeof(general));

	if (!error)
		error = set(saved->id, NT_X86_XSTATE, saved->extended, saved->extended_size);
	if (!error && ptrace(PTRACE_SETSIGMASK, saved->id, (void *)sizeof(saved->blocked),
			     &saved->blocked) < 0)
		error = errno;
	if (tells_of_fault(thread->signal))
		thread->signal = 0;
	return error;
}

int registers_restore(const struct registers *registers, struct tracee *tracee)
{
	int error = 0;

	for (size_t i = 0; !error && i < tracee->count; i++)
		error = restore_thread(find(registers, tracee->thread[i].id), &tracee->thread[i]);
	return error;
}

void registers_free(struct registers *registers)
{
	for (size_t i = 0; i < registers->count; i++)
		free(registers->thread[i].extended);
	free(registers->thread);
	*registers = (struct registers){0};
}
