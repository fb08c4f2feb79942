// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * apart.c - going to the stack apart from the program's, and back.
 */
#include "memory/apart.h"

#include <errno.h>
#include <signal.h>
#include <sys/platform/x86.h>
#include <sys/syscall.h>
#include "memory/area.h"
#include "memory/frame.h"
#include "system/libc.h"

#ifndef __x86_64__
#error "the stack is changed on x86-64 only"
#endif

int cape_apart_map(struct cape_runtime *runtime, uint64_t size)
{
	struct cape_stack *stack = runtime->stack;
	uint64_t end = stack->apart ? stack->apart : CAPE_APART_END, start;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *guard, *got;

	size = cape_page_ceiling(size);
	start = CAPE_APART_END - size;
	if (size > CAPE_APART_END - CAPE_APART_START - CAPE_PAGE)
		return -ENOMEM;
	if (start >= end)
		return 0;
	got = mmap((void *)(uintptr_t)start, end - start, PROT_READ | PROT_WRITE,
		   flags | (stack->apart ? MAP_FIXED : MAP_FIXED_NOREPLACE), -1, 0);
	if (got == MAP_FAILED)
		return -errno;
	guard = mmap((void *)(uintptr_t)(start - CAPE_PAGE), CAPE_PAGE, PROT_NONE,
		     flags | MAP_FIXED_NOREPLACE, -1, 0);
	if (guard == MAP_FAILED)
		return -errno;
	/* Its uppermost bytes alone are used as a rule: no huge page is worth its zeros. */
	madvise(got, end - start, MADV_NOHUGEPAGE);
	stack->apart = start;
	return 0;
}

static bool is_on_signal_stack(void)
{
	stack_t stack;

	return syscall(SYS_sigaltstack, NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK);
}

/* What the stack was before. */
enum before { IDLE, IN_USE, NOT_LEFT };

/* As two registers give it back. */
struct way {
	uint64_t stack_pointer; /* to go on with; 0: as it is */
	uint64_t before;
};

/*
 * A handler on a stack of its own, or a coroutine, may have come while the stack apart was in use.
 * Where the program's own stack is in use again, longjmp() has left the other.
 */
static bool may_go(const struct cape_runtime *runtime, uint64_t pointer)
{
	const struct cape_stack *stack = runtime->stack;
	bool usual = pointer >= stack->stack_start && pointer < stack->stack_end;

	if (!stack->apart || cape_is_apart(pointer) || !cape_is_initial_thread(runtime))
		return false;
	if (usual && !stack->in_use)
		return true;
	return !runtime->in_region && !is_on_signal_stack();
}

struct way cape_apart_enter(struct cape_registers *registers);
void cape_apart_leave(enum before before);

__attribute__((used)) struct way cape_apart_enter(struct cape_registers *registers)
{
	struct cape_runtime *runtime = cape_runtime;
	struct way way = {CAPE_APART_END, IDLE};

	if (!runtime || !may_go(runtime, (uint64_t)(uintptr_t)registers))
		return (struct way){0, NOT_LEFT};
	way.before = runtime->stack->in_use ? IN_USE : IDLE;
	runtime->stack->in_use = true;
	runtime->stack->registers = registers;
	return way;
}

/*
 * Vector registers and masks, which nobody keeps across a call, get to the stack when, say,
 * printf() stores its arguments.  Whom to ask what the CPU can do: checkpoint/diff_x86.c.
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

__attribute__((used)) void cape_apart_leave(enum before before)
{
	if (before == NOT_LEFT)
		return;
	cape_runtime->stack->in_use = before == IN_USE;
	clear_vectors();
}

/*
 * With struct cape_registers on the stack: back to the caller.  Theirs may differ between nodes,
 * too, where the run time has called.
 */
#define RETURN                                                                                     \
	"mov (%rsp), %r15\n\t"                                                                     \
	"mov 8(%rsp), %r14\n\t"                                                                    \
	"mov 16(%rsp), %r13\n\t"                                                                   \
	"mov 24(%rsp), %r12\n\t"                                                                   \
	"mov 32(%rsp), %rbx\n\t"                                                                   \
	"mov 40(%rsp), %rbp\n\t"                                                                   \
	".cfi_def_cfa %rsp, 56\n\t"                                                                \
	".irp register, %rbp, %rbx, %r12, %r13, %r14, %r15\n\t"                                    \
	".cfi_restore \\register\n\t"                                                              \
	".endr\n\t"                                                                                \
	"xor %eax, %eax\n\t"                                                                       \
	"xor %ecx, %ecx\n\t"                                                                       \
	"xor %edx, %edx\n\t"                                                                       \
	"xor %esi, %esi\n\t"                                                                       \
	"xor %edi, %edi\n\t"                                                                       \
	"xor %r8d, %r8d\n\t"                                                                       \
	"xor %r9d, %r9d\n\t"                                                                       \
	"xor %r10d, %r10d\n\t"                                                                     \
	"xor %r11d, %r11d\n\t"                                                                     \
	".irp at, 0, 8, 16, 24, 32, 40\n\t"                                                        \
	"mov %rcx, \\at(%rsp)\n\t"                                                                 \
	".endr\n\t"                                                                                \
	"add $48, %rsp\n\t"                                                                        \
	".cfi_def_cfa_offset 8\n\t"                                                                \
	"ret"

void cape_apart(void);

/* Calls the function in rax with the arguments that are there.  Debuggers find the caller by rbp.
 */
__attribute__((naked, used)) void cape_apart(void)
{
	__asm__("push %rbp\n\t"
		".cfi_def_cfa_offset 16\n\t"
		".cfi_offset %rbp, -16\n\t"
		"mov %rsp, %rbp\n\t"
		".cfi_def_cfa_register %rbp\n\t"
		"push %rbx\n\t"
		".cfi_offset %rbx, -24\n\t"
		"push %r12\n\t"
		".cfi_offset %r12, -32\n\t"
		"push %r13\n\t"
		".cfi_offset %r13, -40\n\t"
		"push %r14\n\t"
		".cfi_offset %r14, -48\n\t"
		"push %r15\n\t"
		".cfi_offset %r15, -56\n\t"
		"push %rdi\n\t"
		"push %rsi\n\t"
		"push %rdx\n\t"
		"push %rcx\n\t"
		"push %r8\n\t"
		"push %r9\n\t"
		"push %rax\n\t"
		"lea -40(%rbp), %rdi\n\t"
		"call cape_apart_enter\n\t"
		"mov %rax, %r12\n\t"
		"mov %rdx, %r13\n\t"
		"pop %rbx\n\t"
		"pop %r9\n\t"
		"pop %r8\n\t"
		"pop %rcx\n\t"
		"pop %rdx\n\t"
		"pop %rsi\n\t"
		"pop %rdi\n\t"
		"test %r12, %r12\n\t"
		"jnz 1f\n\t"
		"lea -8(%rsp), %r12\n"
		"1:\n\t"
		"mov %r12, %rsp\n\t"
		"call *%rbx\n\t"
		"mov %r13, %rdi\n\t"
		"call cape_apart_leave\n\t"
		"lea -40(%rbp), %rsp\n\t" RETURN);
}

__attribute__((naked)) void cape_frame_resume(__attribute__((unused))
					      const struct cape_registers *registers)
{
	__asm__("mov %rdi, %rsp\n\t" RETURN);
}
