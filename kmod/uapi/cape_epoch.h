/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * cape_epoch.h - several instants of one process: what the attach descriptors of cape.h understand
 * while an image is locked.
 *
 * CAPE_LOCK begins an epoch; each CAPE_EPOCH ends it, and begins the next.  What the memory was at
 * the beginning of each of them can be read, compared and put back.  An older epoch costs the twins
 * of the pages that were written before the next began, 40 bytes for each mapping if one of them
 * changed, and no time.
 *
 *	ioctl(process, CAPE_LOCK, &lock);	epoch 1
 *	...					the process runs, and writes
 *	ioctl(process, CAPE_EPOCH, &second);	epoch 2
 *	...
 *	ioctl(process, CAPE_DIFF, &diff);	where the two may differ
 *	ioctl(process, CAPE_VIEW, &view);	pread(2) reads epoch 1 from now on
 *	ioctl(process, CAPE_ROLLBACK_TO, &to);	back to epoch 1; epoch 2 is no more
 *
 * Epochs are counted from one since CAPE_ATTACH, by CAPE_LOCK and CAPE_EPOCH; no number comes
 * again.  The requests of cape.h act on the newest epoch: CAPE_COLLECT tells what was written since
 * that began, CAPE_ROLLBACK puts it back.  CAPE_UNLOCK gives up all of them.  A page that was
 * unlocked or captured is lost to the older epochs, too, as far as they had the same twin (ESTALE).
 *
 * With CAPE_LOCK_NO_TWINS an epoch is only a list of the pages that were written in it: there is
 * nothing to view (EOPNOTSUPP) and nothing to go back to, but CAPE_DIFF tells them.
 *
 * Errors of all requests but CAPE_GET_EPOCHS: ENODATA: no image is locked.  ENOENT: there is no
 * such epoch (any more).
 */
#ifndef _UAPI_CAPE_EPOCH_H
#define _UAPI_CAPE_EPOCH_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include "cape.h"

/* So many there may be at a time. */
#define CAPE_EPOCHS_MOST	256

/* Wherever an epoch is asked for: the newest. */
#define CAPE_EPOCH_NEWEST	0

/**
 * struct cape_epoch - CAPE_EPOCH: ends the newest epoch, and begins another
 * @flags: in, must be zero
 * @reserved: in, must be zero
 * @epoch: out, the number of the new one
 * @page_count: out, pages that are others than when the epoch before began: written, dropped, or
 *	mapped or unmapped since
 *
 * The ranges, the mode and the limit are those of CAPE_LOCK, of which the same holds: threads that
 * run may write before or after.  In CAPE_MODE_NOTIFY each page is notified once in each epoch.
 * ENOSPC: there are CAPE_EPOCHS_MOST.  EOPNOTSUPP: the image was locked with CAPE_LOCK_CHECK; or a
 * device has got translations of its own, as at struct cape_lock.  ENOMEM, EAGAIN: as there.  With
 * an error nothing has changed.
 */
struct cape_epoch {
	__u32 flags;
	__u32 reserved;
	__u64 epoch;
	__u64 page_count;
};

/**
 * struct cape_epoch_number - CAPE_DROP_EPOCH and CAPE_VIEW
 * @epoch: in, which one
 * @flags: in, must be zero
 * @reserved: in, must be zero
 *
 * CAPE_DROP_EPOCH forgets an epoch, and gives up the twins that it alone needs.  If that is the
 * newest, the one before it becomes it, and what was written in both counts as written in that.
 * EBUSY: it is the only one; see CAPE_UNLOCK.  With ENOMEM nothing has changed.
 *
 * CAPE_VIEW sets which epoch CAPE_READ_LOCKED, read(2) and lseek(2) see: CAPE_EPOCH_NEWEST, as
 * after CAPE_LOCK, is whichever is the newest then.  When the one that is seen has gone they give
 * ENOENT.
 */
