// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wrote: a ring of records, one for each first write to a locked page (CAPE_MODE_RECORD), and
 * for each write to watched bytes, which its reader maps.  The process is not stopped.
 *
 * What a record has of the process's memory, its maker might read by ptrace at that time.
 *
 * The records are made by the handlers of page faults (notify.c) and of breakpoints (bytes.c), of
 * any thread, on any processor.  The driver never reads what it has put into the ring, and of what
 * the reader may write to, its position, it believes nothing: one that makes no sense is a ring
 * that is full.
 *
 * A recorder belongs to the attach descriptor and to its own, whichever is closed later; a mapping
 * holds the latter.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/syscall.h>
#include "compat.h"
#include "time/time.h"

/* Where a record has its registers and stack, if it has. */
#define CAPE_STACK_OFFSET	sizeof(struct cape_record)

/* Those of the fault and of this handler are above the ones that are reported. */
#define CAPE_KERNEL_FRAMES	32

/**
 * struct cape_recorder - a ring of records
 * @users: the attach descriptor and the recorder's own
 * @wait: readers that poll
 * @wake: wakes them, from where that cannot be done at once
 * @kernel_stacks: they are reported
 * @all_programs: who made it may look also into those that are not to be read
 * @ended: nothing will be recorded any more
 * @lock: of @head and @lost, and of who writes to the ring
 * @head: records that were written
 * @lost: records for which there was no room
 * @capacity: records in the ring, a power of two
 * @record_size: bytes from one to the next
 * @stack_bytes: bytes of the stack in each, or zero: neither these nor registers
 * @page_count: entries of @pages
 * @pages: the control page, the header, the records
 * @user: whose RLIMIT_MEMLOCK they count against
 * @control: the first page, to which readers may write
 * @header: the second
 * @records: the others
 */
struct cape_recorder {
	struct kref users;
	wait_queue_head_t wait;
	struct irq_work wake;
	bool kernel_stacks;
	bool all_programs;
	bool ended;
	spinlock_t lock;	/* taken in page faults */
	u64 head;
	u64 lost;
	u32 capacity;
	u32 record_size;
	u32 stack_bytes;
	u32 page_count;
	struct page **pages;
	struct user_struct *user;
	const struct cape_record_control *control;
	struct cape_record_header *header;
	void *records;
};

static void free_recorder(struct kref *users)
{
	struct cape_recorder *recorder = container_of(users, struct cape_recorder, users);
	u32 i;

	irq_work_sync(&recorder->wake);
	vunmap(recorder->control);
	for (i = 0; recorder->pages && i < recorder->page_count && recorder->pages[i]; i++)
		put_page(recorder->pages[i]);
	kvfree(recorder->pages);
	atomic_long_sub(recorder->page_count, &recorder->user->locked_vm);
	free_uid(recorder->user);
	kfree(recorder);
}

static void put_recorder(struct cape_recorder *recorder)
{
	kref_put(&recorder->users, free_recorder);
}

static void wake_readers(struct irq_work *wake)
{
	struct cape_recorder *recorder = container_of(wake, struct cape_recorder, wake);

	wake_up_interruptible_poll(&recorder->wait, EPOLLIN | EPOLLRDNORM);
}

/* Nothing will come any more: whoever waits is woken. */
static void end_recorder(struct cape_recorder *recorder)
{
	WRITE_ONCE(recorder->ended, true);
	wake_up_interruptible_poll(&recorder->wait, EPOLLHUP);
}

/* The pages count as memory that the caller has locked, and to its cgroup. */
static int allocate_pages(struct cape_recorder *recorder)
{
	unsigned long total = atomic_long_add_return(recorder->page_count,
						     &recorder->user->locked_vm);
	u32 i;

	if (total > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT && !capable(CAP_IPC_LOCK))
		return -ENOMEM;
	recorder->pages = kvcalloc(recorder->page_count, sizeof(*recorder->pages),
				   GFP_KERNEL_ACCOUNT);
	if (!recorder->pages)
		return -ENOMEM;
	for (i = 0; i < recorder->page_count; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		recorder->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!recorder->pages[i])
			return -ENOMEM;
	}
	recorder->control = vmap(recorder->pages, recorder->page_count, VM_MAP | VM_USERMAP,
				 PAGE_KERNEL);
	return recorder->control ? 0 : -ENOMEM;
}

static u32 record_size(u32 stack_bytes)
{
	if (!stack_bytes)
		return sizeof(struct cape_record);
	return CAPE_STACK_OFFSET + sizeof(struct cape_record_stack) + stack_bytes;
}

/* What PTRACE_PEEKDATA asks for if the process is not to be read. */
static bool may_read_all(struct cape_process *process)
{
	struct task_struct *leader;
	bool may;

	rcu_read_lock();
	leader = pid_task(process->pid, PIDTYPE_TGID);
	may = leader && cape_may_read_all(leader, process->mm);
	rcu_read_unlock();
	return may;
}

