// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets go of what is locked when nobody can use it any more: the process has ended, or its tracer
 * has, or has detached and another one come, though the attach descriptor is still open.  Also of
 * twins that are not kept, once the process has other pages.  Readers of a recorder are informed of
 * the end of the process whether it is locked or not.
 *
 * Both are waited for as pidfds wait.  Memory that is short does not wait: what is held of
 * processes that have ended is given back before the kernel looks for another one to kill.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/pid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "device/device.h"
#include "time/time.h"

/* When to look again, while the threads of a process end, or a request is under way. */
#define CAPE_SOON	(HZ / 10)

/* How often twins that are not kept are looked for, and what part of a processor that may take. */
#define CAPE_SWEEP_MS	10
#define CAPE_SWEEP_PART	20

/* unlock_process_image, whatever the reason.  Fine if not locked. */
void cape_let_go(struct cape_process *process)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	if (!snapshot)
		return;
	remove_wait_queue(&snapshot->tracer->wait_pidfd, &process->tracer_end);
	cape_unlock(process);
}

/* Of an image that is not there any more, or of a descriptor that is of no use any more. */
void cape_let_go_for_good(struct cape_process *process)
{
	cape_let_go(process);
	cape_end_recorder(process);
}

/* Is somebody about to end for whom something is to be done then? */
static bool will_end(struct cape_process *process)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	if (snapshot && cape_end_of(snapshot->tracer))
		return true;
	return (snapshot || rcu_access_pointer(process->recorder)) && cape_end_of(process->pid);
}

/* Looks whether the process or its tracer has ended: now, or soon if they are about to. */
static void look_for_end(struct work_struct *work)
{
	struct cape_process *process = container_of(to_delayed_work(work), struct cape_process,
						    look);
	struct cape_snapshot *snapshot;

	/* A request may take as long as its caller's memory does, and others wait for this work. */
	if (!mutex_trylock(&process->lock)) {
		queue_delayed_work(cape_workers, &process->look, CAPE_SOON);
		return;
	}
	snapshot = cape_locked_snapshot(process);
	/* One that has detached keeps what it has locked until another traces the process. */
	if (cape_is_gone(process) || process->replaced)
		cape_let_go_for_good(process);
	else if (snapshot && (cape_end_of(snapshot->tracer) == CAPE_HAS_ENDED ||
			      cape_has_another_tracer(process, snapshot->tracer)))
		cape_let_go(process);
	else if (will_end(process))
		queue_delayed_work(cape_workers, &process->look, CAPE_SOON);
	mutex_unlock(&process->lock);
}

/* Called by whoever ends, with locks held: of the process, or of its tracer. */
static int program_ends(struct wait_queue_entry *wait, unsigned int mode, int flags, void *key)
{
	struct cape_process *process = container_of(wait, struct cape_process, program_end);

	mod_delayed_work(cape_workers, &process->look, 0);
	return 0;
}

static int tracer_ends(struct wait_queue_entry *wait, unsigned int mode, int flags, void *key)
{
	struct cape_process *process = container_of(wait, struct cape_process, tracer_end);

	mod_delayed_work(cape_workers, &process->look, 0);
	return 0;
}

/* While twins are not kept: gives up those that the process has no more. */
static void sweep_twins(struct work_struct *work)
{
	struct cape_process *process = container_of(to_delayed_work(work), struct cape_process,
						    sweep);
	unsigned long delay = msecs_to_jiffies(CAPE_SWEEP_MS);
	struct cape_snapshot *snapshot;
	u64 begin = ktime_get_ns();
	bool more = true;

	if (mutex_trylock(&process->lock)) {
		snapshot = cape_locked_snapshot(process);
		more = snapshot && snapshot->no_twins;
		if (more)
			cape_forget_twins(snapshot);
		mutex_unlock(&process->lock);
	}
	delay = max(delay, nsecs_to_jiffies(CAPE_SWEEP_PART * (ktime_get_ns() - begin)));
	if (more)
		queue_delayed_work(cape_workers, &process->sweep, delay);
}

/* For a new process object: from now on the end of its process is waited for. */
void cape_watch_init(struct cape_process *process)
{
	INIT_DELAYED_WORK(&process->look, look_for_end);
	INIT_DELAYED_WORK(&process->sweep, sweep_twins);
	init_waitqueue_func_entry(&process->program_end, program_ends);
	init_waitqueue_func_entry(&process->tracer_end, tracer_ends);
	add_wait_queue(&process->pid->wait_pidfd, &process->program_end);
}

/**
 * cape_watch_lock() - let go of what has just been locked when the process or its tracer ends, and
 *	before that of twins that are not kept
 * @process: its lock is held
 */
void cape_watch_lock(struct cape_process *process)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	add_wait_queue(&snapshot->tracer->wait_pidfd, &process->tracer_end);
	/* It may have happened already. */
	if (cape_is_gone(process) || cape_end_of(process->pid))
		mod_delayed_work(cape_workers, &process->look, 0);
	if (snapshot->no_twins)
		queue_delayed_work(cape_workers, &process->sweep, msecs_to_jiffies(CAPE_SWEEP_MS));
}

/*
 * Before the process object is freed, with nothing locked, and not listed: the process's lock is
 * not held.
 */
void cape_watch_exit(struct cape_process *process)
{
	remove_wait_queue(&process->pid->wait_pidfd, &process->program_end);
	cancel_delayed_work_sync(&process->look);
	cancel_delayed_work_sync(&process->sweep);
}

/*
 * Returns how many pages it gave back.  The caller may be a request that holds any lock.  One that
 * is being killed, perhaps for memory, may take long to end, while the kernel kills others.
 */
static unsigned long give_back(struct cape_process *process)
{
	struct cape_snapshot *snapshot;
	unsigned long count = 0;

	if (!mutex_trylock(&process->lock))
		return 0;
	snapshot = cape_locked_snapshot(process);
	if (snapshot && (cape_is_gone(process) || cape_is_killed(process))) {
		count = snapshot->twin_count;
		cape_let_go(process);
	} else if (snapshot && snapshot->no_twins) {
		count = cape_forget_twins(snapshot);
	}
	mutex_unlock(&process->lock);
	return count;
}

static int memory_is_short(struct notifier_block *block, unsigned long unused, void *freed)
{
	*(unsigned long *)freed += cape_try_each_process(give_back);
	return NOTIFY_OK;
}

static struct notifier_block shortage = { .notifier_call = memory_is_short };

int cape_shortage_init(void)
{
	return register_oom_notifier(&shortage);
}

void cape_shortage_exit(void)
{
	unregister_oom_notifier(&shortage);
}
