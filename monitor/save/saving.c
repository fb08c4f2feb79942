// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saving.c - when a run is saved, what each node writes, and when that is a set.
 */
#include "saving.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "channel/save.h"
#include "claim.h"
#include "common/clock.h"
#include "common/complain.h"
#include "partner.h"
#include "processor.h"
#include "ring.h"
#include "set.h"
#include "stream/output.h"
#include "stream/relay.h"
#include "wire/sent.h"
#include "wire/wire.h"
#include "write.h"

#define SECOND_NS 1000000000ull
#define PAGE_SIZE 4096u

/* A node has written its part of a set, or could not. */
struct report {
	uint64_t number; /* of the set */
	int32_t error;	 /* 0 or -errno */
	uint64_t bytes;	 /* of its file */
	char reason[512];
};

struct save {
	struct watcher watcher;
	struct claim claim; /* on the folder */
	uint64_t number;    /* of the set that is written, or was last */
	struct write_job job;
	struct write *write; /* NULL: nothing is being written */
	pid_t snapshot;	     /* whose memory; 0: none */
	struct sums sums;    /* of memory in this node's part of the set before */
	uint64_t identity;   /* of that part; 0: the next has all memory */
	struct report own;
	struct wire_request reporting;
	struct partner *partner; /* NULL: no copies are made */
	bool copying;		 /* of the file that was written last */

	/* Node 0's. */
	bool busy;	     /* a set has been begun, and neither completed nor given up */
	int reports;	     /* that came */
	bool completing;     /* the file is written that completes the set */
	struct report first; /* that reported an error */
	bool reported;	     /* the user knows that it cannot be saved */
	uint64_t begun, due; /* nanoseconds: the last save, the next one */
	uint64_t printed;    /* bytes of output that come before the set */
	uint64_t resume;
	char region[SET_PLACE_SIZE]; /* the place inside a region; empty: it was after one */
	struct set_chain chain;	     /* what the next increment goes on from */
	uint64_t whole, increment; /* bytes of the sets in the chain: of the first, of the others */
	uint64_t bytes;		   /* of the set that is written */
};

static uint64_t interval(const struct node *node)
{
	return (uint64_t)node->options.save_seconds * SECOND_NS;
}

/* -- what this node writes ------------------------------------------------------------------ */

static void add_section(struct write_job *job, const char *name, const void *bytes, uint64_t size)
{
	struct write_section *section = &job->section[job->sections];

	if (job->sections == WRITE_SECTIONS) {
		job->error = -E2BIG;
		return;
	}
	section->bytes = malloc(size + 1);
	if (!section->bytes) {
		job->error = -ENOMEM;
		return;
	}
	memcpy(section->bytes, bytes, size);
	section->name = name;
	section->size = size;
	job->sections++;
}

/* A file of set save->number: of this node, or, NODE below 0, for all. */
static void open_job(struct node *node, int which)
{
	struct save *save = node->save;
	struct write_job *job = &save->job;

	memset(job, 0, sizeof(*job));
	job->folder = malloc(SET_PATH_SIZE);
	if (job->folder)
		set_path(job->folder, node->options.save_folder, save->number);
	else
		job->error = -ENOMEM;
	set_name(job->name, which);
	job->head = (struct file_head){
		.kind = FILE_STATE,
		.node = (uint32_t)(which < 0 ? 0 : which),
		.nodes = (uint32_t)node->size,
		.page_size = PAGE_SIZE,
		.run = save->claim.run,
		.number = save->number,
	};
}

/* As the nodes have agreed: all memory, or what is not as it was. */
static void begin_part(struct node *node)
{
	struct save *save = node->save;

	if (node->channel->save.agreed != CAPE_SAVE_INCREMENT) {
		sums_free(&save->sums);
		save->identity = 0;
		save->chain.count = 0;
	}
	open_job(node, node->rank);
	if (save->identity)
		save->job.head.kind = FILE_INCREMENT;
	save->job.head.previous = save->identity;
	save->job.before = save->sums;
	save->sums = (struct sums){0};
	save->identity = 0;
}

/* Its file is written: the next may go on from it. */
static void end_part(struct save *save)
{
	save->own.bytes = save->job.bytes;
	save->identity = save->job.identity;
	save->sums = save->job.sums;
	save->job.sums = (struct sums){0};
}

static void note_region(struct node *node, bool in_region)
{
	const struct cape_channel_state *state = &node->channel->state;
	struct save *save = node->save;

	save->region[0] = '\0';
	if (in_region)
		snprintf(save->region, sizeof(save->region), "%.*s:%d", (int)sizeof(state->file),
			 state->file, state->line);
}

