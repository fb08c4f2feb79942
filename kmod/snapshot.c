// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a snapshot of the memory of a process, as fork does, and giving it up.
 *
 * Every anonymous page that is present gets one reference more, loses its mark "exclusive" and
 * becomes read-only in the page table.  From then on the kernel's own copy-on-write leaves the old
 * page, the twin, with the snapshot when the process writes.  VM_WRITE and the VMAs stay as they
 * are, so everything else in the kernel works on the memory as before.
 *
 * To give a page up, its reference is dropped; at the next write the kernel finds that the
 * process is the only user of the page and lets it have it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/mmu_notifier.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include "compat.h"
#include "driver.h"
#include "trace.h"

/* What a block takes, in pages. */
#define CAPE_BLOCK_PAGES	DIV_ROUND_UP(sizeof(struct cape_block), PAGE_SIZE)

static struct kmem_cache *cape_block_cache;

int cape_snapshot_init(void)
{
	cape_block_cache = KMEM_CACHE(cape_block, SLAB_ACCOUNT);
	return cape_block_cache ? 0 : -ENOMEM;
}

void cape_snapshot_exit(void)
{
	rcu_barrier();
	kmem_cache_destroy(cape_block_cache);
}

static void free_block_rcu(struct rcu_head *rcu)
{
	kmem_cache_free(cape_block_cache, container_of(rcu, struct cape_block, rcu));
}

static void free_snapshot_rcu(struct rcu_head *rcu)
{
	struct cape_snapshot *snapshot = container_of(rcu, struct cape_snapshot, rcu);

	put_pid(snapshot->tracer);
	kvfree(snapshot->ranges);
	kfree(snapshot);
}

static void free_blocks(struct cape_snapshot *snapshot)
{
	struct cape_block *block;
	unsigned long index;
	unsigned int i;

	xa_for_each(&snapshot->blocks, index, block) {
		for (i = 0; i < CAPE_PAGES_PER_BLOCK; i++)
			if (block->twin[i])
				put_page(block->twin[i]);
		kfree(block->sum);
		call_rcu(&block->rcu, free_block_rcu);
		cond_resched();
	}
	xa_destroy(&snapshot->blocks);
}

static void free_snapshot(struct cape_snapshot *snapshot)
{
	/* A page fault handler that began before has the snapshot still. */
	xa_lock(&snapshot->blocks);
	snapshot->closed = true;
	xa_unlock(&snapshot->blocks);
	free_blocks(snapshot);
	cape_drop_layers(snapshot, &snapshot->layers);
	cape_forget_mappings(&snapshot->mappings);
	atomic_long_sub(snapshot->charged, &snapshot->user->locked_vm);
	free_uid(snapshot->user);
	call_rcu(&snapshot->rcu, free_snapshot_rcu);
}

static int check_ranges(const struct cape_extent *ranges, u32 count, unsigned long limit)
{
	u64 free_from = 0, end;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!PAGE_ALIGNED(ranges[i].start) || !PAGE_ALIGNED(ranges[i].length) ||
		    !ranges[i].length || ranges[i].start < free_from ||
		    check_add_overflow(ranges[i].start, ranges[i].length, &end) || end > limit)
			return -EINVAL;
		free_from = end;
	}
	return 0;
}

/* Fills in what is to be locked: the caller's ranges, or one over the whole address space. */
static int set_ranges(struct cape_snapshot *snapshot, const struct cape_lock *lock,
		      unsigned long limit)
{
	size_t size = array_size(lock->range_count, sizeof(struct cape_extent));

	snapshot->whole = !lock->range_count;
	if (snapshot->whole) {
		snapshot->ranges = kmalloc(sizeof(*snapshot->ranges), GFP_KERNEL_ACCOUNT);
		if (!snapshot->ranges)
			return -ENOMEM;
		snapshot->ranges[0].start = 0;
		snapshot->ranges[0].length = limit;
		snapshot->range_count = 1;
		return 0;
	}
	snapshot->ranges = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!snapshot->ranges)
		return -ENOMEM;
	if (copy_from_user(snapshot->ranges, u64_to_user_ptr(lock->ranges), size))
		return -EFAULT;
	snapshot->range_count = lock->range_count;
	return check_ranges(snapshot->ranges, snapshot->range_count, limit);
}

