/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outlined.c - regions' blocks that the compiler has made functions of.
 *
 * How many threads there are the construct's own calls have said before.
 */
#include <stdarg.h>
#include "cape.h"
#include "openmp/constructs.h"

/* A loop that begins no region has such a block, too, if it may become one (cape_plan.h). */
static void run(void (*body)(void *data), void *data)
{
	if (cape_constructs->innermost()->is_parallel)
		cape_region_run(body, data);
	else
		body(data);
}

/* gcc's GOMP_parallel(). */
void cape_gomp_parallel(void (*body)(void *data), void *data, unsigned int threads,
			unsigned int flags);

CAPE_EXPORT void cape_gomp_parallel(void (*body)(void *data), void *data,
				    __attribute__((unused)) unsigned int threads,
				    __attribute__((unused)) unsigned int flags)
{
	run(body, data);
}

/* What clang makes of a block: the numbers of its thread come before what the block knows. */
typedef void (*microtask)(int *global_thread, int *team_thread, ...);

/* In registers go so many of a block's arguments, all of which are words. */
#define IN_REGISTERS 4

struct outlined_call {
	microtask block;
	unsigned long count; /* even, at least IN_REGISTERS */
	void **arguments;
};

/* Calls BLOCK with THREAD twice and COUNT arguments. */
void cape_outlined_call(microtask block, int *thread, unsigned long count, void **arguments);

__attribute__((naked)) void cape_outlined_call(__attribute__((unused)) microtask block,
					       __attribute__((unused)) int *thread,
					       __attribute__((unused)) unsigned long count,
					       __attribute__((unused)) void **arguments)
{
	__asm__("push %rbp\n\t"
		".cfi_def_cfa_offset 16\n\t"
		".cfi_offset %rbp, -16\n\t"
		"mov %rsp, %rbp\n\t"
		".cfi_def_cfa_register %rbp\n\t"
		"mov %rdi, %r11\n\t"
		"mov %rsi, %rdi\n\t"
		"mov %rcx, %rax\n"
		"1:\n\t"
		"cmp $4, %rdx\n\t"
		"jbe 2f\n\t"
		"pushq -8(%rax, %rdx, 8)\n\t"
		"dec %rdx\n\t"
		"jmp 1b\n"
		"2:\n\t"
		"mov (%rax), %rdx\n\t"
		"mov 8(%rax), %rcx\n\t"
		"mov 16(%rax), %r8\n\t"
		"mov 24(%rax), %r9\n\t"
		"xor %eax, %eax\n\t"
		"call *%r11\n\t"
		"leave\n\t"
		".cfi_def_cfa %rsp, 8\n\t"
		"ret");
}

static void call_block(void *data)
{
	const struct outlined_call *call = data;
	int thread = 0;

	cape_outlined_call(call->block, &thread, call->count, call->arguments);
}

/* clang's __kmpc_fork_call(). */
void cape_kmpc_fork_call(const void *place, int count, microtask block, ...);

CAPE_EXPORT void cape_kmpc_fork_call(__attribute__((unused)) const void *place, int count,
				     microtask block, ...)
{
	unsigned long room =
		count < IN_REGISTERS ? IN_REGISTERS : ((unsigned long)count + 1) & ~1ul;
	void *arguments[room];
	struct outlined_call call = {block, room, arguments};
	va_list list;

	__builtin_memset(arguments, 0, sizeof(arguments));
	va_start(list, block);
	for (int i = 0; i < count; i++)
		arguments[i] = va_arg(list, void *);
	va_end(list);
	run(call_block, &call);
}
