// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mpirun.c - mpirun as the launcher: its options, and Open MPI's settings.
 *
 * Settings of the user's own, in the environment or on the command line, come before these.
 */
#include "mpirun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/command.h"
#include "common/complain.h"
#include "common/connection.h"
#include "launcher.h"
#include "program.h"
#include "words.h"

/* mpirun notices a machine that is lost after the monitors have: these say it better. */
#define LATER_SECONDS 5

bool mpirun_is_prterun(void)
{
	char *prterun = program_in_path("prterun");
	bool there = prterun != NULL;

	free(prterun);
	return there;
}

static bool has_option(const struct run_options *options, const char *name)
{
	for (int i = 0; i < options->mpirun_count; i++)
		if (strcmp(options->mpirun[i], name) == 0)
			return true;
	return false;
}

/* Open MPI 5 puts them all on the first machine without an option that maps them, too. */
size_t mpirun_share(const struct run_options *options, char **words)
{
	bool maps = !has_option(options, "--map-by");

	if (maps && mpirun_is_prterun()) {
		words[0] = "--map-by";
		words[1] = options->each_machine ? "node:OVERSUBSCRIBE" : "slot:OVERSUBSCRIBE";
		return 2;
	}
	words[0] = "--oversubscribe";
	words[1] = "--map-by";
	words[2] = "node";
	return maps && options->each_machine ? 3 : 1;
}

static void set(const char *name, const char *value)
{
	char variable[64];

	snprintf(variable, sizeof(variable), "OMPI_MCA_%s", name);
	setenv(variable, value, 0);
}

static void set_number(const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	set(name, text);
}

/* For mpirun NAME is the run's folder, and for the program what it was (node/launch.c). */
static void lend(const char *name, const char *folder)
{
	char kept[64], *value = getenv(name);

	snprintf(kept, sizeof(kept), CAPE_KEPT_VARIABLE "%s", name);
	if (value)
		setenv(kept, value, 1);
	else
		unsetenv(kept);
	setenv(name, folder, 1);
}

/*
 * Where all nodes are on this machine, a choice of Open MPI's parts that suits any would only take
 * time: each node looks at a hundred of them.  The folder stands in for hwloc's plugins.
 */
static void set_for_here(const struct place *place)
{
	/* Monitors would listen to networks by others; mpirun itself does, with all settings. */
	set("btl", mpirun_is_prterun() ? "self,sm" : "self,vader");
	set("pml", "ob1");
	set("osc", "sm");
	set("coll", "basic,libnbc");
	setenv("PMIX_MCA_gds", "hash", 0);
	lend("HWLOC_PLUGINS_PATH", place->folder);
}

static void settle(struct place *place, const struct run_options *options)
{
	/* Open MPI 5 translates orte_'s names into its own. */
	set("orte_tmpdir_base", place->folder);
	/* Else Open MPI 5 warns, on a machine with IPv6, that it does not reach itself. */
	set("reachable", "weighted");
	/* What it writes before it has a folder of its own. */
	lend("TMPDIR", place->folder);
	/* Open MPI 4 crashes without where passwd does not name one, and 5 fails. */
	if (!getenv("HOME"))
		lend("HOME", place->folder);
	if (!options->verbose)
		place->aside = words_redirect(place->folder);
	if (place->cramped) {
		set("btl", "^vader,sm");
		setenv("PMIX_MCA_gds", "hash", 0);
	}
	if (place->here)
		set_for_here(place);
	set_number("oob_tcp_keepalive_time", options->lost_after);
	set_number("oob_tcp_keepalive_intvl", 1);
	set_number("oob_tcp_keepalive_probes", LATER_SECONDS);
}

static bool is_there(void)
{
	char *path = program_in_path("mpirun");
	bool there = path != NULL;

	free(path);
	if (!there)
		complain("mpirun is not installed, or not in PATH%s; on Debian: apt-get install "
			 "openmpi-bin",
			 getenv("PATH") ? "" : ", which is not set");
	return there;
}

/* mpirun would bind a node to one processor, or to those of one socket. */
static bool is_to_be_free(const struct run_options *options)
{
	return options->threads > 1 && !has_option(options, "--map-by") &&
	       !has_option(options, "--bind-to");
}

static void begin(struct command *command, const struct run_options *options)
{
	char *nodes;

	command_add(command, "mpirun");
	command->count += mpirun_share(options, command->list + command->count);
	if (is_to_be_free(options))
		command_add_value(command, "--bind-to", "none");
	/* The monitor does so itself, as long as it pays (loop_yield()). */
	command_add_value(command, "--mca", "mpi_yield_when_idle");
	command_add(command, "0");
	command_add_value(command, "-x", CONNECTION_VARIABLE);
	command_add(command, "-np");
	command_add_made(command, asprintf(&nodes, "%d", options->nodes) < 0 ? NULL : nodes);
	for (int i = 0; i < options->mpirun_count; i++)
		command_add(command, options->mpirun[i]);
}

static void prepare(void)
{
	/* In containers everybody is root, and Open MPI refuses to run as root without these. */
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	/* One that comes while machines are being reached ends it, with status 0 and no output. */
	setenv("OMPI_MCA_ess_base_forward_signals", "none", 0);
	setenv("PRTE_MCA_ess_base_forward_signals", "none", 0);
}

const struct launcher mpirun_launcher = {
	.name = "mpirun",
	.monitor = "cape-monitor",
	.is_there = is_there,
	.settle = settle,
	.begin = begin,
	.prepare = prepare,
	.awaited = "mpirun has started no monitor for node 0 yet: cape-run --check says whether "
		   "machines are reached, and --verbose shows mpirun's messages",
	.joining = "the monitors wait for mpirun to answer, or for each other: are all machines "
		   "reached, and does somebody else keep mpirun's ports busy (ss -tn)?",
};
