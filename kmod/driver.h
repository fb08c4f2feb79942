/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the driver share: its two objects, and who may touch them when.
 *
 * struct cape_process is one attach descriptor.  Its mutex is held by every request.
 * struct cape_snapshot is one lock of the process image, from CAPE_LOCK to CAPE_UNLOCK: its newest
 * epoch, and a struct cape_layer for each older one.  Requests own it; the page fault handler
 * (notify.c) only looks at the newest epoch, under RCU, and never follows a twin.
 *
 * Order of locks: cape_process.lock, then mmap_lock of the process, then the page table lock.  User
 * memory of the caller is never touched under the mmap_lock of the process.
 */
#ifndef _CAPE_DRIVER_H
#define _CAPE_DRIVER_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/user.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "uapi/cape.h"
#include "uapi/cape_epoch.h"
#include "uapi/cape_bytes.h"
#include "uapi/cape_stack.h"

#define CAPE_MAX_RANGES		65536
#define CAPE_PAGES_PER_BLOCK	PTRS_PER_PTE
#define CAPE_UNLOCKING		XA_MARK_0

/* Reclaim would have to be very fast to be in the way that often. */
#define CAPE_TRIES		32

/* So often pages are brought back, all that are swapped out, before memory counts as too short. */
#define CAPE_PASSES		8

/* What a visitor returns, inside the driver, when a page has to be brought back first. */
#define CAPE_ABSENT		2

struct cape_recorder;
struct cape_watch;
struct dentry;
struct file;
struct pt_regs;

/**
 * struct cape_block - the locked pages under one page table (2 MB)
 * @twin: the page as it was when it was locked, with a reference; NULL if there was none
 * @open: pages unlocked or captured since
 * @notified: pages whose first write was notified
 * @pinned: pages pinned for DMA: @twin is a copy, as the original cannot be write-protected
 * @poisoned: pages that memory failure had taken before they were locked: what the twin would be is
 *	not known
 * @restoring: pages that a rollback has made read-only and is going to put back
 * @unlocking: pages to be unlocked when the caller knows that they were written
 * @replaced: pages that had a twin, are others now, and whose twin was not kept
 * @sum: of each twin when it was taken; NULL without CAPE_LOCK_CHECK, or without twins
 * @rcu: the page fault handler may still look when the block is freed
 */
