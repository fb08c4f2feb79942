/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * cape.h - what /dev/cape and its attach descriptors understand.
 *
 * A monitor that traces a process (ptrace) opens /dev/cape and asks for an attach descriptor with
 * CAPE_ATTACH.  Every other request goes to that descriptor and acts on that one process.  Locking
 * the process image makes the memory of the process copy-on-write: from then on the driver holds
 * the page as it was when it was locked, its twin, for every page that the process writes.
 *
 *	device = open("/dev/cape", O_RDWR | O_CLOEXEC);
 *	process = ioctl(device, CAPE_ATTACH, &attach);
 *	ioctl(process, CAPE_LOCK, &lock);	the process stands still in a ptrace stop
 *	...					it runs, and writes
 *	ioctl(process, CAPE_COLLECT, &collect);	which pages, and what was there before
 *	ioctl(process, CAPE_UNLOCK, 0);
 *	close(process);				also unlocks
 *
 * While it is locked, further instants can be kept beside the first: cape_epoch.h.
 *
 * What is covered: private memory (data, bss, heap, stacks, mmap), present or not when it is
 * locked.  Memory that is shared with other processes, device memory and hugetlbfs are not.
 *
 * Rules for all requests:
 *  - The caller must be the tracer of the process, in every call, not only in CAPE_ATTACH.  Who has
 *    locked may unlock (CAPE_UNLOCK) after PTRACE_DETACH, too.
 *  - Flags without a name here and fields called "reserved" must be zero.
 *  - User pointers travel as __u64.  Fields marked "out" are written also when a request fails
 *    half-way, if it says so.
 *  - Requests on one descriptor are carried out one after the other.
 *  - A struct never changes.  The number of a request contains the size of its struct (_IOC_SIZE),
 *    so what has more fields is another request, and the older one stays (ENOTTY tells which there
 *    are); only records in a ring may grow, and record_size says by how much.
 *
 * Errors that any request on an attach descriptor can give:
 *	EPERM	the caller does not trace the process
 *	ESRCH	the process has ended, or has called execve: attach again
 *	EINVAL	a flag, mode, reserved field, address or length that makes no sense
 *	EFAULT	a user pointer of the caller, or an address of the process, cannot be accessed;
 *		nothing has changed if the request's own struct cannot be written to
 *	EINTR	a signal came while the request waited
 *	ENOMEM	no memory; nothing has changed
 *	EHWPOISON	a twin lies in memory that the machine has found to be broken, or would, as
 *			the page was lost before it was locked
 *	ENOTTY	no such request
 */
#ifndef _UAPI_CAPE_H
#define _UAPI_CAPE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define CAPE_DEVICE	"/dev/cape"

/* Counts up with every extension of this file. */
#define CAPE_VERSION_NUMBER	12

/* struct cape_version, features: the driver can do ... */
#define CAPE_FEATURE_SNAPSHOT	0x1ULL	/* CAPE_MODE_SNAPSHOT */
#define CAPE_FEATURE_NOTIFY	0x2ULL	/* CAPE_MODE_NOTIFY */
#define CAPE_FEATURE_ROLLBACK	0x4ULL	/* CAPE_ROLLBACK */
#define CAPE_FEATURE_READ_LOCKED 0x8ULL	/* CAPE_READ_LOCKED */
#define CAPE_FEATURE_CHECK	0x10ULL	/* CAPE_LOCK_CHECK, CAPE_CHECK */
#define CAPE_FEATURE_FILE	0x20ULL	/* read(2) and lseek(2) */
#define CAPE_FEATURE_RECORD	0x40ULL	/* CAPE_MAKE_RECORDER, CAPE_MODE_RECORD */
#define CAPE_FEATURE_EPOCHS	0x80ULL	/* cape_epoch.h */
#define CAPE_FEATURE_DROP	0x100ULL /* CAPE_ROLLBACK drops pages that are new */
#define CAPE_FEATURE_NO_TWINS	0x200ULL /* CAPE_LOCK_NO_TWINS */
#define CAPE_FEATURE_BYTES	0x400ULL /* cape_bytes.h */
#define CAPE_FEATURE_READ_EPOCH	0x800ULL /* CAPE_READ_EPOCH */
#define CAPE_FEATURE_STACKS	0x1000ULL /* cape_stack.h */
#define CAPE_FEATURE_SEEK_EPOCH	0x2000ULL /* CAPE_SEEK_EPOCH */

