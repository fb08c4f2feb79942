/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - cape-run: runs a program on many nodes, by mpirun with a cape-monitor on each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "channel/channel.h"
#include "mpirun.h"
#include "options.h"
#include "program.h"
#include "supervise.h"

/* Descriptors that the caller closed would become somebody's files. */
static void fill_standard_descriptors(void)
{
	int null = open("/dev/null", O_RDWR);

	while (null >= 0 && null <= STDERR_FILENO)
		null = dup(null);
	if (null >= 0)
		close(null);
}

int main(int argc, char **argv)
{
	struct run_options options = {.method = CAPE_METHOD_TICKPT2, .model = -1, .protection = -1};
	char *program, *mpirun_path, **command;
	int status = 1;

	fill_standard_descriptors();
	switch (run_options_parse(&options, argc, argv)) {
	case RUN_PARSED:
		break;
	case RUN_HELPED:
		free(options.mpirun);
		return 0;
	case RUN_WRONG:
		free(options.mpirun);
		return 2;
	}
	program = program_find(options.program[0], &status);
	if (!program)
		goto free_options;
	mpirun_path = program_in_path("mpirun");
	if (!mpirun_path) {
		fprintf(stderr, "cape-run: mpirun is not installed; on Debian: apt-get install "
				"openmpi-bin\n");
		status = 127;
		goto free_program;
	}
	free(mpirun_path);
	command = mpirun_command(&options, program);
	if (command)
		status = supervise(command);
	else
		fprintf(stderr, "cape-run: out of memory\n");
	free(command);
free_program:
	free(program);
free_options:
	free(options.mpirun);
	return status;
}
