/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * planned.h - planned exchange: what a loop reads and writes is known before it runs.
 */
#ifndef CAPE_PLANNED_H
#define CAPE_PLANNED_H

#include "base/context.h"
#include "base/job.h"
#include "base/ranges.h"
#include "base/way.h"
#include "cape_plan.h"
#include "channel/profile.h"
#include "planned/index.h"
#include "sets/columns.h"
#include "sets/intervals.h"

struct cape_directory_page;

#define CAPE_PLAN_WORDS 64u  /* that decide on a loop's sets */
#define CAPE_REFUSED	64u  /* loops that are remembered */
#define CAPE_PLAN_LISTS 256u /* loops that read by lists */

#define CAPE_PLAN_ROUNDS_FEW  4096u	 /* of a description: they take little time */
#define CAPE_PLAN_ROUNDS_MOST (1u << 20) /* of any */

#define CAPE_PLAN_LIST_SENT 1024u /* stretches of each kind that a node sends; else gaps go */

#define CAPE_PLAN_ROW_PAGES 256u /* pages of pointers, of which the last ones are found at once */

/* Steps that are known (steps.c), and bytes of what is noted of them. */
#define CAPE_PLAN_STEP_SETS 65536u
#define CAPE_PLAN_STEP_WAYS 4u
#define CAPE_PLAN_NOTES	    (128u << 20)

/* What a loop that writes what a plan says reads. */
struct cape_plan_reads {
	uint64_t number;	  /* of the plan and of what was described; 0: there is none */
	struct cape_ranges *read; /* by this node; by each where writers send it; */
	bool anywhere;		  /* and more, where is not known */
	bool fails;		  /* so the loop cannot be planned */
	struct cape_ranges all;	  /* that any node accesses, of a loop that may be spread */
	bool spreads;		  /* it may: no node accesses what another one writes */
};

/* What a loop was described to access the last time. */
struct cape_plan {
	const struct cape_place *place; /* of the loop; NULL: there is none */
	const void *where;		/* as in struct cape_planned, of the last time */
	uint64_t writes;		/* what was said, by all nodes, as a number */
	uint64_t stays;			/* as in struct cape_directory: what is left out */
	uint64_t number;		/* of these three, when it was found */
	enum cape_planning use;		/* CAPE_PLANNED, or why not */
	struct cape_ranges *write;	/* by each node; in memory that nodes exchange by need */
	struct cape_range around;	/* what all nodes write, with what is left out */
	struct cape_ranges left;	/* what this one writes and is left out: it is looked at */
	struct cape_ranges *gaps;	/* by node, what of WRITE lies between its rows: it stays */
	bool leaves;	 /* some node writes such memory, or where pages are not known */
	bool is_crowded; /* in many pieces on few pages */
	bool is_many;	 /* in many pieces */
	uint64_t within; /* the number of a plan in which each node writes that, too; or 0 */
	bool is_left;	 /* most of it is left out, and took many rounds to tell */
	bool again;	 /* it was the same the last time that it was asked for */
	struct cape_plan_reads *with; /* what it read the last time; */
	struct cape_ranges learned;   /* pages where that was, if it was not known, */
	unsigned lessons;	      /* so often added to */
	uint64_t known;		      /* all that is written, as a number: on all nodes the same */
	uint64_t tables;	      /* as in struct cape_plan_tables, when it was found */
	bool writes_tables;	      /* whether one of them is written */
};

/* Words that are pointers by which sets were found, and what these are and held, as a number. */
struct cape_plan_rows {
	struct cape_range *range;
	size_t count, room;
	uint64_t number;
	bool is_exchanged; /* all of them lie in memory that nodes exchange by need */
	uint64_t age;	   /* in which they were found to hold that */
};

/* While sets are described: pages that have such words, with a bit for each; the words. */
struct cape_plan_rows_read {
	struct cape_plan_row_page {
		uint64_t address, read[8];
	} * page;
	unsigned pages, at[CAPE_PLAN_ROW_PAGES];
	size_t room;
	struct cape_intervals words;
	struct cape_ranges wanted; /* of their memory, from other nodes */
	bool lacks;		   /* some of it cannot be read here, or has not come */
};

/* All such words of loops that are kept. */
struct cape_plan_tables {
	uint64_t number; /* how often there were more */
	struct cape_ranges all;
	uint64_t age; /* in the same one they hold the same */
	bool stood;   /* up to the sync point that this node has come to, nothing unknown ran */
};

