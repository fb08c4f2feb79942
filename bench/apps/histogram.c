/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.c - HISTOGRAM: counts a picture's grey levels and evens them out, again and again.
 *
 * Usage: histogram [pixels [levels [iterations]]]
 */
#include "../omp/wtime.h"
#include "histogram.h"

struct picture {
	int n, levels;
	int *pixels, *counts, *map, *composed;
};

static void fill(struct picture *picture)
{
	int levels = picture->levels, *pixels = picture->pixels;

#pragma omp parallel for
	for (int i = 0; i < picture->n; i++)
		pixels[i] = histogram_start(levels, i);
}

static void count(struct picture *picture)
{
	int levels = picture->levels, *pixels = picture->pixels, *counts = picture->counts;

	memset(counts, 0, (size_t)levels * sizeof(*counts));
#pragma omp parallel for reduction(+ : counts[:levels])
	for (int i = 0; i < picture->n; i++)
		counts[pixels[i]]++;
}

static void even_out(struct picture *picture)
{
	int *pixels = picture->pixels, *map = picture->map;

	count(picture);
	histogram_map(picture->n, picture->levels, picture->counts, map);
	histogram_compose(picture->levels, map, picture->composed);
#pragma omp parallel for
	for (int i = 0; i < picture->n; i++)
		pixels[i] = map[pixels[i]];
}

static int check(struct picture *picture, int iterations)
{
	int levels = picture->levels, *pixels = picture->pixels, *composed = picture->composed;
	unsigned long sum = 0;
	long light = 0;
	int good = 1;

	count(picture);
#pragma omp parallel for reduction(+ : sum, light) reduction(&& : good)
	for (int i = 0; i < picture->n; i++) {
		sum += fingerprint(pixels[i], (size_t)i);
		light += pixels[i];
		good = good && pixels[i] == composed[histogram_start(levels, i)];
	}
	good = good && histogram_is_right(picture->n, levels, picture->counts, light);
	histogram_print(picture->n, levels, iterations, picture->counts, sum);
	return verdict("histogram", good);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, HISTOGRAM_SIZE, 1, HISTOGRAM_MOST);
	int levels = argument(argc, argv, 2, HISTOGRAM_LEVELS, 1, HISTOGRAM_MOST_LEVELS);
	int iterations = argument(argc, argv, 3, HISTOGRAM_ITERATIONS, 0, 1000000);
	struct picture picture = {n,
				  levels,
				  allocate((size_t)n, sizeof(int)),
				  allocate((size_t)levels, sizeof(int)),
				  allocate((size_t)levels, sizeof(int)),
				  histogram_identity(levels)};
	double entered = common_clock(), started;
	int status;

	fill(&picture);
	started = common_clock();
	report_part("histogram", "init", started - entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		even_out(&picture);
	report_time("histogram", common_clock() - started);
	status = check(&picture, iterations);
	free(picture.pixels);
	free(picture.counts);
	free(picture.map);
	free(picture.composed);
	return status;
}
