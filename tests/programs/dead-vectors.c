// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vector registers are alike on all nodes behind a region, whatever its threads left in them: what
 * stores its arguments for printf() or binds a function leaves them on the stack.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define REGISTERS 32
#define MASKS	  8

struct registers {
	unsigned char vector[REGISTERS][64];
	unsigned short mask[MASKS];
};

static struct registers left;
static int regions;

#define LOW  ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
#define HIGH ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
#define K    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t"
#define END  "\n\t.endr\n\t"

__attribute__((noinline)) static void load(const struct registers *from)
{
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile(LOW "vmovdqu64 64*\\n(%0), %%zmm\\n" END HIGH
				     "vmovdqu64 64*\\n(%0), %%zmm\\n" END K
				     "kmovw 2048+2*\\n(%0), %%k\\n" END
				 :
				 : "r"(from)
				 : "memory");
	else if (__builtin_cpu_supports("avx"))
		__asm__ volatile(LOW "vmovdqu 64*\\n(%0), %%ymm\\n" END : : "r"(from) : "memory");
	else
		__asm__ volatile(LOW "movdqu 64*\\n(%0), %%xmm\\n" END : : "r"(from) : "memory");
}

__attribute__((noinline)) static void store(struct registers *to)
{
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile(LOW "vmovdqu64 %%zmm\\n, 64*\\n(%0)" END HIGH
				     "vmovdqu64 %%zmm\\n, 64*\\n(%0)" END K
				     "kmovw %%k\\n, 2048+2*\\n(%0)" END
				 :
				 : "r"(to)
				 : "memory");
	else if (__builtin_cpu_supports("avx"))
		__asm__ volatile(LOW "vmovdqu %%ymm\\n, 64*\\n(%0)" END : : "r"(to) : "memory");
	else
		__asm__ volatile(LOW "movdqu %%xmm\\n, 64*\\n(%0)" END : : "r"(to) : "memory");
}

static void one_region(void)
{
#pragma omp parallel
	{
		struct registers own;

		memset(&own, 1 + omp_get_thread_num(), sizeof(own));
		load(&own);
	}
	store(&left);
	regions++;
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		one_region();
	printf("%d regions\n", regions);
	return 0;
}
