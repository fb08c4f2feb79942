/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-late-master.c - what was printed and written before a region comes first, whoever is late.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Node 0 is the one whose number every node is told. */
static void master_is_late(void)
{
	char number[30] = "";

	if (readlink("/proc/self", number, sizeof(number) - 1) > 0 && atoi(number) == getpid())
		usleep(300000);
}

int main(void)
{
	FILE *file = fopen("late.txt", "w+");
	char line[50];

	for (int round = 0; round < 2; round++) {
		printf("before %d\n", round);
		fprintf(file, "file before %d\n", round);
		master_is_late();
#pragma omp parallel
		if (omp_get_thread_num() == omp_get_num_threads() - 1) {
			printf("inside\n");
			fflush(stdout);
			fprintf(file, "file inside\n");
			fflush(file);
		}
	}
	rewind(file);
	while (fgets(line, sizeof(line), file))
		fputs(line, stdout);
	fclose(file);
	remove("late.txt");
	return 0;
}
