// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attach descriptor: binds a monitor to the image of one process, checks in every request that
 * the caller is still the tracer, and hands the request to the file that carries it out.
 */
#define CREATE_TRACE_POINTS
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/ptrace.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "driver.h"
#include "trace.h"

/* All attached processes: a process image is attached once. */
static LIST_HEAD(cape_processes);
static DEFINE_MUTEX(cape_processes_lock);

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

/* A tracer may not look into a program that it may not even read: see ptrace_access_vm(). */
static bool may_look_into(struct mm_struct *mm)
{
	return __get_dumpable(mm->flags) == SUID_DUMP_USER ||
	       ns_capable(mm->user_ns, CAP_SYS_PTRACE);
}

/* May the caller make requests on the process now?  0, -EPERM or -ESRCH. */
static int check_caller(struct cape_process *process)
{
	struct task_struct *leader;
	int err = 0;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	if (!leader || !uses_mm(leader, process->mm))
		err = -ESRCH;
	else if (!is_tracer_of(leader))
		err = -EPERM;
	rcu_read_unlock();
	if (!err && !may_look_into(process->mm))
		err = -EPERM;
	return err;
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

union request {
	struct cape_lock lock;
	struct cape_page page;
	struct cape_capture capture;
	struct cape_collect collect;
	struct cape_access access;
	struct cape_status status;
	struct cape_statistics statistics;
};

static int do_lock(struct cape_process *process, union request *request)
{
	struct cape_lock *lock = &request->lock;

	if (lock->mode != CAPE_MODE_SNAPSHOT && lock->mode != CAPE_MODE_NOTIFY)
		return -EINVAL;
	if (lock->flags || lock->reserved || !lock->ranges != !lock->range_count)
		return -EINVAL;
	return cape_lock(process, lock);
}

static int do_unlock(struct cape_process *process, union request *request)
{
	if (!cape_locked_snapshot(process))
		return -ENODATA;
	cape_unlock(process);
	return 0;
}

static int do_unlock_page(struct cape_process *process, union request *request)
{
	return cape_unlock_page(process, &request->page);
}

static int do_capture_page(struct cape_process *process, union request *request)
{
	if (request->capture.flags & ~CAPE_CAPTURE_KEEP)
		return -EINVAL;
	return cape_capture_page(process, &request->capture);
}

static int do_collect(struct cape_process *process, union request *request)
{
	struct cape_collect *collect = &request->collect;

	if (collect->flags & ~CAPE_COLLECT_UNLOCK || collect->reserved)
		return -EINVAL;
	if (!collect->page_capacity || !collect->twins != !collect->twin_capacity)
		return -EINVAL;
	if (collect->cursor != CAPE_CURSOR_END && !PAGE_ALIGNED(collect->cursor))
		return -EINVAL;
	return cape_collect(process, collect);
}

static int do_read_range(struct cape_process *process, union request *request)
{
	if (request->access.flags || request->access.reserved)
		return -EINVAL;
	return cape_read_range(process, &request->access);
}

static int do_write_range(struct cape_process *process, union request *request)
{
	if (request->access.flags || request->access.reserved)
		return -EINVAL;
	return cape_write_range(process, &request->access);
}

static int do_get_status(struct cape_process *process, union request *request)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_status *status = &request->status;
	u32 count;

	if (status->reserved || !status->ranges != !status->range_capacity)
		return -EINVAL;
	cape_fill_status(process, status);
	count = min(status->range_count, status->range_capacity);
	if (count && copy_to_user(u64_to_user_ptr(status->ranges), snapshot->ranges,
				  array_size(count, sizeof(struct cape_range))))
		return -EFAULT;
	return 0;
}

static int do_get_statistics(struct cape_process *process, union request *request)
{
	cape_fill_statistics(process, &request->statistics);
	return 0;
}

/* What a request does to the caller's struct follows from the direction in its number. */
struct request_type {
	unsigned int command;
	int (*run)(struct cape_process *process, union request *request);
	bool when_gone;		/* also for a process that is not there any more */
	bool reply_always;	/* also when it fails */
};

static const struct request_type request_types[] = {
	{ CAPE_LOCK, do_lock },
	{ CAPE_UNLOCK, do_unlock },
	{ CAPE_UNLOCK_PAGE, do_unlock_page },
	{ CAPE_CAPTURE_PAGE, do_capture_page },
	{ CAPE_COLLECT, do_collect },
	{ CAPE_READ_RANGE, do_read_range, .reply_always = true },
	{ CAPE_WRITE_RANGE, do_write_range, .reply_always = true },
	{ CAPE_GET_STATUS, do_get_status, .when_gone = true },
	{ CAPE_GET_STATISTICS, do_get_statistics, .when_gone = true },
};

