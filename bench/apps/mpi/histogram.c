/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.c - HISTOGRAM by hand in MPI; the OpenMP program is bench/apps/histogram.c.
 *
 * Usage: mpirun -np ranks histogram [pixels [levels [iterations]]]
 */
#include "../histogram.h"
#include "team.h"

/* N pixels, of which this rank has FIRST .. END - 1; everybody has the counts and maps. */
struct picture {
	const struct world *world;
	int n, levels, first, end;
	int *pixels, *counts, *map, *composed;
};

static void count(struct picture *picture)
{
	memset(picture->counts, 0, (size_t)picture->levels * sizeof(*picture->counts));
	for (int i = 0; i < picture->end - picture->first; i++)
		picture->counts[picture->pixels[i]]++;
	MPI_Allreduce(MPI_IN_PLACE, picture->counts, picture->levels, MPI_INT, MPI_SUM,
		      MPI_COMM_WORLD);
}

static void even_out(struct picture *picture)
{
	count(picture);
	histogram_map(picture->n, picture->levels, picture->counts, picture->map);
	histogram_compose(picture->levels, picture->map, picture->composed);
	for (int i = 0; i < picture->end - picture->first; i++)
		picture->pixels[i] = picture->map[picture->pixels[i]];
}

static int check(struct picture *picture, int iterations)
{
	struct findings found = {0, 1};
	long light = 0;

	count(picture);
	for (int i = picture->first; i < picture->end; i++) {
		int pixel = picture->pixels[i - picture->first];

		found.sum += fingerprint(pixel, (size_t)i);
		light += pixel;
		found.good &= pixel == picture->composed[histogram_start(picture->levels, i)];
	}
	MPI_Allreduce(MPI_IN_PLACE, &light, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	found.good &= histogram_is_right(picture->n, picture->levels, picture->counts, light);
	found = findings_of_all(found);
	if (picture->world->rank != 0)
		return EXIT_SUCCESS;
	histogram_print(picture->n, picture->levels, iterations, picture->counts, found.sum);
	return verdict("histogram", found.good);
}

int main(int argc, char **argv)
{
	struct world world = start_world(&argc, &argv);
	int n = argument(argc, argv, 1, HISTOGRAM_SIZE, 1, HISTOGRAM_MOST);
	int levels = argument(argc, argv, 2, HISTOGRAM_LEVELS, 1, HISTOGRAM_MOST_LEVELS);
	int iterations = argument(argc, argv, 3, HISTOGRAM_ITERATIONS, 0, 1000000);
	int first = share(&world, world.rank, 0, n), end = share(&world, world.rank + 1, 0, n);
	struct picture picture = {&world,
				  n,
				  levels,
				  first,
				  end,
				  allocate((size_t)(end - first) + 1, sizeof(int)),
				  allocate((size_t)levels, sizeof(int)),
				  allocate((size_t)levels, sizeof(int)),
				  histogram_identity(levels)};
	double entered = start_clock(), started;
	int status;

	for (int i = first; i < end; i++)
		picture.pixels[i - first] = histogram_start(levels, i);
	started = report_init(&world, "histogram", entered);
	for (int iteration = 0; iteration < iterations; iteration++)
		even_out(&picture);
	report_run(&world, "histogram", started);
	status = check(&picture, iterations);
	free(picture.pixels);
	free(picture.counts);
	free(picture.map);
	free(picture.composed);
	MPI_Finalize();
	return status;
}
