// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * logged.c - a region in which nodes write to files that were opened before it: node 0 a line for
 * each round to a stream, the others in turns to another, all of them to places of a third; and
 * read from a fourth in turns.
 *
 * Usage: logged FOLDER STEPS
 */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, mode);
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[2]) : 10;
	FILE *log = open_in(argv[1], "log", "w"), *turns = open_in(argv[1], "turns", "a");
	FILE *places = open_in(argv[1], "places", "w+"), *numbers;
	long sum = 0;

	numbers = open_in(argv[1], "numbers", "w");
	for (int i = 0; i < 1000; i++)
		fprintf(numbers, "%d\n", i * i);
	fclose(numbers);
	numbers = open_in(argv[1], "numbers", "r");
	fprintf(log, "begin\n");
#pragma omp parallel
	for (int step = 0; step < steps; step++) {
		int rank = omp_get_thread_num(), all = omp_get_num_threads(), number = 0;
		char text[16];

#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < all; i++) {
#pragma omp ordered
			{
				fprintf(turns, "step %d: node %d\n", step, rank);
				fflush(turns);
			}
		}
		snprintf(text, sizeof(text), "%7d\n", step * 100 + rank);
		if (pwrite(fileno(places), text, 8, (step * all + rank) * 8) != 8)
			abort();
#pragma omp single
		if (fscanf(numbers, "%d", &number) == 1)
			sum += number;
#pragma omp master
		{
			fprintf(log, "step %d: %ld\n", step, sum);
			printf("step %d: %ld\n", step, sum);
			fflush(stdout);
		}
		usleep(20000);
#pragma omp barrier
	}
	fprintf(log, "end\n");
	fprintf(turns, "end\n");
	fseek(places, 0, SEEK_END);
	fprintf(places, "end\n");
	printf("end %ld %ld %ld\n", sum, ftell(log), ftell(places));
	fclose(log);
	fclose(turns);
	fclose(places);
	return 0;
}
