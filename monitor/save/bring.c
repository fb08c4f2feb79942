// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bring.c - finds out which machine has which sound file of a set, and sends it to those that have
 * not.
 *
 * All nodes know what every machine has, so that each knows what it is to send, and what will come.
 */
#include "bring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include "lock.h"
#include "ring.h"
#include "set.h"
#include "transfer.h"
#include "wire/collective.h"

/* A file may say anything. */
#define NODES_LIMIT 65536

/* What a machine knows of the set, if it has the file for all nodes. */
struct known {
	uint32_t nodes; /* 0: it has not */
	uint32_t sets;	/* that are needed */
	uint64_t number[SET_CHAIN_LIMIT + 1];
};

enum here { NOT_HERE, HERE, DAMAGED_HERE };

/* A file on a machine. */
struct look {
	uint64_t here; /* enum here */
	uint64_t size; /* bytes, if it is */
};

struct bringing {
	struct node *node;
	struct ring ring;
	char folder[SET_PATH_SIZE]; /* of the sets */
	struct known set;
	size_t files;	   /* of each set one for each node, and one for all */
	struct look *look; /* by node, then by file: whether its machine has it */

	struct transfer_in *in; /* by node */
	struct transfer_out *out;
	size_t next; /* that is looked at for sending: file by file, machine by machine */
	bool failed;
};

static bool leads(const struct bringing *bringing)
{
	return ring_leader(&bringing->ring, bringing->node->rank) == bringing->node->rank;
}

/* -- what there is -------------------------------------------------------------------------- */

static void read_known(const struct node *node, struct known *known)
{
	char path[SET_FILE_SIZE];
	struct file_reader *run;
	struct file_error error;
	struct set_chain chain;

	set_file(path, node->options.restore, -1);
	if (file_reader_open(&run, path, &error) < 0)
		return;
	if (file_reader_head(run)->run == node->options.restore_run &&
	    file_reader_head(run)->number == set_number(node->options.restore) &&
	    file_reader_head(run)->nodes <= NODES_LIMIT && file_verify(run, &error) == 0 &&
	    set_chain(run, &chain)) {
		memcpy(known->number, chain.number, chain.count * sizeof(chain.number[0]));
		known->number[chain.count] = set_number(node->options.restore);
		known->sets = (uint32_t)chain.count + 1;
		known->nodes = file_reader_head(run)->nodes;
	}
	file_reader_close(run);
}

/* Of those who know the set, the first counts: they know the same. */
static int agree_on_set(struct bringing *bringing)
{
	struct node *node = bringing->node;
	struct known own = {0}, *all = calloc((size_t)node->size, sizeof(*all));
	int error = all ? 0 : -ENOMEM;

	if (leads(bringing))
		read_known(node, &own);
	if (!error)
		error = collective_gather_to_all(node->wire, &own, sizeof(own), all);
	for (int i = node->size - 1; i >= 0 && !error; i--)
		if (all[i].nodes)
			bringing->set = all[i];
	free(all);
	bringing->files = (size_t)bringing->set.sets * (bringing->set.nodes + 1);
	return error;
}

/* Whose the file is, below 0: all nodes', and of which set. */
static int node_of(const struct bringing *bringing, size_t file)
{
	size_t which = file % (bringing->set.nodes + 1);

	return which == bringing->set.nodes ? -1 : (int)which;
}

static uint64_t number_of(const struct bringing *bringing, size_t file)
{
	return bringing->set.number[file / (bringing->set.nodes + 1)];
}

/* Whether it is here, and of this run: there may be others' that have its name. */
static struct look look_for(const struct bringing *bringing, size_t file)
{
	char set[SET_PATH_SIZE], path[SET_FILE_SIZE];
	int which = node_of(bringing, file);
	struct look look = {NOT_HERE, 0};
	const struct file_head *head;
	struct file_reader *reader;
	struct file_error error;

	set_path(set, bringing->folder, number_of(bringing, file));
	set_file(path, set, which);
	if (file_reader_open(&reader, path, &error) < 0) {
		look.here = error.number == EBADMSG ? DAMAGED_HERE : NOT_HERE;
		return look;
	}
	look.size = file_reader_size(reader);
	head = file_reader_head(reader);
	if (head->run == bringing->node->options.restore_run &&
	    head->number == number_of(bringing, file) &&
	    head->node == (uint32_t)(which < 0 ? 0 : which))
		look.here = file_verify(reader, &error) == 0 ? HERE : DAMAGED_HERE;
	file_reader_close(reader);
	return look;
}

