// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmeans.c - groups points around centres that move: arrays of sums as reductions, of integers,
 * which are alike for every number of nodes; a decision of the centres in sequential code.
 *
 * Usage: kmeans STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include "pause.h"

#define POINTS	6000
#define CENTRES 7

struct point {
	long x, y;
};

static struct point centres[CENTRES];

static int nearest(const struct point *point)
{
	long least = -1;
	int best = 0;

	for (int k = 0; k < CENTRES; k++) {
		long x = point->x - centres[k].x, y = point->y - centres[k].y;

		if (least < 0 || x * x + y * y < least) {
			least = x * x + y * y;
			best = k;
		}
	}
	return best;
}

/* Moves the centres into the middle of their points; returns how many points changed groups. */
static int move(const struct point *points, unsigned char *groups)
{
	long x[CENTRES] = {0}, y[CENTRES] = {0}, members[CENTRES] = {0};
	int moved = 0;

#pragma omp parallel for reduction(+ : x, y, members, moved)
	for (int i = 0; i < POINTS; i++) {
		int group = nearest(&points[i]);

		moved += group != groups[i];
		groups[i] = (unsigned char)group;
		x[group] += points[i].x;
		y[group] += points[i].y;
		members[group]++;
	}
	for (int k = 0; k < CENTRES; k++)
		if (members[k])
			centres[k] = (struct point){x[k] / members[k], y[k] / members[k]};
	return moved;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	struct point *points = malloc(POINTS * sizeof(*points));
	unsigned char *groups = calloc(POINTS, 1);

#pragma omp parallel for
	for (int i = 0; i < POINTS; i++) {
		unsigned key = (unsigned)i * 2654435761U;

		points[i] = (struct point){(key >> 8) % 10007, (key >> 3) % 9973};
	}
	for (int k = 0; k < CENTRES; k++)
		centres[k] = points[k];
	for (int s = 0; s < steps; s++) {
		int moved = move(points, groups);

		printf("step %d: %d moved", s, moved);
		for (int k = 0; k < CENTRES; k++)
			printf(" %ld,%ld", centres[k].x, centres[k].y);
		printf("\n");
		fflush(stdout);
		pause_at(s, argv + 2);
	}
	free(points);
	free(groups);
	return 0;
}
