/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * omp.h - the OpenMP runtime routines that CAPE provides.  A thread of OpenMP is a node of CAPE.
 */
#ifndef CAPE_OMP_H
#define CAPE_OMP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum omp_sched_t {
	omp_sched_static = 1,
	omp_sched_dynamic = 2,
	omp_sched_guided = 3,
	omp_sched_auto = 4
} omp_sched_t;

/* Zeros are a lock that nobody has set. */
typedef struct omp_lock_t {
	int owner; /* the run time's own */
} omp_lock_t;

typedef struct omp_nest_lock_t {
	int owner, depth; /* the run time's own */
} omp_nest_lock_t;

void omp_set_num_threads(int num_threads);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_dynamic(int dynamic_threads);
int omp_get_dynamic(void);
void omp_set_nested(int nested);
int omp_get_nested(void);
void omp_set_schedule(omp_sched_t kind, int chunk_size);
void omp_get_schedule(omp_sched_t *kind, int *chunk_size);
int omp_get_thread_limit(void);
void omp_set_max_active_levels(int max_levels);
int omp_get_max_active_levels(void);
int omp_get_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_get_active_level(void);
int omp_in_final(void);

/* OpenMP 4 and later: one device, one team, no cancellation, no places. */
typedef enum omp_proc_bind_t {
	omp_proc_bind_false = 0,
	omp_proc_bind_true = 1,
	omp_proc_bind_master = 2,
	omp_proc_bind_primary = 2,
	omp_proc_bind_close = 3,
	omp_proc_bind_spread = 4
} omp_proc_bind_t;

int omp_get_supported_active_levels(void);
int omp_get_cancellation(void);
omp_proc_bind_t omp_get_proc_bind(void);
int omp_get_num_places(void);
int omp_get_place_num(void);
int omp_is_initial_device(void);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_get_default_device(void);
void omp_set_default_device(int device);
int omp_get_num_teams(void);
int omp_get_team_num(void);
int omp_get_max_task_priority(void);

/* What a lock will be used for; CAPE has one kind of lock. */
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

void omp_init_lock(omp_lock_t *lock);
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint);
void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
void omp_init_nest_lock(omp_nest_lock_t *lock);
void omp_destroy_nest_lock(omp_nest_lock_t *lock);
void omp_set_nest_lock(omp_nest_lock_t *lock);
void omp_unset_nest_lock(omp_nest_lock_t *lock);
int omp_test_nest_lock(omp_nest_lock_t *lock);

/* Where in the source the program uses a lock: a deadlock, and a misuse, are reported with it. */
void cape_place(const char *file, int line);
#define CAPE_PLACED(call)	    (cape_place(__FILE__, __LINE__), call)
#define omp_destroy_lock(lock)	    CAPE_PLACED(omp_destroy_lock(lock))
#define omp_set_lock(lock)	    CAPE_PLACED(omp_set_lock(lock))
#define omp_unset_lock(lock)	    CAPE_PLACED(omp_unset_lock(lock))
#define omp_destroy_nest_lock(lock) CAPE_PLACED(omp_destroy_nest_lock(lock))
#define omp_set_nest_lock(lock)	    CAPE_PLACED(omp_set_nest_lock(lock))
#define omp_unset_nest_lock(lock)   CAPE_PLACED(omp_unset_nest_lock(lock))

double omp_get_wtime(void);
double omp_get_wtick(void);

#ifdef __cplusplus
}
#endif

#endif
