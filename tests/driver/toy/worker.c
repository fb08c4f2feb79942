// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker.c - /dev/worker, which gives whoever opens it a worker of the kernel's, as vhost does: a
 * thread of the process that never runs the process's code.  It does nothing, until close().
 *
 * Before Linux 6.4 such workers were processes of their own: open() fails with ENODEV.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched.h>
#ifdef PF_USER_WORKER
#include <linux/sched/vhost_task.h>

static bool do_nothing(void *unused)
{
	return false;
}

static void be_killed(void *unused)
{
}

static int worker_open(struct inode *inode, struct file *file)
{
	struct vhost_task *task = vhost_task_create(do_nothing, be_killed, NULL, "toy-worker");

	if (IS_ERR_OR_NULL(task))
		return task ? PTR_ERR(task) : -ENOMEM;
	vhost_task_start(task);
	file->private_data = task;
	return 0;
}

static int worker_release(struct inode *inode, struct file *file)
{
	vhost_task_stop(file->private_data);
	return 0;
}
#else
static int worker_open(struct inode *inode, struct file *file)
{
	return -ENODEV;
}

#define worker_release NULL
#endif

static const struct file_operations worker_fops = {
	.owner = THIS_MODULE,
	.open = worker_open,
	.release = worker_release,
};

static struct miscdevice worker = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "worker",
	.fops = &worker_fops,
};

module_misc_device(worker);
MODULE_DESCRIPTION("Makes a worker of the kernel's in a process, for tests");
MODULE_LICENSE("GPL");
