/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frame.c - cape_end()'s entry, and the master's frame and registers for all nodes.
 */
#include "memory/frame.h"

#include <string.h>
#include <sys/platform/x86.h>
#include "base/context.h"
#include "base/saved.h"
#include "channel/range.h"
#include "memory/area.h"

static void start(struct cape_runtime *runtime)
{
	runtime->stack->local =
		cape_must_reserve(runtime, CAPE_LOCALS_LIMIT * sizeof(*runtime->stack->local));
}

CAPE_PART_OF_NODES(stack, start);

#ifndef __x86_64__
#error "cape_end() saves the callee-saved registers of x86-64 only"
#endif

/* Bytes below the stack pointer that are cleared; on a stack that is not the program's own. */
#define NEAR	   32768
#define NEAR_OTHER 1024

/* What is left in the other registers gets to the stack when, say, printf() stores its arguments.
 */
#define CLEAR_REGISTERS                                                                            \
	"xor %edx, %edx\n\t"                                                                       \
	"xor %esi, %esi\n\t"                                                                       \
	"xor %r8d, %r8d\n\t"                                                                       \
	"xor %r9d, %r9d\n\t"                                                                       \
	"xor %r10d, %r10d\n\t"                                                                     \
	"xor %r11d, %r11d\n\t"

/*
 * Stores the callee-saved registers where cape_end_saved() may change them, and wipes what it
 * leaves between its frame and the caller's.
 */
CAPE_EXPORT __attribute__((naked)) void
cape_end_at(__attribute__((unused)) enum cape_directive directive,
	    __attribute__((unused)) int reduction,
	    __attribute__((unused)) const struct cape_place *place)
{
	__asm__("push %rbp\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %rbx\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r12\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r13\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r14\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r15\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"mov %rsp, %rcx\n\t"
		"sub $8, %rsp\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"call cape_end_saved\n\t"
		/* Below the stack pointer nothing may be written: a signal may come, valgrind look.
		 */
		"sub $1024, %rsp\n\t"
		".cfi_adjust_cfa_offset 1024\n\t"
		"mov %rsp, %rdi\n\t"
		"xor %eax, %eax\n\t"
		"mov $129, %ecx\n\t"
		"rep stosq\n\t" CLEAR_REGISTERS "add $1032, %rsp\n\t"
		".cfi_adjust_cfa_offset -1032\n\t"
		"pop %r15\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
		"pop %r14\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
		"pop %r13\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
		"pop %r12\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
		"pop %rbx\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
		"pop %rbp\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
		"ret");
}

/*
 * What travels: the registers, where cape_end() returns to, and from there on the frame of its
 * caller.  All of it means something to another node only if that returns to the same place: a
 * compiler may make copies of a region's end, for the master's way through it and for the others',
 * and keep variables elsewhere in each.
 */
static uint64_t start_of(const struct cape_runtime *runtime)
{
	return (uint64_t)(uintptr_t)runtime->stack->registers;
}

/* Where the frame of cape_end()'s caller begins: behind the registers and the return address. */
static uint64_t stack_pointer(const struct cape_runtime *runtime)
{
	return (uint64_t)(uintptr_t)(runtime->stack->registers + 1) + sizeof(uint64_t);
}

uint64_t cape_frame_next_local(const struct cape_runtime *runtime, uint64_t at, uint64_t *end)
{
	uint64_t start = *end = runtime->stack->frame;

	for (size_t i = 0; i < runtime->stack->local_count; i++) {
		const struct cape_local *local = &runtime->stack->local[i];

		if (local->address + local->size > at && local->address < start) {
			start = local->address;
			*end = local->address + local->size;
		}
	}
	return start;
}

/*
 * The next stretch between shared variables, from *AT on, which is moved behind it.  The variables
 * do not travel: they were merged.  What lies between them does, however large: a private array's
 * bytes would become the first ones of a shared variable that lies there later.
 */
static bool next_part(const struct cape_runtime *runtime, uint64_t *at, struct cape_range *part)
{
	while (*at < runtime->stack->frame) {
		uint64_t end;

		*part = (struct cape_range){*at, cape_frame_next_local(runtime, *at, &end)};
		*at = end;
		if (part->end > part->start)
			return true;
	}
	return false;
}

/* The registers and the return address. */
static uint64_t head_size(const struct cape_runtime *runtime)
{
	return stack_pointer(runtime) - start_of(runtime);
}

static uint64_t whole_size(const struct cape_runtime *runtime)
{
	uint64_t at = stack_pointer(runtime), size = head_size(runtime);
	struct cape_range part;

	while (next_part(runtime, &at, &part))
		size += part.end - part.start;
	return size;
}

uint64_t cape_frame_size(const struct cape_runtime *runtime)
{
	return runtime->node > 0 ? 0 : whole_size(runtime);
}

void cape_frame_put(const struct cape_runtime *runtime, unsigned char *to)
{
	uint64_t at = stack_pointer(runtime);
	struct cape_range part;

	memcpy(to, runtime->stack->registers, head_size(runtime));
	for (to += head_size(runtime); next_part(runtime, &at, &part); to += part.end - part.start)
		memcpy(to, (const void *)(uintptr_t)part.start, part.end - part.start);
}

static bool same_return(const struct cape_runtime *runtime, const unsigned char *from)
{
	const size_t at = sizeof(*runtime->stack->registers);

	return memcmp(from + at, (const unsigned char *)runtime->stack->registers + at,
		      sizeof(uint64_t)) == 0;
}

