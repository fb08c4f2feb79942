/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.c - the run's folders, and the environment as it was before anybody gets it.
 */
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/folder.h"
#include "common/keeper.h"
#include "common/limits.h"
#include "here.h"
#include "stop.h"

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

/* Whether it could be made; else a message was printed. */
static bool make_folder(struct place *place, int nodes)
{
	bool started = true;
	char why[512];

	place->folder = NULL;
	place->lock = folder_choose(nodes, &place->folder, &place->cramped);
	if (place->lock == 0)
		place->lock = keeper_make_folder(place->folder, &started);
	if (!started)
		complain("cannot start a process: %s", limits_why(-place->lock, why, sizeof(why)));
	else if (place->lock < 0)
		complain("%s for the run's files, neither in /dev/shm nor in ${TMPDIR:-/tmp}: %s",
			 place->lock == -ENOSPC ? "no room" : "cannot make a folder",
			 strerror(-place->lock));
	return place->lock >= 0;
}

int place_make(struct place *place, const struct run_options *options)
{
	place->environment = list_environment();
	place->aside = -1;
	if (!make_folder(place, options->nodes)) {
		place_leave(place);
		return -1;
	}
	place->here = here_is_all(options);
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

/* -- the folder of --save-checkpoints: there, writable and without older checkpoints */

static bool wrong_folder(const char *path, const char *why)
{
	return complain("--save-checkpoints %s: %s", path, why);
}

static bool no_folder(const char *path)
{
	return complain("--save-checkpoints %s: %s; name a folder that you may write to, or a new "
			"one in such a folder",
			path, strerror(errno));
}

static bool is_checkpoint(const char *name)
{
	size_t length = strlen(name), end = strlen(".ckpt");

	return length > end && strcmp(name + length - end, ".ckpt") == 0;
}

static bool is_free(const char *path)
{
	DIR *folder = opendir(path);
	bool found = false;
	const struct dirent *entry;

	if (!folder)
		return no_folder(path);
	while (!found && (entry = readdir(folder)))
		found = is_checkpoint(entry->d_name);
	closedir(folder);
	return !found || wrong_folder(path, "it holds checkpoints already; name another folder");
}

bool place_prepare_checkpoints(const char **path)
{
	char *absolute;

	if (mkdir(*path, 0700) && errno != EEXIST)
		return no_folder(*path);
	if (!is_free(*path))
		return false;
	absolute = realpath(*path, NULL);
	if (!absolute || access(absolute, W_OK | X_OK)) {
		free(absolute);
		return no_folder(*path);
	}
	*path = absolute;
	return true;
}
