// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exec.c - execve() and its like, in place of the C library's: the new program gets the limit of
 * the stack that was in force outside, unless this one has set another, and what leads to the
 * monitor, as it goes on with the run.
 */
#include "replica/exec.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include "system/libc.h"
#include "memory/frame.h"
#include "need/need.h"

/* Of the stack: what the C library uses until the other program runs. */
#define SPARE (256 << 10)
#define PAGE  4096

/* Changes what is in force FROM one value TO another, if it is that. */
static void change(rlim_t from, rlim_t to)
{
	struct rlimit limit;

	if (from == to || getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur != from)
		return;
	limit.rlim_cur = to;
	syscall(SYS_prlimit64, 0, RLIMIT_STACK, &limit, NULL);
}

/* The kernel lets a stack that is too large already grow no further. */
static __attribute__((noinline)) void grow_stack(void)
{
	volatile char spare[SPARE];

	for (size_t at = sizeof(spare); at >= PAGE; at -= PAGE)
		spare[at - PAGE] = 0;
}

void cape_exec_keep(bool keep)
{
	int saved_errno = errno;

	/* Not all are there in every run. */
	for (int i = CAPE_FIRST_FD; i <= CAPE_LAST_FD; i++)
		fcntl(i, F_SETFD, keep ? 0 : FD_CLOEXEC);
	errno = saved_errno;
}

/* Before exec(), and again if that has failed.  A child of fork() has left the run. */
static void prepare(struct cape_runtime *runtime)
{
	cape_need_end();
	change(runtime->stack->limit, runtime->stack->limit_outside);
	if (runtime->channel)
		cape_exec_keep(true);
}

static void go_on(struct cape_runtime *runtime)
{
	change(runtime->stack->limit_outside, runtime->stack->limit);
	if (runtime->channel)
		cape_exec_keep(false);
}

void cape_exec_limit(struct cape_runtime *runtime)
{
	if (!runtime->channel)
		return;
	grow_stack();
	change(runtime->stack->limit, runtime->stack->limit_outside);
}

void cape_exec_limit_end(struct cape_runtime *runtime)
{
	if (runtime->channel)
		change(runtime->stack->limit_outside, runtime->stack->limit);
}

/* A function NAME that starts another program by CALL, which returns only if it fails. */
#define STARTS(name, parameters, call)                                                             \
	CAPE_FUNCTION(int, name, parameters)                                                       \
	{                                                                                          \
		struct cape_runtime *runtime = cape_runtime_get();                                 \
		int result;                                                                        \
                                                                                                   \
		cape_need_touch_texts(words);                                                      \
		prepare(runtime);                                                                  \
		result = call;                                                                     \
		go_on(runtime);                                                                    \
		return result;                                                                     \
	}

STARTS(execve, (const char *path, char *const words[], char *const environment[]),
       (int)syscall(SYS_execve, path, words, environment))
STARTS(execv, (const char *path, char *const words[]),
       (int)syscall(SYS_execve, path, words, __environ))
STARTS(execvpe, (const char *file, char *const words[], char *const environment[]),
       CAPE_OWN_FUNCTION(execvpe)(file, words, environment))
STARTS(execvp, (const char *file, char *const words[]), CAPE_OWN_FUNCTION(execvp)(file, words))
STARTS(fexecve, (int file, char *const words[], char *const environment[]),
       CAPE_OWN_FUNCTION(fexecve)(file, words, environment))

STARTS(execveat,
       (int folder, const char *path, char *const words[], char *const environment[], int flags),
       (int)syscall(SYS_execveat, folder, path, words, environment, flags))

/* Counts the words from FIRST to the NULL; MORE stands after it then. */
static size_t count_words(const char *first, va_list more)
{
	size_t count = 0;

	for (const char *word = first; word; word = va_arg(more, const char *))
		count++;
	return count;
}

/* The list of COUNT words and NULL, to be had from MORE. */
static void take_words(char **words, const char *first, va_list more, size_t count)
{
	words[0] = (char *)first;
	for (size_t i = 1; i <= count; i++)
		words[i] = va_arg(more, char *);
}

/* WORDS is the array of what stands in the call; CALL is what is made of it. */
#define STARTS_LIST(name, take_environment, call)                                                  \
	CAPE_FUNCTION(int, name, (const char *path, const char *first, ...))                       \
	{                                                                                          \
		char *const *environment = __environ;                                              \
		va_list more;                                                                      \
		size_t count;                                                                      \
                                                                                                   \
		va_start(more, first);                                                             \
		count = count_words(first, more);                                                  \
		va_end(more);                                                                      \
		char *words[count + 1];                                                            \
		va_start(more, first);                                                             \
		take_words(words, first, more, count);                                             \
		if (take_environment)                                                              \
			environment = va_arg(more, char *const *);                                 \
		va_end(more);                                                                      \
		return call;                                                                       \
	}

STARTS_LIST(execl, false, cape_function_execve(path, words, environment))
STARTS_LIST(execle, true, cape_function_execve(path, words, environment))
STARTS_LIST(execlp, false, cape_function_execvpe(path, words, environment))
