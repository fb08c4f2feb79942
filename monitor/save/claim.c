// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claim.c - claims a folder for a run: node 0 looks at it and takes its lock, and all nodes look
 * whether it is the same.
 */
#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/clock.h"
#include "lock.h"
#include "set.h"
#include "wire/collective.h"

/* What node 0 says at the start. */
struct beginning {
	uint64_t run, first;
	int32_t error;
};

/* A file by which the others see that it is one folder. */
static void token_path(const struct node *node, uint64_t run, char path[SET_PATH_SIZE])
{
	snprintf(path, SET_PATH_SIZE, "%.4096s/" SET_TOKEN "%016llx", node->options.save_folder,
		 (unsigned long long)run);
}

/*
 * Whether the folder holds sets, and this run does not go on from one of them: it would remove
 * them, and who restarts before its first save would go on with the other run.
 */
static bool is_of_another_run(const struct node *node)
{
	const char *folder = node->options.save_folder;
	char set[SET_PATH_SIZE];

	if (set_find(folder, set) < 0)
		return false;
	return !node->options.restore || !set_is_in(node->options.restore, folder);
}

/* 0, -EBUSY: another run has it, and the user was told; or another -errno. */
static int take_lock(struct node *node, struct claim *claim)
{
	const char *folder = node->options.save_folder;
	char holder[LOCK_HOLDER_SIZE];
	int error = lock_take(folder, node->options.program, &claim->lock, holder);

	if (error == -EBUSY)
		node_fail(node, 2,
			  "--checkpoint %s: another run is being saved there%s%s; name another "
			  "folder, or wait until that run has ended",
			  folder, *holder ? ": " : "", holder);
	if (error != -ENOLCK)
		return error;
	fprintf(stderr,
		"cape-run: --checkpoint %s: there are no locks on its file system: see to it that "
		"no other run is saved there at the same time\n",
		folder);
	fflush(stderr);
	return 0;
}

static int make_token(const struct node *node, uint64_t run)
{
	char path[SET_PATH_SIZE];
	int token;

	token_path(node, run, path);
	token = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (token < 0)
		return -errno;
	close(token);
	return 0;
}

/* 0; -EBUSY as above; -EEXIST: it is of another run; or another -errno. */
static int begin(struct node *node, struct claim *claim, struct beginning *beginning)
{
	const char *folder = node->options.save_folder;
	int error;

	if (getrandom(&beginning->run, sizeof(beginning->run), 0) < 0)
		beginning->run = clock_now();
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return -errno;
	error = take_lock(node, claim);
	if (error)
		return error;
	if (is_of_another_run(node))
		return -EEXIST;
	beginning->first = set_next(folder);
	/* Without a lock, another run may be writing them. */
	if (claim->lock >= 0)
		set_clean(folder);
	return make_token(node, beginning->run);
}

/* Whether all nodes have the folder.  0, -ENOMEM, or -ECANCELED: the run fails. */
static int agree(struct node *node, const struct beginning *beginning)
{
	uint32_t here, *all = calloc((size_t)node->size, sizeof(*all));
	char path[SET_PATH_SIZE];
	int error;

	token_path(node, beginning->run, path);
	here = access(path, F_OK) == 0;
	error = all ? collective_gather_to_all(node->wire, &here, sizeof(here), all) : -ENOMEM;
	for (int i = 0; i < node->size && !error; i++) {
		if (all[i])
			continue;
		error = -ECANCELED;
		if (node->rank == 0)
			node_fail(
				node, 1,
				"--checkpoint %s: node %d has not the same folder; it must be one "
				"that all machines share",
				node->options.save_folder, i);
	}
	free(all);
	return error;
}

static void refuse(struct node *node, int error)
{
	const char *folder = node->options.save_folder;

	if (error == -EEXIST)
		node_fail(node, 2,
			  "--checkpoint %s: it holds a saved run already; name another folder, or "
			  "go on with that run: cape-run --restart %s --checkpoint %s",
			  folder, folder, folder);
	else if (error != -EBUSY)
		node_fail(node, 1, "--checkpoint %s: %s", folder, strerror(-error));
}

int claim_folder(struct node *node, struct claim *claim)
{
	struct beginning beginning = {0};
	char path[SET_PATH_SIZE];
	int error;

	*claim = (struct claim){.lock = -1};
	if (node->rank == 0)
		beginning.error = begin(node, claim, &beginning);
	error = collective_broadcast(node->wire, &beginning, sizeof(beginning), NULL);
	if (!error && beginning.error) {
		if (node->rank == 0)
			refuse(node, beginning.error);
		return -ECANCELED;
	}
	if (!error)
		error = agree(node, &beginning);
	token_path(node, beginning.run, path);
	if (node->rank == 0 && !beginning.error)
		unlink(path);
	claim->run = beginning.run;
	claim->first = beginning.first;
	return error;
}

void claim_leave(const struct node *node, struct claim *claim)
{
	lock_leave(node->options.save_folder, &claim->lock);
}
