// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * here.c - looks for whatever could send nodes to other machines.
 */
#include "here.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTINGS "/etc/openmpi"

/* Whether a line of the file PATH, if there is one, has WORD and is no comment. */
static bool names(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	bool found = false;
	char line[4096];

	while (file && !found && fgets(line, sizeof(line), file)) {
		const char *start = line + strspn(line, " \t\n");

		found = *start && *start != '#' && strstr(start, word);
	}
	if (file)
		fclose(file);
	return found;
}

/* Of the environment, Open MPI's own that has to do with hosts, and jobs of LSF and Grid Engine. */
static bool has_variable(void)
{
	bool found = getenv("LSB_JOBID") || getenv("PE_HOSTFILE");

	for (char **at = environ; *at && !found; at++) {
		const char *host = strstr(*at, "host");

		found = (strncmp(*at, "OMPI_MCA_", 9) == 0 || strncmp(*at, "PRTE_MCA_", 9) == 0) &&
			host && host < strchrnul(*at, '=');
	}
	return found;
}

bool here_is_all(const struct run_options *options)
{
	const char *home = getenv("HOME");
	char path[4096];

	snprintf(path, sizeof(path), "%.4000s/.openmpi/mca-params.conf", home ? home : "");
	for (int i = 0; i + 1 < options->mpirun_count; i++)
		if (strstr(options->mpirun[i], "mca") && strstr(options->mpirun[i + 1], "host"))
			return false;
	return !options->hosts && !has_variable() && !names(path, "host") &&
	       !names(SETTINGS "/openmpi-mca-params.conf", "host") &&
	       !names(SETTINGS "/openmpi-default-hostfile", "");
}
