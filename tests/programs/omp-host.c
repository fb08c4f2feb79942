/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp-host.c - routines of devices, teams, places, affinity and pools where there is only a host.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void devices(void)
{
	int host = omp_get_initial_device(), in[4][4], out[3][3] = {{0}};
	size_t volume[2] = {2, 2}, to[2] = {1, 1}, from[2] = {0, 2};
	size_t out_size[2] = {3, 3}, in_size[2] = {4, 4};
	int *block = omp_target_alloc(sizeof(in), host);

	for (int i = 0; i < 16; i++)
		in[i / 4][i % 4] = i;
	printf("%d", omp_target_memcpy(block, in, sizeof(in), 0, 0, host, host));
	printf(" %d", omp_target_memcpy_rect(out, block, sizeof(int), 2, volume, to, from, out_size,
					     in_size, host, host));
	for (int i = 0; i < 9; i++)
		printf(" %d", out[i / 3][i % 3]);
	printf(" %d %d %d\n", omp_target_is_present(block, host), omp_get_device_num(),
	       omp_target_associate_ptr(in, block, 4, 0, host) != 0);
	omp_target_free(block, host);
}

static void text(void)
{
	char line[64], format[16];
	size_t length = omp_capture_affinity(line, sizeof(line), "%0.4n|%3N|%.3L|%{thread_num}|%%");

	printf("%zu %s\n", length, line);
	length = omp_capture_affinity(line, sizeof(line), "%0.6a|%.6a|%0.5N");
	printf("%zu %s\n", length, line);
	omp_set_affinity_format("level %L of %a");
	length = omp_get_affinity_format(format, 8);
	printf("%zu %s\n", length, format);
}

static void pool(void)
{
	volatile size_t most = SIZE_MAX - 8;
	omp_alloctrait_t traits[] = {{omp_atk_pool_size, 4096},
				     {omp_atk_fallback, omp_atv_null_fb}};
	omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
	char *first = omp_alloc(3000, allocator), *second = omp_alloc(3000, allocator), *third;

	memset(first, 1, 3000);
	omp_free(first, allocator);
	third = omp_alloc(3000, allocator);
	printf("%d %d %d\n", first != NULL, second == NULL, third != NULL);
	third = omp_realloc(third, 4000, allocator, allocator);
	printf("%d %d\n", third != NULL, omp_realloc(third, 4097, allocator, allocator) == NULL);
	printf("%d\n", omp_alloc(97, allocator) == NULL);
	omp_free(third, omp_null_allocator);
	omp_destroy_allocator(allocator);
	traits[0].value = SIZE_MAX - 1;
	allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
	printf("%d ", omp_alloc(most, allocator) == NULL);
	omp_destroy_allocator(allocator);
	printf("%d\n", omp_get_default_allocator() == omp_high_bw_mem_alloc);
}

int main(void)
{
	devices();
	text();
	pool();
	omp_set_num_teams(3);
	omp_set_teams_thread_limit(5);
	printf("%d %d %d %d\n", omp_get_max_teams(), omp_get_teams_thread_limit(),
	       omp_get_place_num_procs(0), omp_get_partition_num_places());
	return 0;
}
