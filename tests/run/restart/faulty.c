// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faulty.c - sums, a line for each step, for which it reads one, or: at one step it ends, is
 * killed, always or if there is a file, which goes with that, or waits as long as there is a file.
 *
 * Usage: faulty STEPS [AT abort|exit|once|wait [FILE [read]]]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double values[4096];

static void be_faulty(const char *how, const char *file)
{
	if (strcmp(how, "exit") == 0)
		exit(3);
	for (int i = 0; strcmp(how, "wait") == 0 && i < 1200 && access(file, F_OK) == 0; i++)
		usleep(50000);
	if (strcmp(how, "wait") == 0)
		return;
	if (strcmp(how, "once") == 0 && unlink(file) < 0)
		return;
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	char line[80] = "";

	for (int s = 0; s < steps; s++) {
		double sum = 0;

		/* Of a pipe, this is read ahead. */
		if ((argc == 2 || argc == 6) && !fgets(line, sizeof(line), stdin))
			return 1;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < 4096; i++) {
			values[i] += i * s;
			sum += values[i];
		}
		printf("step %d: %.17g %.20s\n", s, sum, strtok(line, "\n") ? line : "");
		fflush(stdout);
		if (argc > 3 && s == atoi(argv[2]))
			be_faulty(argv[3], argv[4]);
		usleep(150000); /* so that a save may end on a busy machine, too */
	}
	return 0;
}
