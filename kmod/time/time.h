/* SPDX-License-Identifier: GPL-2.0-only */
/* Instants before now, and first writes at the time they happen. */
#ifndef _CAPE_TIME_H
#define _CAPE_TIME_H

#include "driver.h"

/* epoch.c: beginning an epoch, dropping one, and going back */
void *cape_page_state(const struct cape_block *block, unsigned int index);
int cape_begin_epoch(struct cape_process *process, struct cape_epoch *request);
void cape_undo_epoch(struct cape_process *process);
int cape_drop_epoch(struct cape_process *process, u64 epoch);
void cape_descend(struct cape_snapshot *snapshot, u64 epoch, struct list_head *undone);
void cape_ascend(struct cape_snapshot *snapshot, struct list_head *undone);

/* past.c: looking at older epochs */
/**
 * struct cape_past - an epoch that is looked at
 * @snapshot: the locked image
 * @layer: of the epoch; NULL if it is the newest
 * @mappings: what was mapped at its beginning
 */
struct cape_past {
	struct cape_snapshot *snapshot;
	struct cape_layer *layer;
	const struct cape_mappings *mappings;
};

int cape_look_at_epoch(struct cape_process *process, u64 epoch, struct cape_past *past);
void *cape_past_state(const struct cape_past *past, const struct cape_block *block,
		      unsigned long address);
unsigned long cape_next_past(const struct cape_past *past, unsigned long start, unsigned long end);
int cape_diff(struct cape_process *process, struct cape_diff *diff);
int cape_get_epochs(struct cape_process *process, struct cape_epochs *epochs);

/* rollback.c: back to what was locked */
int cape_rollback(struct cape_process *process, u64 epoch, struct cape_rollback *rollback);

/* locked.c: the memory as it was */
int cape_read_locked(struct cape_process *process, u64 epoch, struct cape_access *access);
loff_t cape_seek_locked(struct cape_process *process, u64 epoch, loff_t address, bool data);

/* notify.c: page faults of the threads */
/* A process that makes threads as fast as they are found is given up at so many. */
#define CAPE_MAX_THREADS	32768

struct task_struct *cape_find_unwatched(struct cape_process *process, struct xarray *watched);
int cape_watch_threads(struct cape_process *process);
void cape_unwatch_threads(struct cape_process *process);

/* record.c: who wrote */
/**
 * struct cape_write - a write that is to be recorded
 * @address: as in struct cape_record
 * @epoch: the same
 * @value: the same; with CAPE_RECORD_WATCHED, in place of @epoch
 * @flags: CAPE_RECORD_WATCHED, or zero
 * @tracer: in whose pid namespace the thread's id is wanted
 */
struct cape_write {
	u64 address;
	u64 epoch;
	u64 value;
	u32 flags;
	struct pid *tracer;
};

int cape_make_recorder(struct cape_process *process, u32 record_count, u32 stack_bytes);
void cape_end_recorder(struct cape_process *process);
void cape_drop_recorder(struct cape_process *process);
void cape_record_write(struct cape_process *process, const struct cape_write *write,
		       struct pt_regs *regs);

/* bytes.c: every write to certain bytes */
int cape_watch_bytes(struct cape_process *process, struct cape_watch_bytes *request);
void cape_unwatch_bytes(struct cape_process *process);

#endif /* _CAPE_TIME_H */