static int find_files(struct bringing *bringing)
{
	struct node *node = bringing->node;
	struct look *own = calloc(bringing->files, sizeof(*own));
	int error = -ENOMEM;

	bringing->look = calloc((size_t)node->size, bringing->files * sizeof(*own));
	for (size_t i = 0; own && i < bringing->files && leads(bringing); i++) {
		own[i] = look_for(bringing, i);
		loop_pass(&node->loop);
	}
	if (own && bringing->look)
		error = collective_gather_to_all(node->wire, own, bringing->files * sizeof(*own),
						 bringing->look);
	free(own);
	return error;
}

static const struct look *look_on(const struct bringing *bringing, int node, size_t file)
{
	return &bringing->look[(size_t)node * bringing->files + file];
}

static bool has(const struct bringing *bringing, int machine, size_t file)
{
	return look_on(bringing, bringing->ring.leader[machine], file)->here == HERE;
}

/* The node that sends FILE to MACHINE, which has not got it: the machines take turns.  Below 0: no
 * machine has it. */
static int sender(const struct bringing *bringing, size_t file, int machine)
{
	int machines = bringing->ring.machines;

	for (int i = 1; i < machines; i++) {
		int other =
			(int)((size_t)machine + (size_t)i * (file % 2 ? 1 : (size_t)machines - 1)) %
			machines;

		if (has(bringing, other, file))
			return bringing->ring.leader[other];
	}
	return -1;
}

static void tell_lost(const struct bringing *bringing, size_t file)
{
	struct node *node = bringing->node;
	char set[SET_PATH_SIZE], path[SET_FILE_SIZE];
	bool damaged = false;

	for (int i = 0; i < bringing->ring.machines; i++)
		damaged |= look_on(bringing, bringing->ring.leader[i], file)->here == DAMAGED_HERE;
	set_path(set, bringing->folder, number_of(bringing, file));
	set_file(path, set, node_of(bringing, file));
	node_fail_by(
		node, damaged ? FAULT_SET : FAULT_AWAY, NULL, 1,
		"the run cannot continue from %s: no machine of the nodes has a sound file %s%s",
		node->options.restore, path,
		damaged ? "" : "; let nodes run on a machine that has it");
}

/* Whether no file is lost; else the run has failed. */
static bool is_complete(const struct bringing *bringing)
{
	for (size_t file = 0; file < bringing->files; file++) {
		if (has(bringing, 0, file) || sender(bringing, file, 0) >= 0)
			continue;
		if (bringing->node->rank == 0)
			tell_lost(bringing, file);
		return false;
	}
	return true;
}

/* Whether what this machine lacks finds room there; else the run has failed, and nothing came. */
static bool has_room(const struct bringing *bringing)
{
	struct node *node = bringing->node;
	int machine = bringing->ring.of[node->rank];
	uint64_t needed = 0, room;
	struct statvfs disk;

	for (size_t file = 0; file < bringing->files; file++)
		if (!has(bringing, machine, file))
			needed += look_on(bringing, sender(bringing, file, machine), file)->size;
	/* What is wrong with it shows when files come. */
	if (statvfs(bringing->folder, &disk) < 0)
		return true;
	room = disk.f_bavail * disk.f_frsize;
	if (room >= needed)
		return true;
	return node_fail(node, 1,
			 "the run cannot continue from %s: on node %d's machine %s needs %.1f MB "
			 "for the missing files, and has %.1f MB",
			 node->options.restore, node->rank, bringing->folder, (double)needed / 1e6,
			 (double)room / 1e6);
}

/* -- bringing ------------------------------------------------------------------------------- */

/* From whom files come, how many. */
static int begin_to_receive(struct bringing *bringing)
{
	struct node *node = bringing->node;
	int machine = bringing->ring.of[node->rank], error = 0;
	uint64_t *count = calloc((size_t)node->size, sizeof(*count));

	bringing->in = calloc((size_t)node->size, sizeof(*bringing->in));
	for (size_t file = 0; count && leads(bringing) && file < bringing->files; file++)
		if (!has(bringing, machine, file))
			count[sender(bringing, file, machine)]++;
	if (!count || !bringing->in)
		error = -ENOMEM;
	for (int i = 0; i < node->size && !error; i++)
		if (count[i])
			error = transfer_in_begin(node, &bringing->in[i], bringing->folder, i,
						  count[i]);
	free(count);
	return error;
}