/*
 * What each node reads by way of lists in memory, and the words of these, by node (lists.c).
 * APART are those of all nodes of which no sync point says anything.
 */
struct cape_plan_lists {
	uint64_t number; /* of all of it; 0: it is not known */
	struct cape_ranges *read, *words, apart;
	uint64_t holds, apart_holds; /* as numbers: what this node's words held; APART's */
	uint64_t age;		     /* as in struct cape_plan_tables, in which they did */
	bool met;		     /* the loop has come before */
	unsigned renewed;	     /* times in a row that some were others */
	size_t count;		     /* as in struct cape_plan_key: the loop's; 0: none */
	uint64_t key[CAPE_PLAN_WORDS];
};

/* While a node goes through its own iterations for that; those of loops that are kept. */
struct cape_plan_listing {
	bool on, failed;
	bool refuses; /* some node cannot tell */
	bool waits;   /* until the loop comes again */
	unsigned long rounds;
	struct cape_plan_list_page {
		uint64_t address, word[8], read[8]; /* a bit for each word */
		bool is_readable;
	} * page;
	unsigned pages, last[CAPE_PLAN_ROW_PAGES]; /* as in struct cape_plan_rows_read */
	size_t room;
	unsigned long latest[CAPE_PLAN_LATEST]; /* cape_plan_latest */
	uint32_t *slot;				/* 1 and which page, or 0 */
	struct cape_plan_lists *of;		/* of the loop that is described, or NULL */
	struct cape_plan_lists known[CAPE_PLAN_LISTS];
	unsigned next; /* of these, that goes if there is no room for another */
};

/* What a loop's sets follow from, and what they were, as in struct cape_plan. */
struct cape_plan_key {
	uint64_t number; /* another one for nearly all other words */
	size_t count;	 /* no words: there is none; more than these: not all that decides */
	struct cape_plan_rows rows;
	struct cape_plan_lists *lists; /* or NULL; they were of this number */
	uint64_t lists_number;
	uint64_t writes, reads;
	struct cape_plan *plan;	      /* where it was then, ... */
	struct cape_plan_reads *with; /* ... of this number */
	uint64_t with_number;
	uint64_t word[CAPE_PLAN_WORDS];
};

/* A step that has come before, and where its note is, in words; SIZE is 0 if it was not noted. */
struct cape_plan_step_known {
	uint64_t number;
	uint32_t at, size;
};

struct cape_plan_steps {
	struct cape_plan_step_known known[CAPE_PLAN_STEP_SETS][CAPE_PLAN_STEP_WAYS];
	unsigned char next[CAPE_PLAN_STEP_SETS]; /* 1 + the last that was added; 0: none was */
	uint64_t *notes;
	uint32_t used; /* words of them */
};

static inline bool cape_set_is_written(enum cape_set set)
{
	return set == CAPE_SET_WRITE || set == CAPE_SET_FILL || set == CAPE_SET_MAY_WRITE;
}

/* A box, as it was described. */
struct cape_described {
	struct cape_box box;
	enum cape_set set;
	unsigned node, part;   /* whose iterations' */
	uint64_t order, loops; /* as in cape_plan.h */
	/* 1 + the one before of what is read, or of what is not, or of columns; 0: none is. */
	size_t before;
};

/* Whether they are accesses of the same iterations, in the same loops: they may become one. */
static inline bool cape_described_are_alike(const struct cape_described *one,
					    const struct cape_described *other)
{
	return one->set == other->set && one->node == other->node && one->part == other->part &&
	       one->loops == other->loops;
}

#define CAPE_PLAN_LAST 16384u /* a power of 2 */

/* Accesses that are one stretch each (plain.c). */
struct cape_plan_plain {
	struct cape_intervals *writes, *reads; /* by node */
	struct cape_intervals index;
	uint64_t loop; /* counts loops that were described */
	struct cape_plan_plain_last {
		struct cape_range range;
		uint64_t loop;
		unsigned node, set;
	} last[2][CAPE_PLAN_LAST]; /* of what is written or decides; of what is read */
};

