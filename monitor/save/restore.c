// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * restore.c - reads the files of a set, and gives the program what is in them, piece by piece.
 */
#include "restore.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "bring.h"
#include "channel/save.h"
#include "common/complain.h"
#include "fill.h"
#include "part.h"
#include "processor.h"
#include "ring.h"
#include "set.h"
#include "trust.h"
#include "wire/collective.h"

/* Bytes that the program is given at once, and a block more: reading them does not take long. */
#define GIVEN_AT_ONCE (64ul << 20)

struct restore {
	struct file_reader *run; /* what all share */
	struct set_chain chain;	 /* of the set */
	struct fill fill;	 /* from a node's file that is being read */
	int node;		 /* whose it is, or the next one's */
	size_t threads;		 /* by which it is read */
	size_t state;		 /* pieces of state that were given */
	bool in_region;		 /* this node's own file is read again, after all, */
	bool own;		 /* as the program knows */
	uint64_t used;		 /* of the in area */
	uint64_t given;		 /* bytes of memory that the in area lists */
};

/* What the run can go on from instead, cape-run finds. */
static bool fail(struct node *node, const struct file_error *error)
{
	return node_fail_by(node, FAULT_SET, NULL, 1,
			    "node %d: the run cannot continue from %s: %s", node->rank,
			    node->options.restore, error->text);
}

/* A section of READER, which must be there.  NULL: the run has failed. */
static const unsigned char *get(struct node *node, struct file_reader *reader, const char *name,
				uint64_t least, uint64_t *size)
{
	struct file_error error;
	const unsigned char *bytes = file_read_named(reader, name, size, &error);

	if (bytes && *size >= least)
		return bytes;
	if (!error.number)
		snprintf(error.text, sizeof(error.text), "%.400s has no section %s",
			 file_reader_path(reader), name);
	fail(node, &error);
	return NULL;
}

/* The file for all nodes, and what the set goes on from.  False: the run has failed. */
static bool open_run(struct node *node)
{
	char path[SET_FILE_SIZE];
	struct restore *restore = node->restore;
	struct file_error error;

	set_file(path, node->options.restore, -1);
	/* Nobody reads all of it, but none of what is damaged is to be gone on from. */
	if (file_reader_open_sound(&restore->run, path, &error) == 0) {
		if (set_chain(restore->run, &restore->chain))
			return true;
		snprintf(error.text, sizeof(error.text),
			 "%.400s: it does not say which saves it depends on", path);
	}
	return fail(node, &error);
}

/* The file for node WHICH, with those that it goes on from.  NULL: the run has failed. */
static struct file_chain *open_part(struct node *node, int which)
{
	struct restore *restore = node->restore;
	struct file_error error;
	struct file_chain *part =
		part_open(node->options.restore, restore->run, &restore->chain, which, &error);

	if (!part)
		fail(node, &error);
	return part;
}

/* Whether the set can be used by this CAPE, on this machine. */
static bool fits(struct node *node)
{
	struct restore *restore = node->restore;
	const unsigned char *bytes;
	uint32_t version = 0;
	char missing[64];
	uint64_t size;

	bytes = get(node, restore->run, SET_VERSION, sizeof(version), &size);
	if (!bytes)
		return false;
	memcpy(&version, bytes, sizeof(version));
	if (version != CAPE_CHANNEL_VERSION)
		return node_fail(
			node, 1,
			"the run in %s was saved by another version of CAPE (%u, this is %u)",
			node->options.restore, version, CAPE_CHANNEL_VERSION);
	bytes = get(node, restore->run, SET_FLAGS, 1, &size);
	if (!bytes)
		return false;
	if (processor_has((const char *)bytes, missing, sizeof(missing)))
		return true;
	return node_fail(node, 1,
			 "node %d: the run cannot continue here: this processor does not have "
			 "'%s', which the processor had where the run began",
			 node->rank, missing);
}

/* Inside a region each node goes on with what was its own. */
static bool has_its_nodes(struct node *node)
{
	struct restore *restore = node->restore;
	unsigned nodes = file_reader_head(restore->run)->nodes;
	char place[SET_PLACE_SIZE];

	restore->in_region = set_region(restore->run, place);
	if (!restore->in_region || ((int)nodes == node->size && node->options.threads < 0))
		return true;
	return node_fail(
		node, 1,
		"the run in %s was saved inside a parallel region, at %s, and needs as many "
		"nodes there: -np %u",
		node->options.restore, place, nodes);
}

/* Where this node goes on; in a region, elsewhere than others may.  False: the run has failed. */
static bool find_resume(struct node *node)
{
	struct restore *restore = node->restore;
	struct file_chain *part = NULL;
	struct file_reader *reader = restore->run;
	const unsigned char *resume;
	uint64_t size;

	if (restore->in_region) {
		part = open_part(node, node->rank);
		reader = part ? file_chain_newest(part) : NULL;
	}
	resume = reader ? get(node, reader, SET_RESUME, sizeof(uint64_t), &size) : NULL;
	if (resume)
		memcpy(&node->channel->save.resume, resume, sizeof(uint64_t));
	file_chain_close(part);
	return resume;
}

