/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.c - the run's folder and Open MPI's settings that go with it.
 *
 * Settings of the user's own, in the environment or on the command line, come before these.
 */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/command.h"
#include "common/folder.h"
#include "common/keeper.h"
#include "common/limits.h"
#include "stop.h"
#include "words.h"

/* mpirun notices a machine that is lost after the monitors have: these say it better. */
#define LATER_SECONDS 5

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

/* What setenv() changes of it is the list alone. */
static char **list_environment(void)
{
	size_t count = 0;
	char **list;

	while (environ[count])
		count++;
	list = malloc((count + 1) * sizeof(*list));
	if (list)
		memcpy(list, environ, (count + 1) * sizeof(*list));
	return list;
}

/* Whether it could be made; else the user was told. */
static bool make_folder(struct place *place, int nodes, bool *cramped)
{
	bool started = true;
	char why[512];

	place->folder = NULL;
	place->lock = folder_choose(nodes, &place->folder, cramped);
	if (place->lock == 0)
		place->lock = keeper_make_folder(place->folder, &started);
	if (!started)
		fprintf(stderr, "cape-run: cannot start a process: %s\n",
			limits_why(-place->lock, why, sizeof(why)));
	else if (place->lock < 0)
		fprintf(stderr,
			"cape-run: %s for the run's files, neither in /dev/shm nor in "
			"${TMPDIR:-/tmp}: %s\n",
			place->lock == -ENOSPC ? "no room" : "cannot make a folder",
			strerror(-place->lock));
	return place->lock >= 0;
}

int place_make(struct place *place, const struct run_options *options)
{
	bool cramped;

	place->environment = list_environment();
	place->aside = -1;
	if (!make_folder(place, options->nodes, &cramped)) {
		place_leave(place);
		return -1;
	}
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
	if (cramped) {
		set("btl", "^vader,sm");
		setenv("PMIX_MCA_gds", "hash", 0);
	}
	set_number("oob_tcp_keepalive_time", options->lost_after);
	set_number("oob_tcp_keepalive_intvl", 1);
	set_number("oob_tcp_keepalive_probes", LATER_SECONDS);
	return 0;
}

void place_leave(struct place *place)
{
	if (place->lock >= 0)
		close(place->lock);
	if (place->aside >= 0)
		close(place->aside);
	if (place->environment)
		environ = place->environment;
	stop_await_keepers();
	free(place->folder);
}
