// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * process_saved.c - what a process has once, saved and set again: signal handlers, masks, the stack
 * for handlers, interval timers, the folder, how numbers are rounded.  Inside a region each node
 * has its own.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "base/saved.h"
#include "need/need.h"
#include "replica/death.h"
#include "system/libc.h"

#define PATH_LIMIT 4096
#define SIGNALS	   64
#define TIMERS	   3
#define ALL_BITS   0777

locale_t __uselocale(locale_t locale);

struct process {
	struct sigaction action[SIGNALS]; /* of signal 1 first */
	stack_t stack;
	uint64_t blocked;
	struct itimerval timer[TIMERS];
	uint32_t mode_mask;
	uint32_t vectors; /* MXCSR */
	uint16_t numbers; /* the x87 control word */
	char folder[PATH_LIMIT];
};

static void look(struct cape_runtime *runtime, struct process *process)
{
	memset(process, 0, sizeof(*process));
	for (int i = 0; i < SIGNALS; i++) {
		cape_need_action(runtime, i + 1, NULL, &process->action[i]);
		cape_death_hide(&process->action[i]);
	}
	cape_need_stack(runtime, NULL, &process->stack);
	cape_death_hide_stack(&process->stack);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &process->blocked, sizeof(process->blocked));
	process->blocked = cape_need_believed_mask(runtime, process->blocked);
	for (int i = 0; i < TIMERS; i++)
		syscall(SYS_getitimer, i, &process->timer[i]);
	process->mode_mask = (uint32_t)syscall(SYS_umask, ALL_BITS);
	syscall(SYS_umask, process->mode_mask);
	__asm__ volatile("stmxcsr %0" : "=m"(process->vectors));
	__asm__ volatile("fnstcw %0" : "=m"(process->numbers));
	if (syscall(SYS_getcwd, process->folder, PATH_LIMIT) < 0)
		process->folder[0] = '\0';
}

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	if (to)
		look(runtime, (struct process *)to);
	return sizeof(struct process);
}

/* Whether the program has made timers by timer_create(), as the kernel lists them. */
static bool has_timers(void)
{
	int list = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/timers", O_RDONLY | O_CLOEXEC, 0);
	char first;
	bool any;

	if (list < 0)
		return false;
	any = read(list, &first, 1) == 1;
	close(list);
	return any;
}

static const char *refuse(struct cape_runtime *runtime)
{
	const char *locale = setlocale(LC_ALL, NULL);
	siginfo_t ended;

	(void)runtime;
	/* Its tables are files that the C library maps by itself. */
	if (locale && strcmp(locale, "C") != 0)
		return "the program has set a locale other than C";
	if (__uselocale(NULL) != LC_GLOBAL_LOCALE)
		return "the program uses a locale of its own";
	if (has_timers())
		return "the program has made timers by timer_create()";
	if (syscall(SYS_waitid, P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT, NULL) < 0)
		return NULL;
	return "the program has started another process";
}

static void set_mask(uint64_t mask)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

/* What the run time has set itself stays, where the program has not. */
static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	const struct process *process = (const struct process *)from;

	if (size != sizeof(*process))
		return;
	/* A handler finds its memory when all is there. */
	set_mask(UINT64_MAX);
	if (process->folder[0] && syscall(SYS_chdir, process->folder) < 0)
		cape_fail(runtime, 0,
			  "node %u: the run cannot continue here: its folder '%s' cannot be "
			  "entered: %s",
			  runtime->node, process->folder, strerror(errno));
	syscall(SYS_umask, process->mode_mask);
	for (int i = 0; i < SIGNALS; i++) {
		const struct sigaction *action = &process->action[i];

		if ((action->sa_flags & SA_SIGINFO) || action->sa_handler != SIG_DFL) {
			cape_need_note_handler(runtime, action);
			cape_need_action(runtime, i + 1, action, NULL);
		}
	}
	if (process->stack.ss_sp && !(process->stack.ss_flags & SS_DISABLE))
		cape_need_stack(runtime, &process->stack, NULL);
}

static void finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	const struct process *process = (const struct process *)from;

	if (size != sizeof(*process))
		return;
	for (int i = 0; i < TIMERS; i++)
		syscall(SYS_setitimer, i, &process->timer[i], NULL);
	__asm__ volatile("ldmxcsr %0" : : "m"(process->vectors));
	__asm__ volatile("fldcw %0" : : "m"(process->numbers));
	set_mask(cape_need_mask(runtime, SIG_SETMASK, process->blocked));
}

CAPE_SAVED(process, .by_place = true, .refuse = refuse, .put = put, .take = take, .finish = finish);
CAPE_SAVED(process_in_region, .by_place = true, .of_node = true, .put = put, .take = take,
	   .finish = finish);