/**
 * struct cape_version - CAPE_GET_VERSION, on /dev/cape
 * @version: out, CAPE_VERSION_NUMBER of the driver
 * @page_size: out, bytes per page: the unit of twins and of locked ranges
 * @features: out, CAPE_FEATURE_* bits
 * @max_ranges: out, the most ranges that CAPE_LOCK takes
 * @reserved: out, zero
 */
struct cape_version {
	__u32 version;
	__u32 page_size;
	__u64 features;
	__u32 max_ranges;
	__u32 reserved;
};

/**
 * struct cape_attach - CAPE_ATTACH, on /dev/cape
 * @pid: in, process id (thread group id) in the caller's pid namespace
 * @flags: in, must be zero
 *
 * A number is as good as a pidfd here: as the caller traces the process, the number is not given to
 * another before the caller has waited for the end of this one.  Who has a pidfd reads the number
 * in its /proc/self/fdinfo ("Pid:"), traces, attaches, and then has poll(2) tell that the pidfd is
 * not readable: if its process is there after that, the number was its all the time.  That /proc
 * must be of the caller's own pid namespace: "NSpid:" in its /proc/self/status is one number.
 *
 * Returns the attach descriptor, close-on-exec.  It stays bound to the process image of this
 * moment; after execve or exit of the process all requests give ESRCH.
 * EBUSY: another attach descriptor for this memory exists, of the caller.  One whose tracer has
 * ended or detached is replaced, and what was locked by it is let go of, unless a request on it is
 * under way (EBUSY): all its requests give ESRCH.
 */
struct cape_attach {
	__s32 pid;
	__u32 flags;
};

/**
 * struct cape_extent - a part of the address space of the process
 * @start: first byte, a multiple of the page size
 * @length: bytes, a multiple of the page size, not zero
 */
struct cape_extent {
	__u64 start;
	__u64 length;
};

/*
 * struct cape_lock, mode: how the writes are reported.
 *
 * CAPE_MODE_SNAPSHOT: not at all; the process runs on undisturbed, CAPE_COLLECT finds them.
 *
 * CAPE_MODE_NOTIFY: at the first write of every locked page by user code the process gets a
 * SIGSEGV, which stops it for its tracer before the instruction that wrote is carried out.  Its
 * siginfo has si_code SEGV_ACCERR, si_addr the address that is about to be written, and si_errno
 * CAPE_NOTIFY_ERRNO, which tells it from a genuine one.  The tracer calls CAPE_CAPTURE_PAGE and
 * continues the process with PTRACE_CONT and signal 0.  Reads never notify.  Not reported, but
 * found by CAPE_COLLECT, are writes by the kernel (read(2), signal frames, rseq ...), by
 * CAPE_WRITE_RANGE and by ptrace, by threads that the caller of CAPE_LOCK does not trace, by
 * processes made with CLONE_VM but without CLONE_THREAD, to pages pinned for DMA, and while SIGSEGV
 * is blocked: a checkpoint is what was captured and what CAPE_COLLECT then still finds.
 * A thread that was running while its page was captured or unlocked may yet be notified of it;
 * CAPE_CAPTURE_PAGE then gives ENOENT, and the thread can go on.  One that stops for another reason
 * (PTRACE_INTERRUPT, another thread's SIGSTOP) may have a notice pending, which PTRACE_PEEKSIGINFO
 * shows: let it come before PTRACE_DETACH, or it is the end of the process.
 *
 * CAPE_MODE_RECORD: the process runs on undisturbed; the first write to every locked page leaves a
 * record in the ring of CAPE_MAKE_RECORDER.
 */
#define CAPE_MODE_UNLOCKED	0	/* in struct cape_status only */
#define CAPE_MODE_SNAPSHOT	1
#define CAPE_MODE_NOTIFY	2
#define CAPE_MODE_RECORD	3

/* si_errno of the SIGSEGV of CAPE_MODE_NOTIFY ("CA" "PE"). */
#define CAPE_NOTIFY_ERRNO	0x43415045

/* struct cape_lock, flags */
#define CAPE_LOCK_CHECK		0x1U	/* take the sums of the twins, for CAPE_CHECK */
#define CAPE_LOCK_NO_TWINS	0x2U	/* only tell which pages are written */