static struct cape_snapshot *new_snapshot(const struct cape_lock *lock, unsigned long limit)
{
	struct cape_snapshot *snapshot;
	int err;

	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL_ACCOUNT);
	if (!snapshot)
		return ERR_PTR(-ENOMEM);
	xa_init(&snapshot->blocks);
	INIT_LIST_HEAD(&snapshot->layers);
	snapshot->mode = lock->mode;
	snapshot->check = lock->flags & CAPE_LOCK_CHECK;
	snapshot->no_twins = lock->flags & CAPE_LOCK_NO_TWINS;
	snapshot->tracer = get_pid(task_tgid(current));
	snapshot->user = get_uid(current_user());
	err = set_ranges(snapshot, lock, limit);
	if (err) {
		free_snapshot(snapshot);
		return ERR_PTR(err);
	}
	return snapshot;
}

/* The index of the first range that ends after @address. */
u32 cape_first_range(const struct cape_snapshot *snapshot, unsigned long address)
{
	u32 low = 0, high = snapshot->range_count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		const struct cape_extent *range = &snapshot->ranges[middle];

		if (address >= range->start && address - range->start >= range->length)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is @address in the locked ranges?  Callable from the page fault handler. */
bool cape_in_ranges(const struct cape_snapshot *snapshot, unsigned long address)
{
	u32 i = cape_first_range(snapshot, address);

	return i < snapshot->range_count && address >= snapshot->ranges[i].start;
}

/* Callable from the page fault handler. */
struct cape_block *cape_find_block(struct cape_snapshot *snapshot, unsigned long address)
{
	return xa_load(&snapshot->blocks, address >> PMD_SHIFT);
}

/* The first address from @start on, before @end, in a block that there is, or @end. */
unsigned long cape_next_block(struct cape_snapshot *snapshot, unsigned long start,
			      unsigned long end)
{
	unsigned long index = start >> PMD_SHIFT;

	if (start == end || !xa_find(&snapshot->blocks, &index, (end - 1) >> PMD_SHIFT, XA_PRESENT))
		return end;
	return max(start, index << PMD_SHIFT);
}

/* Takes @block in, unless another is there or the snapshot closed; returns the one, or NULL. */
static struct cape_block *add_block(struct cape_snapshot *snapshot, unsigned long index,
				    struct cape_block *block, gfp_t gfp)
{
	struct cape_block *other = NULL;

	xa_lock(&snapshot->blocks);
	if (snapshot->closed)
		block = NULL;
	else
		other = __xa_cmpxchg(&snapshot->blocks, index, NULL, block, gfp);
	xa_unlock(&snapshot->blocks);
	if (xa_is_err(other))
		return NULL;
	return other ?: block;
}

/* The block of @address, new if need be; NULL without memory.  As cape_find_block(). */
struct cape_block *cape_get_block(struct cape_snapshot *snapshot, unsigned long address, gfp_t gfp)
{
	struct cape_block *block, *added;

	block = cape_find_block(snapshot, address);
	if (block)
		return block;
	block = kmem_cache_zalloc(cape_block_cache, gfp);
	if (!block)
		return NULL;
	added = add_block(snapshot, address >> PMD_SHIFT, block, gfp);
	if (added != block)
		kmem_cache_free(cape_block_cache, block);
	return added;
}

/* Gives up the twin of a page, which is locked; it is of no more interest until the next lock. */
void cape_open_page(struct cape_snapshot *snapshot, struct cape_block *block, unsigned int index)
{
	struct page *twin = block->twin[index];

	set_bit(index, block->open);
	snapshot->open_count++;
	if (!twin)
		return;
	WRITE_ONCE(block->twin[index], NULL);
	cape_uncharge_twins(snapshot, 1);
	put_page(twin);
}

struct taking {
	struct mm_struct *mm;
	struct cape_snapshot *snapshot;
	struct vm_area_struct *vma;
	struct cape_block *block;
	bool protected;
	DECLARE_BITMAP(absent, CAPE_PAGES_PER_BLOCK);
	DECLARE_BITMAP(to_copy, CAPE_PAGES_PER_BLOCK);
};

/**
 * cape_protect_page() - has a page of the process's own copied before it is written to
 * @mm: the memory, write-locked, with its write_protect_seq raised
 * @address: of the page
 * @ptep: its entry, with the page table lock held
 * @page: which it maps
 * @protected: set if the TLBs have to be flushed for it
 *
 * Return: false if that cannot be, as the page is pinned for DMA.
 */
bool cape_protect_page(struct mm_struct *mm, unsigned long address, pte_t *ptep, struct page *page,
		       bool *protected)
{
	/* The zero page is so in any case. */
	if (!PageAnon(page))
		return true;
	if (PageAnonExclusive(page) && !cape_share_anon_page(page))
		return false;
	if (pte_write(ptep_get(ptep)))
		ptep_set_wrprotect(mm, address, ptep);
	/*
	 * Also if the entry is read-only already: a read may have mapped a page again that reclaim
	 * had unmapped, and of which it has yet to have the old translations flushed.
	 */
	*protected = true;
	return true;
}

/* A copy of @page, or NULL without memory. */
struct page *cape_copy_page(struct page *page)
{
	struct page *copy = alloc_page(GFP_KERNEL_ACCOUNT);

	if (copy)
		copy_highpage(copy, page);
	return copy;
}

/* Called with the page table lock held. */
static int take_page(pte_t *ptep, unsigned long address, void *data)
{
	struct taking *taking = data;
	unsigned int index = cape_page_index(address);
	struct page *page;

	/* Other pages than the process's own are copied before the first write in any case. */
	page = cape_own_page(taking->vma, ptep_get(ptep));
	if (!page || taking->block->twin[index])
		return 0;
	if (!cape_protect_page(taking->mm, address, ptep, page, &taking->protected))
		__set_bit(index, taking->to_copy);
	get_page(page);
	taking->block->twin[index] = page;
	taking->snapshot->twin_count++;
	return 0;
}

/* A device may write to these pages at any time, whatever the page table says. */
static int copy_pinned_pages(struct taking *taking)
{
	unsigned int index;

	for_each_set_bit(index, taking->to_copy, CAPE_PAGES_PER_BLOCK) {
		struct page *page = taking->block->twin[index];
		struct page *copy;

		if (taking->snapshot->no_twins) {
			set_bit(index, taking->block->pinned);
			cape_forget_twin(taking->snapshot, taking->block, index);
			continue;
		}
		copy = cape_copy_page(page);
		if (!copy)
			return -ENOMEM;
		set_bit(index, taking->block->pinned);
		taking->block->twin[index] = copy;
		put_page(page);
	}
	return 0;
}

/* Counts what is new against the caller's limit, as memory that it has locked. */
int cape_charge_twins(struct cape_snapshot *snapshot)
{
	long count = snapshot->twin_count + snapshot->block_count * CAPE_BLOCK_PAGES -
		     snapshot->charged;
	unsigned long total = atomic_long_add_return(count, &snapshot->user->locked_vm);

	snapshot->charged += count;
	if (total > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT && !capable(CAP_IPC_LOCK))
		return -ENOMEM;
	return 0;
}

/**
 * cape_charge_block() - the block of a page, for a mark that the caller wants to set there
 * @snapshot: the locked image
 * @address: of the page, which need not be mapped
 *
 * A new one counts against the caller's limit: there may be one for each page table that the
 * process could have.
 *
 * Return: the block, or NULL without memory, or if the caller may not lock as much.
 */
struct cape_block *cape_charge_block(struct cape_snapshot *snapshot, unsigned long address)
{
	struct cape_block *block = cape_find_block(snapshot, address);

	if (block)
		return block;
	snapshot->block_count++;
	if (!cape_charge_twins(snapshot))
		block = cape_get_block(snapshot, address, GFP_KERNEL_ACCOUNT);
	if (block)
		return block;
	snapshot->block_count--;
	snapshot->charged -= CAPE_BLOCK_PAGES;
	atomic_long_sub(CAPE_BLOCK_PAGES, &snapshot->user->locked_vm);
	return NULL;
}

/**
 * cape_add_twin() - gives a locked page, which has none, a twin
 * @snapshot: the locked image
 * @address: of the page
 * @twin: its bytes; the reference is taken over if this succeeds
 *
 * Return: 0, or -ENOMEM, also if the caller may not lock as much.
 */
int cape_add_twin(struct cape_snapshot *snapshot, unsigned long address, struct page *twin)
{
	struct cape_block *block = cape_get_block(snapshot, address, GFP_KERNEL_ACCOUNT);
	unsigned int index = cape_page_index(address);
	int err;

	if (!block || (snapshot->check && cape_sum_twin(block, index, twin)))
		return -ENOMEM;
	err = cape_keep_older(snapshot, address);
	if (err)
		return err;
	snapshot->twin_count++;
	err = cape_charge_twins(snapshot);
	if (err) {
		cape_uncharge_twins(snapshot, 1);
		return err;
	}
	WRITE_ONCE(block->twin[index], twin);
	snapshot->beyond |= !cape_find_mapping(&snapshot->mappings, address);
	return 0;
}

/* Is there a page that was unlocked or captured?  @address: the first. */
bool cape_first_open(struct cape_snapshot *snapshot, u64 *address)
{
	struct cape_block *block;
	unsigned long index;

	if (!snapshot->open_count)
		return false;
	xa_for_each(&snapshot->blocks, index, block) {
		unsigned int first = find_first_bit(block->open, CAPE_PAGES_PER_BLOCK);

		if (first < CAPE_PAGES_PER_BLOCK) {
			*address = (index << PMD_SHIFT) + first * PAGE_SIZE;
			return true;
		}
	}
	return false;
}

static int take_part(struct vm_area_struct *vma, unsigned long start, unsigned long end, void *data)
{
	struct taking *taking = data;
	int err;

	taking->vma = vma;
	taking->block = cape_get_block(taking->snapshot, start, GFP_KERNEL);
	if (!taking->block)
		return -ENOMEM;
	bitmap_zero(taking->to_copy, CAPE_PAGES_PER_BLOCK);
	err = cape_walk_pages(vma, start, end, NULL, take_page, taking, taking->absent);
	bitmap_or(taking->block->poisoned, taking->block->poisoned, taking->absent,
		  CAPE_PAGES_PER_BLOCK);
	err = err ?: cape_charge_twins(taking->snapshot);
	return err ?: copy_pinned_pages(taking);
}

static unsigned long next_to_take(struct vm_area_struct *vma, unsigned long start,
				  unsigned long end, void *unused)
{
	return cape_next_page_table(vma, start, end);
}

static int take_snapshot(struct mm_struct *mm, struct cape_snapshot *snapshot)
{
	struct cape_visitor visitor = { .next = next_to_take, .visit = take_part };
	struct taking *taking;
	int err;

	/*
	 * Whoever has translations of its own of this memory has to be informed that pages became
	 * read-only, and modules cannot tell it.  One that comes later asks for every page as the
	 * process does.
	 */
	if (mm_has_notifiers(mm))
		return -EOPNOTSUPP;
	err = cape_record_mappings(mm, snapshot, &snapshot->mappings);
	if (err)
		return err;
	taking = kzalloc(sizeof(*taking), GFP_KERNEL);
	if (!taking)
		return -ENOMEM;
	visitor.data = taking;
	taking->mm = mm;
	taking->snapshot = snapshot;
	snapshot->huge_pages_off = cape_huge_pages_off(mm);
	snapshot->probed = cape_has_probes(mm);
	/* Keeps get_user_pages_fast() from pinning a page while it becomes shared. */
	raw_write_seqcount_begin(&mm->write_protect_seq);
	err = cape_visit_parts(mm, snapshot, 0, mm->task_size, &visitor);
	raw_write_seqcount_end(&mm->write_protect_seq);
	if (taking->protected)
		cape_flush_tlb(mm);
	if (!err && snapshot->check)
		err = cape_sum_twins(snapshot);
	if (err && snapshot->huge_pages_off)
		cape_huge_pages_on(mm);
	kfree(taking);
	return err;
}

/* Gives up what was taken of a snapshot that nobody has seen yet. */
static void start_over(struct cape_snapshot *snapshot)
{
	free_blocks(snapshot);
	cape_forget_mappings(&snapshot->mappings);
	atomic_long_sub(snapshot->charged, &snapshot->user->locked_vm);
	snapshot->charged = 0;
	snapshot->twin_count = 0;
}

static int lock_memory(struct cape_process *process, struct mm_struct *mm,
		       struct cape_snapshot *snapshot)
{
	int tries, err;

	for (tries = 0; tries < CAPE_PASSES; tries++) {
		err = mmap_write_lock_killable(mm);
		if (err)
			return err;
		err = take_snapshot(mm, snapshot);
		if (!err)
			rcu_assign_pointer(process->snapshot, snapshot);
		mmap_write_unlock(mm);
		if (err != CAPE_ABSENT)
			return err;
		start_over(snapshot);
		err = cape_bring_back(process, mm, snapshot);
		if (err)
			return err;
	}
	return -ENOMEM;
}

/* lock_process_image, of which nothing is locked: see struct cape_lock. */
int cape_lock(struct cape_process *process, struct cape_lock *lock)
{
	u64 begin = ktime_get_ns();
	struct cape_snapshot *snapshot;
	struct mm_struct *mm;
	int err;

	if (lock->range_count > CAPE_MAX_RANGES)
		return -E2BIG;
	mm = cape_get_mm(process);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	snapshot = new_snapshot(lock, mm->task_size);
	if (IS_ERR(snapshot)) {
		err = PTR_ERR(snapshot);
		goto out_mm;
	}
	snapshot->epoch = process->epochs + 1;
	err = lock_memory(process, mm, snapshot);
	if (err)
		goto out_snapshot;
	lock->page_count = snapshot->twin_count;
	process->epochs++;
	process->view = CAPE_EPOCH_NEWEST;
	process->statistics.locks++;
	process->statistics.pages_locked += snapshot->twin_count;
	process->statistics.lock_ns += ktime_get_ns() - begin;
	trace_cape_lock(process->pid, snapshot);
	goto out_mm;

out_snapshot:
	free_snapshot(snapshot);
out_mm:
	mmput(mm);
	return err;
}

/* Huge pages are on again, also of what was executed meanwhile: that has inherited the switch. */
static void turn_huge_pages_on(struct cape_process *process)
{
	struct task_struct *leader = get_pid_task(process->pid, PIDTYPE_TGID);

	cape_huge_pages_on(process->mm);
	if (!leader)
		return;
	/* Keeps it from letting go of its memory. */
	task_lock(leader);
	if (leader->mm)
		cape_huge_pages_on(leader->mm);
	task_unlock(leader);
	put_task_struct(leader);
}

/* unlock_process_image.  Needs nothing of the process, which may be gone; fine if not locked. */
void cape_unlock(struct cape_process *process)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	if (!snapshot)
		return;
	trace_cape_unlock(process->pid, snapshot);
	RCU_INIT_POINTER(process->snapshot, NULL);
	if (snapshot->huge_pages_off)
		turn_huge_pages_on(process);
	process->statistics.unlocks++;
	free_snapshot(snapshot);
}
