/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * directory.h - which nodes hold which pages, where nodes exchange by need.
 *
 * A page is common, as all are at first: every node holds what it is.  Or it has an owner, and is
 * held by that node and by those that fetched it since.  At every sync point the directory is the
 * same on all nodes; between two of them each node knows better what it has fetched itself.
 */
#ifndef CAPE_DIRECTORY_H
#define CAPE_DIRECTORY_H

#include "base/context.h"
#include "memory/area.h"
#include "memory/node_set.h"
#include "memory/transitions.h"

#define CAPE_DIRECTORY_STAYED 256u /* pages that are remembered */

/* What all nodes agree on at every sync point.  Assigned by directory.c. */
struct cape_page_agreed {
	cape_node_set holders; /* none: the page is common */
	uint16_t owner;	       /* one of them */
	uint8_t nonowner;      /* times that another than the owner wrote to it */
	bool stays;	       /* common, for several nodes write to it */
};

/* What nodes say of a page in one sync point; no more than that afterwards.  By need/page.c. */
struct cape_page_meeting {
	cape_node_set joining; /* they fetched, claim or wrote it */
	cape_node_set taken;   /* the node that claims it pushes it to them */
	uint16_t claimed;      /* 1 + the node that claims it, CAPE_CLAIMED_... */
	bool opening;	       /* it becomes common */
	bool claiming;	       /* this node claims it */
};

/* What this node alone knows.  Assigned by need/page.c; kept by directory.c. */
struct cape_page_local {
	bool planned;	 /* it is about to be fetched */
	bool fresh;	 /* this node fetched it since the last sync point */
	bool unused;	 /* it came without being asked for, and was not used since */
	bool travels;	 /* it was fetched by this node, or from it: memory is kept for next time */
	bool divided;	 /* several nodes have parts of it, or this one has a copy (need/divided) */
	bool common_due; /* the owner's: others write to it, so it is to become common */
	bool claims_forbidden; /* this node will not claim it: others need it before they can fetch
				*/
};

/*
 * What this node has learned of who reads and writes the page: it decides what is sent without
 * being asked for, and whatever it says memory is right.  Assigned by need/learn.c.
 */
struct cape_page_learned {
	uint64_t places;       /* bit N: others fetched it from this node after sync point N */
	uint8_t pushes;	       /* times that the writer sends it before it looks who reads it */
	uint8_t reads;	       /* times that it was fetched from the owner */
	uint8_t left;	       /* the sync point, counted, at which this node had it alone */
	uint8_t pushed_with;   /* the sync point with which this node pushed it last, */
	uint8_t pushed_at;     /* its place, */
	uint8_t pushed_before; /* and that of the one before */
	bool latest;	       /* nobody has written to it since it came to this node */
};

/* What saved runs say.  Assigned by save/save.c. */
struct cape_page_saved {
	uint16_t saver; /* 1 + the node that owned it when it was saved last; 0: none did */
};

/* By how long they hold. */
struct cape_directory_page {
	struct cape_page_agreed agreed;
	struct cape_page_meeting meeting;
	struct cape_page_learned learned;
	struct cape_page_local local;
	struct cape_page_saved saved;
};

#define CAPE_CLAIMED_TWICE   0xffff /* by several nodes: none of them has it */
#define CAPE_CLAIMED_JOINTLY 0xfffe /* by some of those who write to it, who hold it together */

struct cape_directory {
	uint64_t count; /* pages that are not common */
	/*
	 * As numbers (system/number.h): what all nodes agree on of pages, with who wrote which part
	 * of divided ones; what is here of these; which pages are open.
	 */
	uint64_t state, here, open;
	uint64_t changes; /* how often a page got other holders, or a part of it another writer */
	/*
	 * How often a common page was found to stay so, or one that stays is common no longer, or
	 * again; which pages these were of late, each at the index of that number.
	 */
	uint64_t stays, stayed[CAPE_DIRECTORY_STAYED];
	/* pages unlike those before them: the kernel protects so many pieces of memory at most */
	uint64_t borders;
	uint64_t pieces;    /* pages with other holders than those before them */
	cape_node_set self; /* this node */
	struct cape_node_sets sets;
	struct cape_transitions transitions;
};

