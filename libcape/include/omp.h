/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * omp.h - the OpenMP runtime routines that CAPE provides, with the arguments and results of OpenMP.
 *
 * A thread of OpenMP is a thread of a CAPE node; a node has one thread or several.  Routines about
 * things that CAPE does not have answer as on a machine without them: there are no devices, and on
 * nodes there are no places.
 */
#ifndef CAPE_OMP_H
#define CAPE_OMP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Each routine has a name of CAPE's in the object file.  A library that was built for another
 * OpenMP looks for its routines by their OpenMP names, and must not find CAPE's.
 */
#define CAPE_ROUTINE(name) __asm__("cape_" #name)

typedef enum omp_sched_t {
	omp_sched_static = 1,
	omp_sched_dynamic = 2,
	omp_sched_guided = 3,
	omp_sched_auto = 4,
	omp_sched_monotonic = 0x80000000u /* added to one of these */
} omp_sched_t;

/* A lock that is all zeros is unset. */
typedef struct omp_lock_t {
	int owner; /* for the run time only */
} omp_lock_t;

typedef struct omp_nest_lock_t {
	int owner, depth, task; /* for the run time only */
} omp_nest_lock_t;

void omp_set_num_threads(int num_threads) CAPE_ROUTINE(omp_set_num_threads);
int omp_get_num_threads(void) CAPE_ROUTINE(omp_get_num_threads);
int omp_get_max_threads(void) CAPE_ROUTINE(omp_get_max_threads);
int omp_get_thread_num(void) CAPE_ROUTINE(omp_get_thread_num);
int omp_get_num_procs(void) CAPE_ROUTINE(omp_get_num_procs);
int omp_in_parallel(void) CAPE_ROUTINE(omp_in_parallel);
void omp_set_dynamic(int dynamic_threads) CAPE_ROUTINE(omp_set_dynamic);
int omp_get_dynamic(void) CAPE_ROUTINE(omp_get_dynamic);
void omp_set_nested(int nested) CAPE_ROUTINE(omp_set_nested);
int omp_get_nested(void) CAPE_ROUTINE(omp_get_nested);
void omp_set_schedule(omp_sched_t kind, int chunk_size) CAPE_ROUTINE(omp_set_schedule);
void omp_get_schedule(omp_sched_t *kind, int *chunk_size) CAPE_ROUTINE(omp_get_schedule);
int omp_get_thread_limit(void) CAPE_ROUTINE(omp_get_thread_limit);
void omp_set_max_active_levels(int max_levels) CAPE_ROUTINE(omp_set_max_active_levels);
int omp_get_max_active_levels(void) CAPE_ROUTINE(omp_get_max_active_levels);
int omp_get_level(void) CAPE_ROUTINE(omp_get_level);
int omp_get_ancestor_thread_num(int level) CAPE_ROUTINE(omp_get_ancestor_thread_num);
int omp_get_team_size(int level) CAPE_ROUTINE(omp_get_team_size);
int omp_get_active_level(void) CAPE_ROUTINE(omp_get_active_level);
int omp_in_final(void) CAPE_ROUTINE(omp_in_final);
int omp_in_explicit_task(void) CAPE_ROUTINE(omp_in_explicit_task);

/* OpenMP 4 and later: one device, one team, no cancellation. */
typedef enum omp_proc_bind_t {
	omp_proc_bind_false = 0,
	omp_proc_bind_true = 1,
	omp_proc_bind_master = 2,
	omp_proc_bind_primary = 2,
	omp_proc_bind_close = 3,
	omp_proc_bind_spread = 4
} omp_proc_bind_t;

