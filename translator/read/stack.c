/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.c - plenty of stack for nested programs, and a clear end for those that need more. */
#include "stack.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_SIZE   (96ul << 20) /* Linux keeps 128 MB free for it, whatever the limit at start */
#define HANDLER_SIZE 65536u

/* What a signal handler can reach only as globals. */
static uintptr_t stack_top;
static const char *file_name;
static struct rlimit users;

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(EXIT_FAILURE);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;

	(void)context;
	if (address < stack_top && stack_top - address < STACK_SIZE + (1ul << 20)) {
		put("cape-cc: ");
		put(file_name);
		put(": an expression, declaration or block is nested too deeply to be translated; "
		    "split it\n");
		_exit(EXIT_FAILURE);
	}
	signal(number, SIG_DFL); /* it happens again */
}

static void catch_faults(void)
{
	static char handler_stack[HANDLER_SIZE];
	stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&action.sa_mask);
	if (!sigaltstack(&stack, NULL))
		sigaction(SIGSEGV, &action, NULL);
}

void stack_enlarge(const char *file)
{
	struct rlimit wanted;

	file_name = file;
	if (!stack_top) {
		stack_top = (uintptr_t)__builtin_frame_address(0);
		/* libclang: no thread of its own, whose stack is small, and no handlers. */
		setenv("LIBCLANG_NOTHREADS", "1", 1);
		setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
		catch_faults();
	}
	if (getrlimit(RLIMIT_STACK, &users) < 0)
		return;
	wanted = users;
	if (users.rlim_cur < STACK_SIZE)
		wanted.rlim_cur = users.rlim_max < STACK_SIZE ? users.rlim_max : STACK_SIZE;
	setrlimit(RLIMIT_STACK, &wanted);
}

void stack_restore(void)
{
	setrlimit(RLIMIT_STACK, &users);
}
