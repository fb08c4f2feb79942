// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claim.c - claims a folder for a run: node 0, or with --partner the first node of each machine,
 * looks at it and takes its lock, and all nodes look whose it is.
 */
#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/complain.h"
#include "lock.h"
#include "set.h"
#include "trust.h"
#include "wire/collective.h"

/* What the node that leads its machine says at the start. */
struct beginning {
	uint64_t first;
	uint64_t newest; /* set there that is complete */
	int32_t error;
};

/* A file by which others see whether it is one folder. */
static void token_path(const struct node *node, uint64_t number, char path[SET_PATH_SIZE])
{
	snprintf(path, SET_PATH_SIZE, "%.4096s/" SET_TOKEN "%016llx", node->options.save_folder,
		 (unsigned long long)number);
}

/* The folder as the user knows it: with its machine, if each has one. */
static const char *name_folder(const struct node *node, const struct ring *ring,
			       char name[SET_PATH_SIZE + HOST_NAME_MAX])
{
	char host[HOST_NAME_MAX + 1] = "";

	if (ring)
		gethostname(host, sizeof(host) - 1);
	snprintf(name, SET_PATH_SIZE + HOST_NAME_MAX, "%.4096s%s%s", node->options.save_folder,
		 *host ? " on " : "", host);
	return name;
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

_Static_assert(TRUST_WHY_SIZE >= LOCK_HOLDER_SIZE, "one text is for either");

/* 0, -EBUSY: another run has it, whose HOLDER is known or empty; or another -errno. */
static int take_lock(struct node *node, const struct ring *ring, struct claim *claim,
		     char holder[LOCK_HOLDER_SIZE])
{
	const char *folder = node->options.save_folder;
	char name[SET_PATH_SIZE + HOST_NAME_MAX];
	int error = lock_take(folder, node->options.program, &claim->lock, holder);

	if (error != -ENOLCK)
		return error;
	inform("--checkpoint %s: there are no locks on its file system: make sure that no other "
	       "run is saved there at the same time",
	       name_folder(node, ring, name));
	return 0;
}

static int make_token(const struct node *node, uint64_t number)
{
	char path[SET_PATH_SIZE];
	int token;

	token_path(node, number, path);
	token = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (token < 0)
		return -errno;
	close(token);
	return 0;
}

/* 0; -EPERM: others can change what is in it, as WHY says; or another -errno. */
static int make_folder(const struct node *node, char why[TRUST_WHY_SIZE])
{
	if (mkdir(node->options.save_folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	return trust_path(node->options.save_folder, why) || node->options.trust ? 0 : -EPERM;
}

/* 0; -EPERM or -EBUSY as above; -EEXIST: it is of another run; or another -errno. */
static int begin(struct node *node, const struct ring *ring, struct claim *claim,
		 struct beginning *beginning, char why[TRUST_WHY_SIZE])
{
	const char *folder = node->options.save_folder;
	int error = make_folder(node, why);
	char set[SET_PATH_SIZE];

	if (!error && *why)
		inform("--trust-folder: the run is saved although %s", why);
	if (!error)
		error = take_lock(node, ring, claim, why);
	if (error)
		return error;
	if (is_of_another_run(node))
		return -EEXIST;
	beginning->first = set_next(folder);
	if (set_find(folder, set) == 0)
		beginning->newest = set_number(set);
	if (ring)
		return 0;
	/* Without a lock, another run may be writing there. */
	if (claim->lock >= 0)
		set_clean(folder, 0);
	return make_token(node, claim->run);
}

/* Whether all nodes have the folder.  0, -ENOMEM, or -ECANCELED: the run fails. */
static int agree(struct node *node, uint64_t run)
{
	uint32_t here, *all = calloc((size_t)node->size, sizeof(*all));
	char path[SET_PATH_SIZE];
	int error;

	token_path(node, run, path);
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
				"that all machines share, or with --partner one of each machine's "
				"own",
				node->options.save_folder, i);
	}
	free(all);
	return error;
}

/* The node of another machine that has this one's folder, too; below 0: none. */
static int find_sharer(const struct node *node, const struct ring *ring, uint64_t run)
{
	char path[SET_PATH_SIZE];

	for (int i = 0; i < ring->machines; i++) {
		token_path(node, run + (uint64_t)ring->leader[i], path);
		if (ring->leader[i] != node->rank && access(path, F_OK) == 0)
			return ring->leader[i];
	}
	return -1;
}

/*
 * Whether each machine has a folder of its own.  What keeps a machine from making it, begin()
 * tells.  0, -ENOMEM, or -ECANCELED: the run fails.
 */
static int are_apart(struct node *node, const struct ring *ring, uint64_t run)
{
	int32_t sharer = -1, *all = calloc((size_t)node->size, sizeof(*all));
	uint64_t own = run + (uint64_t)node->rank;
	bool leads = ring_leader(ring, node->rank) == node->rank;
	char path[SET_PATH_SIZE], why[TRUST_WHY_SIZE];
	int error = all ? 0 : -ENOMEM;

	if (leads && make_folder(node, why) == 0)
		make_token(node, own);
	if (!error)
		error = collective_gather_to_all(node->wire, &sharer, sizeof(sharer), all);
	if (!error && leads)
		sharer = find_sharer(node, ring, run);
	if (!error)
		error = collective_gather_to_all(node->wire, &sharer, sizeof(sharer), all);
	for (int i = 0; i < node->size && !error; i++) {
		if (all[i] < 0)
			continue;
		error = -ECANCELED;
		if (node->rank == 0)
			node_fail(node, 2,
				  "--partner: node %d's machine and node %d's have one folder %s: "
				  "name one that each machine has on a disk of its own, or leave "
				  "--partner out",
				  i, all[i], node->options.save_folder);
	}
	token_path(node, own, path);
	if (leads)
		unlink(path);
	free(all);
	return error;
}

static void refuse(struct node *node, const struct ring *ring, int error, const char *why)
{
	char name[SET_PATH_SIZE + HOST_NAME_MAX];
	const char *folder = node->options.save_folder;

	name_folder(node, ring, name);
	if (error == -EEXIST)
		node_fail(node, 2,
			  "--checkpoint %s: it holds a saved run already; name another folder, or "
			  "continue that run: cape-run --restart %s --checkpoint %s%s",
			  name, folder, folder, ring ? " --partner" : "");
	else if (error == -EBUSY)
		node_fail(node, 2,
			  "--checkpoint %s: another run is being saved there%s%s; name another "
			  "folder, or wait until that run has ended",
			  name, *why ? ": " : "", why);
	else if (error == -EPERM && *why)
		node_fail(
			node, 2,
			"--checkpoint %s: %s; name a folder of your own, change its mode or owner "
			"(chmod go-w, chown), or, if you want to share it, add --trust-folder",
			name, why);
	else
		node_fail(node, 1,
			  "--checkpoint %s: %s; name a folder that you may write to, or a new one "
			  "in such a folder",
			  name, strerror(-error));
}

/* Each machine's folder is claimed by whoever leads it.  0, -ENOMEM, or -ECANCELED as above. */
static int begin_all(struct node *node, const struct ring *ring, struct claim *claim)
{
	struct beginning own = {0}, *all = calloc((size_t)node->size, sizeof(*all));
	char why[TRUST_WHY_SIZE] = "";
	uint64_t newest = 0;
	int error;

	if (node->rank == (ring ? ring_leader(ring, node->rank) : 0))
		own.error = begin(node, ring, claim, &own, why);
	error = all ? collective_gather_to_all(node->wire, &own, sizeof(own), all) : -ENOMEM;
	for (int i = 0; i < node->size && !error; i++) {
		if (all[i].error)
			error = -ECANCELED;
		else if (all[i].first > claim->first)
			claim->first = all[i].first;
		if (all[i].newest > newest)
			newest = all[i].newest;
	}
	/* All know now what is complete, be it elsewhere. */
	if (ring && !error && claim->lock >= 0)
		set_clean(node->options.save_folder, newest);
	if (own.error)
		refuse(node, ring, own.error, why);
	free(all);
	return error;
}

int claim_folder(struct node *node, const struct ring *ring, struct claim *claim)
{
	char path[SET_PATH_SIZE];
	int error;

	*claim = (struct claim){.lock = -1};
	if (getrandom(&claim->run, sizeof(claim->run), 0) < 0)
		claim->run = clock_now();
	error = collective_broadcast(node->wire, &claim->run, sizeof(claim->run), NULL);
	if (!error && ring)
		error = are_apart(node, ring, claim->run);
	if (!error)
		error = begin_all(node, ring, claim);
	if (!error && !ring)
		error = agree(node, claim->run);
	token_path(node, claim->run, path);
	if (node->rank == 0 && !ring)
		unlink(path);
	return error;
}

void claim_leave(const struct node *node, struct claim *claim)
{
	lock_leave(node->options.save_folder, &claim->lock);
}