int omp_get_supported_active_levels(void) CAPE_ROUTINE(omp_get_supported_active_levels);
int omp_get_cancellation(void) CAPE_ROUTINE(omp_get_cancellation);
omp_proc_bind_t omp_get_proc_bind(void) CAPE_ROUTINE(omp_get_proc_bind);
int omp_get_num_places(void) CAPE_ROUTINE(omp_get_num_places);
int omp_get_place_num(void) CAPE_ROUTINE(omp_get_place_num);
int omp_get_place_num_procs(int place) CAPE_ROUTINE(omp_get_place_num_procs);
void omp_get_place_proc_ids(int place, int *ids) CAPE_ROUTINE(omp_get_place_proc_ids);
int omp_get_partition_num_places(void) CAPE_ROUTINE(omp_get_partition_num_places);
void omp_get_partition_place_nums(int *places) CAPE_ROUTINE(omp_get_partition_place_nums);
enum { omp_initial_device = -1, omp_invalid_device = -4 };
int omp_is_initial_device(void) CAPE_ROUTINE(omp_is_initial_device);
int omp_get_num_devices(void) CAPE_ROUTINE(omp_get_num_devices);
int omp_get_initial_device(void) CAPE_ROUTINE(omp_get_initial_device);
int omp_get_device_num(void) CAPE_ROUTINE(omp_get_device_num);
int omp_get_default_device(void) CAPE_ROUTINE(omp_get_default_device);
void omp_set_default_device(int device) CAPE_ROUTINE(omp_set_default_device);
int omp_get_num_teams(void) CAPE_ROUTINE(omp_get_num_teams);
int omp_get_team_num(void) CAPE_ROUTINE(omp_get_team_num);
void omp_set_num_teams(int num_teams)
	CAPE_ROUTINE(omp_set_num_teams); /* can be read back; there is always one team */
int omp_get_max_teams(void) CAPE_ROUTINE(omp_get_max_teams);
void omp_set_teams_thread_limit(int thread_limit) CAPE_ROUTINE(omp_set_teams_thread_limit);
int omp_get_teams_thread_limit(void) CAPE_ROUTINE(omp_get_teams_thread_limit);
int omp_get_max_task_priority(void) CAPE_ROUTINE(omp_get_max_task_priority);

/* These release no resources.  They return 0 outside of all regions, for the host. */
typedef enum omp_pause_resource_t { omp_pause_soft = 1, omp_pause_hard = 2 } omp_pause_resource_t;

int omp_pause_resource(omp_pause_resource_t kind, int device) CAPE_ROUTINE(omp_pause_resource);
int omp_pause_resource_all(omp_pause_resource_t kind) CAPE_ROUTINE(omp_pause_resource_all);

/* Prints to stderr, as OMP_DISPLAY_ENV does at the start. */
void omp_display_env(int verbose) CAPE_ROUTINE(omp_display_env);

/*
 * Where threads run, as a line in OpenMP's format.  omp_capture_affinity() and
 * omp_get_affinity_format() return the length of the text, and write as much of it to TEXT as fits
 * into SIZE bytes.
 */
void omp_set_affinity_format(const char *format) CAPE_ROUTINE(omp_set_affinity_format);
size_t omp_get_affinity_format(char *text, size_t size) CAPE_ROUTINE(omp_get_affinity_format);
void omp_display_affinity(const char *format) CAPE_ROUTINE(omp_display_affinity);
size_t omp_capture_affinity(char *text, size_t size, const char *format)
	CAPE_ROUTINE(omp_capture_affinity);

/* For the clause detach and the directive depobj, which are refused: no object has these types. */
typedef __UINTPTR_TYPE__ omp_event_handle_t;
typedef struct omp_depend_t {
	void *of_the_run_time[2];
} omp_depend_t;
void omp_fulfill_event(omp_event_handle_t event) CAPE_ROUTINE(omp_fulfill_event);

/* Memory of the host, which is the only device. */
void *omp_target_alloc(size_t size, int device) CAPE_ROUTINE(omp_target_alloc);
void omp_target_free(void *block, int device) CAPE_ROUTINE(omp_target_free);
int omp_target_is_present(const void *pointer, int device) CAPE_ROUTINE(omp_target_is_present);
int omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset,
		      size_t from_offset, int to_device, int from_device)
	CAPE_ROUTINE(omp_target_memcpy);
int omp_target_memcpy_rect(void *to, const void *from, size_t element_size, int dimensions,
			   const size_t *volume, const size_t *to_offsets,
			   const size_t *from_offsets, const size_t *to_dimensions,
			   const size_t *from_dimensions, int to_device, int from_device)
	CAPE_ROUTINE(omp_target_memcpy_rect);
