// SPDX-License-Identifier: GPL-2.0-only
/* The character device /dev/cape and the life of the module. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "device/device.h"

static int get_version(void __user *user)
{
	struct cape_version version = {
		.version = CAPE_VERSION_NUMBER,
		.page_size = PAGE_SIZE,
		.features = CAPE_FEATURE_SNAPSHOT | CAPE_FEATURE_NOTIFY |
			    CAPE_FEATURE_ROLLBACK | CAPE_FEATURE_READ_LOCKED |
			    CAPE_FEATURE_CHECK | CAPE_FEATURE_FILE |
			    CAPE_FEATURE_RECORD | CAPE_FEATURE_EPOCHS |
			    CAPE_FEATURE_NO_TWINS | CAPE_FEATURE_BYTES | CAPE_FEATURE_READ_EPOCH |
			    CAPE_FEATURE_STACKS | CAPE_FEATURE_SEEK_EPOCH |
			    (CAPE_CAN_DROP_PAGES ? CAPE_FEATURE_DROP : 0),
		.max_ranges = CAPE_MAX_RANGES,
	};

	return copy_to_user(user, &version, sizeof(version)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct cape_attach attach;

	switch (command) {
	case CAPE_GET_VERSION:
		return get_version(user);
	case CAPE_ATTACH:
		if (copy_from_user(&attach, user, sizeof(attach)))
			return -EFAULT;
		return cape_attach(&attach);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice cape_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "cape",
	.fops = &device_fops,
	.mode = 0600,
};

static int __init cape_init(void)
{
	int err;

	if (!cape_can_work())
		return -ENODEV;
	err = cape_process_init();
	if (err)
		return err;
	err = cape_snapshot_init();
	if (err)
		goto out_process;
	err = cape_shortage_init();
	if (err)
		goto out_snapshot;
	cape_debug_init();
	err = misc_register(&cape_device);
	if (err)
		goto out_debug;
	return 0;

out_debug:
	cape_debug_exit();
	cape_shortage_exit();
out_snapshot:
	cape_snapshot_exit();
out_process:
	cape_process_exit();
	return err;
}

static void __exit cape_exit(void)
{
	misc_deregister(&cape_device);
	cape_debug_exit();
	cape_shortage_exit();
	cape_snapshot_exit();
	cape_process_exit();
}

module_init(cape_init);
module_exit(cape_exit);

MODULE_DESCRIPTION("CAPE: page protection for checkpointing a process from outside");
MODULE_AUTHOR("The CAPE developers");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
