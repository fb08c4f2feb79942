/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asks.c - regions with a number of threads of their own: of the first argument's way to ask. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int team = 0;

	if (strcmp(way, "dynamic") == 0)
		omp_set_dynamic(1);
	if (strcmp(way, "routine") == 0 || strcmp(way, "counted") == 0)
		omp_set_num_threads(8);
	if (strcmp(way, "counted") == 0) {
		printf("%d\n", omp_get_max_threads());
		way = "routine";
	}
	for (int i = 0; i < 3; i++) {
		if (*way && strcmp(way, "routine") != 0) {
#pragma omp parallel num_threads(8) if (strcmp(way, "if") != 0)
			team = omp_get_num_threads();
		} else {
#pragma omp parallel
			team = omp_get_num_threads();
		}
	}
	printf("%d\n", team);
	return 0;
}
