/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parts.h - what the files of this room share.
 */
#ifndef CAPE_NEED_PARTS_H
#define CAPE_NEED_PARTS_H

#include "base/way.h"
#include "need/need.h"
#include "need/said.h"

#define CAPE_NEED_LIST (1ul << 34) /* bytes of a list at most */

/* Whether nodes exchange by need. */
static inline bool cape_need_is_on(const struct cape_runtime *runtime)
{
	return runtime->need->on;
}

/* Whether this run exchanges by need is known from now on, and so it begins to if it does. */
void cape_need_start(struct cape_runtime *runtime);

/* -- what base/way.h says, of which way.c makes the object ------------------------------------ */

void cape_need_enter(struct cape_runtime *runtime);
void cape_need_leave(struct cape_runtime *runtime, bool untouched);
void cape_need_touched(struct cape_runtime *runtime);

/* look */
void cape_need_look_before_telling(struct cape_runtime *runtime,
				   const struct cape_ranges *readable);
/* list, list_all */
void cape_need_sort(struct cape_runtime *runtime, struct cape_runs *runs,
		    const struct cape_place *place);
void cape_need_send_all(struct cape_runtime *runtime, struct cape_runs *runs,
			cape_page_test *is_alone);
/* put_changes: what others own; put: what becomes of pages */
void cape_need_put_nonowner(struct cape_runtime *runtime, struct cape_message_writer *writer);
void cape_need_put(struct cape_runtime *runtime, struct cape_message_writer *writer);
/* send_parts, take_parts, open_part */
void cape_need_push_early(struct cape_runtime *runtime);
void cape_need_take_early(struct cape_runtime *runtime);
bool cape_need_pushed(struct cape_runtime *runtime, unsigned node, bool early,
		      struct cape_cursor *cursor);
/* resolve, which pushes the rest; merge; apply; settle */
void cape_need_resolve(struct cape_runtime *runtime);
void cape_need_merge_nonowner(struct cape_runtime *runtime);
void cape_need_apply(struct cape_runtime *runtime, bool keep);
void cape_need_reduced(struct cape_runtime *runtime);

/* begin_alike, end_alike */
void cape_need_close(struct cape_runtime *runtime);
void cape_need_reopen(struct cape_runtime *runtime);

/* before_taking: what other nodes fetched is not this node's alone any more; after_taking */
void cape_need_look_at_served(struct cape_runtime *runtime);
void cape_need_look_after_taking(struct cape_runtime *runtime);
/* reach, of a RUN that lies in one page; took */
bool cape_need_reach_entry(struct cape_runtime *runtime, const struct cape_area *area,
			   const struct cape_exact_run *run, unsigned char **memory,
			   unsigned char **twin);
void cape_need_took_entry(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size);

void cape_need_profile(struct cape_runtime *runtime, const struct cape_runs *runs);
bool cape_need_is_new(const struct cape_runtime *runtime, uint64_t address);

/* -- files of this room among each other ---------------------------------------------------- */

/*
 * What a sync point's messages say: NODE's part, or NULL: nothing; whether who SAID that will push
 * something to this node.  Calls VISIT for every page that
 * a node has in LIST; and for every page that its owner, or who claims it, pushes to others, while
 * need->pushed_to says to whom.
 */
typedef void (*cape_need_visit_page)(struct cape_runtime *runtime, unsigned node,
				     struct cape_area *area, uint64_t address);
const struct cape_need_said *cape_need_said_by(struct cape_runtime *runtime, unsigned node);
bool cape_need_is_destination(const struct cape_runtime *runtime,
			      const struct cape_need_said *said);
void cape_need_each_said(struct cape_runtime *runtime, enum cape_said_list list,
			 cape_need_visit_page visit);
void cape_need_each_pushed(struct cape_runtime *runtime, cape_need_visit_page visit);

/* Who has claimed pages, and whether others changed them, too. */
void cape_need_resolve_claims(struct cape_runtime *runtime);
/* What was said of claims of the page in this sync point does not matter any more. */
void cape_need_forget_claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			    uint64_t address);
/* Whether a node has changed a page that another claims; nothing is noted. */
bool cape_need_is_contested(struct cape_runtime *runtime);

/* The bits of all to whom pieces go. */
void cape_need_destinations(const struct cape_need *need, struct cape_node_bits *bits);

/* To whom goes what one of several writers changed of PAGE. */
cape_node_set cape_need_receivers(const struct cape_runtime *runtime,
				  const struct cape_directory_page *page);

/*
 * Pages that come without being asked for: from their owners, and, when claims are resolved, from
 * those who claim them.  note_if_unread: PAGE, at ADDRESS, which may have come so, is another by
 * now.
 */
