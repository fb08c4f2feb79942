// SPDX-License-Identifier: GPL-2.0-only
/*
 * Telling the tracer of the first write to a page, when it happens (CAPE_MODE_NOTIFY), or having it
 * recorded (CAPE_MODE_RECORD).
 *
 * Every thread has two perf counters, of minor and of major page faults, which "overflow" at every
 * fault.  Then the kernel has handled the fault, but the instruction has not been carried out yet:
 * a signal that is sent now stops the thread before it.  Faults of the kernel itself, as it copies
 * to the process, are only recorded: there it cannot be stopped.
 *
 * A counter does not say whether the fault was a read or a write.  The page table does: after a
 * write the page is writable and another one than the twin.  After a read it is the twin itself,
 * the zero page or a page of a file, none of them writable.  What looks different, because the
 * page was changed once more in between, is not notified, but it is collected.
 *
 * The counters stay from the first such lock until the attach descriptor is closed: threads that
 * are made later inherit them, children and what is executed do not.
 */
#include <linux/hugetlb.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "time/time.h"
#include "trace.h"

/* The counters of one thread; in process->counters by its global thread id. */
struct cape_counter {
	struct task_struct *task;
	struct perf_event *minor;
	struct perf_event *major;
};

/*
 * Would the signal stop the thread for @tracer?  To one without a tracer it would be the end; so
 * it might be if it was blocked and came later.  Called under RCU.
 */
static bool would_stop(struct pid *tracer)
{
	struct task_struct *parent = ptrace_parent(current);

	return parent && task_tgid(parent) == tracer && !sigismember(&current->blocked, SIGSEGV);
}

/* Is the page at @address, where there was a fault, one that was written for the first time? */
static bool is_first_write(struct cape_snapshot *snapshot, unsigned long address)
{
	struct cape_block *block;
	struct page *page, *twin = NULL;
	unsigned int index = cape_page_index(address);
	bool written;

	if (!cape_in_ranges(snapshot, address))
		return false;
	block = cape_find_block(snapshot, address);
	if (block) {
		if (test_bit(index, block->open) || test_bit(index, block->notified) ||
		    test_bit(index, block->pinned))
			return false;
		twin = READ_ONCE(block->twin[index]);
	}
	if (get_user_pages_fast_only(address & PAGE_MASK, 1, FOLL_WRITE, &page) != 1)
		return false;
	/* Private pages of hugetlbfs are anonymous, too, but not covered. */
	written = PageAnon(page) && !PageHuge(page) && page != twin;
	put_page(page);
	if (!written)
		return false;
	block = cape_get_block(snapshot, address, GFP_NOWAIT | __GFP_NOWARN);
	/* Without memory for the mark, better twice than never. */
	return !block || !test_and_set_bit(index, block->notified);
}

/* Makes the thread stop for its tracer before it goes on in user mode. */
static void notify_tracer(unsigned long address)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = SIGSEGV;
	info.si_errno = CAPE_NOTIFY_ERRNO;
	info.si_code = SEGV_ACCERR;
	info.si_addr = (void __user *)address;
	send_sig_info(SIGSEGV, &info, current);
}

static void record_first_write(struct cape_process *process, struct cape_snapshot *snapshot,
			       unsigned long address, struct pt_regs *regs)
{
	struct cape_write write = {
		.address = address,
		.epoch = READ_ONCE(snapshot->epoch),
		.tracer = snapshot->tracer,
	};

	cape_record_write(process, &write, regs);
}

/* Runs in the thread that faulted, in its page fault, and must not sleep. */
static void after_page_fault(struct perf_event *event, struct perf_sample_data *sample,
			     struct pt_regs *regs)
{
	struct cape_process *process = event->overflow_handler_context;
	struct cape_snapshot *snapshot;
	unsigned long address = sample->addr;