/* What a page may be to this node. */
enum cape_directory_kind {
	CAPE_PAGES_OWNED,  /* not common */
	CAPE_PAGES_HELD,   /* not common, and here */
	CAPE_PAGES_ABSENT, /* not here */
	CAPE_PAGES_OPEN,   /* not common, here, and not protected */
	CAPE_PAGES_SHUT,   /* not common, and protected, whether here or not */
	/* Not here, not touched by this region, or here alone: nobody's concern. */
	CAPE_PAGES_UNWATCHED,
	CAPE_PAGES_WRITTEN,   /* common, and may be written to at any time */
	CAPE_PAGES_UNSETTLED, /* not common, or written */
};

/* All areas are known: from now on there may be pages that are not common. */
void cape_directory_start(struct cape_runtime *runtime);

/* The page of ADDRESS in AREA, or NULL: AREA's pages are always common. */
struct cape_directory_page *cape_directory_page(const struct cape_area *area, uint64_t address);

/* Whether PAGE, which is not common, is here. */
static inline bool cape_directory_holds(const struct cape_runtime *runtime,
					const struct cape_directory_page *page)
{
	return cape_node_set_has(&runtime->directory->sets, page->agreed.holders, runtime->node);
}

/* Whether the page of ADDRESS in AREA is here. */
bool cape_directory_is_here(const struct cape_runtime *runtime, const struct cape_area *area,
			    uint64_t address);

/* Whether several nodes, or calls, may write to PAGE at any time while it is common. */
static inline bool cape_directory_is_written(const struct cape_directory_page *page)
{
	return page->agreed.stays || page->local.claims_forbidden;
}

/* Whether all nodes have what nodes exchange of RANGE. */
bool cape_directory_is_common(const struct cape_runtime *runtime, struct cape_range range);

/* What the page of ADDRESS in AREA, which has a directory, is to this node. */
enum cape_page_state cape_directory_state(const struct cape_runtime *runtime,
					  const struct cape_area *area, uint64_t address);

/* HOLDERS as in struct cape_page_agreed, with OWNER among them if there are any, from EVENT on. */
void cape_directory_set(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			cape_node_set holders, unsigned owner, enum cape_page_event event);

/* NODES hold the page of ADDRESS in AREA, which is not common, with those who do, from EVENT on. */
void cape_directory_add(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			cape_node_set nodes, enum cape_page_event event);

/*
 * Once it is common the page of ADDRESS in AREA stays so, for several nodes write to it.
 * note_nonowner: another than its owner has written to it, which leads to that in the end.
 */
void cape_directory_note_nonowner(struct cape_runtime *runtime, const struct cape_area *area,
				  uint64_t address);
void cape_directory_stay(struct cape_runtime *runtime, const struct cape_area *area,
			 uint64_t address);

/* Whether a page of RANGE was one of those that were counted as STAYS since that was so much. */
bool cape_directory_stayed(const struct cape_runtime *runtime, struct cape_range range,
			   uint64_t stays);

/* Whether the page of ADDRESS, which is not common, is here and not protected. */
bool cape_directory_is_open(const struct cape_area *area, uint64_t address);

/* PAGES, which are here and not common, are protected, or not. */
void cape_directory_open(struct cape_runtime *runtime, struct cape_area *area,
			 struct cape_range pages, bool open);

/* This node will not claim the pages that touch RANGE, or may again. */
void cape_directory_forbid_claims(struct cape_runtime *runtime, struct cape_range range,
				  bool claims_forbidden);

/*
 * The first stretch of pages of KIND that touches RANGE, as far as RANGE's pages go.  START is
 * UINT64_MAX when there is none.
 */
struct cape_range cape_directory_next(const struct cape_area *area, struct cape_range range,
				      enum cape_directory_kind kind);

/* RANGE, which holds no page of KIND, and what is around it in AREA up to the next such pages. */
struct cape_range cape_directory_between(const struct cape_area *area, struct cape_range range,
					 enum cape_directory_kind kind);

typedef int (*cape_directory_visit)(void *context, struct cape_area *area, struct cape_range range);

/* Calls VISIT for every stretch of pages of KIND; stops at its first result that is not 0. */
int cape_directory_each(struct cape_runtime *runtime, enum cape_directory_kind kind,
			cape_directory_visit visit, void *context);

/* Calls VISIT for what of RANGE is not of KIND; stops at its first result that is not 0. */
int cape_directory_without(struct cape_area *area, struct cape_range range,
			   enum cape_directory_kind kind, cape_directory_visit visit,
			   void *context);

#endif