/*
 * CAPE_LOCK_NO_TWINS, with CAPE_MODE_SNAPSHOT or CAPE_MODE_RECORD and without CAPE_LOCK_CHECK
 * (EINVAL): a bitmap of what was written, for who copies the memory by itself.  CAPE_COLLECT,
 * CAPE_EPOCH and CAPE_DIFF tell the same pages as without it, with CAPE_TWIN_NONE.  What needs old
 * contents gives EOPNOTSUPP: CAPE_COLLECT with @twins, CAPE_CAPTURE_PAGE, CAPE_READ_LOCKED, read(2)
 * and lseek(2), CAPE_VIEW, CAPE_CHECK, CAPE_ROLLBACK and CAPE_ROLLBACK_TO.
 * The driver refers to each page until it is written, which counts against RLIMIT_MEMLOCK as a twin
 * does, and keeps it from being swapped out.  After that the page is given up, within some 10 ms;
 * more if looking for such pages would take more than a twentieth of a processor.  So @page_count
 * of struct cape_lock, and the twin_count of struct cape_status, are of pages that were not
 * written.
 * Only here a page of text counts as written if the process had its own one at the lock, and a
 * breakpoint of the kernel's (uprobes) came or went there since.
 */

/**
 * struct cape_lock - CAPE_LOCK: lock_process_image
 * @mode: in, CAPE_MODE_SNAPSHOT, CAPE_MODE_NOTIFY or CAPE_MODE_RECORD
 * @flags: in, CAPE_LOCK_* bits
 * @ranges: in, pointer to struct cape_extent[@range_count], ascending, not overlapping; zero when
 *	@range_count is
 * @range_count: in, number of ranges; zero locks the whole process image, also what is mapped later
 * @reserved: in, must be zero
 * @page_count: out, number of twins that the driver now holds (pages that exist; memory that
 *	was never touched and unmodified pages of files are locked too but need no twin)
 *
 * A range may contain holes and memory that is not covered; these are skipped.  All threads of
 * the process should be stopped, or what they write meanwhile may count as before or as after.
 * The lock ends with the process, and with the tracer that called CAPE_LOCK, also if somebody has
 * the descriptor still.
 * While locked, the process gets no new transparent huge pages (children that it makes meanwhile
 * inherit that, as with PR_SET_THP_DISABLE; if it sets that itself, the unlock clears it).
 * Twins count against the RLIMIT_MEMLOCK of the caller's user, unless it has CAP_IPC_LOCK; beyond
 * that the request gives ENOMEM.
 * EBUSY: locked already.  E2BIG: more than max_ranges.  EAGAIN: threads or huge pages were made
 * faster than they could be locked; stop the process first.  ENOMEM, too: what was swapped out
 * cannot be brought back, as the process's cgroup has no memory.  EOPNOTSUPP: a device has, or has
 * had, translations of its own of the process's memory (KVM, RDMA on demand, GPUs, SVA): it would
 * go on to write to locked pages.  Such a device that is opened while the memory is locked is no
 * hindrance.  ENXIO: there is no recorder for CAPE_MODE_RECORD.
 */
struct cape_lock {
	__u32 mode;
	__u32 flags;
	__u64 ranges;
	__u32 range_count;
	__u32 reserved;
	__u64 page_count;
};

/**
 * struct cape_page - CAPE_UNLOCK_PAGE: unlock_a_page
 * @address: in, any address within the page
 *
 * Gives up the twin of the page: it is neither notified nor collected until the next CAPE_LOCK.
 * Where the process has no memory, it takes memory of the driver's to note that, two pages for each
 * 2 MB, which count as twins do (ENOMEM).
 * ENODATA: no image is locked.  ENOENT: the page is not locked (outside of the ranges, or unlocked
 * before).
 */
struct cape_page {
	__u64 address;
};

/* struct cape_make_recorder, record_count */
#define CAPE_RECORDS_LEAST	16
#define CAPE_RECORDS_MOST	1048576

