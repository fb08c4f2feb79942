/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writers.c - no test: a process that, once a file is there, writes pages of three variables, from
 * two functions and by read(2), makes another file, and stays.
 */
#include <fcntl.h>
#include <unistd.h>

#define PAGE   4096u
#define FIRST  40u
#define SECOND 7u
#define READ   3u

static char first_table[FIRST * PAGE] __attribute__((aligned(PAGE)));
static char second_table[SECOND * PAGE] __attribute__((aligned(PAGE)));
static char read_table[READ * PAGE] __attribute__((aligned(PAGE)));

/* With a frame, which leads to the caller. */
static __attribute__((noinline)) int write_first(void)
{
	for (unsigned i = 0; i < FIRST; i++)
		*(volatile char *)&first_table[i * PAGE] = 1;
	return __builtin_frame_address(0) == first_table;
}

static __attribute__((noinline)) int write_second(void)
{
	for (unsigned i = 0; i < SECOND; i++)
		*(volatile char *)&second_table[i * PAGE] = 1;
	return __builtin_frame_address(0) == second_table;
}

int main(int argc, char **argv)
{
	int zeros = open("/dev/zero", O_RDONLY);

	if (argc != 3 || zeros < 0)
		return 1;
	while (access(argv[1], F_OK) != 0)
		usleep(20000);
	if (write_first() || write_second() ||
	    read(zeros, read_table, sizeof(read_table)) != sizeof(read_table) ||
	    creat(argv[2], 0600) < 0)
		return 1;
	for (;;)
		pause();
}