struct cape_epoch_number {
	__u64 epoch;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct cape_read_epoch - CAPE_READ_EPOCH: as CAPE_READ_LOCKED, of an epoch
 * @address: in, first byte in the process
 * @length: in, bytes
 * @buffer: in, pointer to @length bytes of the caller
 * @done: out, bytes that were read, also when the request fails
 * @epoch: in, which one, or CAPE_EPOCH_NEWEST
 * @flags: in, must be zero
 * @reserved: in, must be zero
 *
 * Whatever CAPE_VIEW has set, which all who have the descriptor share.  All else is as at struct
 * cape_access.
 */
struct cape_read_epoch {
	__u64 address;
	__u64 length;
	__u64 buffer;
	__u64 done;
	__u64 epoch;
	__u32 flags;
	__u32 reserved;
};

/* struct cape_seek_epoch, flags */
#define CAPE_SEEK_HOLE		0x1U	/* where nothing is, in place of where something is */

/**
 * struct cape_seek_epoch - CAPE_SEEK_EPOCH: as lseek(2) with SEEK_DATA or SEEK_HOLE, of an epoch
 * @address: in, where to begin; out, the first such address from there on
 * @epoch: in, which one, or CAPE_EPOCH_NEWEST
 * @flags: in, CAPE_SEEK_HOLE or zero
 * @reserved: in, must be zero
 *
 * Neither CAPE_VIEW nor the position of the file has a part in it, or is changed.  ENXIO: there is
 * none.
 */
struct cape_seek_epoch {
	__u64 address;
	__u64 epoch;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct cape_rollback_to - CAPE_ROLLBACK_TO: as CAPE_ROLLBACK, to the beginning of an epoch
 * @epoch: in, which one
 * @flags: in, must be zero
 * @reserved: in, must be zero
 * @page_count: out, as in struct cape_rollback
 * @new_bytes: out, the same
 * @address: out, the same
 *
 * The epoch is the newest one afterwards, with nothing written; those after it are dropped, also
 * when the request fails after it has put pages back.  All else is as at struct cape_rollback.
 */
struct cape_rollback_to {
	__u64 epoch;
	__u32 flags;
	__u32 reserved;
	__u64 page_count;
	__u64 new_bytes;
	__u64 address;
};

/**
 * struct cape_diff - CAPE_DIFF: pages that may differ between two epochs, in ascending order
 * @cursor: in, zero to begin, or what the last call gave; out, where to go on, or CAPE_CURSOR_END
 * @from: in, the older epoch
 * @to: in, the younger one, or CAPE_EPOCH_NEWEST
 * @extents: in, pointer to struct cape_extent[@capacity]
 * @capacity: in, entries at @extents, not zero
 * @count: out, entries written there
 * @flags: in, must be zero
 * @reserved: in, must be zero
 *
 * Reported is what the process, or the kernel for it, has written, dropped or moved between the
 * beginnings of the two, be it the same again.  Not reported is what was mapped or unmapped without
 * being touched.  EINVAL: @to is not younger.
 */
struct cape_diff {
	__u64 cursor;
	__u64 from;
	__u64 to;
	__u64 extents;
	__u32 capacity;
	__u32 count;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct cape_epoch_entry - what there is of an epoch
 * @epoch: its number
 * @twin_count: twins that are kept for it and those before it; of the newest, all that are left
 */
struct cape_epoch_entry {
	__u64 epoch;
	__u64 twin_count;
};

/**
 * struct cape_epochs - CAPE_GET_EPOCHS: the epochs that there are, in ascending order
 * @entries: in, pointer to struct cape_epoch_entry[@capacity]; zero if that is
 * @capacity: in, entries at @entries
 * @count: out, epochs; may be more than @capacity, and is zero if no image is locked
 * @view: out, what CAPE_VIEW has set
 * @flags: in, must be zero
 * @reserved: in, must be zero
 *
 * Works also after execve or exit, when there are none.
 */
struct cape_epochs {
	__u64 entries;
	__u32 capacity;
	__u32 count;
	__u64 view;
	__u32 flags;
	__u32 reserved;
};

/* On an attach descriptor. */
#define CAPE_EPOCH		_IOWR(CAPE_IOCTL_TYPE, 0x20, struct cape_epoch)
#define CAPE_DROP_EPOCH		_IOW(CAPE_IOCTL_TYPE, 0x21, struct cape_epoch_number)
#define CAPE_VIEW		_IOW(CAPE_IOCTL_TYPE, 0x22, struct cape_epoch_number)
#define CAPE_ROLLBACK_TO	_IOWR(CAPE_IOCTL_TYPE, 0x23, struct cape_rollback_to)
#define CAPE_DIFF		_IOWR(CAPE_IOCTL_TYPE, 0x24, struct cape_diff)
#define CAPE_GET_EPOCHS		_IOWR(CAPE_IOCTL_TYPE, 0x25, struct cape_epochs)
#define CAPE_READ_EPOCH		_IOWR(CAPE_IOCTL_TYPE, 0x26, struct cape_read_epoch)
#define CAPE_SEEK_EPOCH		_IOWR(CAPE_IOCTL_TYPE, 0x27, struct cape_seek_epoch)

#endif /* _UAPI_CAPE_EPOCH_H */