static struct cape_recorder *new_recorder(struct cape_process *process, u32 capacity,
					  u32 stack_bytes)
{
	struct cape_recorder *recorder = kzalloc(sizeof(*recorder), GFP_KERNEL_ACCOUNT);
	int err;

	if (!recorder)
		return ERR_PTR(-ENOMEM);
	kref_init(&recorder->users);
	init_waitqueue_head(&recorder->wait);
	init_irq_work(&recorder->wake, wake_readers);
	spin_lock_init(&recorder->lock);
	recorder->user = get_uid(current_user());
	recorder->kernel_stacks = perfmon_capable();
	recorder->all_programs = may_read_all(process);
	recorder->capacity = capacity;
	recorder->stack_bytes = stack_bytes;
	recorder->record_size = record_size(stack_bytes);
	recorder->page_count = 2 + DIV_ROUND_UP((u64)capacity * recorder->record_size, PAGE_SIZE);
	err = allocate_pages(recorder);
	if (err) {
		put_recorder(recorder);
		return ERR_PTR(err);
	}
	recorder->header = (void *)recorder->control + PAGE_SIZE;
	recorder->records = (void *)recorder->header + PAGE_SIZE;
	*recorder->header = (struct cape_record_header){
		.version = CAPE_RECORD_VERSION,
		.records_offset = 2 * PAGE_SIZE,
		.record_size = recorder->record_size,
		.record_count = capacity,
		.stack_offset = stack_bytes ? CAPE_STACK_OFFSET : 0,
	};
	return recorder;
}

/* The control page alone may be written to; anything may be read. */
static int recorder_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct cape_recorder *recorder = file->private_data;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_pgoff || vma_pages(vma) != 1) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		cape_never_writable(vma);
	}
	return remap_vmalloc_range(vma, (void *)recorder->control, vma->vm_pgoff);
}

static __poll_t recorder_poll(struct file *file, poll_table *table)
{
	struct cape_recorder *recorder = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &recorder->wait, table);
	if (READ_ONCE(recorder->head) != READ_ONCE(recorder->control->tail))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(recorder->ended))
		events |= EPOLLHUP;
	return events;
}

static int recorder_release(struct inode *inode, struct file *file)
{
	put_recorder(file->private_data);
	return 0;
}

static const struct file_operations recorder_fops = {
	.owner = THIS_MODULE,
	.mmap = recorder_mmap,
	.poll = recorder_poll,
	.release = recorder_release,
	.llseek = noop_llseek,
};

/**
 * cape_make_recorder() - CAPE_MAKE_RECORDER and CAPE_MAKE_STACK_RECORDER
 * @process: its lock is held
 * @record_count: as in struct cape_make_recorder
 * @stack_bytes: as in struct cape_make_stack_recorder, or zero: no stacks
 *
 * Return: the recorder's descriptor, or an error: see struct cape_make_recorder.
 */
int cape_make_recorder(struct cape_process *process, u32 record_count, u32 stack_bytes)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_recorder *recorder;
	int descriptor;

	if (record_count < CAPE_RECORDS_LEAST || record_count > CAPE_RECORDS_MOST ||
	    !is_power_of_2(record_count) ||
	    (u64)record_count * record_size(stack_bytes) > CAPE_RING_MOST)
		return -EINVAL;
	if ((snapshot && snapshot->mode == CAPE_MODE_RECORD) || process->watch)
		return -EBUSY;
	recorder = new_recorder(process, record_count, stack_bytes);
	if (IS_ERR(recorder))
		return PTR_ERR(recorder);
	kref_get(&recorder->users);
	descriptor = anon_inode_getfd("[cape-recorder]", &recorder_fops, recorder,
				      O_RDWR | O_CLOEXEC);
	if (descriptor < 0) {
		put_recorder(recorder);
		put_recorder(recorder);
		return descriptor;
	}
	recorder = rcu_replace_pointer(process->recorder, recorder,
				       lockdep_is_held(&process->lock));
	if (recorder) {
		/* A page fault handler that began in time has it still. */
		synchronize_rcu();
		end_recorder(recorder);
		put_recorder(recorder);
	}
	return descriptor;
}

/* The process has ended, or nobody can have anything recorded any more.  Its lock is held. */
void cape_end_recorder(struct cape_process *process)
{
	struct cape_recorder *recorder = rcu_dereference_protected(process->recorder,
								   lockdep_is_held(&process->lock));

	if (recorder)
		end_recorder(recorder);
}

/* The attach descriptor is closed; no page fault handler runs for @process any more. */
void cape_drop_recorder(struct cape_process *process)
{
	struct cape_recorder *recorder = rcu_replace_pointer(process->recorder, NULL, true);

	if (!recorder)
		return;
	end_recorder(recorder);
	put_recorder(recorder);
}

/*
 * By frame pointers, as far as they lead; perhaps astray, in programs that are built without.
 * @readable: by them, or not at all.
 */