/* What is in the out area, which the program fills anew when it goes on. */
static void take_list(struct node *node)
{
	const struct cape_saved *saved =
		(const void *)((const char *)node->channel + CAPE_CHANNEL_OUT);
	struct write_job *job = &node->save->job;
	const char *at = (const char *)(saved + 1) + saved->ranges * sizeof(*job->range);

	job->process = node->save->snapshot;
	job->range = malloc((saved->ranges + 1) * sizeof(*job->range));
	if (!job->range) {
		job->error = -ENOMEM;
		return;
	}
	memcpy(job->range, saved + 1, saved->ranges * sizeof(*job->range));
	job->ranges = saved->ranges;
	/* Files are node 0's. */
	if (node->rank == 0) {
		job->error = written_open(&job->written, node->program, job->reason,
					  sizeof(job->reason));
		add_section(job, SET_LOADED, at, saved->loaded);
	}
	at += cape_saved_padded(saved->loaded);
	if (node->rank == 0)
		add_section(job, SET_STATE, at, saved->state);
	at += cape_saved_padded(saved->state);
	add_section(job, SET_NODE_STATE, at, saved->node_state);
	if (saved->in_region)
		add_section(job, SET_RESUME, &saved->resume, sizeof(saved->resume));
	node->save->resume = saved->resume;
	note_region(node, saved->in_region);
}

static void drop_snapshot(struct save *save)
{
	if (save->snapshot > 0) {
		kill(save->snapshot, SIGKILL);
		waitpid(save->snapshot, NULL, 0);
	}
	save->snapshot = 0;
}

static void count_report(struct save *save, const struct report *report)
{
	if (report->number != save->number)
		return;
	save->reports++;
	save->bytes += report->bytes;
	if (report->error && !save->first.error)
		save->first = *report;
}

/* What a program could not save that is at its end is no matter: it has no memory any more. */
static bool is_ending(const struct node *node)
{
	char path[32], name[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)node->program);
	return node->failed || node->program_ended || readlink(path, name, sizeof(name)) < 0;
}

/* This node's part is written, or cannot be. */
static void tell(struct node *node)
{
	struct save *save = node->save;

	/* Then the set is removed at the end. */
	if (save->own.error && is_ending(node))
		return;
	save->own.number = save->number;
	if (node->rank == 0) {
		count_report(save, &save->own);
		return;
	}
	wire_send(node->wire, &save->own, sizeof(save->own), 0, WIRE_TAG_SAVED, &save->reporting);
	sent_add(node->channel, CAPE_SENT_SERVICE, sizeof(save->own));
}

static void set_error(struct node *node, int error, const char *reason)
{
	struct report *own = &node->save->own;

	own->error = error;
	snprintf(own->reason, sizeof(own->reason), "node %d: %.480s", node->rank, reason);
}

static void begin_write(struct node *node)
{
	struct save *save = node->save;

	if (!save->job.error)
		save->write = write_begin(&save->job);
	if (!save->write)
		set_error(node, save->job.error,
			  save->job.reason[0] ? save->job.reason : strerror(-save->job.error));
}

void save_request(struct node *node)
{
	struct cape_channel_save *channel = &node->channel->save;
	struct save *save = node->save;

	channel->ready = 0;
	/* Node 0 has taken it, or would not have begun this set: this does not wait long. */
	wire_wait(node->wire, &save->reporting, 1);
	save->number++;
	save->own = (struct report){0};
	if (node->rank == 0) {
		output_drain(node);
		save->busy = true;
		save->completing = false;
		save->reports = 0;
		save->bytes = 0;
		save->first = (struct report){0};
		save->printed = relay_sent(node);
		save->begun = clock_now();
	}
	save->snapshot = channel->snapshot;
	channel->refusal[sizeof(channel->refusal) - 1] = '\0';
	if (save->snapshot > 0) {
		begin_part(node);
		take_list(node);
		begin_write(node);
	} else {
		set_error(node, -ENOTSUP, channel->refusal);
	}
	if (!save->write) {
		drop_snapshot(save);
		write_job_free(&save->job);
		tell(node);
	}
	cape_channel_reply(node->channel);
}

/* -- node 0: when all have ------------------------------------------------------------------ */