void cape_need_expect_pushed(struct cape_runtime *runtime);
void cape_need_expect_taken(struct cape_runtime *runtime);
void cape_need_note_if_unread(struct cape_runtime *runtime, struct cape_directory_page *page,
			      uint64_t address);

/* Appends PAGES, which may join the last stretch. */
void cape_need_list_add(struct cape_need_list *list, struct cape_range pages);

/* Appends a piece, which may join the last one. */
void cape_need_piece_add(struct cape_need *need, struct cape_need_piece piece);

/* The order of addresses again, after additions. */
void cape_need_sort_pieces(struct cape_need *need);

/* PIECES in the order of addresses; *PIECE and *SPARE, which has as much room, may change places.
 */
void cape_need_sort_list(struct cape_need_piece **piece, struct cape_need_piece **spare,
			 size_t pieces);

/* Makes a list of runs empty. */
void cape_need_runs_clear(struct cape_runtime *runtime, struct cape_runs_array *array);

/* Appends to RUNS; ends the run when there is no room. */
void cape_need_runs_add(struct cape_runtime *runtime, struct cape_runs *runs, uint64_t address,
			uint64_t length);

/* Pieces of memory with holders of their own; the kernel protects 65530 as a rule. */
#define CAPE_NEED_BORDERS 16384u

/* Ends the run: what NODE says of pages cannot be. */
_Noreturn void cape_need_malformed(struct cape_runtime *runtime, unsigned node);

/* The page of ADDRESS in AREA, which all hold, is to become common: its owner's matter. */
void cape_need_note_nonowner(struct cape_runtime *runtime, const struct cape_area *area,
			     uint64_t address);

/* Calls VISIT for what this node changed, in pieces that lie in one page each, with that page. */
typedef void (*cape_need_visit)(void *context, const struct cape_need_page *page, uint64_t address,
				uint64_t length);
void cape_need_each_changed(struct cape_need *need, cape_need_visit visit, void *context);

/*
 * What others read after which sync points, as their fetches show.  come_to: a sync point at PLACE
 * begins.  learn: READER fetched the PAGE at ADDRESS, of which nobody else has it but this node.
 * is_read_elsewhere: others read PAGE after other sync points only, so it is not pushed now.
 * push_pages: the pages that others read after this one, and that nobody else holds, go to them.
 * is_doubted: PAGE was sent often enough, and is not now if DENSE, to see who still reads it; else
 * that is once more.  unlearn: READER did not use the PAGE at ADDRESS, which was pushed to it.
 * settled: the sync point is over; INSIDE a region.
 */
void cape_need_come_to(struct cape_need *need, const struct cape_place *place);
void cape_need_learn(struct cape_runtime *runtime, struct cape_directory_page *page,
		     uint64_t address, unsigned reader);
bool cape_need_is_read_elsewhere(const struct cape_need *need,
				 const struct cape_directory_page *page);
void cape_need_push_pages(struct cape_runtime *runtime);
bool cape_need_is_doubted(const struct cape_need *need, struct cape_directory_page *page,
			  bool dense);
void cape_need_unlearn(struct cape_need *need, struct cape_directory_page *page, uint64_t address,
		       unsigned reader);
void cape_need_settled(struct cape_need *need, bool inside);

/*
 * What is learned of PAGE otherwise.  read: others fetched it of this node, first: which had it
 * alone.  came: it came here; changed: somebody has written to it since; left: this node has it
 * alone.  forget_readers: nothing more is known of who reads it.  keep_together: if it is this
 * node's, it is not claimed while others write to it, too.
 */
void cape_need_learn_read(const struct cape_runtime *runtime, struct cape_directory_page *page);
void cape_need_learn_first(const struct cape_runtime *runtime, struct cape_directory_page *page);
void cape_need_learn_came(struct cape_directory_page *page);
void cape_need_forget_readers(struct cape_directory_page *page);
void cape_need_learn_changed(struct cape_directory_page *page);
void cape_need_learn_left(const struct cape_need *need, struct cape_directory_page *page);
void cape_need_keep_together(struct cape_runtime *runtime, struct cape_directory_page *page);

/* In tests all of that is another, drawn by lot: begins to be, and is at this sync point. */
void cape_need_mislearn_start(struct cape_runtime *runtime);
void cape_need_mislearn(struct cape_runtime *runtime);

/*
 * What this node alone knows of PAGE.  plan, fetched: it is about to be fetched; it was.  expect,
 * pushed: it will be pushed here; it has arrived.  known: all know that it is here.  used:
 * whether it was used need not be found out any more.  travels: it goes from node to node.
 * divided: it has an entry in the table of divided pages, or not.
 * set_common_due, clear_common_due: this node owns it, and it is to become common; no longer.
 */