struct cape_block {
	struct page *twin[CAPE_PAGES_PER_BLOCK];
	DECLARE_BITMAP(open, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(notified, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(pinned, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(poisoned, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(restoring, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(unlocking, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(replaced, CAPE_PAGES_PER_BLOCK);
	u64 *sum;
	struct rcu_head rcu;
};

/**
 * struct cape_mapping - what was mapped at the beginning of an epoch
 * @start: first address
 * @end: address after the last
 * @file: with a reference; NULL if it was no file
 * @offset: of @start in @file, in pages
 * @awaited: userfaultfd was to provide the pages that were missing
 */
struct cape_mapping {
	unsigned long start;
	unsigned long end;
	struct file *file;
	unsigned long offset;
	bool awaited;
};

/**
 * struct cape_mappings - all of them that are covered, ascending
 * @count: entries at @mapping
 * @users: how many epochs share @mapping; NULL if it is one
 * @mapping: NULL if they were not recorded yet
 */
struct cape_mappings {
	u32 count;
	u32 *users;
	struct cape_mapping *mapping;
};

/*
 * What a page was at the beginning of an epoch: its twin, or one of these.  CAPE_WAS_NONE: the
 * process had no page of its own there, so it was what its mapping had, if there was any.
 */
#define CAPE_WAS_NONE		xa_mk_value(0)
#define CAPE_WAS_OPEN		xa_mk_value(1)	/* its twin was given up */
#define CAPE_WAS_POISONED	xa_mk_value(2)
#define CAPE_WAS_REPLACED	xa_mk_value(3)	/* its twin was not kept: cape_block.replaced */

/**
 * struct cape_layer - what an older epoch has otherwise than the one after it
 * @link: in cape_snapshot.layers
 * @epoch: its number
 * @twin_count: twins in @pages
 * @pages: by address >> PAGE_SHIFT: a twin, with a reference, or CAPE_WAS_*
 * @mappings: what was mapped at its beginning
 */
struct cape_layer {
	struct list_head link;
	u64 epoch;
	u64 twin_count;
	struct xarray pages;
	struct cape_mappings mappings;
};

/**
 * struct cape_snapshot - a locked process image
 * @mode: CAPE_MODE_SNAPSHOT, CAPE_MODE_NOTIFY or CAPE_MODE_RECORD
 * @epoch: the number of the newest epoch, which @blocks and @mappings are of
 * @whole: everything is locked; @ranges then is one range over the whole address space
 * @check: the blocks have the sums of their twins
 * @no_twins: a twin is held only as long as the process has the page itself (CAPE_LOCK_NO_TWINS)
 * @beyond: there may be twins where nothing was mapped when their epoch began, by a rollback
 * @probed: there were uprobes when one of its epochs began
 * @huge_pages_off: it was this lock that turned transparent huge pages off
 * @tracer: process that locked the image, and is notified
 * @blocks: struct cape_block by address >> PMD_SHIFT; CAPE_UNLOCKING marks those with such pages
 * @closed: no more blocks: those that were there are being freed
 * @twin_count: twins held, those of older epochs among them
 * @open_count: pages unlocked or captured
 * @block_count: blocks that requests made for pages without twins
 * @user: whose RLIMIT_MEMLOCK the twins, and these blocks, count against
 * @charged: pages that are counted there
 * @rcu: as in struct cape_block
 * @range_count: entries at @ranges
 * @ranges: what is locked; ascending, not overlapping
 * @mappings: what was mapped in @ranges.  Not for the fault handler
 * @layers: the older epochs, the oldest first, as above
 * @layer_count: how many these are
 */
struct cape_snapshot {
	u32 mode;
	u64 epoch;
	bool whole;
	bool check;
	bool no_twins;
	bool beyond;
	bool probed;
	bool huge_pages_off;
	struct pid *tracer;
	struct xarray blocks;
	bool closed;		/* under the lock of @blocks */
	u64 twin_count;
	u64 open_count;
	u64 block_count;
	struct user_struct *user;
	u64 charged;
	struct rcu_head rcu;
	u32 range_count;
	struct cape_extent *ranges;
	struct cape_mappings mappings;
	struct list_head layers;
	u32 layer_count;
};

/**
 * struct cape_process - an attach descriptor, bound to one process image
 * @lock: serializes the requests
 * @link: in the list of all attached processes (process.c)
 * @pid: the process
 * @tracer: who attached it
 * @replaced: another tracer has attached the process, after @tracer ended or detached
 * @mm: its memory when it was attached; holds the struct (mmgrab), not the memory
 * @snapshot: NULL if nothing is locked
 * @epochs: how many were begun
 * @view: the epoch that is read, or CAPE_EPOCH_NEWEST
 * @recorder: NULL if none was made; not looked at but with CAPE_MODE_RECORD, or @watch
 * @watch: bytes of which every write is recorded (bytes.c), or NULL
 * @counters: struct cape_counter of every thread (notify.c)
 * @thread_count: entries of @counters
 * @watched: @counters are complete
 * @counted: there were counters, whose handler may be running
 * @statistics: but for faults_*
 * @faults_notified: counted by the page fault handler, of any thread
 * @faults_ignored: the same
 * @program_end: waits for the end of the process (watch.c)
 * @tracer_end: while something is locked, waits for that of the tracer that locked it
 * @look: looks whether one of them has ended
 * @sweep: while twins are not kept, looks for those that can be given up (watch.c)
 * @debug: its file in debugfs
 */
struct cape_process {
	struct mutex lock;	/* held by every request */
	struct list_head link;
	struct pid *pid;
	struct pid *tracer;
	bool replaced;		/* also read without @lock */
	struct mm_struct *mm;
	struct cape_snapshot __rcu *snapshot;
	u64 epochs;
	u64 view;
	struct cape_recorder __rcu *recorder;
	struct cape_watch *watch;
	struct xarray counters;
	u32 thread_count;
	bool watched;
	bool counted;
	struct cape_statistics statistics;
	atomic64_t faults_notified;
	atomic64_t faults_ignored;
	struct wait_queue_entry program_end;
	struct wait_queue_entry tracer_end;
	struct delayed_work look;
	struct delayed_work sweep;
	struct dentry *debug;
};

static inline unsigned int cape_page_index(unsigned long address)
{
	return (address >> PAGE_SHIFT) % CAPE_PAGES_PER_BLOCK;
}

/* For requests, which hold process->lock. */
static inline struct cape_snapshot *cape_locked_snapshot(struct cape_process *process)
{
	return rcu_dereference_protected(process->snapshot, lockdep_is_held(&process->lock));
}

/* For twins that are given up. */
static inline void cape_uncharge_twins(struct cape_snapshot *snapshot, u64 count)
{
	snapshot->twin_count -= count;
	snapshot->charged -= count;
	atomic_long_sub(count, &snapshot->user->locked_vm);
}

/* process.c: the object, its list, and who may make requests */
/* CAPE_IS_ENDING: the first thread has ended, others have not. */
enum cape_end { CAPE_LIVES, CAPE_IS_ENDING, CAPE_HAS_ENDED };

extern struct workqueue_struct *cape_workers;

int cape_process_init(void);
void cape_process_exit(void);
struct cape_process *cape_new_process(struct pid *pid);
void cape_free_process(struct cape_process *process);
int cape_list_process(struct cape_process *process);
void cape_unlist_process(struct cape_process *process);
unsigned long cape_try_each_process(unsigned long (*visit)(struct cape_process *process));
bool cape_is_gone(struct cape_process *process);
bool cape_is_killed(struct cape_process *process);
bool cape_is_traced_by(struct pid *tracer);
bool cape_has_another_tracer(struct cape_process *process, struct pid *tracer);
enum cape_end cape_end_of(struct pid *pid);
int cape_check_caller(struct cape_process *process);
bool cape_stands_still(struct cape_process *process);
struct mm_struct *cape_get_mm(struct cape_process *process);
void cape_fill_status(struct cape_process *process, struct cape_status *status);
void cape_fill_statistics(struct cape_process *process, struct cape_statistics *statistics);

/* snapshot.c: taking a snapshot and giving it up */
int cape_snapshot_init(void);
void cape_snapshot_exit(void);
int cape_lock(struct cape_process *process, struct cape_lock *lock);
void cape_unlock(struct cape_process *process);
u32 cape_first_range(const struct cape_snapshot *snapshot, unsigned long address);
bool cape_in_ranges(const struct cape_snapshot *snapshot, unsigned long address);
struct cape_block *cape_find_block(struct cape_snapshot *snapshot, unsigned long address);
unsigned long cape_next_block(struct cape_snapshot *snapshot, unsigned long start,
			      unsigned long end);
struct cape_block *cape_get_block(struct cape_snapshot *snapshot, unsigned long address, gfp_t gfp);
struct cape_block *cape_charge_block(struct cape_snapshot *snapshot, unsigned long address);
void cape_open_page(struct cape_snapshot *snapshot, struct cape_block *block, unsigned int index);
bool cape_first_open(struct cape_snapshot *snapshot, u64 *address);
int cape_add_twin(struct cape_snapshot *snapshot, unsigned long address, struct page *twin);
bool cape_protect_page(struct mm_struct *mm, unsigned long address, pte_t *ptep, struct page *page,
		       bool *protected);
int cape_charge_twins(struct cape_snapshot *snapshot);
struct page *cape_copy_page(struct page *page);

/* walk.c: over the covered memory of a process, under its mmap_lock */
/**
 * struct cape_visitor - who is to see which parts of the memory
 * @next: the first address from @start on, before @end, that is of interest, or @end
 * @visit: called for a part of one VMA that lies under one page table; ends the walk by returning
 *	something else than 0
 * @data: for both
 * @everywhere: also to be shown mappings that are not covered
 */
struct cape_visitor {
	unsigned long (*next)(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			      void *data);
	int (*visit)(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		     void *data);
	void *data;
	bool everywhere;
};

int cape_visit_parts(struct mm_struct *mm, const struct cape_snapshot *snapshot,
		     unsigned long from, unsigned long until, const struct cape_visitor *visitor);
unsigned long cape_next_page_table(struct vm_area_struct *vma, unsigned long start,
				   unsigned long end);
int cape_walk_pages(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		    const unsigned long *pages, pte_fn_t fn, void *data, unsigned long *poisoned);
int cape_find_changed(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		      struct page *const *twins, unsigned long *changed);
int cape_find_absent(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		     struct page *const *twins, unsigned long *absent);
int cape_look_at_pages(struct vm_area_struct *vma, unsigned long address,
		       const unsigned long *pages, pte_fn_t fn, void *data);
struct page *cape_pte_page(pte_t pte);
struct page *cape_own_page(struct vm_area_struct *vma, pte_t pte);

/* bring.c: what was swapped out */
int cape_bring_back(struct cape_process *process, struct mm_struct *mm,
		    struct cape_snapshot *snapshot);

/* probe.c: breakpoints of the kernel's in the text */
bool cape_may_be_probed(const struct cape_snapshot *snapshot, struct vm_area_struct *vma);
bool cape_differ_by_probes(struct page *one, struct page *other);
struct page *cape_get_text(struct vm_area_struct *vma, unsigned long address);

/* forget.c: twins that are not kept */
u64 cape_forget_twins(struct cape_snapshot *snapshot);
void cape_forget_twin(struct cape_snapshot *snapshot, struct cape_block *block,
		      unsigned int index);
void cape_forget_older(struct cape_snapshot *snapshot, struct cape_layer *layer);

/* layer.c: what older epochs have */
struct cape_layer *cape_find_layer(struct cape_snapshot *snapshot, u64 epoch);
struct cape_layer *cape_new_layer(u64 epoch);
void cape_free_layer(struct cape_layer *layer);
void cape_drop_layers(struct cape_snapshot *snapshot, struct list_head *layers);
int cape_keep_older(struct cape_snapshot *snapshot, unsigned long address);

/* mapping.c: what is covered, and what was mapped where at the beginning of an epoch */
bool cape_is_covered(struct vm_area_struct *vma);
int cape_record_mappings(struct mm_struct *mm, const struct cape_snapshot *snapshot,
			 struct cape_mappings *mappings);
bool cape_share_mappings(struct mm_struct *mm, struct cape_snapshot *snapshot,
			 struct cape_mappings *mappings);
void cape_forget_mappings(struct cape_mappings *mappings);
const struct cape_mapping *cape_next_mapping(const struct cape_mappings *mappings,
					     unsigned long address);
const struct cape_mapping *cape_find_mapping(const struct cape_mappings *mappings,
					     unsigned long address);
loff_t cape_file_offset(const struct cape_mapping *mapping, unsigned long address);
bool cape_is_awaited(const struct cape_mapping *mapping, unsigned long address);
const struct cape_mapping *cape_find_remapped(const struct cape_mappings *mappings,
					      struct vm_area_struct *vma, unsigned long start,
					      unsigned long end);
bool cape_still_mapped(struct mm_struct *mm, const struct cape_snapshot *snapshot,
		       unsigned long *lost, u64 *new_bytes);

/* collect.c: which pages were written, and their twins */
int cape_unlock_page(struct cape_process *process, const struct cape_page *page);
int cape_capture_page(struct cape_process *process, struct cape_capture *capture);
void cape_captured(struct cape_process *process, const struct cape_capture *capture);
int cape_collect(struct cape_process *process, struct cape_collect *collect);
void cape_collected(struct cape_process *process, bool told);
struct page *cape_read_file_page(struct file *file, loff_t offset);
int cape_make_twins(struct cape_process *process);

/* sum.c: the sums of twins */
int cape_sum_twin(struct cape_block *block, unsigned int index, struct page *twin);
int cape_sum_twins(struct cape_snapshot *snapshot);
bool cape_has_changed(const struct cape_block *block, unsigned int index);

/* check.c: twins that have changed */
int cape_check(struct cape_process *process, struct cape_check *check);

/* range.c */
int cape_copy_to_caller(u64 buffer, struct page *page, unsigned int offset, size_t length);
int cape_read_range(struct cape_process *process, struct cape_access *access);
int cape_write_range(struct cape_process *process, struct cape_access *access);

#endif /* _CAPE_DRIVER_H */
