/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.c - srun in a job of Slurm; else what Open MPI's settings name, or ssh.
 */
#include "reach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "allocation.h"
#include "check/machines.h"
#include "common/complain.h"
#include "mpirun.h"
#include "program.h"

#define BLANKS " \t"

/* A setting is a list, "ssh -p 22 : rsh", of which mpirun takes the first that is installed. */
static char *choose_agent(const char *list)
{
	char *first = NULL;

	for (const char *at = list; *at; at += *at == ':') {
		const char *start = at + strspn(at, BLANKS);
		char *agent, *word, *path;

		at = start + strcspn(start, ":");
		agent = strndup(start, (size_t)(at - start));
		word = agent ? strndup(agent, strcspn(agent, BLANKS)) : NULL;
		path = word && !strchr(word, '/') ? program_in_path(word) : NULL;
		if (path || (word && strchr(word, '/') && access(word, X_OK) == 0)) {
			free(path);
			free(word);
			free(first);
			return agent;
		}
		free(word);
		if (first)
			free(agent);
		else
			first = agent;
	}
	/* That it is missing is reported where it is used. */
	return first;
}

bool reach_find(struct check *check, const struct run_options *options)
{
	const char *agents = machines_setting(options->mpirun, "plm_rsh_agent",
					      mpirun_is_prterun() ? "PRTE_MCA_plm_ssh_agent"
								  : "OMPI_MCA_plm_rsh_agent");
	struct allocation allocation;

	if (!allocation_find(&allocation))
		return false;
	check->batch = allocation.spread != NULL;
	if (!check->batch) {
		check->agent = choose_agent(agents ? agents : "ssh : rsh");
	} else {
		check->agent = strdup("srun --quiet --overlap --nodes=1 --ntasks=1 --nodelist");
		check->job = allocation_list(&allocation);
		if (!check->job)
			return false;
	}
	if (!check->agent)
		complain("out of memory");
	return check->agent;
}

void reach_free(struct check *check)
{
	free(check->agent);
	free(check->job);
}
