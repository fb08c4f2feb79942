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

/* No job is larger, and no sum of such numbers overflows. */
#define SLOTS_LIMIT 1000000

/* A number from 1 on at *TEXT, which is moved behind it; 0: there is none. */
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
		allocation->slots += slots * machines;
		if (allocation->slots > SLOTS_LIMIT)
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

	if (!job)
		return true;
	if (tasks && atoi(tasks) > 1) {
		fprintf(stderr,
			"cape-run: srun has started this %s times, and each would start all nodes; "
			"start it once, without srun: salloc -N4 cape-run ./prog, or in a script "
			"for sbatch\n",
			tasks);
		return false;
	}
	if (!slots || !read_slots(allocation, slots)) {
		fprintf(stderr,
			"cape-run: this is Slurm's job %s, but SLURM_TASKS_PER_NODE, which says "
			"where it may run, is %s%s%s; outside of the job: unset SLURM_JOB_ID\n",
			job, slots ? "\"" : "", slots ? slots : "not set", slots ? "\"" : "");
		return false;
	}
	allocation->manager = "Slurm";
	allocation->job = job;
	allocation->machines = machines ? machines : "its machines";
	return true;
}

/* PBS lists a machine once for each of its slots. */
static int count_lines(FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int count = 0;

	while (count < SLOTS_LIMIT && getline(&line, &size, file) >= 0)
		count += line[strspn(line, " \t\r\n")] != '\0';
	free(line);
	return count;
}

static bool find_pbs(struct allocation *allocation)
{
	const char *job = getenv("PBS_JOBID"), *path = getenv("PBS_NODEFILE");
	FILE *file;

	if (!job || !path)
		return true;
	file = fopen(path, "re");
	if (file) {
		allocation->slots = count_lines(file);
		fclose(file);
	}
	if (!allocation->slots) {
		fprintf(stderr,
			"cape-run: this is PBS's job %s, but the list of its machines, "
			"PBS_NODEFILE=%s, %s; outside of the job: unset PBS_JOBID\n",
			job, path, file ? "is empty" : "cannot be read");
		return false;
	}
	allocation->manager = "PBS";
	allocation->job = job;
	allocation->machines = path;
	allocation->hostfile = path;
	return true;
}

bool allocation_find(struct allocation *allocation)
{
	*allocation = (struct allocation){0};
	return find_slurm(allocation) && (allocation->manager || find_pbs(allocation));
}
