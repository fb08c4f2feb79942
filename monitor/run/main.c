/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - cape-run: runs a program on nodes, with a cape-monitor on each.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "again.h"
#include "check/check.h"
#include "child.h"
#include "command.h"
#include "common/complain.h"
#include "common/protections.h"
#include "launcher.h"
#include "mpirun.h"
#include "options.h"
#include "place.h"
#include "program.h"
#include "reach.h"
#include "supervise.h"
#include "surroundings.h"
#include "threads.h"

/* So that the caller sees who ended the run: a shell's loop ends with Ctrl-C, too. */
static void die_of(int number)
{
	sigset_t set;

	/* A core of cape-run is of no use to anybody. */
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* --check: the program, if one is named, must be one that can run. */
static int check(const struct run_options *options)
{
	char *program = NULL, *share[4] = {NULL};
	struct check check = {.mpirun = options->mpirun, .share = share, .nodes = options->nodes};
	int status = 1;

	if (options->program[0]) {
		program = program_find(options->program[0], &status);
		if (!program)
			return status;
	}
	/* A copy is brought there. */
	check.copy = options->copy;
	check.program = program;
	check.driver = options->protection >= 0 && options->protection != PROTECTION_mprotect;
	mpirun_share(options, share);
	if (reach_find(&check, options))
		status = check_machines(&check);
	reach_free(&check);
	free(program);
	return status;
}

/* The run, from its folder's making to its end; what cape-run exits with. */
static int run(const struct run_options *options, const struct surroundings *surroundings,
	       char *program, struct ending *ending)
{
	const struct launcher *launcher = launcher_for(options);
	struct command command;
	struct trace trace;
	struct place place;
	int status = 1;

	*ending = (struct ending){0};
	if (!trace_open(&trace, options->trace_file))
		return 1;
	if (place_make(&place, options) < 0)
		goto close_trace;
	if (launcher->settle)
		launcher->settle(&place, options);
	if (command_make(&command, launcher, options, surroundings, program, place.folder) < 0) {
		complain("out of memory");
		goto leave_place;
	}
	status = supervise(&command, options->program + 1, &place, &trace, options, ending);
	command_free(&command);
leave_place:
	place_leave(&place);
close_trace:
	if (!trace_close(&trace) && !status)
		status = 1;
	return status;
}

int main(int argc, char **argv)
{
	struct run_options options = {.lost_after = 30,
				      .save_seconds = 60,
				      .save_keep = 2,
				      .method = -1,
				      .model = -1,
				      .exchange = -1,
				      .protection = -1};
	struct surroundings surroundings;
	const struct launcher *launcher;
	struct ending ending = {0};
	char *program;
	struct again again;
	int status = 1;

	if (argc > 1 && strcmp(argv[1], "--probe") == 0)
		return check_probe(argc - 2, argv + 2);
	surroundings_take(&surroundings);
	switch (run_options_parse(&options, argc, argv)) {
	case RUN_PARSED:
		break;
	case RUN_HELPED:
		free(options.mpirun);
		return 0;
	case RUN_FAILED:
		free(options.mpirun);
		return 1;
	case RUN_WRONG:
		free(options.mpirun);
		return 2;
	}
	if (options.check) {
		status = check(&options);
		goto free_options;
	}
	program = program_find(options.program[0], &status);
	if (!program)
		goto free_options;
	if (threads_are_all(&options)) {
		status = child_run(&options, &surroundings, program, &ending);
		goto free_program;
	}
	status = 1;
	if (!surroundings_suffice(&options))
		goto free_program;
	launcher = launcher_for(&options);
	if (launcher->is_there && !launcher->is_there()) {
		status = 127;
		goto free_program;
	}
	status = 1;
	if (options.kept && !place_prepare_checkpoints(&options.kept))
		goto free_program;
	again_prepare(&again, &options);
	do
		status = run(&options, &surroundings, program, &ending);
	while (again_try(&again, &options, &ending, status));
free_program:
	free(program);
free_options:
	free(options.mpirun);
	if (ending.by)
		die_of(ending.by);
	return status;
}
