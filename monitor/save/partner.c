// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * partner.c - who sends which file to whom, and what the machines do when a set is complete.
 */
#include "partner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "set.h"
#include "transfer.h"
#include "wire/sent.h"
#include "wire/wire.h"

/* Node 0's word on a set. */
struct verdict {
	uint64_t number;
	uint32_t complete;
};

struct partner {
	struct ring ring;
	const char *folder;
	bool leads; /* its machine */

	struct transfer_in *in;
	int sources;
	uint64_t newest; /* set of which something has come */

	struct transfer_out *out;
	struct transfer_answer answer; /* of the transfer that has ended last, */
	int to;			       /* and whose */
	char reason[640];
	bool busy;
	uint64_t number; /* of the set that is spread */
	int next;	 /* machine that gets the file; 0: none */

	struct verdict verdict;
	struct wire_request *announcing; /* by machine */
};

/* Whether files of node WHICH come here: its own, or, of node 0, those for all. */
static bool is_source(const struct node *node, const struct partner *partner, int which)
{
	const struct ring *ring = &partner->ring;

	return ring->to[which] == node->rank || (which == 0 && partner->leads && node->rank != 0);
}

static int begin_to_receive(struct node *node, struct partner *partner)
{
	int error = 0;

	partner->in = calloc((size_t)node->size, sizeof(*partner->in));
	if (!partner->in)
		return -ENOMEM;
	for (int i = 0; i < node->size && !error; i++) {
		if (!is_source(node, partner, i))
			continue;
		error = transfer_in_begin(node, &partner->in[partner->sources], partner->folder, i,
					  UINT64_MAX);
		partner->sources += !error;
	}
	return error;
}

int partner_start(struct node *node, struct ring *ring, struct partner **partner)
{
	struct partner *made = calloc(1, sizeof(*made));

	*partner = made;
	if (!made) {
		ring_free(ring);
		return -ENOMEM;
	}
	made->ring = *ring;
	made->folder = node->options.save_folder;
	made->leads = ring_leader(&made->ring, node->rank) == node->rank;
	made->announcing = calloc((size_t)made->ring.machines, sizeof(*made->announcing));
	return made->announcing ? begin_to_receive(node, made) : -ENOMEM;
}

static void set_reason(struct partner *partner)
{
	snprintf(partner->reason, sizeof(partner->reason), "the copy on node %d's machine: %s",
		 partner->to, partner->answer.reason);
}

static void begin(struct node *node, struct partner *partner, uint64_t number, int which, int to)
{
	partner->to = to;
	partner->out = transfer_send(node, partner->folder, number, which, to, &partner->answer);
	if (!partner->out)
		set_reason(partner);
}

void partner_copy(struct node *node, struct partner *partner, uint64_t number)
{
	partner->busy = true;
	partner->next = 0;
	begin(node, partner, number, node->rank, partner->ring.to[node->rank]);
}

void partner_spread(struct node *node, struct partner *partner, uint64_t number)
{
	partner->busy = true;
	partner->number = number;
	partner->next = 1;
	begin(node, partner, number, -1, partner->ring.leader[partner->next]);
}

/* The transfer has ended: the next one, or none. */
static void go_on(struct node *node, struct partner *partner)
{
	if (!partner->answer.error && partner->next && ++partner->next < partner->ring.machines)
		begin(node, partner, partner->number, -1, partner->ring.leader[partner->next]);
}

static void look_at_sending(struct node *node, struct partner *partner, bool *moved)
{
	if (!partner->out || !transfer_out_look(node, partner->out, moved))
		return;
	partner->answer = partner->out->answer;
	if (partner->answer.error)
		set_reason(partner);
	transfer_out_end(node, partner->out);
	partner->out = NULL;
	go_on(node, partner);
}

static bool hear_verdict(struct node *node, struct partner *partner)
{
	struct verdict verdict;
	bool heard = false;
	size_t size;
	int from;

	while (wire_take(node->wire, &verdict, sizeof(verdict), WIRE_TAG_VERDICT, &from, &size)) {
		heard = true;
		if (verdict.complete)
			set_prune(partner->folder, verdict.number, node->options.save_keep);
		else
			set_remove(partner->folder, verdict.number);
	}
	return heard;
}

bool partner_look(struct node *node, struct partner *partner, bool *over)
{
	bool moved = false;

	for (int i = 0; i < partner->sources; i++) {
		struct transfer_in *in = &partner->in[i];

		moved |= transfer_in_look(node, in);
		if (in->coming && in->head.number > partner->newest)
			partner->newest = in->head.number;
	}
	look_at_sending(node, partner, &moved);
	if (partner->leads && node->rank != 0)
		moved |= hear_verdict(node, partner);
	*over = partner->busy && !partner->out;
	partner->busy = partner->out != NULL;
	return moved;
}

const char *partner_error(const struct partner *partner, int *error)
{
	*error = partner->answer.error;
	return *error ? partner->reason : NULL;
}

void partner_tell(struct node *node, struct partner *partner, uint64_t number, bool complete)
{
	/* They have taken the one before, or would not have ended this set. */
	wire_wait(node->wire, partner->announcing, (size_t)partner->ring.machines);
	partner->verdict = (struct verdict){.number = number, .complete = complete};
	for (int i = 1; i < partner->ring.machines; i++) {
		wire_send(node->wire, &partner->verdict, sizeof(partner->verdict),
			  partner->ring.leader[i], WIRE_TAG_VERDICT, &partner->announcing[i]);
		sent_add(node->channel, CAPE_SENT_SERVICE, sizeof(partner->verdict));
	}
}

/* Whoever is the last of its machine to do so leaves nothing of it. */
static void remove_incomplete(const char *folder, uint64_t number)
{
	char path[SET_PATH_SIZE];

	set_path(path, folder, number);
	if (number && set_state(path) == SET_INCOMPLETE)
		set_remove(folder, number);
	rmdir(path);
}

void partner_stop(struct node *node, struct partner *partner, uint64_t number)
{
	bool free_all = true;

	if (partner->out)
		transfer_out_end(node, partner->out);
	for (int i = 0; i < partner->sources; i++)
		free_all &= transfer_in_end(node, &partner->in[i]);
	/* When a run dies, that may be complete on another machine, and need what is here. */
	if (!node->failed) {
		remove_incomplete(partner->folder, number);
		if (partner->newest != number)
			remove_incomplete(partner->folder, partner->newest);
	}
	free_all &= wire_wait(node->wire, partner->announcing, (size_t)partner->ring.machines) == 0;
	ring_free(&partner->ring);
	if (!free_all)
		return;
	free(partner->in);
	free(partner->announcing);
	free(partner);
}
