// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recording every write to certain bytes, by the processor's breakpoints for data.
 *
 * Each thread has a perf event for each breakpoint.  Its handler runs when the instruction has
 * written: the address of the next one is known.  Threads that are made later inherit the events,
 * children and what is executed do not.
 *
 * If it is the kernel that writes, for a system call, the handler runs as in an NMI: whoever was
 * interrupted was about to write to user memory, and may hold locks of the kernel, but never the
 * recorder's.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "time/time.h"

/**
 * struct cape_watch - bytes of a process that are watched
 * @process: whose
 * @tracer: who watches them; with a reference
 * @threads: struct watched of every thread, by its global thread id
 * @thread_count: entries of @threads
 * @piece_count: entries of @piece
 * @piece: the bytes, by breakpoint
 */
struct cape_watch {
	struct cape_process *process;
	struct pid *tracer;
	struct xarray threads;
	u32 thread_count;
	u32 piece_count;
	struct {
		u64 address;
		u64 length;
	} piece[CAPE_WATCH_BREAKPOINTS];
};

/* The breakpoints of one thread. */
struct watched {
	struct task_struct *task;
	struct perf_event *event[CAPE_WATCH_BREAKPOINTS];
};

/* Runs in the thread that has written; must not sleep, nor take locks that others may hold here. */
static void after_write(struct perf_event *event, struct perf_sample_data *sample,
			struct pt_regs *regs)
{
	struct cape_watch *watch = event->overflow_handler_context;
	struct cape_write write = {
		.address = event->attr.bp_addr,
		.flags = CAPE_RECORD_WATCHED,
		.tracer = watch->tracer,
	};

	if (current->mm != watch->process->mm)
		return;
	if (copy_from_user_nofault(&write.value, (void __user *)(uintptr_t)write.address,
				   event->attr.bp_len))
		write.value = 0;
	rcu_read_lock();
	if (cape_is_traced_by(watch->tracer))
		cape_record_write(watch->process, &write, regs);
	rcu_read_unlock();
}

static struct perf_event *new_breakpoint(struct cape_watch *watch, struct task_struct *task,
					 unsigned int piece)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = watch->piece[piece].address,
		.bp_len = watch->piece[piece].length,
		.sample_period = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.inherit_thread = 1,
		.remove_on_exec = 1,
	};

	return perf_event_create_kernel_counter(&attr, -1, task, after_write, watch);
}

static void free_watched(struct watched *watched)
{
	unsigned int i;

	for (i = 0; i < CAPE_WATCH_BREAKPOINTS; i++)
		if (!IS_ERR_OR_NULL(watched->event[i]))
			perf_event_release_kernel(watched->event[i]);
	put_task_struct(watched->task);
	kfree(watched);
}

/* Takes over the reference to @task.  A thread that is just ending is no error. */
static int watch_thread(struct cape_watch *watch, struct task_struct *task)
{
	struct watched *watched = kzalloc(sizeof(*watched), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int err = 0;

	if (!watched) {
		put_task_struct(task);
		return -ENOMEM;
	}
	watched->task = task;
	for (i = 0; i < watch->piece_count && !err; i++) {
		watched->event[i] = new_breakpoint(watch, task, i);
		err = PTR_ERR_OR_ZERO(watched->event[i]);
	}
	if (!err)
		err = xa_insert(&watch->threads, task->pid, watched, GFP_KERNEL_ACCOUNT);
	if (err) {
		free_watched(watched);
		return err == -ESRCH ? 0 : err;
	}
	watch->thread_count++;
	return 0;
}

static int watch_threads(struct cape_watch *watch)
{
	struct task_struct *task;
	int err = 0;

	while (!err && (task = cape_find_unwatched(watch->process, &watch->threads))) {
		err = watch_thread(watch, task);
		if (watch->thread_count > CAPE_MAX_THREADS)
			err = -EAGAIN;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	return err;
}

/* When this returns, after_write() does not run for @watch any more, and there is none. */
static void free_watch(struct cape_watch *watch)
{
	struct watched *watched;
	unsigned long id;

	xa_for_each(&watch->threads, id, watched)
		free_watched(watched);
	xa_destroy(&watch->threads);
	/* A handler that has begun holds up RCU until it ends. */
	synchronize_rcu();
	put_pid(watch->tracer);
	kfree(watch);
}

/* The largest parts first that can begin where they do. */
static int divide(struct cape_watch *watch, u64 address, u64 length)
{
	while (length) {
		u64 size = 8;

		while (size > length || address % size)
			size /= 2;
		if (watch->piece_count == CAPE_WATCH_BREAKPOINTS)
			return -E2BIG;
		watch->piece[watch->piece_count].address = address;
		watch->piece[watch->piece_count++].length = size;
		address += size;
		length -= size;
	}
	return 0;
}

/* Is all of it mapped, somehow? */
static int check_mapped(struct cape_process *process, u64 address, u64 length)
{
	struct mm_struct *mm = cape_get_mm(process);
	u64 end = address + length;
	struct vm_area_struct *vma;
	int err;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	err = mmap_read_lock_killable(mm);
	if (err)
		goto out;
	while (!err && address < end) {
		vma = find_vma(mm, address);
		if (!vma || vma->vm_start > address)
			err = -EFAULT;
		else
			address = vma->vm_end;
	}
	mmap_read_unlock(mm);
out:
	mmput(mm);
	return err;
}

static struct cape_watch *new_watch(struct cape_process *process,
				    const struct cape_watch_bytes *request)
{
	struct cape_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);
	int err;

	if (!watch)
		return ERR_PTR(-ENOMEM);
	xa_init_flags(&watch->threads, XA_FLAGS_ACCOUNT);
	watch->process = process;
	watch->tracer = get_pid(task_tgid(current));
	err = divide(watch, request->address, request->length);
	err = err ?: watch_threads(watch);
	if (err) {
		free_watch(watch);
		return ERR_PTR(err);
	}
	return watch;
}

/* Records every write to some bytes from now on: see struct cape_watch_bytes. */
int cape_watch_bytes(struct cape_process *process, struct cape_watch_bytes *request)
{
	struct cape_watch *watch;
	int err;

	if (!rcu_access_pointer(process->recorder))
		return -ENXIO;
	if (process->watch)
		return -EBUSY;
	if (request->length > CAPE_WATCH_MOST)
		return -E2BIG;
	if (request->address >= process->mm->task_size ||
	    request->length > process->mm->task_size - request->address)
		return -EFAULT;
	err = check_mapped(process, request->address, request->length);
	if (err)
		return err;
	watch = new_watch(process, request);
	if (IS_ERR(watch))
		return PTR_ERR(watch);
	process->watch = watch;
	request->breakpoints = watch->piece_count;
	request->thread_count = watch->thread_count;
	return 0;
}

/* Fine if nothing is watched. */
void cape_unwatch_bytes(struct cape_process *process)
{
	if (process->watch)
		free_watch(process->watch);
	process->watch = NULL;
}