static u16 walk_user_stack(struct pt_regs *regs, u64 *stack, bool readable)
{
	struct {
		u64 next;
		u64 address;
	} frame;
	unsigned long at = regs->bp;
	u16 depth = 0;

	/* A worker of io_uring has none. */
	if (!regs->ip)
		return 0;
	stack[depth++] = regs->ip;
	/* A 32-bit program has other frames. */
	if (!readable || regs->cs != __USER_CS)
		return depth;
	while (depth < CAPE_RECORD_USER_STACK && IS_ALIGNED(at, sizeof(u64)) &&
	       !copy_from_user_nofault(&frame, (void __user *)at, sizeof(frame)) &&
	       frame.address) {
		stack[depth++] = frame.address;
		if (frame.next <= at)
			break;
		at = frame.next;
	}
	return depth;
}

/* From the instruction that wrote on; what is above it is the fault. */
static u16 walk_kernel_stack(struct pt_regs *regs, u64 *stack)
{
	unsigned long entries[CAPE_KERNEL_FRAMES];
	unsigned int count = stack_trace_save(entries, CAPE_KERNEL_FRAMES, 0), i = 0;
	u16 depth = 0;

	stack[depth++] = regs->ip;
	while (i < count && entries[i] != regs->ip)
		i++;
	while (++i < count && depth < CAPE_RECORD_KERNEL_STACK)
		stack[depth++] = entries[i];
	return depth;
}

/* Page by page, as far as they are in memory. */
static u32 copy_user_stack(u8 *to, unsigned long from, u32 most)
{
	u32 done = 0;

	while (done < most) {
		u32 count = min_t(u32, most - done, PAGE_SIZE - offset_in_page(from + done));

		if (copy_from_user_nofault(to + done, (void __user *)(from + done), count))
			break;
		done += count;
	}
	return done;
}

/* Registers in the order of DWARF, and up to @most bytes. */
static void fill_stack(struct cape_record_stack *stack, const struct pt_regs *regs, u32 most)
{
	const u64 registers[CAPE_REGISTERS] = {
		regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di, regs->bp, regs->sp,
		regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13, regs->r14,
		regs->r15, regs->ip,
	};

	memcpy(stack->registers, registers, sizeof(registers));
	stack->reserved = 0;
	/* Neither a thread of the kernel, nor 32-bit code. */
	stack->length = regs->ip && regs->cs == __USER_CS
		      ? copy_user_stack(stack->stack, regs->sp, most) : 0;
}

/*
 * Puts @record into the ring if there is room.
 * @user: registers of the thread in user mode
 * @readable: so is its stack
 */
static void append(struct cape_recorder *recorder, struct cape_record *record,
		   const struct pt_regs *user, bool readable)
{
	u64 place;

	/*
	 * Who holds it is not interrupted by a breakpoint, as it writes to no user memory; but
	 * lockdep cannot know, and has nothing against an attempt.
	 */
	while (!spin_trylock(&recorder->lock))
		cpu_relax();
	record->number = recorder->head + recorder->lost;
	/* Pairs with the reader's store, which comes after it has read. */
	if (recorder->head - smp_load_acquire(&recorder->control->tail) < recorder->capacity) {
		place = (recorder->head & (recorder->capacity - 1)) * recorder->record_size;
		memcpy(recorder->records + place, record, sizeof(*record));
		if (recorder->stack_bytes)
			fill_stack(recorder->records + place + CAPE_STACK_OFFSET, user,
				   readable ? recorder->stack_bytes : 0);
		WRITE_ONCE(recorder->head, recorder->head + 1);
		/* Whoever sees that there is a record sees the record. */
		smp_store_release(&recorder->header->head, recorder->head);
	} else {
		recorder->lost++;
		WRITE_ONCE(recorder->header->lost, recorder->lost);
	}
	spin_unlock(&recorder->lock);
	if (wq_has_sleeper(&recorder->wait))
		irq_work_queue(&recorder->wake);
}

/**
 * cape_record_write() - records a write
 * @process: whose
 * @write: what is known of it
 * @regs: of the instruction that did, or the one after it, in the process or in the kernel
 *
 * Called in the thread that wrote, in its page fault or as in an NMI, under RCU.
 */
void cape_record_write(struct cape_process *process, const struct cape_write *write,
		       struct pt_regs *regs)
{
	struct cape_recorder *recorder = rcu_dereference(process->recorder);
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);
	bool readable = recorder->all_programs || cape_is_readable(current, process->mm);
	struct cape_record record = {
		.time = in_nmi() ? ktime_get_mono_fast_ns() : ktime_get_ns(),
		.address = write->address,
		.instruction = user->ip,
		.thread = task_pid_nr_ns(current, ns_of_pid(write->tracer)),
		.cpu = smp_processor_id(),
		.system_call = -1,
		.flags = write->flags,
	};

	if (!(write->flags & CAPE_RECORD_WATCHED))
		record.epoch = write->epoch;
	else if (readable)
		record.value = write->value;
	record.user_depth = walk_user_stack(user, record.user_stack, readable);
	if (!user_mode(regs)) {
		record.flags |= CAPE_RECORD_BY_KERNEL;
		record.system_call = syscall_get_nr(current, user);
		if (recorder->kernel_stacks)
			record.kernel_depth = walk_kernel_stack(regs, record.kernel_stack);
	}
	append(recorder, &record, user, readable);
}
