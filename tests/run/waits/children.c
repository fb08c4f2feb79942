/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.c - a child ends, and its fellows on nodes other than 0 do not for a long time. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int status;

/* The kernel's answer on each node; syscall() tells node 0's. */
static pid_t own_parent(void)
{
	long number = SYS_getppid;

	__asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
	return (pid_t)number;
}

int main(int count, char **arguments)
{
	int killed = count > 1 && strcmp(arguments[1], "killed") == 0;
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		/* The number that the parent was told is node 0's. */
		if (own_parent() != parent)
			sleep(killed ? 600 : 30);
		if (killed)
			raise(SIGKILL);
		_exit(7);
	}
	if (waitpid(child, &status, 0) != child)
		return 1;
#pragma omp parallel
	;
	if (WIFSIGNALED(status))
		printf("%d by a signal\n", WTERMSIG(status));
	else
		printf("%d by itself\n", WEXITSTATUS(status));
	return 0;
}