/**
 * struct cape_make_recorder - CAPE_MAKE_RECORDER: a ring for the records of CAPE_MODE_RECORD
 * @record_count: in, records in the ring, a power of two, CAPE_RECORDS_LEAST to CAPE_RECORDS_MOST
 * @flags: in, must be zero
 *
 * Returns the recorder's descriptor, close-on-exec, which is mapped (MAP_SHARED) and polled:
 *
 *	bytes from 0		one page with struct cape_record_control, which the reader writes
 *	bytes from page_size	one page with struct cape_record_header
 *	from records_offset	record_count times record_size bytes: struct cape_record
 *
 * Only the first page can be mapped writable, and only by itself (EPERM).  A reader takes the
 * records from its tail up to head, which it loads with acquire semantics; record n lies at
 * records_offset + n % record_count * record_size.  Then it stores the new tail with release
 * semantics: the room is free again.  A tail beyond head, or more than record_count after it,
 * counts as a full ring.  Nothing is overwritten that has not been read: where there is no room
 * the record is lost, and counted.
 *
 * poll(2) tells POLLIN while head is not tail, and POLLHUP when nothing will be recorded any more:
 * the process has ended, the attach descriptor was closed or replaced, or another recorder has been
 * made; after execve() at the tracer's next request.  What was recorded can be read as long as the
 * descriptor or a mapping is there.
 *
 * The ring counts against RLIMIT_MEMLOCK as twins do (ENOMEM).  A new recorder takes the place of
 * the one before.  EBUSY: the image is locked with CAPE_MODE_RECORD, or bytes are watched.
 */
struct cape_make_recorder {
	__u32 record_count;
	__u32 flags;
};

/**
 * struct cape_record_control - what the reader tells the driver
 * @tail: records that it has read
 */
struct cape_record_control {
	__u64 tail;
};

#define CAPE_RECORD_VERSION	1

/**
 * struct cape_record_header - what the driver tells the reader
 * @version: CAPE_RECORD_VERSION; another one is another layout
 * @records_offset: bytes from the start of the file to the first record
 * @record_size: bytes from one record to the next; may grow, with fields after those known here
 * @record_count: records in the ring
 * @head: records that were written
 * @lost: records for which there was no room
 * @stack_offset: bytes from the start of a record to its struct cape_record_stack (cape_stack.h), a
 *	multiple of 8; zero: records have none
 * @reserved: zero
 */
struct cape_record_header {
	__u32 version;
	__u32 records_offset;
	__u32 record_size;
	__u32 record_count;
	__u64 head;
	__u64 lost;
	__u32 stack_offset;
	__u32 reserved;
};

#define CAPE_RECORD_USER_STACK	 16
#define CAPE_RECORD_KERNEL_STACK 8

/* struct cape_record, flags */
#define CAPE_RECORD_BY_KERNEL	0x1U	/* the kernel wrote, for the thread */
#define CAPE_RECORD_WATCHED	0x2U	/* any write to watched bytes: cape_bytes.h */

/**
 * struct cape_record - the first write to a locked page
 * @number: of the record, from zero; those that were lost are counted: where numbers are missing
 * @time: CLOCK_MONOTONIC, in nanoseconds
 * @epoch: which lock it was since CAPE_ATTACH, from one; see also cape_epoch.h
 * @value: in its place with CAPE_RECORD_WATCHED: up to eight bytes at @address, after the write
 * @address: that was written to, or the first of the write in its page; with CAPE_RECORD_WATCHED,
 *	the first byte of the breakpoint
 * @instruction: of the process, that wrote; with CAPE_RECORD_WATCHED, the next one (that of a
 *	string instruction, if it has rounds left); with CAPE_RECORD_BY_KERNEL, where the process
 *	goes on after the system call
 * @thread: that wrote, its id in the pid namespace of who called CAPE_LOCK
 * @cpu: on which it ran
 * @system_call: with CAPE_RECORD_BY_KERNEL, the number of the one that the thread is in; -1 if it
 *	is in none (signal frames, rseq)
 * @flags: CAPE_RECORD_* bits
 * @user_depth: entries at @user_stack
 * @kernel_depth: entries at @kernel_stack
 * @reserved: zero
 * @user_stack: @instruction, and the return addresses that frame pointers lead to: nonsense, or
 *	nothing, in code that was compiled without (-fno-omit-frame-pointer)
 * @kernel_stack: with CAPE_RECORD_BY_KERNEL, from the instruction that wrote on, if who called
 *	CAPE_MAKE_RECORDER had CAP_PERFMON; the addresses are those of /proc/kallsyms
 *
 * Nothing is recorded as long as who called CAPE_LOCK does not trace the process.  If that is not
 * dumpable (PR_SET_DUMPABLE), so that PTRACE_PEEKDATA would read none of its memory, records have
 * none of it, either: no @value, nor return addresses; unless who called CAPE_MAKE_RECORDER had
 * CAP_SYS_PTRACE.
 *
 * A write is recorded if it makes a page fault of a thread of the process, in its own code or in a
 * system call: copies to it (read, recv, pipes, stat, ...), signal frames, rseq, threads' ids.
 * Each page has at most one record in an epoch, and CAPE_ROLLBACK starts it anew.  Not seen here,
 * but found by CAPE_COLLECT, are pages that became writable without such a fault:
 *  - the kernel had got the page by itself (get_user_pages): O_DIRECT and other DMA, io_uring's
 *    fixed buffers, vmsplice, futex operations on a page not yet written, process_vm_writev and
 *    ptrace of others, CAPE_WRITE_RANGE, MADV_POPULATE_WRITE, mlock;
 *  - processes made with CLONE_VM but without CLONE_THREAD, and vfork;
 *  - kernel threads on behalf of the process (vhost; io_uring's SQPOLL in another process);
 *  - pages pinned for DMA when they were locked.
 * The page of such a write has no record later, or, if it was swapped out meanwhile, that of the
 * thread that needs it next, as it may be writable at once.
 */
