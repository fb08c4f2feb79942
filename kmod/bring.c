// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bringing back pages that were swapped out, for a request that has to have them.
 *
 * It costs memory, of the process's cgroup.  If there is none the kernel would kill: the process,
 * whose memory is not free as long as the request has it, and then one after the other.  So it is
 * done by a thread that looks as if it was about to be killed itself: that one gets no memory of a
 * cgroup that has none, and has nobody killed for it.  It holds the mmap_lock for reading at most.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include "compat.h"
#include "driver.h"

/**
 * struct bringing - a look for pages that are not there
 * @process: whose they are
 * @mm: its memory
 * @snapshot: its twins need not come back
 * @block: address of the page table in question
 * @next: where to go on to look
 * @absent: which of its pages are not there
 * @err: what became of them
 * @done: the thread has tried to bring them
 */
struct bringing {
	struct cape_process *process;
	struct mm_struct *mm;
	struct cape_snapshot *snapshot;
	unsigned long block;
	unsigned long next;
	DECLARE_BITMAP(absent, CAPE_PAGES_PER_BLOCK);
	int err;
	struct completion done;
};

/* Is the process about to end, be it by a signal or by itself? */
static bool is_ending(struct cape_process *process)
{
	struct task_struct *leader;
	bool ending;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	ending = !leader || __fatal_signal_pending(leader) ||
		 READ_ONCE(leader->signal->flags) & SIGNAL_GROUP_EXIT;
	rcu_read_unlock();
	return ending;
}

static int look_for_absent(struct vm_area_struct *vma, unsigned long start, unsigned long end,
			   void *data)
{
	struct bringing *bringing = data;
	struct cape_block *block = cape_find_block(bringing->snapshot, start);
	int err;

	err = cape_find_absent(vma, start, end, block ? block->twin : NULL, bringing->absent);
	if (err || bitmap_empty(bringing->absent, CAPE_PAGES_PER_BLOCK))
		return err;
	bringing->block = ALIGN_DOWN(start, PMD_SIZE);
	bringing->next = end;
	return CAPE_ABSENT;
}

static unsigned long next_to_look(struct vm_area_struct *vma, unsigned long start,
				  unsigned long end, void *unused)
{
	return cape_next_page_table(vma, start, end);
}

/* Returns 0 also for what is not mapped any more, and for what memory failure has taken. */
static int bring_page(struct mm_struct *mm, unsigned long address)
{
	struct vm_area_struct *vma;
	vm_fault_t fault = 0;

	mmap_read_lock(mm);
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address && cape_is_covered(vma))
		fault = handle_mm_fault(vma, address, FAULT_FLAG_REMOTE, NULL);
	mmap_read_unlock(mm);
	if (!(fault & VM_FAULT_ERROR) || fault & (VM_FAULT_HWPOISON | VM_FAULT_HWPOISON_LARGE))
		return 0;
	return fault & VM_FAULT_OOM ? -ENOMEM : -EFAULT;
}

static int bring_pages(void *data)
{
	struct bringing *bringing = data;
	unsigned int index;

	allow_kernel_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	for_each_set_bit(index, bringing->absent, CAPE_PAGES_PER_BLOCK) {
		bringing->err = bring_page(bringing->mm, bringing->block + index * PAGE_SIZE);
		if (is_ending(bringing->process))
			bringing->err = -ESRCH;
		if (bringing->err)
			break;
		cond_resched();
	}
	complete(&bringing->done);
	return 0;
}

static int run_thread(struct bringing *bringing)
{
	struct task_struct *thread = kthread_create(bring_pages, bringing, "cape_bring");

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	reinit_completion(&bringing->done);
	wake_up_process(thread);
	wait_for_completion(&bringing->done);
	kthread_stop(thread);
	put_task_struct(thread);
	if (fatal_signal_pending(current))
		return -EINTR;
	return bringing->err;
}

/**
 * cape_bring_back() - has pages swapped in that are not there and are no twins
 * @process: its lock is held
 * @mm: its memory, of which no lock is held
 * @snapshot: has the ranges, and the twins
 *
 * They may be taken away again before the caller has locked the memory.
 *
 * Return: 0, -ESRCH if the process ends meanwhile, -ENOMEM, -EINTR, or -EFAULT if swap lost one.
 */
int cape_bring_back(struct cape_process *process, struct mm_struct *mm,
		    struct cape_snapshot *snapshot)
{
	struct bringing *bringing = kzalloc(sizeof(*bringing), GFP_KERNEL_ACCOUNT);
	struct cape_visitor visitor = {
		.next = next_to_look,
		.visit = look_for_absent,
		.data = bringing,
	};
	int err;

	if (!bringing)
		return -ENOMEM;
	bringing->process = process;
	bringing->mm = mm;
	bringing->snapshot = snapshot;
	init_completion(&bringing->done);
	do {
		err = mmap_write_lock_killable(mm);
		if (err)
			break;
		err = cape_visit_parts(mm, snapshot, bringing->next, mm->task_size, &visitor);
		mmap_write_unlock(mm);
		if (err != CAPE_ABSENT)
			break;
		err = run_thread(bringing);
	} while (!err);
	kfree(bringing);
	return err;
}
