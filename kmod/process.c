// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process object: one for each attached process image, listed once; who may make requests on
 * it, and what it tells of itself.
 */
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "compat.h"
#include "driver.h"

/* All attached processes: a process image is attached once. */
static LIST_HEAD(cape_processes);
static DEFINE_MUTEX(cape_processes_lock);

/* Works of the processes': some take as long as memory is large, but give memory back. */
struct workqueue_struct *cape_workers;

int cape_process_init(void)
{
	cape_workers = alloc_workqueue("cape", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return cape_workers ? 0 : -ENOMEM;
}

void cape_process_exit(void)
{
	destroy_workqueue(cape_workers);
}

/* Is the process image in use, by any thread?  Called under RCU. */
static bool uses_mm(struct task_struct *leader, const struct mm_struct *mm)
{
	struct task_struct *task;

	for_each_thread(leader, task)
		if (READ_ONCE(task->mm) == mm)
			return true;
	return false;
}

static bool is_tracer_of(struct task_struct *task)
{
	struct task_struct *tracer = ptrace_parent(task);

	return tracer && same_thread_group(tracer, current);
}

/* May the caller look into it?  Called under RCU, for a @task that has or had @mm. */
static bool may_look_into(struct task_struct *task, struct mm_struct *mm)
{
	return cape_is_readable(task, mm) || cape_may_read_all(task, mm);
}

/* Is the process that runs this traced by @tracer?  Called under RCU. */
bool cape_is_traced_by(struct pid *tracer)
{
	struct task_struct *parent = ptrace_parent(current->group_leader);

	return parent && task_tgid(parent) == tracer;
}

/* Has it not the image any more that was attached? */
bool cape_is_gone(struct cape_process *process)
{
	struct task_struct *leader;
	bool gone;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	gone = !leader || !uses_mm(leader, process->mm);
	rcu_read_unlock();
	return gone;
}

/* Is it being killed?  It runs none of its own code any more. */
bool cape_is_killed(struct cape_process *process)
{
	struct task_struct *leader;
	bool killed;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	killed = leader && READ_ONCE(leader->signal->flags) & SIGNAL_GROUP_EXIT;
	rcu_read_unlock();
	return killed;
}

/* Is the process traced, but by another than @tracer? */
bool cape_has_another_tracer(struct cape_process *process, struct pid *tracer)
{
	struct task_struct *leader, *parent;
	bool other;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	parent = leader ? ptrace_parent(leader) : NULL;
	other = parent && task_tgid(parent) != tracer;
	rcu_read_unlock();
	return other;
}

/* How far a process has come with its end.  It may yet have to be waited for. */
enum cape_end cape_end_of(struct pid *pid)
{
	struct task_struct *leader;
	enum cape_end end = CAPE_LIVES;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (!leader)
		end = CAPE_HAS_ENDED;
	else if (READ_ONCE(leader->exit_state))
		end = thread_group_empty(leader) ? CAPE_HAS_ENDED : CAPE_IS_ENDING;
	rcu_read_unlock();
	return end;
}

/**
 * cape_check_caller() - may the caller make requests on the process now?
 * @process: its lock is held
 *
 * Return: 0, -EPERM if the caller is not the tracer or may not read the program, or -ESRCH if the
 * process image is not in use any more.
 */
int cape_check_caller(struct cape_process *process)
{
	struct task_struct *leader;
	int err = 0;

	if (READ_ONCE(process->replaced))
		return -ESRCH;
	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	if (!leader || !uses_mm(leader, process->mm))
		err = -ESRCH;
	else if (!is_tracer_of(leader) || !may_look_into(leader, process->mm))
		err = -EPERM;
	rcu_read_unlock();
	return err;
}

/*
 * Is every thread in a stop for its tracer, or ending?  The kernel's own workers (io_uring, vhost)
 * are not asked: no tracer takes their registers back, and what they write goes by the page table.
 */
bool cape_stands_still(struct cape_process *process)
{
	struct task_struct *leader, *task;
	bool still = true;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, task)
			if (!(task->flags & (PF_EXITING | CAPE_PF_WORKER)) && !task_is_traced(task))
				still = false;
	rcu_read_unlock();
	return still;
}

/**
 * cape_get_mm() - the memory of the process, for one request
 * @process: its lock is held
 *
 * Return: the memory, to be given back with mmput(), or -ESRCH.
 */
struct mm_struct *cape_get_mm(struct cape_process *process)
{
	return mmget_not_zero(process->mm) ? process->mm : ERR_PTR(-ESRCH);
}

