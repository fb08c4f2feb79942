/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frame.c - cape_end()'s entry, and the master's frame and registers for all nodes.
 */
#include "runtime/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifndef __x86_64__
#error "cape_end() saves the callee-saved registers of x86-64 only"
#endif

/*
 * A frame beyond this, with large private arrays, is left as it is; callers' variables that are
 * not initialised may then begin with different bytes on the nodes.
 */
#define FRAME_LIMIT 8192

/* Wiped by hand, as it is used again at once; what lies deeper is given back to the kernel. */
#define NEAR (32ul << 10)
#define DEEP (8ul << 20)

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
		"lea -1024(%rsp), %rdi\n\t"
		"xor %eax, %eax\n\t"
		"mov $129, %ecx\n\t"
		"rep stosq\n\t"
		"add $8, %rsp\n\t"
		".cfi_adjust_cfa_offset -8\n\t"
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

/* Where the frame of cape_end()'s caller begins: behind the registers and the return address. */
static uint64_t stack_pointer(const struct cape_runtime *runtime)
{
	return (uint64_t)(uintptr_t)(runtime->registers + 1) + sizeof(uint64_t);
}

uint64_t cape_frame_size(const struct cape_runtime *runtime)
{
	uint64_t size = runtime->frame - stack_pointer(runtime);

	if (runtime->node > 0 || size > FRAME_LIMIT)
		return 0;
	return sizeof(*runtime->registers) + size;
}

void cape_frame_put(const struct cape_runtime *runtime, unsigned char *to)
{
	uint64_t start = stack_pointer(runtime);

	memcpy(to, runtime->registers, sizeof(*runtime->registers));
	memcpy(to + sizeof(*runtime->registers), (const void *)(uintptr_t)start,
	       runtime->frame - start);
}

/* Where the first registered variable that ends behind AT begins, *END its end; else the frame's
 * end for both. */
static uint64_t next_local(const struct cape_runtime *runtime, uint64_t at, uint64_t *end)
{
	uint64_t start = *end = runtime->frame;

	for (size_t i = 0; i < runtime->local_count; i++) {
		const struct cape_local *local = &runtime->local[i];

		if (local->address + local->size > at && local->address < start) {
			start = local->address;
			*end = local->address + local->size;
		}
	}
	return start;
}

/* Shared variables are left alone: they were merged. */
void cape_frame_take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	uint64_t first = stack_pointer(runtime), end;

	/* Another size: the stack of this node is not the master's, and nothing would fit. */
	if (runtime->node == 0 || size != sizeof(*runtime->registers) + runtime->frame - first)
		return;
	memcpy(runtime->registers, from, sizeof(*runtime->registers));
	from += sizeof(*runtime->registers);
	for (uint64_t at = first; at < runtime->frame; at = end) {
		uint64_t start = next_local(runtime, at, &end);

		if (start > at)
			memcpy((void *)(uintptr_t)at, from + (at - first), start - at);
	}
}

__attribute__((noinline)) void cape_frame_wipe(void)
{
	/* Below what this function and memset() themselves use. */
	char *here = (char *)__builtin_frame_address(0) - 128;
	char *near = (char *)(((uintptr_t)here - NEAR) & -CAPE_PAGE);
	int saved_errno = errno;

	/* Pages that were never touched are not mapped: the kernel stops at the first such. */
	madvise(near - DEEP, DEEP, MADV_DONTNEED);
	memset(near, 0, (size_t)(here - near));
	errno = saved_errno;
}