struct cape_record {
	__u64 number;
	__u64 time;
	union {
		__u64 epoch;
		__u64 value;
	};
	__u64 address;
	__u64 instruction;
	__u32 thread;
	__u32 cpu;
	__s32 system_call;
	__u32 flags;
	__u16 user_depth;
	__u16 kernel_depth;
	__u32 reserved;
	__u64 user_stack[CAPE_RECORD_USER_STACK];
	__u64 kernel_stack[CAPE_RECORD_KERNEL_STACK];
};

/* What the twin of a page is: struct cape_capture and struct cape_dirty. */
#define CAPE_TWIN_NONE	0	/* the page has not been written since it was locked, or ... */
				/* ... in struct cape_dirty, none is kept (CAPE_LOCK_NO_TWINS) */
#define CAPE_TWIN_ZERO	1	/* it did not exist when it was locked: the twin is all zero */
#define CAPE_TWIN_PAGE	2	/* the twin has page_size bytes of its own */

/* struct cape_capture, flags */
#define CAPE_CAPTURE_KEEP	0x1U	/* leave the page locked: only look at its twin */

/**
 * struct cape_capture - CAPE_CAPTURE_PAGE: read the twin of a page, then unlock_a_page
 * @address: in, any address within the page
 * @twin: in, pointer to page_size bytes for the twin, which are filled in either case of
 *	CAPE_TWIN_ZERO and CAPE_TWIN_PAGE; zero if the bytes are not wanted
 * @flags: in, CAPE_CAPTURE_* bits
 * @twin_state: out, CAPE_TWIN_*; with CAPE_TWIN_NONE the page stays locked and @twin untouched
 *
 * ENODATA: no image is locked.  ENOENT: the page is not locked (outside of the ranges, or unlocked
 * before).  With EFAULT the page stays locked.
 */
struct cape_capture {
	__u64 address;
	__u64 twin;
	__u32 flags;
	__u32 twin_state;
};

/* struct cape_dirty, flags */
#define CAPE_DIRTY_PINNED	0x1U	/* pinned for DMA: reported, written or not */
#define CAPE_DIRTY_AWAITED	0x2U	/* userfaultfd had yet to provide it: it has no twin */

/**
 * struct cape_dirty - one page that was written since it was locked
 * @address: first byte of the page
 * @twin_state: CAPE_TWIN_ZERO or CAPE_TWIN_PAGE; with CAPE_LOCK_NO_TWINS, CAPE_TWIN_NONE
 * @flags: CAPE_DIRTY_* bits
 *
 * A page that was written is reported even if its bytes are the same again.  So is one whose bytes
 * were dropped (MADV_DONTNEED, or unmapped and mapped anew), that was moved here (mremap), or in
 * whose place something else was mapped, covered or not, be it only read or not touched at all.
 * A page that is not mapped any more is not, nor are pages of a file, before they are written, that
 * was mapped where nothing was.
 * The twin of a page that was a file's is what that file has now: whoever has written to the file
 * or truncated it since, be it the process itself, has changed that twin, and what CAPE_ROLLBACK
 * puts back, without an error.
 * Breakpoints that the kernel puts into text, or takes away (uprobes), are not reported, and
 * CAPE_ROLLBACK leaves them as they are.
 * What userfaultfd (UFFDIO_REGISTER_MODE_MISSING) had yet to provide when the image was locked is
 * reported with CAPE_TWIN_ZERO and CAPE_DIRTY_AWAITED: what it would have been is not known.
 */