/* What was too much, or did not pay: it is not tried for some times, after each more. */
struct cape_refused {
	const void *where;
	unsigned wait, left; /* times */
	enum cape_planning why;
	unsigned losses; /* in a row */
	bool settled;	 /* what it wrote the last time other code needed at once, */
	bool divided;	 /* and pages had to be made whole for that */
	unsigned meets;	 /* times, in a row, that two nodes wrote the same bytes */
	unsigned heavy;	 /* times, in a row, that it took long to describe */
};

/* How a node's threads do this: one describes loops, while the others wait for it. */
struct cape_plan_team {
	/* Whether the caller shares the innermost construct with all nodes; is the one. */
	bool (*shares)(const struct cape_runtime *runtime);
	bool (*describes)(void);
	/* All threads of the node come, and go on. */
	void (*gather)(void);
};

extern const struct cape_plan_team cape_plan_team_of_nodes;

#define CAPE_PIPELINES 8u /* whose sets are kept */

/* What threads run between two sync points, and hand on to each other by flushes (pipeline.c). */
struct cape_pipeline {
	bool describing;
	bool is_planned; /* as a loop is; else its writes are looked for */
	bool locks;	 /* critical constructs order what its threads do, too */
	unsigned thread; /* that is described next */
	struct cape_pipeline_sets {
		uint64_t number;		   /* of what was described; 0: nothing */
		struct cape_intervals own, theirs; /* what this node writes, and the others; */
		struct cape_intervals others;	   /* what those access */
		struct cape_ranges readable;	   /* what both have */
		uint32_t readers; /* bit N: node N, one of the first 32, reads of it */
		struct cape_pipeline_box {
			struct cape_box box;
			unsigned thread; /* of the node's, which writes it */
			bool counted;	 /* its outermost dimension is that of rounds */
		} * box;		 /* what this node writes, and others read in part */
		size_t boxes, box_room;
		struct cape_pipeline_step {
			bool known;
			struct cape_ranges written;
		} * step; /* of the rounds that come first, what was found (readable.c) */
	} sets[CAPE_PIPELINES], *on;
	unsigned next; /* of these, that goes if there is no room for others */
	/* By thread: rounds that it has begun, as counted by itself; as they were when it was asked
	 * last what is readable; and as they are now. */
	struct cape_pipeline_thread {
		uint64_t rounds, asked, now;
	} * of;
	struct cape_ranges now;		/* what was between these two */
	const struct cape_ranges *last; /* that, or where it is kept; */
	bool stands;			/* and it still is, if no thread has gone on */
	/* Where the last was described that nothing was planned for, or NULL: in how many rounds,
	 * and how often it was asked since what others may read. */
	const void *weighed;
	uint64_t described, asked;
	/* What did not pay, and is not described for some times. */
	struct cape_refused heavy[CAPE_PIPELINES];
};

struct cape_planned {
	const struct cape_plan_team *team;
	struct cape_exchange_way way;
	bool tried, usable; /* whether all nodes can read each other's memory is known; they can */
	bool looked;	    /* the region has had a sync point */
	/* The region at whose end nodes have not met; sequential code comes next. */
	const struct cape_place *left;
	/* Common pages have no base but memory itself (bases.c), in a loop that fell back, too. */
	bool bases_due;
	unsigned skipped;  /* sync points since the nodes met (skip.c) */
	bool is_idle;	   /* no loop has come since the last of these, in this region */
	uint64_t agreed;   /* what was planned to be written since then, as a number */
	uint64_t brought;  /* the version of which the last loop was brought what it reads */
	bool read_between; /* sequential code reads what comes from other nodes (between.c) */
	bool quiet;	   /* after the next sync point a known loop comes, or sequential code */
	/* Of a region that begins with a known loop; what is read before must be on all nodes. */
	const struct cape_place *region;
	struct cape_range *pass; /* what may be read nevertheless */
	size_t passes, pass_room;
	struct cape_range *change; /* what may be changed: it has to be common */
	size_t changes, change_room;
	bool prints;	 /* which may change more than what is said */
	bool is_due_all; /* DUE is all that changes before the next sync point */
	struct cape_ranges due;
	bool sure;		    /* that is on every node, or not: then it has to be common */
	struct cape_range *reduced; /* variables that the sync point changes */
	size_t reduced_count, reduced_room;

