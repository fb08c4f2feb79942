// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * frame.c - what is known of the program's stack, and what is dead on it, alike on all nodes.
 */
#include "memory/frame.h"

#include <errno.h>
#include <string.h>
#include "base/context.h"
#include "base/saved.h"
#include "memory/apart.h"
#include "memory/area.h"
#include "system/libc.h"

static void start(struct cape_runtime *runtime)
{
	runtime->stack->local =
		cape_must_reserve(runtime, CAPE_LOCALS_LIMIT * sizeof(*runtime->stack->local));
}

CAPE_PART_OF_NODES(stack, start);

/* Bytes below the stack pointer that are cleared; on a stack that is not the program's own. */
#define NEAR	   32768
#define NEAR_OTHER 1024

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

__attribute__((naked)) void cape_frame_keep(__attribute__((unused)) struct cape_runtime *runtime,
					    __attribute__((unused)) cape_frame_function function)
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
 * What is used again at once is cleared, what lies deeper is given back to the kernel (where the
 * stack never was nothing is mapped, which madvise passes over).
 */
static void wipe_below(const struct cape_stack *stack, uint64_t pointer)
{
	uint64_t near = (pointer - NEAR) & ~(CAPE_PAGE - 1);

	if (near < stack->stack_start)
		near = stack->stack_start;
	madvise((void *)(uintptr_t)stack->stack_start, near - stack->stack_start, MADV_DONTNEED);
	memset((void *)(uintptr_t)near, 0, pointer - near);
}

/*
 * Where a coroutine has a stack of its own, nobody knows what lies below it, but that it has room
 * for what the run time has used.
 */
CAPE_APART_VOID(cape_frame_wipe, (void))
{
	const struct cape_stack *stack = cape_runtime->stack;
	uint64_t pointer = (uint64_t)(uintptr_t)stack->registers;
	int saved = errno;

	if (!cape_is_apart((uint64_t)(uintptr_t)__builtin_frame_address(0)) ||
	    cape_runtime->in_region || cape_runtime->nodes == 1)
		return;
	if (pointer >= stack->stack_start && pointer < stack->stack_end)
		wipe_below(stack, pointer);
	else
		memset((char *)stack->registers - NEAR_OTHER, 0, NEAR_OTHER);
	errno = saved;
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
		cape_fail(runtime, 0,
			  "the run cannot continue: its stack is not as it was at the save");
	stack->frame = saved.frame;
	stack->registers = (struct cape_registers *)(uintptr_t)saved.registers;
	stack->local_count = saved.locals;
	memcpy(stack->local, from + sizeof(saved), size - sizeof(saved));
}

CAPE_SAVED(stack, .of_node = true, .put = put_stack, .take = take_stack);