struct cape_dirty {
	__u64 address;
	__u32 twin_state;
	__u32 flags;
};

/* struct cape_collect, flags */
#define CAPE_COLLECT_UNLOCK	0x1U	/* also unlock every page that is reported */

/* struct cape_collect, cursor: there is nothing more. */
#define CAPE_CURSOR_END	(~0ULL)

/**
 * struct cape_collect - CAPE_COLLECT: written pages that are still locked, in ascending order
 * @cursor: in, zero to begin, or what the last call gave; out, where to go on, or CAPE_CURSOR_END
 * @pages: in, pointer to struct cape_dirty[@page_capacity]
 * @twins: in, pointer to @twin_capacity times page_size bytes; zero if only addresses are wanted
 * @page_capacity: in, entries at @pages, not zero
 * @twin_capacity: in, twins that fit at @twins; not zero, unless @twins is
 * @flags: in, CAPE_COLLECT_* bits
 * @page_count: out, entries written at @pages
 * @twin_count: out, twins written at @twins: those of the entries with CAPE_TWIN_PAGE, in order
 * @reserved: in, must be zero
 *
 * Call it until @cursor is CAPE_CURSOR_END; a call may report fewer pages than fit, even none.
 * ENODATA: no image is locked.  EOPNOTSUPP: it is locked with CAPE_LOCK_NO_TWINS, and @twins is not
 * zero.  With an error no page is unlocked.
 */
struct cape_collect {
	__u64 cursor;
	__u64 pages;
	__u64 twins;
	__u32 page_capacity;
	__u32 twin_capacity;
	__u32 flags;
	__u32 page_count;
	__u32 twin_count;
	__u32 reserved;
};

/**
 * struct cape_check - CAPE_CHECK: twins that have changed since they were taken, in ascending order
 * @cursor: in, zero to begin, or what the last call gave; out, where to go on, or CAPE_CURSOR_END
 * @pages: in, pointer to struct cape_dirty[@page_capacity]
 * @page_capacity: in, entries at @pages, not zero
 * @page_count: out, entries written at @pages
 * @twin_count: out, twins that were looked at
 * @flags: in, must be zero
 * @reserved: in, must be zero
 *
 * Nobody may write to a twin: at the first write to a locked page the process, and the kernel on
 * its behalf, get another page.  So whatever is reported here was written without a page fault: by
 * a device (or its driver) that was not informed that the page became read-only, or was not done
 * with it, by a processor with an old translation, or by an error in the kernel's copy-on-write.
 * The twin_state of an entry is CAPE_TWIN_NONE if the process has got no other page since: it sees
 * what was written, and CAPE_COLLECT does not tell it.  With CAPE_TWIN_PAGE it has got one, and
 * what was written is lost to it.  What was in the twin before is not known any more.
 * ENODATA: no image is locked.  EOPNOTSUPP: it was locked without CAPE_LOCK_CHECK.
 */