	/* While the sets of a loop are described, and while it runs. */
	const struct cape_construct *construct; /* of the thread that describes it */
	const void *where; /* the construct's place; of what runs between two sync points of one,
			    * which has several, where the program describes it */
	bool waits;	   /* all threads wait at its end */
	struct cape_ranges needs; /* what was said to decide */
	struct cape_job job;	  /* of the thread THREAD of node NODE, whose sets these are */
	unsigned thread, until, node, parts, rounds;
	unsigned long rounds_most; /* then the description is too long, */
	uint64_t covered;	   /* unless it says that so many bytes are written */
	uint64_t began;		   /* when it did */
	bool reads_failed;	   /* this node does not know all that it reads */
	bool failed;		   /* the loop is not one of which all is known */
	uint64_t writes, reads;	   /* as in struct cape_plan */
	struct cape_described *described;
	size_t described_count, described_room;
	struct cape_column *column; /* (columns.c) */
	size_t column_room;
	size_t latest[2]; /* as BEFORE of struct cape_described: of what is not read; of what is */
	struct cape_intervals *scratch;	  /* one for each node, for what decides, and for reads */
	struct cape_ranges left_of_other; /* what a plan leaves out of what another node writes */
	bool inside;			  /* each node writes nothing but what it wrote last */
	struct cape_intervals written, read; /* in one round of the loops around */

	/* What decides on the sets of this loop; those of loops that were described in full. */
	struct cape_plan_key asked, key[CAPE_PLAN_KEPT];
	struct cape_plan_index keys;
	bool has_key;			   /* all that decides is in it */
	const struct cape_plan_key *again; /* one of these is the same: nothing is described */

	struct cape_pipeline pipeline;

	struct cape_plan_plain plain;
	struct cape_plan_rows_read rows;
	struct cape_plan_tables tables;
	struct cape_plan_listing listing;

	/* The loop is one of sequential code, and its function's frame: it may be spread. */
	bool spread;
	const void *frame;

	struct cape_refused refused[CAPE_REFUSED];
	const void *crowded;  /* where the last loop was whose plan was, until pages are whole */
	struct cape_plan *on; /* of the loop that runs, or NULL */
	struct cape_plan plan[CAPE_PLAN_KEPT];
	struct cape_plan_index plans;
	struct cape_plan_reads with[CAPE_PLAN_KEPT];
	struct cape_plan_index withs;
	uint64_t pieces, pieces_read; /* that these have */
	/* The plan that was written last, its number, and the directory's changes till then. */
	struct {
		const struct cape_plan *plan;
		uint64_t number, changes;
	} wrote;
	struct cape_ranges *rest; /* by node: of a list, what is not in another one */
	struct cape_plan_steps steps;
};

/*
 * What the innermost construct does is to be described at PLACE: false: that is of no use, and it
 * runs as if nothing were known.  begin_describing: nothing of it has been.  start: it has, and is
 * brought what it reads; or false, as above.  fall_back: what was opened runs as if nothing were
 * known.  WRITES: what each node writes, and no more, until the next sync point; NULL: anything.
 */
bool cape_plan_open(struct cape_runtime *runtime, const struct cape_place *place);
void cape_plan_begin_describing(struct cape_runtime *runtime);
bool cape_plan_start(struct cape_runtime *runtime);
void cape_plan_fall_back(struct cape_runtime *runtime, const struct cape_intervals *writes);

/* All nodes meet at PLACE, where all is known; the parts that come next are those of this node. */
void cape_plan_know(struct cape_runtime *runtime, const struct cape_place *place);
void cape_plan_begin_own(struct cape_runtime *runtime);

/*
 * Where WHERE is in TABLE of COUNT, or another one.  waits: whether it is WHERE, which waits this
 * time, too; wait: REFUSED does from now on, for more times than the last time.
 */
struct cape_refused *cape_refused_spot(struct cape_refused *table, unsigned count,
				       const void *where);
bool cape_refused_waits(struct cape_refused *refused, const void *where);
void cape_refused_wait(struct cape_refused *refused);

/*
 * Whether what is described WHERE is not tried this time; it is not for some times from now on,
 * WHY; after how many rounds a description of it is too long. Whether two nodes WRITE the same
 * bytes there, as they did every time of late. Whether to begin as PLAN says has not paid of late;
 * the loop that is on is over; divided pages become whole; and all pages have bases (refused.c).
 */
