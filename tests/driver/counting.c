/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counting.c - no test: a process that, once a file is there, counts to a thousand in a variable,
 * writes a thousand times as often to other bytes of its page, makes another file, and stays.
 */
#include <fcntl.h>
#include <unistd.h>

#define PAGE 4096u

static struct {
	int before[100];
	int counter;
	int after[100];
} page __attribute__((aligned(PAGE)));

/* A variable of its own, as the linker sees it. */
extern volatile int counter;
__asm__(".globl counter\n"
	".type counter, @object\n"
	".size counter, 4\n"
	"counter = page + 400");

static __attribute__((noinline)) void count(void)
{
	counter++;
}

static __attribute__((noinline)) void be_neighbour(unsigned i)
{
	volatile int *neighbour = i % 2 ? page.before : page.after;

	neighbour[i % 100] = (int)i;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	while (access(argv[1], F_OK) != 0)
		usleep(20000);
	for (unsigned i = 0; i < 1000000; i++) {
		if (i % 1000 == 0)
			count();
		be_neighbour(i);
	}
	if (creat(argv[2], 0600) < 0)
		return 1;
	for (;;)
		pause();
}
