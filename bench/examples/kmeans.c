/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmeans.c - groups points in the plane around as many centres as there are clouds of them.
 *
 * Usage: kmeans [points]      Ends with 1 if a centre is not that of a cloud.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CLOUDS 5

struct point {
	double x, y;
};

static const struct point clouds[CLOUDS] = {{0, 0}, {10, 0}, {0, 10}, {10, 10}, {5, 20}};

static double distance(struct point a, struct point b)
{
	return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static int nearest(struct point point, const struct point *centres)
{
	int best = 0;

	for (int k = 1; k < CLOUDS; k++)
		if (distance(point, centres[k]) < distance(point, centres[best]))
			best = k;
	return best;
}

/* Moves the centres into the middle of their points; returns how many points changed groups. */
static int step(const struct point *points, int *groups, int n, struct point *centres)
{
	double x[CLOUDS] = {0}, y[CLOUDS] = {0};
	int members[CLOUDS] = {0}, moved = 0;

#pragma omp parallel for reduction(+ : x, y, members, moved)
	for (int i = 0; i < n; i++) {
		int group = nearest(points[i], centres);

		moved += group != groups[i];
		groups[i] = group;
		x[group] += points[i].x;
		y[group] += points[i].y;
		members[group]++;
	}
	for (int k = 0; k < CLOUDS; k++)
		if (members[k])
			centres[k] = (struct point){x[k] / members[k], y[k] / members[k]};
	return moved;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5000, steps = 0, wrong = 0;
	struct point *points = malloc((size_t)n * sizeof(*points)), centres[CLOUDS];
	int *groups = malloc((size_t)n * sizeof(*groups));

#pragma omp parallel for
	for (int i = 0; i < n; i++) {
		/* Each cloud is a disc, filled evenly. */
		double angle = i * 2.399963, radius = 2 * sqrt((double)i / n);

		points[i].x = clouds[i % CLOUDS].x + radius * cos(angle);
		points[i].y = clouds[i % CLOUDS].y + radius * sin(angle);
		groups[i] = -1;
	}
	for (int k = 0; k < CLOUDS; k++)
		centres[k] = (struct point){3 + clouds[k].x * 0.4, 5 + clouds[k].y * 0.3};
	while (step(points, groups, n, centres))
		steps++;
	for (int k = 0; k < CLOUDS; k++)
		wrong += distance(centres[nearest(clouds[k], centres)], clouds[k]) > 0.05;
	printf("%d points, %d steps, %d wrong\n", n, steps, wrong);
	free(points);
	free(groups);
	return wrong ? 1 : 0;
}
