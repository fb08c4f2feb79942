// SPDX-License-Identifier: GPL-2.0-only
/* Reading and writing the memory of a process, with the rights that the process itself has. */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#include "compat.h"
#include "driver.h"

#define CAPE_PAGES_AT_ONCE	16
#define CAPE_BYTES_AT_ONCE	(CAPE_PAGES_AT_ONCE * PAGE_SIZE)

/* Bytes of a part that begins at @address and lies in @count pages, of which @length are wanted. */
static size_t bytes_in(unsigned long address, long count, size_t length)
{
	return min_t(size_t, length, count * PAGE_SIZE - offset_in_page(address));
}

static unsigned long pages_in(unsigned long address, size_t length)
{
	return DIV_ROUND_UP(offset_in_page(address) + length, PAGE_SIZE);
}

/* Called without locks of the process's memory. */
int cape_copy_to_caller(u64 buffer, struct page *page, unsigned int offset, size_t length)
{
	unsigned long missing;
	void *from;

	/* Memory failure has taken it: the machine would stop at a read. */
	if (PageHWPoison(page))
		return -EHWPOISON;
	from = kmap_local_page(page);
	missing = copy_to_user(u64_to_user_ptr(buffer), from + offset, length);
	kunmap_local(from);
	return missing ? -EFAULT : 0;
}

/*
 * As cape_get_user_pages(), of one mapping.  What userfaultfd has yet to provide is -EFAULT without
 * a fault, which would have to wait: DEBUG_VM complains of whoever cannot.
 */
static long get_pages(struct mm_struct *mm, unsigned long address, unsigned long count,
		      unsigned int flags, struct page **pages)
{
	struct vm_area_struct *vma = find_vma(mm, address);
	long got;

	if (vma && address >= vma->vm_start)
		count = min(count, (vma->vm_end - address) >> PAGE_SHIFT);
	if (!vma || !userfaultfd_missing(vma))
		return cape_get_user_pages(mm, address, count, flags, pages);
	got = cape_get_user_pages(mm, address, count, flags | FOLL_DUMP, pages);
	/* That is said of the zero page, too. */
	if (got == -EFAULT)
		got = cape_get_user_pages(mm, address, 1, flags | FOLL_NOWAIT, pages);
	return got == -EBUSY ? -EFAULT : got;
}

/* Reads up to CAPE_PAGES_AT_ONCE pages; returns bytes. */
static ssize_t read_part(struct mm_struct *mm, unsigned long address, u64 buffer, size_t length)
{
	struct page *pages[CAPE_PAGES_AT_ONCE];
	unsigned long count = min_t(unsigned long, pages_in(address, length), CAPE_PAGES_AT_ONCE);
	size_t done = 0;
	long got, i;
	int err;

	err = mmap_read_lock_killable(mm);
	if (err)
		return err;
	got = get_pages(mm, address & PAGE_MASK, count, 0, pages);
	mmap_read_unlock(mm);
	if (got <= 0)
		return got ?: -EFAULT;
	length = bytes_in(address, got, length);
	for (i = 0; i < got; i++) {
		unsigned int offset = offset_in_page(address + done);
		size_t size = min(length - done, PAGE_SIZE - offset);

		if (!err)
			err = cape_copy_to_caller(buffer + done, pages[i], offset, size);
		if (!err)
			done += size;
		put_page(pages[i]);
	}
	return done ?: err;
}

/* Writes up to CAPE_PAGES_AT_ONCE pages of one mapping; called with mmap_lock held. */
static ssize_t write_part(struct mm_struct *mm, unsigned long address, const void *from,
			  size_t length)
{
	struct vm_area_struct *vma = find_vma(mm, address);
	struct page *pages[CAPE_PAGES_AT_ONCE];
	size_t done = 0;
	long got, i;

	if (!vma || address < vma->vm_start)
		return -EFAULT;
	if (!(vma->vm_flags & VM_WRITE) || vma->vm_flags & (VM_SHARED | VM_MAYSHARE))
		return -EACCES;
	length = min(length, vma->vm_end - address);
	got = get_pages(mm, address & PAGE_MASK,
			min_t(unsigned long, pages_in(address, length), CAPE_PAGES_AT_ONCE),
			FOLL_WRITE, pages);
	if (got <= 0)
		return got ?: -EFAULT;
	length = bytes_in(address, got, length);
	for (i = 0; i < got; i++) {
		unsigned int offset = offset_in_page(address + done);
		size_t size = min(length - done, PAGE_SIZE - offset);

		memcpy_to_page(pages[i], offset, from + done, size);
		set_page_dirty_lock(pages[i]);
		put_page(pages[i]);
		done += size;
	}
	return done;
}

static int write_parts(struct mm_struct *mm, u64 address, const void *from, size_t length,
		       u64 *total)
{
	size_t done = 0;
	ssize_t count;
	int err;

	err = mmap_read_lock_killable(mm);
	if (err)
		return err;
	while (done < length) {
		count = write_part(mm, address + done, from + done, length - done);
		if (count < 0) {
			err = count;
			break;
		}
		done += count;
	}
	mmap_read_unlock(mm);
	*total += done;
	return err;
}

static int read_all(struct mm_struct *mm, struct cape_access *access)
{
	while (access->done < access->length) {
		size_t length = min_t(u64, access->length - access->done, CAPE_BYTES_AT_ONCE);
		ssize_t count = read_part(mm, access->address + access->done,
					  access->buffer + access->done, length);

		if (count < 0)
			return count;
		access->done += count;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static int write_all(struct mm_struct *mm, struct cape_access *access)
{
	void *copy = kvmalloc(min_t(u64, access->length, CAPE_BYTES_AT_ONCE), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!copy)
		return -ENOMEM;
	while (!err && access->done < access->length) {
		size_t length = min_t(u64, access->length - access->done, CAPE_BYTES_AT_ONCE);

		if (copy_from_user(copy, u64_to_user_ptr(access->buffer + access->done), length))
			err = -EFAULT;
		else
			err = write_parts(mm, access->address + access->done, copy, length,
					  &access->done);
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	kvfree(copy);
	return err;
}

static int access_range(struct cape_process *process, struct cape_access *access,
			int (*transfer)(struct mm_struct *mm, struct cape_access *access))
{
	struct mm_struct *mm = cape_get_mm(process);
	u64 end;
	int err = 0;

	access->done = 0;
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	if (check_add_overflow(access->address, access->length, &end) || end > mm->task_size)
		err = -EINVAL;
	else if (access->length)
		err = transfer(mm, access);
	mmput(mm);
	return err;
}

/* read_range: see struct cape_access. */
int cape_read_range(struct cape_process *process, struct cape_access *access)
{
	int err = access_range(process, access, read_all);

	process->statistics.bytes_read += access->done;
	return err;
}

/* write_range: see struct cape_access. */
int cape_write_range(struct cape_process *process, struct cape_access *access)
{
	int err = access_range(process, access, write_all);

	process->statistics.bytes_written += access->done;
	return err;
}