struct cape_check {
	__u64 cursor;
	__u64 pages;
	__u32 page_capacity;
	__u32 page_count;
	__u64 twin_count;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct cape_access - CAPE_READ_RANGE, CAPE_WRITE_RANGE and CAPE_READ_LOCKED
 * @address: in, first byte in the process
 * @length: in, bytes; zero is allowed and checks the caller's rights only
 * @buffer: in, pointer to @length bytes of the caller
 * @flags: in, must be zero
 * @reserved: in, must be zero
 * @done: out, bytes that were transferred, also when the request fails
 *
 * Memory that the process itself may not read or write is not accessible here either (EFAULT), nor
 * is memory that userfaultfd has yet to provide: nobody is asked for it.
 * CAPE_WRITE_RANGE refuses shared mappings and memory that is not writable (EACCES).  What it
 * writes to locked pages counts as written by the process.
 *
 * CAPE_READ_LOCKED reads what was there when the image was locked, while the process runs on.  All
 * calls together see one instant.  Memory that the process may not read is no exception.  What is
 * not locked, not covered or was not mapped gives EFAULT, as does what userfaultfd had yet to
 * provide then; a page that was unlocked or captured since gives ESTALE.  ENODATA: no image is
 * locked.  Pages of a file that nobody had written to are read from the file now.  CAPE_VIEW
 * (cape_epoch.h) has it read a later instant, or again this one.
 *
 * The attach descriptor is a sparse file of the same, whose offsets are the addresses of the
 * process: read(2), pread(2) and the like give what CAPE_READ_LOCKED gives, with its errors, or
 * fewer bytes where the next could not be read.  lseek(2) with SEEK_DATA and SEEK_HOLE tells what
 * there was.  A hole is what was not mapped, is not locked or not covered, or awaited from
 * userfaultfd, which cannot be read; and private memory that had never been touched, which is zero.
 * Its size is that of the address space.  It cannot be mapped.
 */
struct cape_access {
	__u64 address;
	__u64 length;
	__u64 buffer;
	__u32 flags;
	__u32 reserved;
	__u64 done;
};

/**
 * struct cape_rollback - CAPE_ROLLBACK: puts the memory back to what it was when it was locked
 * @flags: in, must be zero
 * @reserved: in, must be zero
 * @page_count: out, pages that were put back, also when the request fails
 * @new_bytes: out, memory in the locked ranges that is mapped and was not when they were locked;
 *	zero when the request fails
 * @address: out, when the request fails: the place that cannot be put back, or zero
 *
 * All threads must be in a ptrace stop.  Afterwards the image is locked as it was, with nothing
 * written: it can be let run and be put back again, thousands of times.  Pages that were dropped,
 * swapped out or shared with a child by fork are put back, too, and no child sees it.
 * Processes that share the memory without being threads (CLONE_VM, vfork), and what the kernel does
 * for the process (io_uring), are not stopped: what they write meanwhile is put back, or counts as
 * written since.  It never gets into a twin.
 *
 * Only the bytes of memory that is covered are put back.  What is mapped now and was not then stays
 * mapped, as zeros or as its file has it.  Nor are protections, the break, shared memory, files
 * and signals; registers are the tracer's affair (PTRACE_SETREGSET).  Pages pinned for DMA are put
 * back and counted each time, and may be written to again at any time.
 *
 * A page that had no twin, as it did not exist or was a file's, is taken from the process, which
 * finds zeros there, or the file's page, or asks userfaultfd again, as it did then.  If it is
 * pinned for DMA, or userfaultfd is to be asked before a write, it is given a twin that counts as
 * that of a page does (see RLIMIT_MEMLOCK at struct cape_lock), and is put back as others are.  So
 * is each of them without CAPE_FEATURE_DROP: the kernel then does not let modules take pages away.
 *
 * ENODATA: no image is locked.  EBUSY: a thread is not stopped.  ESTALE, and nothing has changed:
 * what was mapped at @address is not mapped any more, or is something else (munmap, mremap, a
 * smaller break), or the page's twin was given up (CAPE_UNLOCK_PAGE, CAPE_CAPTURE_PAGE without
 * CAPE_CAPTURE_KEEP, CAPE_COLLECT_UNLOCK), or userfaultfd has provided the page since and it cannot
 * be taken away, as above (the process can drop it by MADV_DONTNEED).  EOPNOTSUPP, and nothing has
 * changed: a device has got translations of its own, as at struct cape_lock.  Any other error
 * (ENOMEM, EINTR, EFAULT where the process may not have memory any more or userfaultfd is to be
 * asked before a write, EIO of a file or of swap) may leave some pages put back and others not: ask
 * again, or give the process up.
 */
struct cape_rollback {
	__u32 flags;
	__u32 reserved;
	__u64 page_count;
	__u64 new_bytes;
	__u64 address;
};

/**
 * struct cape_status - CAPE_GET_STATUS
 * @pid: out, process id in the caller's pid namespace
 * @mode: out, CAPE_MODE_*
 * @ranges: in, pointer to struct cape_extent[@range_capacity], or zero
 * @range_capacity: in, entries at @ranges
 * @range_count: out, locked ranges, which may be more than @range_capacity; zero if the whole
 *	image is locked, or nothing
 * @twin_count: out, twins that the driver holds: pages locked and not yet unlocked or captured.  A
 *	twin that was part of a huge page keeps all of that in memory
 * @open_count: out, pages that were unlocked or captured since the image was locked
 * @thread_count: out, threads that are watched by counters of their own (CAPE_MODE_NOTIFY; those
 *	made since inherit theirs and are not counted)
 * @reserved: in, must be zero
 *
 * Works also after execve or exit: then @mode tells what is still held.
 */
struct cape_status {
	__s32 pid;
	__u32 mode;
	__u64 ranges;
	__u32 range_capacity;
	__u32 range_count;
	__u64 twin_count;
	__u64 open_count;
	__u32 thread_count;
	__u32 reserved;
};

/**
 * struct cape_statistics - CAPE_GET_STATISTICS, all since CAPE_ATTACH
 * @locks: out, times that the image was locked
 * @unlocks: out, times that it was unlocked as a whole
 * @pages_locked: out, twins taken
 * @pages_captured: out, pages captured by CAPE_CAPTURE_PAGE
 * @pages_unlocked: out, pages unlocked one by one, without being captured
 * @pages_collected: out, pages reported by CAPE_COLLECT
 * @faults_notified: out, SIGSEGVs sent to the process
 * @faults_ignored: out, page faults seen that were no first write of a locked page
 * @bytes_read: out, by CAPE_READ_RANGE
 * @bytes_written: out, by CAPE_WRITE_RANGE
 * @lock_ns: out, nanoseconds spent in CAPE_LOCK
 * @collect_ns: out, nanoseconds spent in CAPE_COLLECT
 * @reserved: out, zero
 *
 * Works also after execve or exit.
 */
struct cape_statistics {
	__u64 locks;
	__u64 unlocks;
	__u64 pages_locked;
	__u64 pages_captured;
	__u64 pages_unlocked;
	__u64 pages_collected;
	__u64 faults_notified;
	__u64 faults_ignored;
	__u64 bytes_read;
	__u64 bytes_written;
	__u64 lock_ns;
	__u64 collect_ns;
	__u64 reserved[4];
};

#define CAPE_IOCTL_TYPE	0xC9

/* On /dev/cape. */
#define CAPE_GET_VERSION	_IOR(CAPE_IOCTL_TYPE, 0x00, struct cape_version)
#define CAPE_ATTACH		_IOW(CAPE_IOCTL_TYPE, 0x01, struct cape_attach)

/* On an attach descriptor. */
#define CAPE_LOCK		_IOWR(CAPE_IOCTL_TYPE, 0x10, struct cape_lock)
/* unlock_process_image; the argument must be zero.  ENODATA: no image is locked. */
#define CAPE_UNLOCK		_IO(CAPE_IOCTL_TYPE, 0x11)
#define CAPE_UNLOCK_PAGE	_IOW(CAPE_IOCTL_TYPE, 0x12, struct cape_page)
#define CAPE_CAPTURE_PAGE	_IOWR(CAPE_IOCTL_TYPE, 0x13, struct cape_capture)
#define CAPE_COLLECT		_IOWR(CAPE_IOCTL_TYPE, 0x14, struct cape_collect)
#define CAPE_READ_RANGE		_IOWR(CAPE_IOCTL_TYPE, 0x15, struct cape_access)
#define CAPE_WRITE_RANGE	_IOWR(CAPE_IOCTL_TYPE, 0x16, struct cape_access)
#define CAPE_GET_STATUS		_IOWR(CAPE_IOCTL_TYPE, 0x17, struct cape_status)
#define CAPE_GET_STATISTICS	_IOR(CAPE_IOCTL_TYPE, 0x18, struct cape_statistics)
#define CAPE_READ_LOCKED	_IOWR(CAPE_IOCTL_TYPE, 0x1A, struct cape_access)
#define CAPE_ROLLBACK		_IOWR(CAPE_IOCTL_TYPE, 0x19, struct cape_rollback)
#define CAPE_CHECK		_IOWR(CAPE_IOCTL_TYPE, 0x1B, struct cape_check)
#define CAPE_MAKE_RECORDER	_IOW(CAPE_IOCTL_TYPE, 0x1C, struct cape_make_recorder)

#endif /* _UAPI_CAPE_H */