/* As the two above: the copy is done before the call returns.  LIST has no objects. */
int omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset,
			    size_t from_offset, int to_device, int from_device, int objects,
			    omp_depend_t *list) CAPE_ROUTINE(omp_target_memcpy_async);
int omp_target_memcpy_rect_async(void *to, const void *from, size_t element_size, int dimensions,
				 const size_t *volume, const size_t *to_offsets,
				 const size_t *from_offsets, const size_t *to_dimensions,
				 const size_t *from_dimensions, int to_device, int from_device,
				 int objects, omp_depend_t *list)
	CAPE_ROUTINE(omp_target_memcpy_rect_async);
int omp_target_is_accessible(const void *pointer, size_t size, int device)
	CAPE_ROUTINE(omp_target_is_accessible);
void *omp_get_mapped_ptr(const void *pointer, int device) CAPE_ROUTINE(omp_get_mapped_ptr);
int omp_target_associate_ptr(const void *host, const void *pointer, size_t size, size_t offset,
			     int device) CAPE_ROUTINE(omp_target_associate_ptr);
int omp_target_disassociate_ptr(const void *pointer, int device)
	CAPE_ROUTINE(omp_target_disassociate_ptr);

/* Hints for a lock, which are ignored: CAPE has one kind of lock. */
typedef enum omp_sync_hint_t {
	omp_sync_hint_none = 0,
	omp_lock_hint_none = omp_sync_hint_none,
	omp_sync_hint_uncontended = 1,
	omp_lock_hint_uncontended = omp_sync_hint_uncontended,
	omp_sync_hint_contended = 2,
	omp_lock_hint_contended = omp_sync_hint_contended,
	omp_sync_hint_nonspeculative = 4,
	omp_lock_hint_nonspeculative = omp_sync_hint_nonspeculative,
	omp_sync_hint_speculative = 8,
	omp_lock_hint_speculative = omp_sync_hint_speculative
} omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;

void omp_init_lock(omp_lock_t *lock) CAPE_ROUTINE(omp_init_lock);
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
	CAPE_ROUTINE(omp_init_lock_with_hint);
void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
	CAPE_ROUTINE(omp_init_nest_lock_with_hint);
void omp_destroy_lock(omp_lock_t *lock) CAPE_ROUTINE(omp_destroy_lock);
void omp_set_lock(omp_lock_t *lock) CAPE_ROUTINE(omp_set_lock);
void omp_unset_lock(omp_lock_t *lock) CAPE_ROUTINE(omp_unset_lock);
int omp_test_lock(omp_lock_t *lock) CAPE_ROUTINE(omp_test_lock);
void omp_init_nest_lock(omp_nest_lock_t *lock) CAPE_ROUTINE(omp_init_nest_lock);
void omp_destroy_nest_lock(omp_nest_lock_t *lock) CAPE_ROUTINE(omp_destroy_nest_lock);
void omp_set_nest_lock(omp_nest_lock_t *lock) CAPE_ROUTINE(omp_set_nest_lock);
void omp_unset_nest_lock(omp_nest_lock_t *lock) CAPE_ROUTINE(omp_unset_nest_lock);
int omp_test_nest_lock(omp_nest_lock_t *lock) CAPE_ROUTINE(omp_test_nest_lock);

/* Sets the place in the source for messages about the next call: a deadlock, or a misuse of a lock.
 */
void cape_place(const char *file, int line);
#define CAPE_PLACED(call)	    (cape_place(__FILE__, __LINE__), call)
#define omp_destroy_lock(lock)	    CAPE_PLACED(omp_destroy_lock(lock))
#define omp_set_lock(lock)	    CAPE_PLACED(omp_set_lock(lock))
#define omp_unset_lock(lock)	    CAPE_PLACED(omp_unset_lock(lock))
#define omp_destroy_nest_lock(lock) CAPE_PLACED(omp_destroy_nest_lock(lock))
#define omp_set_nest_lock(lock)	    CAPE_PLACED(omp_set_nest_lock(lock))
#define omp_unset_nest_lock(lock)   CAPE_PLACED(omp_unset_nest_lock(lock))