static void begin_complete(struct node *node)
{
	const char *folder = node->start_folder;
	struct save *save = node->save;
	struct write_job *job = &save->job;
	uint32_t version = CAPE_CHANNEL_VERSION;
	char *abilities = processor_abilities();

	save->completing = true;
	open_job(node, -1);
	add_section(job, SET_PROGRAM, node->options.program, strlen(node->options.program) + 1);
	add_section(job, SET_HASH, &node->program_hash, sizeof(node->program_hash));
	add_section(job, FILE_LOAD_BIAS, &node->channel->load_bias,
		    sizeof(node->channel->load_bias));
	add_section(job, FILE_THREAD_STORAGE, &node->channel->thread_storage,
		    sizeof(node->channel->thread_storage));
	add_section(job, SET_LAUNCH, node->launch, node->launch_size);
	add_section(job, SET_FOLDER, folder, strlen(folder) + 1);
	add_section(job, SET_RESUME, &save->resume, sizeof(save->resume));
	add_section(job, SET_VERSION, &version, sizeof(version));
	if (save->chain.count)
		add_section(job, SET_CHAIN, save->chain.number,
			    save->chain.count * sizeof(save->chain.number[0]));
	if (node->options.save_partner)
		add_section(job, SET_APART, "", 1);
	if (save->region[0])
		add_section(job, SET_REGION, save->region, strlen(save->region) + 1);
	if (node->options.threads >= 0)
		add_section(job, SET_THREADS, &node->options.threads, sizeof(int));
	add_section(job, SET_FLAGS, abilities, strlen(abilities) + 1);
	free(abilities);
	begin_write(node);
	if (!save->write)
		save->first = save->own;
}

/* The set is complete, and the next may go on from it. */
static void add_to_chain(struct save *save)
{
	if (!save->chain.count) {
		save->whole = save->bytes;
		save->increment = 0;
	} else {
		save->increment += save->bytes;
	}
	save->chain.number[save->chain.count++] = save->number;
}

/*
 * A new chain is begun when the increments take as much as what they go on from, and before one has
 * too many sets, any of which may be damaged.
 */
static enum cape_save_kind next_kind(const struct save *save)
{
	return save->chain.count && save->chain.count < SET_CHAIN_LIMIT &&
			       save->increment < save->whole
		       ? CAPE_SAVE_INCREMENT
		       : CAPE_SAVE_WHOLE;
}

static void tell_user(struct node *node)
{
	struct save *save = node->save;

	if (save->reported || is_ending(node))
		return;
	save->reported = true;
	complain("the run could not be saved to %s: %s; the run goes on, and older saves are "
		 "unchanged",
		 node->options.save_folder, save->first.reason);
}

/* The set is complete, or given up; the next may be begun when it is time. */
static void end_set(struct node *node)
{
	struct save *save = node->save;
	uint64_t now = clock_now();

	save->busy = false;
	if (save->partner)
		partner_tell(node, save->partner, save->number, !save->first.error);
	save->due = save->begun + interval(node);
	if (save->due < now)
		save->due = now;
	if (!save->first.error) {
		save->reported = false;
		add_to_chain(save);
		set_prune(node->options.save_folder, save->number, node->options.save_keep);
		return;
	}
	save->chain.count = 0;
	set_remove(node->options.save_folder, save->number);
	tell_user(node);
}

static void hear_others(struct node *node)
{
	struct report report;
	size_t size;
	int from;

	while (wire_take(node->wire, &report, sizeof(report), WIRE_TAG_SAVED, &from, &size))
		count_report(node->save, &report);
}

/* Nothing can go on from what somebody has removed. */
static void look_at_chain(struct node *node)
{
	struct set_chain *chain = &node->save->chain;
	char path[SET_PATH_SIZE];

	if (!chain->count)
		return;
	set_path(path, node->options.save_folder, chain->number[chain->count - 1]);
	if (set_state(path) == SET_COMPLETE)
		return;
	chain->count = 0;
	complain("%s, or a save that it depends on, has been removed: the next save is of all "
		 "memory",
		 path);
}

/* The next set may be begun, if it is time. */
static void offer(struct node *node)
{
	const struct save *save = node->save;

	if (save->busy || node->channel->save.ready || clock_now() < save->due)
		return;
	look_at_chain(node);
	__atomic_store_n(&node->channel->save.ready, next_kind(save), __ATOMIC_RELEASE);
}

/* All have written their parts. */
static void complete(struct node *node)
{
	struct save *save = node->save;

	/* What was printed before is not printed again: the user is to have it. */
	if (!save->first.error && !save->completing && relay_written(node) >= save->printed)
		begin_complete(node);
	if (save->first.error || (save->completing && !save->write && !save->copying))
		end_set(node);
}

static void look_at_set(struct node *node)
{
	struct save *save = node->save;

	/* Who is quick has written its part before this node has begun: that is heard then. */
	if (save->busy) {
		hear_others(node);
		/* The parts of other nodes may take long. */
		if (save->first.error)
			tell_user(node);
		if (!save->write && !save->copying && save->reports == node->size)
			complete(node);
	}
	offer(node);
}