bool cape_plan_is_refused(struct cape_runtime *runtime, const void *where);
void cape_plan_refuse(struct cape_planned *planned, const void *where, enum cape_planning why);
unsigned long cape_plan_rounds_most(struct cape_planned *planned, const void *where);
bool cape_plan_meets_again(struct cape_planned *planned, const void *where, bool write);
bool cape_plan_does_not_pay(struct cape_runtime *runtime, const struct cape_plan *plan);
void cape_plan_note_end(struct cape_planned *planned);
void cape_plan_settle_pages(struct cape_runtime *runtime);
void cape_plan_settle(struct cape_runtime *runtime);

/*
 * The plan of the loop at PLACE, as it was described.  The same on all nodes, but for what is read;
 * if it is of no use the loop runs as if nothing were known.
 */
struct cape_plan *cape_plan_find(struct cape_runtime *runtime, const struct cape_place *place);

/* RANGES as a part of NUMBER; they become a part of SET, false: not all. */
uint64_t cape_plan_number(const struct cape_ranges *ranges, uint64_t number);
bool cape_plan_add_ranges(struct cape_intervals *set, const struct cape_ranges *ranges);

/* A list for each node, all of them empty. */
struct cape_ranges *cape_plan_lists_by_node(struct cape_runtime *runtime);

/*
 * The plan that was found before of what is described at PLACE, or one to find it in; SAME: which.
 * Whether what was found of the loop that KEY describes is still there.  kept: PLAN was found.
 */
struct cape_plan *cape_plan_of(struct cape_runtime *runtime, const struct cape_place *place,
			       bool *same);
bool cape_plan_is_kept(const struct cape_runtime *runtime, const struct cape_plan_key *key);
void cape_plan_kept(struct cape_runtime *runtime, const struct cape_plan *plan);

/* In the same way, what was found that is read, of NUMBER, or of none. */
struct cape_plan_reads *cape_plan_reads_of(struct cape_runtime *runtime, uint64_t number);
void cape_plan_reads_kept(struct cape_runtime *runtime, const struct cape_plan_reads *with);

/* What the loop of PLAN reads, as it was described. */
struct cape_plan_reads *cape_plan_find_reads(struct cape_runtime *runtime,
					     const struct cape_plan *plan);

/*
 * The key of the innermost loop: begins with its iterations; memory that decides on its sets, and
 * is here, becomes a part; the sets have been described in full: it is kept with their PLAN.
 */
void cape_plan_key_begin(struct cape_runtime *runtime);
void cape_plan_key_memory(struct cape_runtime *runtime, uint64_t address, uint64_t size);
void cape_plan_key_keep(struct cape_runtime *runtime, struct cape_plan *plan);

/* The box that was described last becomes one with one that is beside it, if any is (boxes.c). */
void cape_plan_join_last(struct cape_planned *planned);
/* When all has been described: columns beside each other become rows (columns.c). */
void cape_plan_join_columns(struct cape_runtime *runtime);

/*
 * Accesses that are one stretch each.  begin: none is there.  take: whether DESCRIBED is one; then
 * it is there.  add: those of PLAIN are a part of SET; false: not all.
 */
void cape_plan_plain_start(struct cape_runtime *runtime);
void cape_plan_plain_begin(struct cape_runtime *runtime);
bool cape_plan_take_plain(struct cape_runtime *runtime, const struct cape_described *described);
bool cape_plan_add_plain(struct cape_intervals *set, const struct cape_intervals *plain);

/* Whether all nodes have been brought RANGE for this loop. */
bool cape_plan_was_needed(const struct cape_planned *planned, struct cape_range range);

/*
 * Pointers by which sets are found.  end: all have been read, and are a part of what is written,
 * as a number.  take: they become ROWS.  are: these hold what they held then.
 */
void cape_plan_rows_begin(struct cape_planned *planned);
void cape_plan_rows_end(struct cape_planned *planned);
void cape_plan_rows_take(struct cape_runtime *runtime, struct cape_plan_rows *rows);
bool cape_plan_rows_are(struct cape_runtime *runtime, struct cape_plan_rows *rows);
/* What WORDS are and hold, as a number; 0: they are not all here. */
uint64_t cape_plan_rows_hold(const struct cape_runtime *runtime, const struct cape_ranges *words);

/*
 * While this node goes through its own iterations (listed.c): begin, end; memory is looked up, as
 * for cape_plan_row(); BOX is read, NULL: that is not known; as cape_plan_round(); collect: what
 * has been found, the words and then what is read, false: that is too much.
 */
