/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends.c - prints from a region, and ends while it does: argument 1 says how.
 *
 * assert N: node 1 prints N lines and fails an assertion.  printing: node 1 aborts while node 0
 * prints for ever.  child: a process that the program leaves behind prints on.
 */
#undef NDEBUG
#include <assert.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_lines(int count)
{
	for (int i = 0; i < count; i++)
		printf("line %d of what came before the end\n", i);
	fflush(stdout);
}

static void leave_child(void)
{
	if (fork())
		return;
	alarm(20);
	for (;;)
		if (write(STDOUT_FILENO, "more\n", 5) < 0)
			_exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int count = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(how, "child") == 0) {
		print_lines(count);
		leave_child();
		usleep(300000);
		return 0;
	}
#pragma omp parallel num_threads(2)
	{
		if (strcmp(how, "assert") == 0 && omp_get_thread_num() == 1) {
			print_lines(count);
			assert(count < 0);
		}
		while (strcmp(how, "printing") == 0 && omp_get_thread_num() == 0)
			print_lines(1000);
		if (strcmp(how, "printing") == 0) {
			usleep(500000);
			abort();
		}
	}
	return 0;
}
