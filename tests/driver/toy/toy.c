// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toy.c - /dev/toy, a device as it should not be: it takes a page of whoever asks it to, and writes
 * to it whenever it likes.
 *
 * It holds the page by a reference alone, not pinned for DMA, and has no MMU notifier: nobody can
 * tell that it is there.  An ioctl takes the page that has the address which is its argument;
 * write() is what the device writes there, from the beginning of the page on.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>

static long toy_take(struct file *file, unsigned int command, unsigned long address)
{
	struct page *page;
	int got;

	if (file->private_data)
		return -EBUSY;
	got = get_user_pages_fast(address & PAGE_MASK, 1, FOLL_WRITE, &page);
	if (got != 1)
		return got < 0 ? got : -EFAULT;
	file->private_data = page;
	return 0;
}

static ssize_t toy_write(struct file *file, const char __user *from, size_t length, loff_t *offset)
{
	struct page *page = file->private_data;
	unsigned long missing;
	void *to;

	if (!page)
		return -ENXIO;
	length = min(length, PAGE_SIZE);
	to = kmap_local_page(page);
	missing = copy_from_user(to, from, length);
	kunmap_local(to);
	return missing ? -EFAULT : length;
}

static int toy_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;
	return 0;
}

static int toy_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		put_page(file->private_data);
	return 0;
}

static const struct file_operations toy_fops = {
	.owner = THIS_MODULE,
	.open = toy_open,
	.release = toy_release,
	.unlocked_ioctl = toy_take,
	.write = toy_write,
};

static struct miscdevice toy = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "toy",
	.fops = &toy_fops,
};

module_misc_device(toy);
MODULE_DESCRIPTION("A device that writes to memory without asking, for tests");
MODULE_LICENSE("GPL");