void cape_plan_list_begin(struct cape_plan_listing *listing);
void cape_plan_list_end(struct cape_plan_listing *listing);
unsigned long cape_plan_list_word(struct cape_runtime *runtime, unsigned long address,
				  unsigned long size);
void cape_plan_list_box(struct cape_runtime *runtime, const struct cape_box *box);
bool cape_plan_list_round(struct cape_plan_listing *listing);
/* The words of the page at ADDRESS, a bit for each, become a part of SET; false: not all. */
bool cape_plan_add_words(struct cape_intervals *set, uint64_t address, const uint64_t bits[8]);
bool cape_plan_list_collect(struct cape_plan_listing *listing, struct cape_intervals *words);

/* Whether what LISTS say, of that NUMBER, is still so, and may be used (lists.c). */
bool cape_plan_lists_serve(struct cape_runtime *runtime, const struct cape_plan_lists *lists,
			   uint64_t number);

/*
 * Whether they may have changed (tables.c).  age: they may, for all that is known.  write: PLAN's
 * loop has run.  add, look: ROWS are there, and hold what is known of them.  stand: they still do.
 * watch: WORDS are such ones, too; are: none has been written since AGE; change: COUNT ranges have.
 */
void cape_plan_tables_age(struct cape_runtime *runtime);
void cape_plan_tables_write(struct cape_runtime *runtime, struct cape_plan *plan);
void cape_plan_tables_watch(struct cape_runtime *runtime, const struct cape_ranges *words);
bool cape_plan_tables_are(const struct cape_runtime *runtime, uint64_t age);
void cape_plan_tables_change(struct cape_runtime *runtime, const struct cape_range *range,
			     size_t count);
void cape_plan_tables_add(struct cape_runtime *runtime, struct cape_plan_rows *rows);
void cape_plan_tables_look(struct cape_runtime *runtime, struct cape_plan_rows *rows);
bool cape_plan_tables_stand(struct cape_runtime *runtime, const struct cape_plan_rows *rows);

/*
 * Rows beside each other become one (beside.c).  read: so that what lies between comes, too.
 * written: NODE's in WRITES, which has a set for each node, and then the pointers; GAPS is what
 * lies between.
 */
void cape_plan_join_read(struct cape_intervals *set);
void cape_plan_join_written(struct cape_runtime *runtime, struct cape_intervals *writes,
			    unsigned node, struct cape_ranges *gaps);

/*
 * Loops of sequential code (spread.c): whether this one may be shared out among all nodes, when
 * these are as they are now; finds whether one that reads WITH may, as it has been described;
 * shares it out if it has been and that is worth it.  The last one is called on the stack apart.
 */
bool cape_plan_can_spread(struct cape_runtime *runtime, const void *frame);
void cape_plan_find_spread(struct cape_runtime *runtime, struct cape_plan_reads *with);
bool cape_plan_spread(struct cape_runtime *runtime, struct cape_plan *plan);

/* Whether SET is not more than there can be. */
bool cape_plan_is_possible(const struct cape_intervals *set);

/* Whether PAGE is common and stays so, or its changes are looked for all the same. */
bool cape_plan_leaves_out(const struct cape_directory_page *page);

/*
 * What of SET lies in memory that nodes exchange by need: KNOWN, but for what is left out, which is
 * LEFT unless that is NULL.
 */
void cape_plan_find_known(struct cape_runtime *runtime, const struct cape_intervals *set,
			  struct cape_ranges *known, struct cape_ranges *left);

/*
 * Whether loops of this run can be planned at all: the same on all nodes.  knows_all: whether this
 * node describes what all of them read: who has several threads, or is sent it.
 */
bool cape_plan_fits_run(const struct cape_runtime *runtime);
bool cape_plan_knows_all(const struct cape_runtime *runtime);

/* Whether any node writes to something in RANGE. */
bool cape_plan_writes(const struct cape_runtime *runtime, const struct cape_plan *plan,
		      struct cape_range range);

/* Whether what READ reads has been written before by the same iterations: nobody else's is needed.
 */
bool cape_plan_wrote_before(struct cape_planned *planned, const struct cape_described *read);

/* After the next sync point nothing comes but what is said from now on; SURE as in the struct. */
static inline void cape_plan_begin_quiet(struct cape_planned *planned, bool sure)
{
	planned->quiet = true;
	planned->sure = sure;
	planned->passes = planned->changes = 0;
	planned->prints = false;
}