/*
 * Allocators of OpenMP 5, with one kind of memory.  Only the traits alignment, pool_size and
 * fallback have an effect.
 */
typedef __UINTPTR_TYPE__ omp_uintptr_t;

typedef enum omp_memspace_handle_t {
	omp_default_mem_space = 0,
	omp_large_cap_mem_space = 1,
	omp_const_mem_space = 2,
	omp_high_bw_mem_space = 3,
	omp_low_lat_mem_space = 4
} omp_memspace_handle_t;

/* One of these, or a result of omp_init_allocator(). */
typedef omp_uintptr_t omp_allocator_handle_t;
enum {
	omp_null_allocator = 0,
	omp_default_mem_alloc = 1,
	omp_large_cap_mem_alloc = 2,
	omp_const_mem_alloc = 3,
	omp_high_bw_mem_alloc = 4,
	omp_low_lat_mem_alloc = 5,
	omp_cgroup_mem_alloc = 6,
	omp_pteam_mem_alloc = 7,
	omp_thread_mem_alloc = 8
};

typedef enum omp_alloctrait_key_t {
	omp_atk_sync_hint = 1,
	omp_atk_alignment = 2,
	omp_atk_access = 3,
	omp_atk_pool_size = 4,
	omp_atk_fallback = 5,
	omp_atk_fb_data = 6,
	omp_atk_pinned = 7,
	omp_atk_partition = 8
} omp_alloctrait_key_t;

#define omp_atv_default ((omp_uintptr_t)-1)
typedef enum omp_alloctrait_value_t {
	omp_atv_false = 0,
	omp_atv_true = 1,
	omp_atv_contended = 3,
	omp_atv_uncontended = 4,
	omp_atv_serialized = 5,
	omp_atv_sequential = omp_atv_serialized,
	omp_atv_private = 6,
	omp_atv_all = 7,
	omp_atv_thread = 8,
	omp_atv_pteam = 9,
	omp_atv_cgroup = 10,
	omp_atv_default_mem_fb = 11,
	omp_atv_null_fb = 12,
	omp_atv_abort_fb = 13,
	omp_atv_allocator_fb = 14,
	omp_atv_environment = 15,
	omp_atv_nearest = 16,
	omp_atv_blocked = 17,
	omp_atv_interleaved = 18
} omp_alloctrait_value_t;

typedef struct omp_alloctrait_t {
	omp_alloctrait_key_t key;
	omp_uintptr_t value;
} omp_alloctrait_t;

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int count,
					  const omp_alloctrait_t traits[])
	CAPE_ROUTINE(omp_init_allocator);
void omp_destroy_allocator(omp_allocator_handle_t allocator) CAPE_ROUTINE(omp_destroy_allocator);
void omp_set_default_allocator(omp_allocator_handle_t allocator)
	CAPE_ROUTINE(omp_set_default_allocator);
omp_allocator_handle_t omp_get_default_allocator(void) CAPE_ROUTINE(omp_get_default_allocator);
void *omp_alloc(size_t size, omp_allocator_handle_t allocator) CAPE_ROUTINE(omp_alloc);
void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
	CAPE_ROUTINE(omp_aligned_alloc);
void *omp_calloc(size_t count, size_t size, omp_allocator_handle_t allocator)
	CAPE_ROUTINE(omp_calloc);
void *omp_aligned_calloc(size_t alignment, size_t count, size_t size,
			 omp_allocator_handle_t allocator) CAPE_ROUTINE(omp_aligned_calloc);
void *omp_realloc(void *block, size_t size, omp_allocator_handle_t allocator,
		  omp_allocator_handle_t old_allocator) CAPE_ROUTINE(omp_realloc);
void omp_free(void *block, omp_allocator_handle_t allocator) CAPE_ROUTINE(omp_free);

double omp_get_wtime(void) CAPE_ROUTINE(omp_get_wtime);
double omp_get_wtick(void) CAPE_ROUTINE(omp_get_wtick);

#ifdef __cplusplus
}
#endif

#endif
