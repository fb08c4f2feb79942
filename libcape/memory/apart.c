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

/* As two registers give it back. */
struct way {
	uint64_t stack_pointer; /* to go on with; 0: as it is */
	bool *in_use;		/* to be false again on the way back, or NULL */
};

/*
 * A handler on a stack of its own may have come while the stack apart was in use, or a coroutine.
 * Where sequential code is on the program's own stack again, longjmp() has left the other.
 */
static bool may_go(const struct cape_runtime *runtime, uint64_t pointer)
{
	const struct cape_stack *stack = runtime->stack;
	bool usual = pointer >= stack->stack_start && pointer < stack->stack_end;

	if (!stack->apart || cape_is_apart(pointer) || !cape_is_initial_thread(runtime))
		return false;
	if (usual && !stack->in_use)
		return true;
	return (usual || !stack->in_use) && !runtime->in_region && !is_on_signal_stack();
}

struct way cape_apart_enter(struct cape_registers *registers);
void cape_apart_leave(void);

__attribute__((used)) struct way cape_apart_enter(struct cape_registers *registers)
{
	struct cape_runtime *runtime = cape_runtime;

	if (!runtime || !may_go(runtime, (uint64_t)(uintptr_t)registers))
		return (struct way){0, NULL};
	runtime->stack->in_use = true;
	runtime->stack->registers = registers;
	return (struct way){CAPE_APART_END, &runtime->stack->in_use};
}

/*
 * Vector registers and masks, which nobody keeps across a call, get to the stack when, say,
 * printf() stores its arguments.  Whom to ask what the CPU can do: checkpoint/diff_x86.c.
 */
__attribute__((used)) void cape_apart_leave(void)
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

/* With struct cape_registers on the stack: these are had again, and no trace of them stays. */
#define RESTORE                                                                                    \
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
	"xor %ecx, %ecx\n\t"                                                                       \
	".irp at, 0, 8, 16, 24, 32, 40\n\t"                                                        \
	"mov %rcx, \\at(%rsp)\n\t"                                                                 \
	".endr\n\t"

/* Then back to the caller.  Registers may differ between nodes, too, where the run time has called.
 */
#define RETURN                                                                                     \
	"xor %edx, %edx\n\t"                                                                       \
	"xor %esi, %esi\n\t"                                                                       \
	"xor %edi, %edi\n\t"                                                                       \
	"xor %r8d, %r8d\n\t"                                                                       \
	"xor %r9d, %r9d\n\t"                                                                       \
	"xor %r10d, %r10d\n\t"                                                                     \
	"xor %r11d, %r11d\n\t"                                                                     \
	"add $48, %rsp\n\t"                                                                        \
	".cfi_def_cfa_offset 8\n\t"                                                                \
	"ret"

/*
 * Calls the function in r11 with the arguments that are there, up to eight, and has its result in
 * rax.  Debuggers find the caller by rbp.  Who comes in between with a stack of its own keeps off
 * the stack apart until it is left.
 */
#define GO                                                                                         \
	"push %rbp\n\t"                                                                            \
	".cfi_def_cfa_offset 16\n\t"                                                               \
	".cfi_offset %rbp, -16\n\t"                                                                \
	"mov %rsp, %rbp\n\t"                                                                       \
	".cfi_def_cfa_register %rbp\n\t"                                                           \
	"push %rbx\n\t"                                                                            \
	".cfi_offset %rbx, -24\n\t"                                                                \
	"push %r12\n\t"                                                                            \
	".cfi_offset %r12, -32\n\t"                                                                \
	"push %r13\n\t"                                                                            \
	".cfi_offset %r13, -40\n\t"                                                                \
	"push %r14\n\t"                                                                            \
	".cfi_offset %r14, -48\n\t"                                                                \
	"push %r15\n\t"                                                                            \
	".cfi_offset %r15, -56\n\t"                                                                \
	"push %rdi\n\t"                                                                            \
	"push %rsi\n\t"                                                                            \
	"push %rdx\n\t"                                                                            \
	"push %rcx\n\t"                                                                            \
	"push %r8\n\t"                                                                             \
	"push %r9\n\t"                                                                             \
	"push %r11\n\t"                                                                            \
	"lea -40(%rbp), %rdi\n\t"                                                                  \
	"call cape_apart_enter\n\t"                                                                \
	"mov %rax, %r12\n\t"                                                                       \
	"mov %rdx, %r13\n\t"                                                                       \
	"pop %r11\n\t"                                                                             \
	"pop %r9\n\t"                                                                              \
	"pop %r8\n\t"                                                                              \
	"pop %rcx\n\t"                                                                             \
	"pop %rdx\n\t"                                                                             \
	"pop %rsi\n\t"                                                                             \
	"pop %rdi\n\t"                                                                             \
	"test %r12, %r12\n\t"                                                                      \
	"jnz 2f\n\t"                                                                               \
	"lea -8(%rsp), %r12\n"                                                                     \
	"2:\n\t"                                                                                   \
	"mov %r12, %rsp\n\t"                                                                       \
	"push 24(%rbp)\n\t"                                                                        \
	"push 16(%rbp)\n\t"                                                                        \
	"xor %eax, %eax\n\t"                                                                       \
	"call *%r11\n\t"                                                                           \
	"mov %rax, %rbx\n\t"                                                                       \
	"test %r13, %r13\n\t"                                                                      \
	"jz 3f\n\t"                                                                                \
	"call cape_apart_leave\n\t"                                                                \
	"lea -40(%rbp), %rsp\n\t"                                                                  \
	"movb $0, (%r13)\n"                                                                        \
	"3:\n\t"                                                                                   \
	"lea -40(%rbp), %rsp\n\t"                                                                  \
	"mov %rbx, %rax\n\t"

void cape_apart(void);

__attribute__((naked, used)) void cape_apart(void)
{
	__asm__(GO RESTORE "xor %eax, %eax\n\t" RETURN);
}

_Static_assert(CAPE_APART_START == 0x52ull << 40 && CAPE_APART_END == 0x53ull << 40,
	       "the machine code below knows it");

/* Who is there stays there: so functions of the C library's names do in regions. */
__attribute__((naked)) void cape_apart_call(void)
{
	__asm__("mov %rsp, %rax\n\t"
		"shr $40, %rax\n\t"
		"cmp $0x52, %eax\n\t"
		"jne 1f\n\t"
		"xor %eax, %eax\n\t"
		"jmp *%r11\n"
		"1:\n\t" GO RESTORE RETURN);
}

__attribute__((naked)) void cape_apart_resume(__attribute__((unused))
					      const struct cape_registers *registers)
{
	__asm__("mov %rdi, %rsp\n\t" RESTORE "xor %eax, %eax\n\t" RETURN);
}