	if (current->mm != process->mm)
		return;
	rcu_read_lock();
	snapshot = rcu_dereference(process->snapshot);
	if (snapshot && snapshot->mode == CAPE_MODE_RECORD) {
		if (cape_is_traced_by(snapshot->tracer) && is_first_write(snapshot, address))
			record_first_write(process, snapshot, address, regs);
		else
			atomic64_inc(&process->faults_ignored);
	} else if (snapshot && snapshot->mode == CAPE_MODE_NOTIFY && user_mode(regs)) {
		if (would_stop(snapshot->tracer) && is_first_write(snapshot, address)) {
			atomic64_inc(&process->faults_notified);
			trace_cape_notify(process->pid, address);
			notify_tracer(address);
		} else {
			atomic64_inc(&process->faults_ignored);
		}
	}
	rcu_read_unlock();
}

static struct perf_event *new_event(struct cape_process *process, struct task_struct *task,
				    u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.inherit_thread = 1,
		.remove_on_exec = 1,
	};

	return perf_event_create_kernel_counter(&attr, -1, task, after_page_fault, process);
}

static void free_counter(struct cape_counter *counter)
{
	if (!IS_ERR_OR_NULL(counter->minor))
		perf_event_release_kernel(counter->minor);
	if (!IS_ERR_OR_NULL(counter->major))
		perf_event_release_kernel(counter->major);
	put_task_struct(counter->task);
	kfree(counter);
}

/* Takes over the reference to @task.  A thread that is just ending is no error. */
static int watch_thread(struct cape_process *process, struct task_struct *task)
{
	struct cape_counter *counter;
	int err;

	counter = kzalloc(sizeof(*counter), GFP_KERNEL_ACCOUNT);
	if (!counter) {
		put_task_struct(task);
		return -ENOMEM;
	}
	counter->task = task;
	process->counted = true;
	counter->minor = new_event(process, task, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	counter->major = new_event(process, task, PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	err = PTR_ERR_OR_ZERO(counter->minor) ?: PTR_ERR_OR_ZERO(counter->major);
	if (!err)
		err = xa_insert(&process->counters, task->pid, counter, GFP_KERNEL_ACCOUNT);
	if (err) {
		free_counter(counter);
		return err == -ESRCH ? 0 : err;
	}
	process->thread_count++;
	return 0;
}

/* A living thread, with a reference, whose global id is not in @watched, or NULL. */
struct task_struct *cape_find_unwatched(struct cape_process *process, struct xarray *watched)
{
	struct task_struct *leader, *task, *found = NULL;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, task) {
			if (task->flags & PF_EXITING || xa_load(watched, task->pid))
				continue;
			found = get_task_struct(task);
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/**
 * cape_watch_threads() - have page faults of all threads reported to after_page_fault()
 * @process: its lock is held
 *
 * Only the first call has something to do: what is made by a watched thread is watched.
 *
 * Return: 0, -ENOMEM, or -EAGAIN if there are ever more threads.
 */
int cape_watch_threads(struct cape_process *process)
{
	struct task_struct *task;
	int err = 0;

	if (process->watched)
		return 0;
	while (!err && (task = cape_find_unwatched(process, &process->counters))) {
		err = watch_thread(process, task);
		if (process->thread_count > CAPE_MAX_THREADS)
			err = -EAGAIN;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	if (err)
		cape_unwatch_threads(process);
	else
		process->watched = true;
	return err;
}

/* When this returns, after_page_fault() does not run for @process any more. */
void cape_unwatch_threads(struct cape_process *process)
{
	struct cape_counter *counter;
	unsigned long id;

	if (!process->counted)
		return;
	xa_for_each(&process->counters, id, counter)
		free_counter(counter);
	xa_destroy(&process->counters);
	process->thread_count = 0;
	process->watched = false;
	process->counted = false;
	/*
	 * A handler that has begun holds up RCU until it ends.  Since 2026 stable kernels run it
	 * with interrupts off, so that the counters are not even removed before.
	 */
	synchronize_rcu();
}
