/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_names.c - the routines under their own names, but for those of locks and of tasks.
 */
#include "openmp/own_names.h"

CAPE_OWN_NAMES("omp_set_num_threads, omp_get_num_threads, omp_get_max_threads, omp_get_thread_num, "
	       "omp_get_num_procs, omp_in_parallel, omp_set_dynamic, omp_get_dynamic, "
	       "omp_set_nested, omp_get_nested, omp_set_schedule, omp_get_schedule, "
	       "omp_get_thread_limit, omp_set_max_active_levels, omp_get_max_active_levels, "
	       "omp_get_level, omp_get_ancestor_thread_num, omp_get_team_size, "
	       "omp_get_active_level, omp_get_supported_active_levels, "
	       "omp_get_cancellation, omp_get_proc_bind, omp_get_num_places, omp_get_place_num, "
	       "omp_get_place_num_procs, omp_get_place_proc_ids, omp_get_partition_num_places, "
	       "omp_get_partition_place_nums, omp_is_initial_device, omp_get_num_devices, "
	       "omp_get_initial_device, omp_get_device_num, omp_get_default_device, "
	       "omp_set_default_device, omp_get_num_teams, omp_get_team_num, omp_set_num_teams, "
	       "omp_get_max_teams, omp_set_teams_thread_limit, omp_get_teams_thread_limit, "
	       "omp_get_max_task_priority, omp_pause_resource, omp_pause_resource_all, "
	       "omp_display_env, omp_set_affinity_format, omp_get_affinity_format, "
	       "omp_display_affinity, omp_capture_affinity, omp_fulfill_event, omp_target_alloc, "
	       "omp_target_free, omp_target_is_present, omp_target_memcpy, omp_target_memcpy_rect, "
	       "omp_target_memcpy_async, omp_target_memcpy_rect_async, omp_target_is_accessible, "
	       "omp_get_mapped_ptr, omp_target_associate_ptr, omp_target_disassociate_ptr, "
	       "omp_init_allocator, omp_destroy_allocator, omp_set_default_allocator, "
	       "omp_get_default_allocator, omp_alloc, omp_aligned_alloc, omp_calloc, "
	       "omp_aligned_calloc, omp_realloc, omp_free, omp_get_wtime, omp_get_wtick");