static const struct request_type *find_request_type(unsigned int command)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(request_types); i++)
		if (request_types[i].command == command)
			return &request_types[i];
	return NULL;
}

static int run_request(struct cape_process *process, const struct request_type *type,
		       union request *request)
{
	int err;

	err = mutex_lock_killable(&process->lock);
	if (err)
		return err;
	err = check_caller(process);
	/* Nobody can use what is held of an image that is gone. */
	if (err == -ESRCH) {
		cape_unlock(process);
		if (type->when_gone)
			err = 0;
	}
	if (!err)
		err = type->run(process, request);
	mutex_unlock(&process->lock);
	return err;
}

static long attach_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	const struct request_type *type = find_request_type(command);
	void __user *user = (void __user *)argument;
	unsigned int size = _IOC_SIZE(command);
	union request request = {};
	int err;

	if (!type)
		return -ENOTTY;
	if (_IOC_DIR(command) == _IOC_NONE && argument)
		return -EINVAL;
	if (_IOC_DIR(command) & _IOC_WRITE && copy_from_user(&request, user, size))
		return -EFAULT;
	err = run_request(file->private_data, type, &request);
	if (_IOC_DIR(command) & _IOC_READ && (!err || type->reply_always) &&
	    copy_to_user(user, &request, size))
		return -EFAULT;
	return err;
}

static void free_process(struct cape_process *process)
{
	mmdrop(process->mm);
	put_pid(process->pid);
	mutex_destroy(&process->lock);
	kfree(process);
}

static void unlist_process(struct cape_process *process)
{
	mutex_lock(&cape_processes_lock);
	list_del(&process->link);
	mutex_unlock(&cape_processes_lock);
}

static int attach_release(struct inode *inode, struct file *file)
{
	struct cape_process *process = file->private_data;

	cape_debug_remove(process);
	mutex_lock(&process->lock);
	cape_unlock(process);
	mutex_unlock(&process->lock);
	cape_unwatch_threads(process);
	trace_cape_release(process->pid);
	unlist_process(process);
	free_process(process);
	return 0;
}

static const struct file_operations attach_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = attach_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = attach_release,
	.llseek = noop_llseek,
};

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
	put_task_struct(leader);
	if (!mm)
		return ERR_PTR(err ?: -ESRCH);
	if (mm == current->mm)
		err = -EINVAL;
	else if (!may_look_into(mm))
		err = -EPERM;
	else
		mmgrab(mm);
	mmput(mm);
	return err ? ERR_PTR(err) : mm;
}

/* Takes over the reference to @pid. */
static struct cape_process *new_process(struct pid *pid)
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
	process->mm = mm;
	return process;
}

static int list_process(struct cape_process *process)
{
	struct cape_process *other;
	int err = 0;

	mutex_lock(&cape_processes_lock);
	list_for_each_entry(other, &cape_processes, link)
		if (other->mm == process->mm)
			err = -EBUSY;
	if (!err)
		list_add(&process->link, &cape_processes);
	mutex_unlock(&cape_processes_lock);
	return err;
}

/**
 * cape_attach() - CAPE_ATTACH
 * @attach: the caller's struct
 *
 * Return: the attach descriptor, or an error: see struct cape_attach.
 */
int cape_attach(const struct cape_attach *attach)
{
	struct cape_process *process;
	struct pid *pid;
	int err;

	if (attach->flags)
		return -EINVAL;
	pid = find_get_pid(attach->pid);
	if (!pid)
		return -ESRCH;
	process = new_process(pid);
	if (IS_ERR(process))
		return PTR_ERR(process);
	err = list_process(process);
	if (err)
		goto out_process;
	cape_debug_add(process);
	trace_cape_attach(process->pid);
	/* Once there, the descriptor owns the process: another thread may have closed it. */
	err = anon_inode_getfd("[cape]", &attach_fops, process, O_RDWR | O_CLOEXEC);
	if (err >= 0)
		return err;

	trace_cape_release(process->pid);
	cape_debug_remove(process);
	unlist_process(process);
out_process:
	free_process(process);
	return err;
}