void cape_frame_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	uint64_t at = stack_pointer(runtime);
	struct cape_range part;

	/* Another size: the stack of this node is not the master's, and nothing would fit. */
	if (runtime->node == 0 || size != whole_size(runtime) || !same_return(runtime, from))
		return;
	memcpy(runtime->stack->registers, from, sizeof(*runtime->stack->registers));
	for (from += head_size(runtime); next_part(runtime, &at, &part);
	     from += part.end - part.start)
		memcpy((void *)(uintptr_t)part.start, from, part.end - part.start);
}

__attribute__((naked)) void cape_frame_resume(__attribute__((unused))
					      const struct cape_registers *registers)
{
	__asm__("mov %rdi, %rsp\n\t"
		"sub $8, %rsp\n\t"
		"call cape_frame_wipe\n\t"
		"add $8, %rsp\n\t"
		"pop %r15\n\t"
		"pop %r14\n\t"
		"pop %r13\n\t"
		"pop %r12\n\t"
		"pop %rbx\n\t"
		"pop %rbp\n\t"
		"ret");
}

__attribute__((naked)) void cape_frame_keep(__attribute__((unused)) struct cape_runtime *runtime,
					    __attribute__((unused)) cape_frame_kept function)
{
	__asm__("push %rbp\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %rbx\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r12\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r13\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r14\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"push %r15\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"mov %rsi, %rax\n\t"
		"mov %rsp, %rsi\n\t"
		"sub $8, %rsp\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		"call *%rax\n\t"
		"add $56, %rsp\n\t"
		".cfi_adjust_cfa_offset -56\n\t"
		"ret");
}

/*
 * Vector registers and masks, which nobody keeps across a call, get to the stack like the others.
 * Whom to ask what the CPU can do: checkpoint/diff_x86.c.
 */
static void clear_vectors(void)
{
	if (CPU_FEATURE_ACTIVE(AVX))
		__asm__ volatile("vzeroall");
	else
		__asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
				 "pxor %xmm\\n, %xmm\\n\n\t"
				 ".endr");
	if (CPU_FEATURE_ACTIVE(AVX512F))
		__asm__ volatile(
			".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
			"vpxord %zmm\\n, %zmm\\n, %zmm\\n\n\t"
			".endr\n\t"
			".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t"
			"kxorw %k\\n, %k\\n, %k\\n\n\t"
			".endr");
}

/* Below the stack pointer: from NEAR on it is cleared, below that, from DEEP on, given back. */
struct dead {
	uint64_t deep, near;
};

struct dead cape_frame_find_dead(uint64_t pointer);

/*
 * All that the program's own stack can grow to.  Where a coroutine, a handler or a thread has
 * another, nobody knows what lies below it, but that it has room for what the run time has used.
 */
__attribute__((used)) struct dead cape_frame_find_dead(uint64_t pointer)
{
	const struct cape_stack *stack = cape_runtime_get()->stack;
	uint64_t near = (pointer - NEAR) & ~(CAPE_PAGE - 1);

	clear_vectors();
	if (pointer < stack->stack_start || pointer >= stack->stack_end)
		return (struct dead){pointer - NEAR_OTHER, pointer - NEAR_OTHER};
	return (struct dead){stack->stack_start < near ? stack->stack_start : near, near};
}

/*
 * From the return address down, so that nothing of the run time's own is left either: what is
 * used again at once is cleared, what lies deeper is given back to the kernel (where the stack
 * never was nothing is mapped, which madvise passes over).
 */
__attribute__((naked)) void cape_frame_wipe(void)
{
	__asm__("mov %rsp, %rdi\n\t"
		"sub $8, %rsp\n\t"
		"call cape_frame_find_dead\n\t"
		"add $8, %rsp\n\t"
		"mov %rdx, %r8\n\t"
		"mov %rax, %rdi\n\t"
		"mov %r8, %rsi\n\t"
		"sub %rdi, %rsi\n\t"
		"mov $4, %edx\n\t"  /* MADV_DONTNEED */
		"mov $28, %eax\n\t" /* madvise */
		"syscall\n\t"
		"mov %r8, %rdi\n\t"
		"mov %rsp, %rcx\n\t"
		"sub %rdi, %rcx\n\t"
		"shr $3, %rcx\n\t"
		"xor %eax, %eax\n\t"
		"rep stosq\n\t" CLEAR_REGISTERS "ret");
}

/* -- for saving inside a region ------------------------------------------------------------ */

/* Of the stack; struct cape_local[locals] follows. */
struct saved {
	uint64_t frame, registers, locals;
};

static uint64_t put_stack(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_stack *stack = runtime->stack;
	struct saved saved = {stack->frame, (uint64_t)(uintptr_t)stack->registers,
			      stack->local_count};
	uint64_t size = stack->local_count * sizeof(*stack->local);

	if (!runtime->in_region)
		return 0;
	if (to) {
		memcpy(to, &saved, sizeof(saved));
		memcpy(to + sizeof(saved), stack->local, size);
	}
	return sizeof(saved) + size;
}

static void take_stack(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_stack *stack = runtime->stack;
	struct saved saved;

	if (size < sizeof(saved))
		return;
	memcpy(&saved, from, sizeof(saved));
	if (saved.locals > CAPE_LOCALS_LIMIT ||
	    size != sizeof(saved) + saved.locals * sizeof(*stack->local))
		cape_fail(runtime, 0, "the run cannot go on: its stack is not as it was saved");
	stack->frame = saved.frame;
	stack->registers = (struct cape_registers *)(uintptr_t)saved.registers;
	stack->local_count = saved.locals;
	memcpy(stack->local, from + sizeof(saved), size - sizeof(saved));
}

CAPE_SAVED(stack, .of_node = true, .put = put_stack, .take = take_stack);
