/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that differs between the kernels and processors that the driver is made for. */
#ifndef _CAPE_COMPAT_H
#define _CAPE_COMPAT_H

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/rmap.h>
#include <linux/sched/coredump.h>
#include <linux/smp.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <asm/tlbflush.h>
#include "features.h"

#ifndef CONFIG_X86_64
#error "cape.ko is made for x86-64: see cape_flush_tlb()"
#endif
#ifdef CONFIG_PREEMPT_RT
#error "cape.ko takes spinlocks with preemption off (notify.c), which PREEMPT_RT does not allow"
#endif
#if !defined(CONFIG_PERF_EVENTS) || !defined(CONFIG_MMU)
#error "cape.ko needs a kernel with CONFIG_PERF_EVENTS and CONFIG_MMU"
#endif

#ifdef CAPE_HAS_FOLIO_BATCH_H
#include <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif
#ifdef CAPE_HAS_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif
#ifndef CAPE_HAS_IS_PTE_MARKER
#include <linux/leafops.h>
#endif

/* Threads of a process that never run its code; those of vhost are such since Linux 6.4. */
#ifdef PF_USER_WORKER
#define CAPE_PF_WORKER	(PF_IO_WORKER | PF_USER_WORKER)
#else
#define CAPE_PF_WORKER	PF_IO_WORKER
#endif

/* May return fewer pages than asked for; never lets go of the mmap_lock. */
static inline long cape_get_user_pages(struct mm_struct *mm, unsigned long start,
				       unsigned long count, unsigned int flags, struct page **pages)
{
#ifdef CAPE_HAS_GUP_WITH_MAPPINGS
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
#ifdef CAPE_HAS_SHARE_FOLIO
	return !folio_try_share_anon_rmap_pte(page_folio(page), page);
#else
	return !page_try_share_anon_rmap(page);
#endif
}

/* Keeps page faults out that run under the lock of their VMA, not under the mmap_lock. */
static inline void cape_stop_faults(struct vm_area_struct *vma)
{
	lockdep_assert_held_write(&vma->vm_mm->mmap_lock);
#ifdef CAPE_HAS_VMA_START_WRITE
	vma_start_write(vma);
#endif
}

