// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asks.c - node 1 writes to a file that was opened before, for which it asks node 0, again and
 * again; node 0 tells its process, and waits.  It has much memory, so that it takes time to die.
 *
 * Usage: asks FILE PID-FILE
 */
#include <omp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MEMORY (512ul << 20)

static void pause_for(long milliseconds)
{
	struct timespec moment = {milliseconds / 1000, milliseconds % 1000 * 1000000};

	syscall(SYS_nanosleep, &moment, NULL);
}

static void take_memory(void)
{
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return;
	madvise(memory, MEMORY, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < MEMORY; i += 4096)
		memory[i] = 1;
}

static void tell_process(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return;
	fprintf(file, "%ld\n", syscall(SYS_getpid));
	fclose(file);
}

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;

	if (!file)
		return 2;
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			take_memory();
			tell_process(argv[2]);
		}
		for (int i = 0; i < 3000; i++) {
			pause_for(omp_get_thread_num() == 0 ? 10 : 1);
			if (omp_get_thread_num() == 1)
				fprintf(file, "%d\n", i);
			if (omp_get_thread_num() == 1)
				fflush(file);
		}
	}
	return fclose(file);
}