/* This node's file of the set, or the one for all, is as safe as it will be, or cannot be. */
static void end_file(struct node *node)
{
	struct save *save = node->save;

	if (!save->completing)
		tell(node);
	else
		save->first = save->own;
}

static void begin_copy(struct node *node)
{
	struct save *save = node->save;

	save->copying = true;
	if (save->completing)
		partner_spread(node, save->partner, save->number);
	else
		partner_copy(node, save->partner, save->number);
}

static bool look_at_copies(struct node *node)
{
	struct save *save = node->save;
	const char *reason;
	bool over, moved;
	int error;

	if (!save->partner)
		return false;
	moved = partner_look(node, save->partner, &over);
	if (!save->copying || !over)
		return moved;
	save->copying = false;
	reason = partner_error(save->partner, &error);
	if (reason)
		set_error(node, error, reason);
	end_file(node);
	return true;
}

/* A file has been written. */
static void end_write(struct node *node)
{
	struct save *save = node->save;

	write_end(save->write, false);
	save->write = NULL;
	if (save->job.error)
		set_error(node, save->job.error, save->job.reason);
	else if (!save->completing)
		end_part(save);
	write_job_free(&save->job);
	drop_snapshot(save);
	if (save->partner && !save->own.error)
		begin_copy(node);
	else
		end_file(node);
}

static bool look(void *context)
{
	struct node *node = context;
	struct save *save = node->save;
	bool over = save->write && write_is_over(save->write);

	if (over)
		end_write(node);
	over |= look_at_copies(node);
	if (node->rank == 0)
		look_at_set(node);
	return over;
}

/* -- start and end -------------------------------------------------------------------------- */

/* The folder is the run's, and whoever keeps copies is ready.  As save_start(). */
static int claim(struct node *node, struct save *save)
{
	bool apart = node->options.save_partner;
	struct ring ring = {0};
	int error = apart ? ring_find(node, &ring) : 0;

	if (!error)
		error = claim_folder(node, apart ? &ring : NULL, &save->claim);
	if (!error && ring.machines > 1)
		return partner_start(node, &ring, &save->partner);
	if (!error && apart && node->rank == 0)
		inform("--partner: all nodes are on one machine: there is no other machine to copy "
		       "saves to, and saves are lost with this one");
	ring_free(&ring);
	return error;
}

int save_start(struct node *node)
{
	struct save *save;
	int error;

	if (!node->options.save_folder)
		return 0;
	save = calloc(1, sizeof(*save));
	if (!save)
		return -ENOMEM;
	node->save = save;
	error = claim(node, save);
	if (error)
		return error;
	save->number = save->claim.first - 1;
	save->due = clock_now() + interval(node);
	node->channel->flags |= CAPE_CHANNEL_SAVE;
	node->channel->save.every = (uint32_t)node->options.save_ends;
	node->channel->save.points = (uint32_t)node->options.save_points;
	node->channel->save.interval = interval(node);
	node->channel->save.in_regions = !node->options.save_ends && node->options.threads < 2;
	/* The program's first region may be over before this node looks. */
	if (node->rank == 0)
		offer(node);
	save->watcher = (struct watcher){.look = look, .context = node};
	loop_add(&node->loop, &save->watcher);
	return 0;
}

/* It may be whole by now; but nobody was informed, so that the set will never be complete. */
static void remove_file(const struct write_job *job)
{
	char path[SET_FILE_SIZE];

	snprintf(path, sizeof(path), "%s/%s", job->folder, job->name);
	unlink(path);
	rmdir(job->folder);
}

/* Whether what has just been written makes the set complete: it stays, though nobody has looked. */
static bool is_complete(const struct save *save)
{
	return save->completing && !save->partner && !save->job.error;
}

void save_stop(struct node *node)
{
	struct save *save = node->save;

	if (!save)
		return;
	if (save->write) {
		write_end(save->write, true);
		if (is_complete(save))
			end_set(node);
		else
			remove_file(&save->job);
		write_job_free(&save->job);
		drop_snapshot(save);
	}
	/* A machine that has the file which completes it may have it already. */
	if (node->rank == 0 && save->busy && !(node->failed && save->partner && save->completing))
		set_remove(node->options.save_folder, save->number);
	if (save->partner)
		partner_stop(node, save->partner,
			     save->number < save->claim.first ? 0 : save->number);
	claim_leave(node, &save->claim);
	sums_free(&save->sums);
	/* In a run that has failed it may be on its way for ever, and its bytes must stay. */
	if (wire_wait(node->wire, &save->reporting, 1) == 0)
		free(save);
	node->save = NULL;
}