/* Not even by mprotect().  For a mapping that is being made. */
static inline void cape_never_writable(struct vm_area_struct *vma)
{
#ifdef CAPE_HAS_VM_FLAGS_CLEAR
	vm_flags_clear(vma, VM_MAYWRITE);
#else
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

/* Does this kernel let modules take pages from a process? */
#if defined(CAPE_HAS_ZAP_VMA) || defined(CAPE_HAS_ZAP_SINGLE) || defined(CAPE_HAS_ZAP_RANGE)
#define CAPE_CAN_DROP_PAGES	true
#else
#define CAPE_CAN_DROP_PAGES	false
#endif

/*
 * The process finds there what it would have found had it never touched them.  Needs
 * CAPE_CAN_DROP_PAGES, and the mmap_lock.
 */
static inline void cape_drop_pages(struct vm_area_struct *vma, unsigned long start,
				   unsigned long length)
{
#if defined(CAPE_HAS_ZAP_VMA)
	zap_vma_range(vma, start, length);
#elif defined(CAPE_HAS_ZAP_SINGLE)
	zap_page_range_single(vma, start, length, NULL);
#elif defined(CAPE_HAS_ZAP_RANGE)
	zap_page_range(vma, start, length);
#endif
}

/* Has the kernel put breakpoints into @mm, be they there still or not? */
static inline bool cape_has_probes(struct mm_struct *mm)
{
#ifdef CAPE_HAS_MM_FLAGS
	return mm_flags_test(MMF_HAS_UPROBES, mm);
#else
	return test_bit(MMF_HAS_UPROBES, &mm->flags);
#endif
}

/* Is it what userfaultfd and the like leave where there is no page? */
static inline bool cape_is_marker(pte_t pte)
{
#ifdef CAPE_HAS_IS_PTE_MARKER
	return is_pte_marker(pte);
#else
	return pte_is_marker(pte);
#endif
}

/* Is it what is left of a page that memory failure has taken? */
static inline bool cape_is_poisoned(pte_t pte)
{
	if (pte_none(pte) || pte_present(pte))
		return false;
#ifdef CAPE_HAS_IS_PTE_MARKER
	return is_hwpoison_entry(pte_to_swp_entry(pte));
#else
	return softleaf_is_hwpoison(softleaf_from_pte(pte));
#endif
}

/* What an entry that is not present has for a page; swp_entry_t is older than softleaf_t. */
#ifdef CAPE_HAS_IS_PTE_MARKER
#define cape_entry(pte)			pte_to_swp_entry(pte)
#define cape_entry_has_page(entry)	is_pfn_swap_entry(entry)
#define cape_entry_page(entry)		pfn_swap_entry_to_page(entry)
#else
#define cape_entry(pte)			softleaf_from_pte(pte)
#define cape_entry_has_page(entry)	softleaf_has_pfn(entry)
#define cape_entry_page(entry)		softleaf_to_page(entry)
#endif

/* Is userfaultfd to be asked before what was swapped out is written? */
static inline bool cape_is_guarded(pte_t pte)
{
#ifdef CAPE_HAS_PTE_SWP_UFFD_WP
	return pte_swp_uffd_wp(pte);
#else
	return pte_swp_uffd(pte);
#endif
}

/* The page that an entry stands for while it is migrated and the like, or NULL. */
static inline struct page *cape_moving_page(pte_t pte)
{
	return cape_entry_has_page(cape_entry(pte)) ? cape_entry_page(cape_entry(pte)) : NULL;
}

/*
 * Is @pte, which is not present, what reclaim has left of @page?  Called with the page table lock
 * held: as long as the entry is there, the page stays in the swap cache under it.
 */
static inline bool cape_is_swapped(pte_t pte, struct page *page)
{
	if (!folio_test_swapcache(page_folio(page)))
		return false;
#ifdef CAPE_HAS_PAGE_SWAP_ENTRY
	return page_swap_entry(page).val == cape_entry(pte).val;
#else
	return page_private(page) == cape_entry(pte).val;
#endif
}

static inline bool cape_is_device_memory(pte_t pte)
{
#ifdef CAPE_HAS_PTE_DEVMAP
	return pte_devmap(pte);
#else
	return false;
#endif
}

/*
 * May any tracer look into the program?  Not into one that it may not even read: see
 * ptrace_access_vm().  Called under RCU, for a @task that has or had @mm.
 */
static inline bool cape_is_readable(struct task_struct *task, struct mm_struct *mm)
{
#ifdef CAPE_HAS_EXEC_STATE
	struct task_exec_state *state = rcu_dereference(task->exec_state);

	return state && state->dumpable == TASK_DUMPABLE_OWNER;
#else
	return get_dumpable(mm) == SUID_DUMP_USER;
#endif
}

/* May the caller look into any program like that?  The same. */
static inline bool cape_may_read_all(struct task_struct *task, struct mm_struct *mm)
{
#ifdef CAPE_HAS_EXEC_STATE
	struct task_exec_state *state = rcu_dereference(task->exec_state);

	return state && ns_capable(state->user_ns, CAP_SYS_PTRACE);
#else
	return ns_capable(mm->user_ns, CAP_SYS_PTRACE);
#endif
}

static inline void cape_flush_this_cpu(void *unused)
{
#ifdef CAPE_HAS_FLUSH_TLB_ALL
	__flush_tlb_all();
#else
	/* The same: it is exported to KVM only. */
	unsigned long flags, cr4;

	if (boot_cpu_has(X86_FEATURE_INVPCID)) {
		invpcid_flush_all();
		return;
	}
	local_irq_save(flags);
	cr4 = native_read_cr4();
	asm volatile("mov %0, %%cr4" : : "r" (cr4 ^ X86_CR4_PGE) : "memory");
	asm volatile("mov %0, %%cr4" : : "r" (cr4) : "memory");
	local_irq_restore(flags);
#endif
}

/* Does a processor look for a new generation when it switches to @mm? */
static inline bool cape_has_generations(struct mm_struct *mm)
{
#ifdef CAPE_HAS_GLOBAL_ASID
	return !READ_ONCE(mm->context.global_asid);
#else
	return true;
#endif
}

/*
 * Forgets all translations of @mm on all processors: flush_tlb_mm() is not exported.  A processor
 * that does not run @mm now sees the new generation when it switches to it, and flushes then.
 */
static inline void cape_flush_tlb(struct mm_struct *mm)
{
	/* inc_mm_tlb_gen(), which modules do not see: also the barrier before mm_cpumask(). */
	atomic64_inc_return(&mm->context.tlb_gen);
	on_each_cpu_mask(cape_has_generations(mm) ? mm_cpumask(mm) : cpu_online_mask,
			 cape_flush_this_cpu, NULL, true);
}

/* Can the driver work on this machine?  Xen does not let its guests flush as above. */
static inline bool cape_can_work(void)
{
#ifndef CAPE_HAS_FLUSH_TLB_ALL
	return !boot_cpu_has(X86_FEATURE_XENPV);
#else
	return true;
#endif
}

#ifdef MMF_DISABLE_THP_COMPLETELY
#define CAPE_HUGE_PAGES_OFF	MMF_DISABLE_THP_COMPLETELY
#else
#define CAPE_HUGE_PAGES_OFF	MMF_DISABLE_THP
#endif

/* Returns true if huge pages were on. */
static inline bool cape_huge_pages_off(struct mm_struct *mm)
{
#ifdef CAPE_HAS_MM_FLAGS
	return !mm_flags_test_and_set(CAPE_HUGE_PAGES_OFF, mm);
#else
	return !test_and_set_bit(CAPE_HUGE_PAGES_OFF, &mm->flags);
#endif
}

static inline void cape_huge_pages_on(struct mm_struct *mm)
{
#ifdef CAPE_HAS_MM_FLAGS
	mm_flags_clear(CAPE_HUGE_PAGES_OFF, mm);
#else
	clear_bit(CAPE_HUGE_PAGES_OFF, &mm->flags);
#endif
}

#endif /* _CAPE_COMPAT_H */