/* What /sys/kernel/debug and CAPE_GET_STATUS show; @status is zero but for the caller's fields. */
void cape_fill_status(struct cape_process *process, struct cape_status *status)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	status->pid = pid_vnr(process->pid);
	status->mode = snapshot ? snapshot->mode : CAPE_MODE_UNLOCKED;
	status->range_count = snapshot && !snapshot->whole ? snapshot->range_count : 0;
	status->twin_count = snapshot ? snapshot->twin_count : 0;
	status->open_count = snapshot ? snapshot->open_count : 0;
	status->thread_count = process->thread_count;
}

void cape_fill_statistics(struct cape_process *process, struct cape_statistics *statistics)
{
	*statistics = process->statistics;
	statistics->faults_notified = atomic64_read(&process->faults_notified);
	statistics->faults_ignored = atomic64_read(&process->faults_ignored);
}

/* The memory of the process, of which the struct is now held (mmdrop). */
static struct mm_struct *grab_mm(struct pid *pid)
{
	struct task_struct *leader = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm;
	int err = 0;

	if (!leader)
		return ERR_PTR(-ESRCH);
	rcu_read_lock();
	if (!is_tracer_of(leader))
		err = -EPERM;
	rcu_read_unlock();
	mm = err ? NULL : get_task_mm(leader);
	if (!mm) {
		err = err ?: -ESRCH;
		goto out;
	}
	rcu_read_lock();
	if (mm == current->mm)
		err = -EINVAL;
	else if (!may_look_into(leader, mm))
		err = -EPERM;
	else
		mmgrab(mm);
	rcu_read_unlock();
	mmput(mm);
out:
	put_task_struct(leader);
	return err ? ERR_PTR(err) : mm;
}

/**
 * cape_new_process() - the object for a process that the caller traces
 * @pid: the reference is taken over
 *
 * Return: the object, not listed yet, or an error: see struct cape_attach.
 */
struct cape_process *cape_new_process(struct pid *pid)
{
	struct cape_process *process;
	struct mm_struct *mm = grab_mm(pid);

	if (IS_ERR(mm)) {
		put_pid(pid);
		return ERR_CAST(mm);
	}
	process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);
	if (!process) {
		mmdrop(mm);
		put_pid(pid);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&process->lock);
	xa_init(&process->counters);
	process->pid = pid;
	process->tracer = get_pid(task_tgid(current));
	process->mm = mm;
	return process;
}

void cape_free_process(struct cape_process *process)
{
	mmdrop(process->mm);
	put_pid(process->tracer);
	put_pid(process->pid);
	mutex_destroy(&process->lock);
	kfree(process);
}

/*
 * A descriptor of a tracer that has ended, or has detached, is of no use to anybody: the caller
 * traces the process now.
 */
static bool replace(struct cape_process *other)
{
	if (cape_end_of(other->tracer) != CAPE_HAS_ENDED && other->tracer == task_tgid(current))
		return false;
	/* What it has locked is let go of there. */
	mod_delayed_work(cape_workers, &other->look, 0);
	flush_delayed_work(&other->look);
	if (!mutex_trylock(&other->lock))
		return false;
	if (!cape_locked_snapshot(other)) {
		WRITE_ONCE(other->replaced, true);
		list_del_init(&other->link);
		/* Who reads what it has recorded is informed there. */
		mod_delayed_work(cape_workers, &other->look, 0);
	}
	mutex_unlock(&other->lock);
	return other->replaced;
}

/**
 * cape_list_process() - makes the process known as attached
 * @process: not listed yet
 *
 * Return: 0, or -EBUSY if its image is attached already, by the caller.
 */
int cape_list_process(struct cape_process *process)
{
	struct cape_process *other, *next;
	int err = 0;

	mutex_lock(&cape_processes_lock);
	list_for_each_entry_safe(other, next, &cape_processes, link)
		if (other->mm == process->mm && !replace(other))
			err = -EBUSY;
	if (!err)
		list_add(&process->link, &cape_processes);
	mutex_unlock(&cape_processes_lock);
	return err;
}

void cape_unlist_process(struct cape_process *process)
{
	mutex_lock(&cape_processes_lock);
	list_del(&process->link);
	mutex_unlock(&cape_processes_lock);
}

/* The sum of what @visit returns for the attached processes; 0 if the list is in use. */
unsigned long cape_try_each_process(unsigned long (*visit)(struct cape_process *process))
{
	struct cape_process *process;
	unsigned long sum = 0;

	if (!mutex_trylock(&cape_processes_lock))
		return 0;
	list_for_each_entry(process, &cape_processes, link)
		sum += visit(process);
	mutex_unlock(&cape_processes_lock);
	return sum;
}