/* Whether what may be read, or changed, between two sync points is common; bring: it comes. */
bool cape_plan_passes_common(const struct cape_runtime *runtime);
bool cape_plan_changes_common(const struct cape_runtime *runtime);
void cape_plan_bring_passes(struct cape_runtime *runtime);

/*
 * The bases of common pages (bases.c).  fold: as in struct cape_exchange_way.  make_base: RANGE is
 * about to change, by what was said before; make_bases_of: what each node WRITES is; make_bases:
 * any of it may.
 */
bool cape_planned_fold(struct cape_runtime *runtime);
void cape_plan_make_base(struct cape_runtime *runtime, struct cape_range range);
void cape_plan_make_bases_of(struct cape_runtime *runtime, const struct cape_intervals *writes);
void cape_plan_make_bases(struct cape_runtime *runtime);

/* Whether what may be read between two sync points is what the first one changes. */
bool cape_plan_reads_reduced(const struct cape_runtime *runtime);

/* The variables of reductions have new values: on the nodes that own them, where not on all. */
void cape_plan_leave_reduced(struct cape_runtime *runtime);

/*
 * skip: as in struct cape_exchange_way.  meet: between regions, if nodes have not met at the end of
 * the last one; divided pages stay so, or become whole.  begin: the loop that is on has all that it
 * reads, and may begin to write.
 */
bool cape_planned_skip(struct cape_runtime *runtime, const struct cape_place *end);
void cape_planned_meet(struct cape_runtime *runtime, bool stays_divided);
void cape_planned_begin(struct cape_runtime *runtime);

/*
 * Sequential code between regions (between.c), as in struct cape_exchange_way.  await: until all
 * nodes have what it has read up to here.
 */
void cape_planned_touched(struct cape_runtime *runtime);
void cape_planned_touched_read(struct cape_runtime *runtime, const struct cape_range *range);
void cape_planned_await_between(struct cape_runtime *runtime);
/* Until all nodes have, in this version, what they read in the memory of this one. */
void cape_planned_await_all(struct cape_runtime *runtime);

/*
 * What was written last (last.c): its plan, or NULL; whether each node's part of it has what is in
 * planned->scratch for PLAN, of which then all is known; PLAN's is, from now on.
 */
const struct cape_plan *cape_plan_written_last(const struct cape_runtime *runtime);
bool cape_plan_is_inside(const struct cape_runtime *runtime, const struct cape_plan *plan);
void cape_plan_note_written(struct cape_runtime *runtime, const struct cape_plan *plan);

/*
 * Loops that write a part of what the last one has written (within.c).  find: whether PLAN, a new
 * one, does; writes: whether the map is as if that had been written already.
 */
void cape_plan_find_within(struct cape_runtime *runtime, struct cape_plan *plan);
bool cape_plan_writes_within(const struct cape_runtime *runtime, const struct cape_plan *plan);
/* What each node reads, by node, without what it has in any case; until this is called again. */
const struct cape_ranges *cape_plan_reads_left(struct cape_runtime *runtime,
					       const struct cape_plan *plan);

/* What a sync point does of the loop that is on: memory is as it has written it. */
void cape_planned_write(struct cape_runtime *runtime);

/*
 * What is to be done before PLAN's loop, and after it: CARRY_OUT does that, unless what it did is
 * known (steps.c).
 */
enum cape_plan_step { CAPE_PLAN_BRINGS, CAPE_PLAN_WRITES };
typedef void cape_plan_do(struct cape_runtime *runtime, struct cape_plan *plan);
void cape_plan_step(struct cape_runtime *runtime, struct cape_plan *plan, enum cape_plan_step step,
		    cape_plan_do *carry_out);

/*
 * What others read of this node's threads (readable.c): whether it is known, where LOOP is as for
 * cape_pipeline_ready(); no more is to be published until the next sync point; a round begins.
 */
bool cape_readable_find(struct cape_runtime *runtime, unsigned long loop);
void cape_readable_begin(struct cape_runtime *runtime);
void cape_readable_round(struct cape_runtime *runtime);

/* The planned way of exchange: by need, and at the end of a known loop without looking. */
void cape_planned_take_way(struct cape_runtime *runtime);

#endif
