/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that differs between the kernels and processors that the driver is made for. */
#ifndef _CAPE_COMPAT_H
#define _CAPE_COMPAT_H

#include <linux/mm.h>
#include <linux/rmap.h>
#include <linux/sched/coredump.h>
#include <linux/smp.h>
#include <asm/tlbflush.h>

/* Kbuild defines the one that it builds for. */
#if !defined(CAPE_LINUX_6_1) && !defined(CAPE_LINUX_6_12)
#error "cape.ko is made for Linux 6.1 and 6.12; look through compat.h before you add another"
#endif
#ifndef CONFIG_X86_64
#error "cape.ko is made for x86-64: see cape_flush_tlb()"
#endif
#ifdef CONFIG_PREEMPT_RT
#error "cape.ko takes spinlocks with preemption off (notify.c), which PREEMPT_RT does not allow"
#endif
#if !defined(CONFIG_PERF_EVENTS) || !defined(CONFIG_MMU)
#error "cape.ko needs a kernel with CONFIG_PERF_EVENTS and CONFIG_MMU"
#endif

/* May return fewer pages than asked for; never lets go of the mmap_lock. */
static inline long cape_get_user_pages(struct mm_struct *mm, unsigned long start,
				       unsigned long count, unsigned int flags, struct page **pages)
{
#ifdef CAPE_LINUX_6_1
	return get_user_pages_remote(mm, start, count, flags, pages, NULL, NULL);
#else
	return get_user_pages_remote(mm, start, count, flags, pages, NULL);
#endif
}

/*
 * Makes an exclusive anonymous page one that must be copied before it is written to.
 * Returns false if that cannot be, because it is pinned for DMA.  The caller holds the page table
 * lock and has raised mm->write_protect_seq, as fork does.
 */
static inline bool cape_share_anon_page(struct page *page)
{
#ifdef CAPE_LINUX_6_1
	return !page_try_share_anon_rmap(page);
#else
	return !folio_try_share_anon_rmap_pte(page_folio(page), page);
#endif
}

/* Keeps page faults out that run under the lock of their VMA, not under the mmap_lock. */
static inline void cape_stop_faults(struct vm_area_struct *vma)
{
	lockdep_assert_held_write(&vma->vm_mm->mmap_lock);
#ifndef CAPE_LINUX_6_1
	vma_start_write(vma);
#endif
}

static inline void cape_flush_this_cpu(void *unused)
{
	__flush_tlb_all();
}

/*
 * Forgets all translations of @mm on all processors: flush_tlb_mm() is not exported.  A processor
 * that does not run @mm now sees the new generation when it switches to it, and flushes then.
 */
static inline void cape_flush_tlb(struct mm_struct *mm)
{
	/* inc_mm_tlb_gen(), which modules do not see: also the barrier before mm_cpumask(). */
	atomic64_inc_return(&mm->context.tlb_gen);
	on_each_cpu_mask(mm_cpumask(mm), cape_flush_this_cpu, NULL, true);
}

/* Returns true if huge pages were on. */
static inline bool cape_huge_pages_off(struct mm_struct *mm)
{
	return !test_and_set_bit(MMF_DISABLE_THP, &mm->flags);
}

static inline void cape_huge_pages_on(struct mm_struct *mm)
{
	clear_bit(MMF_DISABLE_THP, &mm->flags);
}

#endif /* _CAPE_COMPAT_H */
