/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocation.c - reads what Slurm and PBS leave in the environment of a job.
 */
#include "allocation.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/complain.h"

/* No job is larger, and no sum of such numbers overflows. */
#define SLOTS_LIMIT 1000000

/* A number from 1 on at *TEXT, which is moved after it; 0: there is none. */
static int take_number(const char **text)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)**text))
		return 0;
	errno = 0;
	value = strtol(*text, &end, 10);
	if (errno || value < 1 || value > SLOTS_LIMIT)
		return 0;
	*text = end;
	return (int)value;
}

/* As Slurm writes them: "2(x3),1" are 2 on each of 3 machines and 1 on a fourth. */
static bool read_slots(struct allocation *allocation, const char *text)
{
	struct slots *has = &allocation->has;

	for (;;) {
		int slots = take_number(&text), machines = 1;

		if (strncmp(text, "(x", 2) == 0) {
			text += 2;
			machines = take_number(&text);
			if (*text++ != ')')
				return false;
		}
		if (!slots || !machines || machines > SLOTS_LIMIT / slots)
			return false;
		has->each = !has->machines || has->each == slots ? slots : 0;
		has->machines += machines;
		has->all += slots * machines;
		if (has->all > SLOTS_LIMIT)
			return false;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

static bool find_slurm(struct allocation *allocation)
{
	const char *job = getenv("SLURM_JOB_ID"), *slots = getenv("SLURM_TASKS_PER_NODE");
	const char *machines = getenv("SLURM_JOB_NODELIST");
	const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
	const char *processors = getenv("SLURM_CPUS_PER_TASK");

	if (!job)
		return true;
	if (tasks && atoi(tasks) > 1)
		return complain(
			"srun has started this %s times, and each would start all nodes; start it "
			"once, without srun: salloc -N4 cape-run ./prog, or in a script for sbatch",
			tasks);
	if (!slots || !read_slots(allocation, slots))
		return complain("this is Slurm's job %s, but SLURM_TASKS_PER_NODE, which lists its "
				"machines, is %s%s%s; outside of the job: unset SLURM_JOB_ID",
				job, slots ? "\"" : "", slots ? slots : "not set",
				slots ? "\"" : "");
	if (processors && atoi(processors) > 1 && atoi(processors) <= SLOTS_LIMIT)
		allocation->processors = atoi(processors);
	allocation->manager = "Slurm";
	allocation->job = job;
	allocation->machines = machines ? machines : "its machines";
	allocation->spread = slots;
	return true;
}

/* The next of "2(x3),1", of which LEFT are the same: *TEXT stands after the number. */
static int next_slots(const char **text, int *slots, int *left)
{
	if (*left == 0 && **text) {
		*slots = take_number(text);
		*left = 1;
		if (strncmp(*text, "(x", 2) == 0) {
			*text += 2;
			*left = take_number(text);
			*text += **text == ')';
		}
		*text += **text == ',';
	}
	*left -= *left > 0;
	return *slots;
}

char *allocation_list(const struct allocation *allocation)
{
	FILE *names = popen("scontrol show hostnames", "re"), *to;
	const char *spread = allocation->spread;
	char *list = NULL, *line = NULL;
	size_t size = 0, room = 0;
	int slots = 1, left = 0;

	to = open_memstream(&list, &size);
	while (names && to && getline(&line, &room, names) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		fprintf(to, "%s%s:%d", ftell(to) > 0 ? "," : "", line,
			next_slots(&spread, &slots, &left));
	}
	if (to)
		fclose(to);
	if (names)
		pclose(names);
	free(line);
	if (list && *list)
		return list;
	free(list);
	complain("\"scontrol show hostnames\" does not print the machines of Slurm's job %s; is "
		 "scontrol in PATH?",
		 allocation->job);
	return NULL;
}

/* PBS lists a machine once for each of its slots. */
static bool find_pbs(struct allocation *allocation)
{
	const char *job = getenv("PBS_JOBID"), *path = getenv("PBS_NODEFILE");
	int error;

	if (!job || !path)
		return true;
	error = slots_of_file(&allocation->has, path, 1);
	if (error)
		return complain("this is PBS's job %s, but the list of its machines, "
				"PBS_NODEFILE=%s, %s%s; outside of the job: unset PBS_JOBID",
				job, path, error == -ENODATA ? "is empty" : "cannot be read: ",
				error == -ENODATA ? "" : strerror(-error));
	allocation->manager = "PBS";
	allocation->job = job;
	allocation->machines = path;
	allocation->hostfile = path;
	return true;
}

bool allocation_find(struct allocation *allocation)
{
	*allocation = (struct allocation){.processors = 1};
	return find_slurm(allocation) && (allocation->manager || find_pbs(allocation));
}
