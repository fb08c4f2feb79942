/* SPDX-License-Identifier: GPL-2.0-or-later */
/* die.c - dies in the way of the first argument, far from its regions; in one, with a second. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int zero;
static int *volatile nowhere;

__attribute__((noinline)) static void end(const char *way)
{
	if (strcmp(way, "write") == 0)
		*nowhere = 3;
	else if (strcmp(way, "divide") == 0)
		zero = 5 / zero;
	else if (strcmp(way, "copy") == 0)
		memcpy(nowhere, way, strlen(way));
	else if (strcmp(way, "call") == 0)
		((void (*)(void))nowhere)();
	else if (strcmp(way, "raise") == 0)
		raise(SIGBUS);
}

int main(int argc, char **argv)
{
	struct sigaction action;
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	sigaction(SIGSEGV, NULL, &action);
	if (action.sa_handler != SIG_DFL || signal(SIGFPE, SIG_DFL) != SIG_DFL)
		puts("a handler that is not the program's");
	if (argc < 3)
		end(argv[1]);
#pragma omp parallel
	end(argv[1]);
	printf("%d\n", sum);
	return 0;
}
