/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * cape_bytes.h - every write to certain bytes: what the attach descriptors of cape.h understand,
 * whether or not the image is locked.
 *
 *	recorder = ioctl(process, CAPE_MAKE_RECORDER, &ring);
 *	ioctl(process, CAPE_WATCH_BYTES, &bytes);
 *	...					the process runs; each write leaves a record
 *
 * CAPE_MODE_RECORD is about pages, of which only the first write is a page fault.  Here the
 * processor's breakpoints for data are used, so that other writes to the same page cost nothing and
 * are not recorded.  A processor has CAPE_WATCH_BREAKPOINTS, for 1, 2, 4 or 8 bytes each, at a
 * multiple of as many.
 */
#ifndef _UAPI_CAPE_BYTES_H
#define _UAPI_CAPE_BYTES_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include "cape.h"

#define CAPE_WATCH_BREAKPOINTS	4

/* With breakpoints that are all of eight bytes. */
#define CAPE_WATCH_MOST		(CAPE_WATCH_BREAKPOINTS * 8)

/**
 * struct cape_watch_bytes - CAPE_WATCH_BYTES: record every write to some bytes
 * @address: in, the first of them
 * @length: in, bytes, at most CAPE_WATCH_MOST; zero, with @address zero, ends the watch
 * @flags: in, must be zero
 * @reserved: in, must be zero
 * @breakpoints: out, how many are used for it
 * @thread_count: out, threads that are watched; those made later are, too, but not counted
 *
 * Each write by a thread of the process, in its own code or in a system call, leaves a struct
 * cape_record with CAPE_RECORD_WATCHED in the ring of CAPE_MAKE_RECORDER, be what it writes the
 * same as before or not.  A write that touches the bytes of two breakpoints leaves two.  Each round
 * of a string instruction (rep stos) is a write, of which the processor may report several as one.
 * A full ring loses records, and counts them.
 * All threads of the process should be stopped: what they write meanwhile may be missed, and what
 * a thread writes that is made meanwhile may be recorded twice, until the watch ends.
 *
 * Not seen are writes without the addresses of the process: by DMA and other uses of
 * get_user_pages, by CAPE_WRITE_RANGE, CAPE_ROLLBACK, ptrace, process_vm_writev, by other processes
 * in shared memory, and by processes made with CLONE_VM but without CLONE_THREAD.  munmap() and the
 * like do not end the watch: it is of addresses, whatever is mapped there.  execve() does; and as
 * long as the caller does not trace the process, nothing is recorded.
 *
 * E2BIG: more than CAPE_WATCH_MOST bytes, or so badly aligned that it takes more breakpoints than
 * there are.  ENOSPC: so many are not free, as a debugger or perf uses some.  EFAULT: not all of
 * the bytes are mapped.  ENXIO: there is no recorder.  EBUSY: bytes are watched already.  ENODATA:
 * none are, so that there is nothing to end.  EAGAIN: threads were made faster than they could be
 * watched.
 */
struct cape_watch_bytes {
	__u64 address;
	__u64 length;
	__u32 flags;
	__u32 reserved;
	__u32 breakpoints;
	__u32 thread_count;
};

/* On an attach descriptor. */
#define CAPE_WATCH_BYTES	_IOWR(CAPE_IOCTL_TYPE, 0x30, struct cape_watch_bytes)

#endif /* _UAPI_CAPE_BYTES_H */
