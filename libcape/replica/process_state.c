// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * process_state.c - what a process has once for all of its threads: signal handlers, folder,
 * limits.  A call in a region that changes it is made by the other nodes too.
 *
 * The functions take the place of the C library's in the program.  In sequential code every node
 * makes the same calls by itself.
 */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "memory/calls.h"
#include "memory/frame.h"
#include "need/need.h"
#include "base/ordering.h"
#include "base/context.h"
#include "message/request.h"
#include "replica/death.h"

#define PATH_LIMIT 4096

int __cxa_atexit(void (*function)(void *), void *argument, void *object);
int __cxa_at_quick_exit(void (*function)(void *), void *object);

/* Notes a call that has succeeded here, if others have to make it. */
static void note(cape_call_make make, const void *arguments, size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_is_concurrent(runtime))
		cape_calls_note(runtime, CAPE_CALL_AGAIN, make, arguments, size);
}

/* -- signals ------------------------------------------------------------------------------ */

struct handler {
	int number;
	struct sigaction action;
};

static void set_handler(struct cape_runtime *runtime, const void *arguments)
{
	const struct handler *handler = arguments;

	cape_need_note_handler(runtime, &handler->action);
	cape_need_action(runtime, handler->number, &handler->action, NULL);
}

CAPE_FUNCTION(int, sigaction,
	      (int number, const struct sigaction *restrict action, struct sigaction *restrict old))
{
	struct handler handler = {.number = number};
	int result;

	if (action)
		handler.action = *action;
	result = cape_need_action(cape_runtime_get(), number, action, old);
	/* After what the kernel knows of a mask the C library gives what was on its stack. */
	if (result == 0 && old)
		memset((char *)&old->sa_mask + sizeof(uint64_t), 0,
		       sizeof(old->sa_mask) - sizeof(uint64_t));
	if (result == 0 && old)
		cape_death_hide(old);
	cape_need_note_handler(cape_runtime_get(), action);
	if (result == 0 && action)
		note(set_handler, &handler, sizeof(handler));
	return result;
}

CAPE_FUNCTION(__sighandler_t, signal, (int number, __sighandler_t function))
{
	struct sigaction action = {.sa_handler = function, .sa_flags = SA_RESTART}, old;

	if (function == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return sigaction(number, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

/* The mask is a thread's, and after a region the master's is left. */
struct mask {
	unsigned node;
	uint64_t before, after;
};

static long change_mask(int how, const uint64_t *set, uint64_t *old)
{
	return syscall(SYS_rt_sigprocmask, how, set, old, sizeof(*old));
}

static void leave_mask(struct cape_runtime *runtime, const void *arguments)
{
	const struct mask *mask = arguments;

	if (mask->node == 0)
		change_mask(SIG_SETMASK, &mask->after, NULL);
	else if (mask->node == runtime->node)
		change_mask(SIG_SETMASK, &mask->before, NULL);
}

/* Not inlined: its frame, which has the node's number, is wiped by the caller. */
static __attribute__((noinline)) int mask_signals(int how, const sigset_t *set, sigset_t *old)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct mask mask = {.node = runtime->node};
	uint64_t believed, asked = 0;

	if (set)
		memcpy(&asked, set, sizeof(asked));
	change_mask(SIG_BLOCK, NULL, &mask.before);
	believed = cape_need_believed_mask(runtime, mask.before);
	if (set) {
		if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) {
			errno = EINVAL;
			return -1;
		}
		asked = cape_need_mask(runtime, how, asked);
		change_mask(how, &asked, NULL);
	}
	if (old) {
		memset(old, 0, sizeof(*old));
		memcpy(old, &believed, sizeof(believed));
	}
	change_mask(SIG_BLOCK, NULL, &mask.after);
	/* That of another thread is its own. */
	if (set && mask.after != mask.before && cape_is_concurrent(runtime) &&
	    cape_is_initial_thread(runtime))
		cape_calls_note(runtime, CAPE_CALL_LAST, leave_mask, &mask, sizeof(mask));
	return 0;
}

CAPE_FUNCTION(int, sigprocmask, (int how, const sigset_t *restrict set, sigset_t *restrict old))
{
	int result = mask_signals(how, set, old);

	cape_frame_wipe();
	return result;
}

CAPE_FUNCTION(int, pthread_sigmask, (int how, const sigset_t *restrict set, sigset_t *restrict old))
{
	int result = mask_signals(how, set, old);

	cape_frame_wipe();
	return result < 0 ? errno : 0;
}

/* -- folder, mask of files, limits -------------------------------------------------------- */

static void set_folder(struct cape_runtime *runtime, const void *path)
{
	if (syscall(SYS_chdir, path) < 0)
		cape_fail(runtime, 0,
			  "node %u: cannot go to the folder '%s', as another node did: %s",
			  runtime->node, (const char *)path, strerror(errno));
}

static int changed_folder(long result)
{
	char path[PATH_LIMIT];
	long length;

	if (result < 0 || !cape_is_concurrent(cape_runtime_get()))
		return (int)result;
	length = syscall(SYS_getcwd, path, sizeof(path));
	if (length > 0)
		note(set_folder, path, (size_t)length);
	return 0;
}

CAPE_FUNCTION(int, chdir, (const char *path))
{
	cape_need_touch_text(path);
	return changed_folder(syscall(SYS_chdir, path));
}

CAPE_FUNCTION_IS(int, fchdir, (int descriptor), changed_folder(syscall(SYS_fchdir, descriptor)))

static void set_mode_mask(struct cape_runtime *runtime, const void *mask)
{
	(void)runtime;
	syscall(SYS_umask, *(const mode_t *)mask);
}

CAPE_FUNCTION(mode_t, umask, (mode_t mask))
{
	mode_t old = (mode_t)syscall(SYS_umask, mask);

	note(set_mode_mask, &mask, sizeof(mask));
	return old;
}

struct limit {
	int resource;
	struct rlimit value;
};

static void set_limit(struct cape_runtime *runtime, const void *arguments)
{
	const struct limit *limit = arguments;

	(void)runtime;
	syscall(SYS_prlimit64, 0, limit->resource, &limit->value, NULL);
}

CAPE_FUNCTION(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *value))
{
	struct limit limit = {(int)resource, *value};
	long result = syscall(SYS_prlimit64, 0, resource, &limit.value, NULL);

	if (result == 0)
		note(set_limit, &limit, sizeof(limit));
	return (int)result;
}

