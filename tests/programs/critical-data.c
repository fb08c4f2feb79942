/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical-data.c - what one thread wrote in a critical construct, the next one in it reads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS 120

struct job {
	int number;
	char name[24];
	struct job *next;
};

static struct job *queue;
static int done[JOBS], chain[4 * 64 + 1], length;
static unsigned long hash = 5381;

int main(void)
{
	int taken = 0, wrong = 0;
	int threads = omp_get_max_threads();

#pragma omp parallel reduction(+ : taken, wrong)
	{
		/* Everybody adds to the queue. */
#pragma omp for
		for (int i = 0; i < JOBS; i++) {
			struct job *job = malloc(sizeof(*job));

			job->number = i;
			snprintf(job->name, sizeof(job->name), "job %d", i);
#pragma omp critical(queue)
			{
				job->next = queue;
				queue = job;
			}
		}
		/* Everybody takes from it. */
		for (;;) {
			struct job *job;
			char name[24];

#pragma omp critical(queue)
			{
				job = queue;
				if (job)
					queue = job->next;
			}
			if (!job)
				break;
			snprintf(name, sizeof(name), "job %d", job->number);
			wrong += strcmp(name, job->name) != 0;
			done[job->number]++;
			taken++;
			free(job);
		}
		/* A chain in which each link depends on the one before, whoever wrote that. */
		for (int i = 0; i < 4; i++) {
#pragma omp critical(chain)
			{
				chain[length + 1] = chain[length] * 3 + 1;
				chain[length + 1] &= 0xffff;
				length++;
				hash = hash * 33 + (unsigned long)chain[length];
			}
		}
	}
	for (int i = 0; i < JOBS; i++)
		wrong += done[i] != 1;
	for (int i = 0; i < length; i++)
		wrong += chain[i + 1] != ((chain[i] * 3 + 1) & 0xffff);
	printf("%d taken, %d wrong, %d, %#lx\n", taken, wrong, length == 4 * threads, hash);
	return 0;
}