static void fail(struct bringing *bringing, int to, const struct transfer_answer *answer)
{
	bringing->failed = true;
	node_fail(
		bringing->node, 1,
		"the run cannot continue from %s: a file cannot be copied to node %d's machine: %s",
		bringing->node->options.restore, to, answer->reason);
}

/* The next file that this node is to send, if there is one.  Whether it was begun. */
static bool send_next(struct bringing *bringing)
{
	struct node *node = bringing->node;
	size_t machines = (size_t)bringing->ring.machines;

	while (bringing->next < bringing->files * machines) {
		size_t file = bringing->next / machines;
		int machine = (int)(bringing->next++ % machines);
		int to = bringing->ring.leader[machine];
		struct transfer_answer answer;

		if (has(bringing, machine, file) || sender(bringing, file, machine) != node->rank)
			continue;
		bringing->out = transfer_send(node, bringing->folder, number_of(bringing, file),
					      node_of(bringing, file), to, &answer);
		if (!bringing->out)
			fail(bringing, to, &answer);
		return bringing->out;
	}
	return false;
}

static bool look_at_sending(struct bringing *bringing)
{
	bool moved = false;

	if (!bringing->out)
		return send_next(bringing);
	if (!transfer_out_look(bringing->node, bringing->out, &moved))
		return moved;
	if (bringing->out->answer.error)
		fail(bringing, bringing->out->to, &bringing->out->answer);
	transfer_out_end(bringing->node, bringing->out);
	bringing->out = NULL;
	return true;
}

/* Until this machine has all, and has sent all that it is to send.  0 or -ECANCELED. */
static int bring(struct bringing *bringing)
{
	struct node *node = bringing->node;
	struct patience patience = {0};
	int error = 0;

	while (!error) {
		bool moved = look_at_sending(bringing), waits = bringing->out;

		for (int i = 0; i < node->size; i++) {
			struct transfer_in *in = &bringing->in[i];

			if (in->files == in->most)
				continue;
			moved |= transfer_in_look(node, in);
			waits = true;
		}
		if (bringing->failed)
			return -ECANCELED;
		if (!moved && !waits)
			return 0;
		if (moved)
			patience = (struct patience){0};
		else
			error = loop_pause(&node->loop, &patience);
	}
	return error;
}

/* Whether a run that lives is not saved there; else the run has failed. */
static bool is_over(const struct bringing *bringing)
{
	struct node *node = bringing->node;
	char holder[LOCK_HOLDER_SIZE];

	if (!leads(bringing) || lock_look(bringing->folder, holder) == 0)
		return true;
	return node_fail(
		node, 2,
		"--restart %s: on node %d's machine a run is still being saved there%s%s; end it "
		"first",
		bringing->folder, node->rank, *holder ? ": " : "", holder);
}

static int bring_all(struct bringing *bringing)
{
	struct node *node = bringing->node;
	int32_t *all = calloc((size_t)node->size, sizeof(*all)), done = 1;
	int error = all ? agree_on_set(bringing) : -ENOMEM;

	/* Then there is nothing that could be brought, and the restart reports why. */
	if (!error && !bringing->files)
		goto free_all;
	if (!error && !is_over(bringing))
		error = -ECANCELED;
	if (!error)
		error = find_files(bringing);
	if (!error && !is_complete(bringing))
		error = -ECANCELED;
	if (!error && leads(bringing))
		mkdir(bringing->folder, 0700);
	if (!error && leads(bringing) && !has_room(bringing))
		error = -ECANCELED;
	if (!error)
		error = begin_to_receive(bringing);
	if (!error)
		error = bring(bringing);
	/* Those that another node of this machine has received are here, too. */
	if (!error)
		error = collective_gather_to_all(node->wire, &done, sizeof(done), all);
free_all:
	free(all);
	return error;
}

static void end(struct bringing *bringing)
{
	bool free_all = true;

	if (bringing->out)
		transfer_out_end(bringing->node, bringing->out);
	for (int i = 0; bringing->in && i < bringing->node->size; i++)
		if (bringing->in[i].most)
			free_all &= transfer_in_end(bringing->node, &bringing->in[i]);
	if (free_all)
		free(bringing->in);
	free(bringing->look);
	ring_free(&bringing->ring);
}

int bring_set(struct node *node)
{
	struct bringing bringing = {.node = node};
	int error = ring_find(node, &bringing.ring);

	set_folder(bringing.folder, node->options.restore);
	if (!error)
		error = bring_all(&bringing);
	end(&bringing);
	return error;
}