CAPE_SAME_FUNCTION(setrlimit64, setrlimit);

/* -- what is called at the end; the C library scrambles its record by a key of the process's own */

struct exit_function {
	void (*function)(void *argument);
	void *argument;
	int quick;				  /* for quick_exit() */
	void (*last)(int status, void *argument); /* on_exit()'s, or NULL */
};

static int add_exit_function(const struct exit_function *exit)
{
	int (*own_on_exit)(void (*)(int, void *), void *);

	if (exit->last) {
		*(void **)&own_on_exit = dlsym(RTLD_NEXT, "on_exit");
		return own_on_exit(exit->last, exit->argument);
	}
	return exit->quick ? __cxa_at_quick_exit(exit->function, NULL)
			   : __cxa_atexit(exit->function, exit->argument, NULL);
}

static void add_last(struct cape_runtime *runtime, const void *arguments)
{
	if (add_exit_function(arguments) != 0)
		cape_fail(runtime, 0, "node %u: no memory for atexit()", runtime->node);
}

static int at_exit(struct exit_function exit)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!cape_is_concurrent(runtime))
		return add_exit_function(&exit);
	cape_calls_note(runtime, CAPE_CALL_LAST, add_last, &exit, sizeof(exit));
	return 0;
}

CAPE_FUNCTION(int, atexit, (void (*function)(void)))
{
	return at_exit((struct exit_function){(void (*)(void *))function, NULL, 0, NULL});
}

CAPE_FUNCTION(int, at_quick_exit, (void (*function)(void)))
{
	return at_exit((struct exit_function){(void (*)(void *))function, NULL, 1, NULL});
}

CAPE_FUNCTION(int, on_exit, (void (*function)(int status, void *argument), void *argument))
{
	return at_exit((struct exit_function){NULL, argument, 0, function});
}

/*
 * -- the end of the process by one thread of a team.  The first who asks for it ends all, and alone
 * calls what is to be called; others stay where they are until the monitors end them.
 */

/* A construct's number that no construct has. */
#define END_ID UINT64_MAX

static void __attribute__((noreturn)) wait_for_ever(void)
{
	for (;;)
		syscall(SYS_pause);
}

static void be_first(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	unsigned own, before = 0;
	bool first;

	if (!cape_is_concurrent(runtime))
		return;
	own = 1 + runtime->ordering->thread(runtime);
	if (!__atomic_compare_exchange_n(&runtime->ending, &before, own, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		/* What is called at the end may call it again. */
		if (before == own)
			return;
		wait_for_ever();
	}
	runtime->ordering->lock(runtime);
	first = cape_request(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_SINGLE,
								    .id = END_ID,
								    .single.nodes = runtime->nodes})
			->result;
	if (first)
		cape_calls_settle(runtime);
	runtime->ordering->unlock(runtime);
	if (!first)
		wait_for_ever();
}

static __attribute__((noreturn)) void end_by(const char *name, int status)
{
	void (*own)(int) = (void (*)(int))dlsym(RTLD_NEXT, name);

	be_first();
	own(status);
	__builtin_unreachable();
}

CAPE_FUNCTION(void, exit, (int status))
{
	end_by("exit", status);
}

CAPE_FUNCTION(void, quick_exit, (int status))
{
	end_by("quick_exit", status);
}

/* This may be a child of vfork(), which has the parent's memory. */
CAPE_FUNCTION(void, _exit, (int status))
{
	cape_need_end();
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

CAPE_SAME_FUNCTION(_Exit, _exit);

/* -- refused ------------------------------------------------------------------------------ */

/* A locale's data are mapped by the C library, on the node that calls alone. */
CAPE_FUNCTION(char *, setlocale, (int category, const char *name))
{
	char *(*own)(int, const char *) =
		(char *(*)(int, const char *))dlsym(RTLD_NEXT, "setlocale");
	struct cape_runtime *runtime = cape_runtime_get();

	if (name && cape_is_concurrent(runtime))
		cape_fail(runtime, 0,
			  "%s:%d: setlocale() inside a parallel region would change the locale of "
			  "one node alone; call it before the region",
			  runtime->channel->state.file, runtime->channel->state.line);
	return own(category, name);
}
