// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow.c - /dev/slow, which holds the driver's page fault handler up where it tells of a first
 * write, so that a test can do something meanwhile.
 *
 * From open() to close() it is at the tracepoint cape_notify.  An ioctl, with the longest time in
 * milliseconds as its argument: SLOW_NEXT holds up the next handler that comes by; SLOW_INSIDE
 * tells how many are held up; SLOW_GO_ON lets them go on.  SLOW_SLEEP holds up the caller itself:
 * it sleeps, and not even SIGKILL wakes it.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "slow.h"

static struct tracepoint *tracepoint; /* cape_notify, while the module that has it is there */
static atomic_t milliseconds;	      /* that the next one is held up; 0: it is not */
static atomic_t inside;

/* In a page fault, with preemption off, and interrupts too since perf waits for handlers so. */
static void hold_up(void *unused, struct pid *process, u64 address)
{
	int left = atomic_xchg(&milliseconds, 0);

	if (!left)
		return;
	atomic_set(&inside, left);
	while (atomic_dec_if_positive(&inside) > 0)
		mdelay(1);
}

static int look_for_tracepoint(struct notifier_block *block, unsigned long state, void *data)
{
	struct tp_module *owner = data;
	int i;

	for (i = 0; state == MODULE_STATE_COMING && i < owner->mod->num_tracepoints; i++) {
		struct tracepoint *found = tracepoint_ptr_deref(owner->mod->tracepoints_ptrs + i);

		if (!strcmp(found->name, "cape_notify"))
			tracepoint = found;
	}
	return NOTIFY_OK;
}

static struct notifier_block modules = {.notifier_call = look_for_tracepoint};

/* For one at a time, who has the driver loaded until close(). */
static int slow_open(struct inode *inode, struct file *file)
{
	int err;

	tracepoint = NULL;
	err = register_tracepoint_module_notifier(&modules);
	if (err)
		return err;
	err = tracepoint ? tracepoint_probe_register(tracepoint, hold_up, NULL) : -ENOENT;
	if (err)
		unregister_tracepoint_module_notifier(&modules);
	return err;
}

static long slow_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case SLOW_NEXT:
		atomic_set(&milliseconds, argument);
		return 0;
	case SLOW_SLEEP:
		atomic_set(&inside, argument);
		while (atomic_dec_if_positive(&inside) > 0)
			usleep_range(1000, 2000);
		return 0;
	case SLOW_INSIDE:
		return atomic_read(&inside) > 0;
	case SLOW_GO_ON:
		atomic_set(&inside, 0);
		return 0;
	}
	return -ENOTTY;
}

static int slow_release(struct inode *inode, struct file *file)
{
	atomic_set(&milliseconds, 0);
	atomic_set(&inside, 0);
	tracepoint_probe_unregister(tracepoint, hold_up, NULL);
	tracepoint_synchronize_unregister();
	unregister_tracepoint_module_notifier(&modules);
	return 0;
}

static const struct file_operations slow_fops = {
	.owner = THIS_MODULE,
	.open = slow_open,
	.release = slow_release,
	.unlocked_ioctl = slow_ioctl,
};

static struct miscdevice slow = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "slow",
	.fops = &slow_fops,
};

module_misc_device(slow);
MODULE_DESCRIPTION("Holds up the page fault handler of cape.ko, for tests");
MODULE_LICENSE("GPL");