/* All nodes may be on this machine, and read at the same time. */
static size_t threads_of(const struct node *node)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN) / node->size;

	return processors < 1 ? 1 : processors < FILL_THREADS ? (size_t)processors : FILL_THREADS;
}

/* What is on this machine; a message names what is not as it must be.  0 or -ECANCELED. */
static int trust_machine(struct node *node)
{
	const struct node_options *options = &node->options;
	char why[TRUST_WHY_SIZE], folder[SET_PATH_SIZE], host[HOST_NAME_MAX + 1] = "";

	set_folder(folder, options->restore);
	/* Sets that lie apart are brought to the folder, too. */
	if ((!options->restore_run || trust_path(folder, why)) && trust_set(options->restore, why))
		return 0;
	gethostname(host, sizeof(host) - 1);
	if (options->trust) {
		inform("--trust-folder: on %s the run goes on although %s", host, why);
		return 0;
	}
	node_fail(node, 2,
		  "--restart %s: on %s %s, and what is saved there would run with your rights; if "
		  "you want that, add --trust-folder",
		  options->restore, host, why);
	return -ECANCELED;
}

/* All nodes together: none reads what one of them would not.  0, -ENOMEM, or -ECANCELED. */
static int trust(struct node *node)
{
	int32_t own = 0, *all = calloc((size_t)node->size, sizeof(*all));
	struct ring ring = {0};
	int error = all ? ring_find(node, &ring) : -ENOMEM;

	if (!error && ring_leader(&ring, node->rank) == node->rank)
		own = trust_machine(node);
	if (!error)
		error = collective_gather_to_all(node->wire, &own, sizeof(own), all);
	for (int i = 0; i < node->size && !error; i++)
		error = all[i];
	ring_free(&ring);
	free(all);
	return error;
}

int restore_start(struct node *node)
{
	struct restore *restore;
	int error;

	if (!node->options.restore)
		return 0;
	restore = calloc(1, sizeof(*restore));
	if (!restore)
		return -ENOMEM;
	node->restore = restore;
	error = trust(node);
	if (!error && node->options.restore_run)
		error = bring_set(node);
	if (error)
		return error;
	restore->threads = threads_of(node);
	if (!open_run(node) || !fits(node) || !has_its_nodes(node) || !find_resume(node))
		return -ECANCELED;
	node->channel->flags |= CAPE_CHANNEL_RESTORE;
	return 0;
}

void *restore_launch(struct node *node, size_t *size)
{
	const unsigned char *bytes;
	uint64_t length;
	void *copy;

	if (!node->restore)
		return NULL;
	bytes = get(node, node->restore->run, SET_LAUNCH, 1, &length);
	copy = bytes ? malloc(length) : NULL;
	if (copy)
		memcpy(copy, bytes, length);
	*size = copy ? length : 0;
	return copy;
}

bool restore_is_program(struct node *node, uint64_t hash)
{
	const unsigned char *bytes;
	uint64_t saved, size;

	if (!node->restore)
		return true;
	bytes = get(node, node->restore->run, SET_HASH, sizeof(saved), &size);
	if (!bytes)
		return false;
	memcpy(&saved, bytes, sizeof(saved));
	if (saved == hash)
		return true;
	return node_fail(
		node, 1,
		"node %d: the run cannot continue: the program %s is not the one that was saved",
		node->rank, node->options.program);
}

bool restore_has_stack(struct node *node, uint64_t size)
{
	struct rlimit limit;

	if (!node->restore || getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_max >= size)
		return true;
	return node_fail(node, 1,
			 "node %d: the run cannot continue here: it had a stack of %llu kB, and "
			 "the hard limit is %llu kB; set the earlier limit: ulimit -H -s %llu",
			 node->rank, (unsigned long long)size >> 10,
			 (unsigned long long)limit.rlim_max >> 10, (unsigned long long)size >> 10);
}

/* -- pieces --------------------------------------------------------------------------------- */

static void give(struct node *node, enum cape_piece_kind kind, uint64_t address, const void *bytes,
		 uint64_t size)
{
	unsigned char *to = (unsigned char *)node->channel + CAPE_CHANNEL_IN + node->restore->used;
	struct cape_piece piece = {kind, address, size};

	memcpy(to, &piece, sizeof(piece));
	node->restore->used += sizeof(piece);
	if (!bytes)
		return;
	memcpy(to + sizeof(piece), bytes, size);
	node->restore->used += cape_saved_padded(size);
}

/* What comes before memory: a section of a node's file each. */
static const struct state_piece {
	const char *name;
	enum cape_piece_kind kind;
	bool of_node;
} state_piece[] = {
	{SET_LOADED, CAPE_PIECE_LOADED, false},
	{SET_STATE, CAPE_PIECE_STATE, false},
	{SET_NODE_STATE, CAPE_PIECE_NODE_STATE, true},
};