void cape_need_page_plan(struct cape_directory_page *page);
void cape_need_page_fetched(struct cape_directory_page *page);
void cape_need_page_expect(struct cape_directory_page *page);
void cape_need_page_pushed(struct cape_directory_page *page);
void cape_need_page_known(struct cape_directory_page *page);
void cape_need_page_used(struct cape_directory_page *page);
void cape_need_page_travels(struct cape_directory_page *page);
void cape_need_page_divided(struct cape_directory_page *page, bool divided);
void cape_need_page_set_common_due(struct cape_need *need, struct cape_directory_page *page);
void cape_need_page_clear_common_due(struct cape_directory_page *page);

/*
 * What nodes say of PAGE in a sync point.  join, joined: NODES fetched, claim or wrote it; that is
 * dealt with.  claim: who CLAIMED it, 0: nobody.  take: the node that claims it pushes it to NODES.
 * claiming: this node does.  open, common: it becomes common; it is from now on.
 */
void cape_need_page_join(struct cape_need *need, struct cape_directory_page *page,
			 cape_node_set nodes);
void cape_need_page_joined(struct cape_directory_page *page);
void cape_need_page_claim(struct cape_directory_page *page, uint16_t claimed);
void cape_need_page_take(struct cape_directory_page *page, cape_node_set nodes);
void cape_need_page_claiming(struct cape_directory_page *page, bool claiming);
void cape_need_page_open(struct cape_directory_page *page);
void cape_need_page_common(struct cape_directory_page *page);

/* PAGES can be read and written, or not at all. */
void cape_need_protect(struct cape_runtime *runtime, struct cape_range pages, bool closed);

/*
 * PAGES, which the program cannot use, are what FROM has from now on, and can be used then: no
 * thread sees them before.
 */
void cape_need_fill(struct cape_runtime *runtime, struct cape_range pages, const void *from);

/* PAGES of AREA, which this node holds, can be used, and are watched from now on. */
void cape_need_open(struct cape_runtime *runtime, struct cape_area *area, struct cape_range pages);

/* All that this node holds can be used; nothing of it. */
void cape_need_open_all(struct cape_runtime *runtime);
void cape_need_shut_all(struct cape_runtime *runtime);

/* RUNS of this node's changes as exact runs, each of one page, to OUT; returns where they end. */
unsigned char *cape_need_put_exact(struct cape_runtime *runtime, const struct cape_runs *runs,
				   unsigned char *out);
uint64_t cape_need_exact_bound(const struct cape_runs *runs); /* bytes that takes at most */

/* What NODE pushed of exact runs, with the exchange or after it. */
const void *cape_need_pushed_exact(struct cape_runtime *runtime, unsigned node, bool early,
				   uint64_t *size);

/* Sends the pieces that are not sent to those whom they are for; so do those in FROM. */
void cape_need_push(struct cape_runtime *runtime, const struct cape_node_bits *from);

/* From now on SIGSEGV is the run time's, and HANDLE's first; it is the program's again. */
void cape_need_catch_faults(struct cape_runtime *runtime, cape_need_handler handle);
void cape_need_release_faults(struct cape_runtime *runtime);

/* Whether the fault at ADDRESS, of a write or not, was the run time's matter: done with then. */
bool cape_need_handle(struct cape_runtime *runtime, uint64_t address, bool writes);

/*
 * A fetch: from whom; PAGES, those of them that are this owner's and not here, false: there is no
 * more room; what is planned comes.
 */
void cape_need_plan(struct cape_runtime *runtime, unsigned owner);
bool cape_need_plan_add(struct cape_runtime *runtime, const struct cape_area *area,
			struct cape_range pages);
void cape_need_fetch(struct cape_runtime *runtime);

/* Plans the page at ADDRESS of AREA, and what the program comes to next. */
void cape_need_foresee(struct cape_runtime *runtime, const struct cape_area *area,
		       uint64_t address);

/* PAGES were fetched, so far to their twin: puts the stored entries of the log there. */
void cape_need_put_entries(struct cape_runtime *runtime, struct cape_range pages);

/* In a region: fetches all that is not here. */
void cape_need_fetch_all(struct cape_runtime *runtime);

/* Sequential code has come to ADDRESS of AREA, whose page is not common; all nodes do. */
void cape_need_share(struct cape_runtime *runtime, struct cape_area *area, uint64_t address);

/*
 * Memory and this node's part of the directory are as one more sync point, or region's begin, left
 * them: what was served before is known to all.
 */
void cape_need_raise_version(struct cape_runtime *runtime);

#endif