#define STATE_PIECES (sizeof(state_piece) / sizeof(state_piece[0]))

/* What is of a node, of FROM's, if it was there. */
static bool give_state_of(struct node *node, const struct state_piece *state, int from)
{
	struct restore *restore = node->restore;
	const unsigned char *bytes = NULL;
	struct file_chain *part;
	uint64_t size;

	if (from >= (int)file_reader_head(restore->run)->nodes)
		return true;
	part = open_part(node, from);
	if (part)
		bytes = get(node, file_chain_newest(part), state->name, 0, &size);
	if (bytes)
		give(node, state->kind, (uint64_t)from, bytes, size);
	file_chain_close(part);
	return bytes;
}

/* How many there are: other nodes' too, where threads of theirs may be this one's now. */
static size_t count_states(const struct node *node)
{
	const struct file_reader *run = node->restore->run;
	bool has_threads = node->options.threads >= 0 || file_reader_has(run, SET_THREADS);

	return STATE_PIECES + (has_threads ? file_reader_head(run)->nodes : 0);
}

/*
 * Piece NUMBER, by itself: while the program takes it, it may ask for something else, which needs
 * the in area.
 */
static bool give_state(struct node *node, size_t number)
{
	const struct state_piece *state =
		&state_piece[number < STATE_PIECES ? number : STATE_PIECES - 1];

	if (number >= STATE_PIECES) {
		int from = (int)(number - STATE_PIECES);

		return from == node->rank || give_state_of(node, state, from);
	}
	return give_state_of(node, state, state->of_node ? node->rank : 0);
}

/* The next piece of the file; *MORE: there was one. */
static bool give_memory(struct node *node, bool *more)
{
	struct restore *restore = node->restore;
	struct file_piece piece;
	struct file_error error;

	if (fill_step(&restore->fill, &piece, &error) < 0)
		return fail(node, &error);
	*more = piece.size;
	if (!piece.size)
		return true;
	give(node, piece.stored ? CAPE_PIECE_MEMORY : CAPE_PIECE_ZEROS, piece.address, NULL,
	     piece.size);
	if (piece.stored)
		restore->given += piece.size;
	return true;
}

/* The part that the program asked for, of the memory that was listed for it. */
static bool put_memory(struct node *node)
{
	struct restore *restore = node->restore;
	uint64_t most = CAPE_CHANNEL_LIMIT - CAPE_CHANNEL_OUT, size = node->channel->out_size;
	uint64_t count = (size < most ? size : most) / sizeof(struct cape_range);
	struct file_error error;

	if (!restore->fill.part ||
	    fill_put(&restore->fill, node->program,
		     (const void *)((const char *)node->channel + CAPE_CHANNEL_OUT), count,
		     &error) == 0)
		return true;
	return fail(node, &error);
}

/* The next node's file. */
static bool open_fill(struct node *node)
{
	struct restore *restore = node->restore;
	struct file_error error;

	fill_close(&restore->fill);
	if (fill_open(&restore->fill, node->options.restore, restore->run, &restore->chain,
		      restore->node++, restore->threads, &error) == 0)
		return true;
	return fail(node, &error);
}

/* Whether all files were read.  In a region, then this node's follows once more. */
static bool was_last(struct node *node)
{
	struct restore *restore = node->restore;
	int nodes = (int)file_reader_head(restore->run)->nodes;

	if (restore->own)
		return restore->node > node->rank;
	if (restore->node < nodes || !restore->in_region)
		return restore->node == nodes;
	restore->own = true;
	restore->node = node->rank;
	give(node, CAPE_PIECE_OWN, 0, NULL, 0);
	return false;
}

/* The pieces of one file, up to a batch, or the end after the last.  *OVER: that. */
static bool give_batch(struct node *node, bool *over)
{
	struct restore *restore = node->restore;
	bool more = true;

	do {
		if (!more || !restore->fill.part) {
			if (restore->given)
				return true;
			*over = was_last(node);
			if (*over)
				break;
			if (!open_fill(node))
				return false;
		}
		if (!give_memory(node, &more))
			return false;
	} while (restore->given < GIVEN_AT_ONCE);
	if (*over)
		give(node, CAPE_PIECE_END, 0, NULL, 0);
	return true;
}

void restore_request(struct node *node)
{
	struct restore *restore = node->restore;
	bool over = false;

	if (!put_memory(node))
		return;
	restore->used = restore->given = 0;
	while (!restore->used && restore->state < count_states(node))
		if (!give_state(node, restore->state++))
			return;
	if (!restore->used && !give_batch(node, &over))
		return;
	node->channel->save.size = restore->used;
	if (over)
		restore_stop(node);
	cape_channel_reply(node->channel);
}

void restore_stop(struct node *node)
{
	struct restore *restore = node->restore;

	if (!restore)
		return;
	fill_close(&restore->fill);
	file_reader_close(restore->run);
	free(restore);
	node->restore = NULL;
}
