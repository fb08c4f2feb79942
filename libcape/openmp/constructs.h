/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * constructs.h - what the calls of cape.h and omp.h do: one object for nodes, and one for the
 * threads of a program that was started by itself (threads/).  It is chosen once, when the program
 * starts; nobody else asks which it is.
 *
 * The exported functions call it (exports.c, and one file for each part that a program need not
 * be linked with: lock_exports.c, task_exports.c, task_reduction_exports.c).
 */
#ifndef CAPE_CONSTRUCTS_H
#define CAPE_CONSTRUCTS_H

#include "openmp/openmp.h"

struct cape_flushed;

/*
 * Each list: type, name, parameters, arguments.  cape_NAME() is exported, cape_node_NAME() and
 * cape_thread_NAME() do it.
 */
#define CAPE_CONSTRUCT_CALLS(CALL)                                                                 \
	CALL(void, begin_at,                                                                       \
	     (enum cape_directive directive, unsigned long first, unsigned long last,              \
	      const struct cape_place *place),                                                     \
	     (directive, first, last, place))                                                      \
	CALL(void, region_run, (void (*body)(void *data), void *data), (body, data))               \
	CALL(void, values_read, (void), ())                                                        \
	CALL(void, untouched, (void), ())                                                          \
	CALL(void, touch, (void), ())                                                              \
	CALL(void, set_shared_at,                                                                  \
	     (const volatile void *variable, unsigned long size, const char *name),                \
	     (variable, size, name))                                                               \
	CALL(void, set_reaching_at, (const volatile void *pointer, const char *name),              \
	     (pointer, name))                                                                      \
	CALL(void, set_copyin_at, (volatile void *variable, unsigned long size), (variable, size)) \
	CALL(void, set_copyprivate_at, (volatile void *variable, unsigned long size),              \
	     (variable, size))                                                                     \
	CALL(void, reduction,                                                                      \
	     (const volatile void *values, volatile void *original, enum cape_operator op,         \
	      enum cape_type type, unsigned long count),                                           \
	     (values, original, op, type, count))                                                  \
	CALL(void, reduction_user,                                                                 \
	     (const volatile void *values, volatile void *original, unsigned long size,            \
	      unsigned long count, void (*combine)(void *out, const void *in)),                    \
	     (values, original, size, count, combine))                                             \
	CALL(int, chunk, (unsigned long *left, unsigned long *right), (left, right))               \
	CALL(int, section, (void), ())                                                             \
	CALL(int, single, (void), ())                                                              \
	CALL(int, single_any, (void), ())                                                          \
	CALL(int, is_last, (void), ())                                                             \
	CALL(void, barrier_at, (const struct cape_place *place), (place))                          \
	CALL(void, critical_begin_at, (const char *name, const struct cape_place *place),          \
	     (name, place))                                                                        \
	CALL(void, critical_end, (const char *name), (name))                                       \
	CALL(void, ordered_begin_at, (const struct cape_place *place), (place))                    \
	CALL(void, ordered_end, (void), ())                                                        \
	CALL(void, atomic_begin_at,                                                                \
	     (const volatile void *variable, unsigned long size, int kind,                         \
	      const struct cape_place *place),                                                     \
	     (variable, size, kind, place))                                                        \
	CALL(void, atomic_end, (void), ())                                                         \
	CALL(void, atomic_element,                                                                 \
	     (volatile void *variable, enum cape_operator op, enum cape_type type,                 \
	      const volatile void *value),                                                         \
	     (variable, op, type, value))

/* Those that are exported in another form, and what routines and clauses ask for. */
#define CAPE_CONSTRUCT_PARTS(CALL)                                                                 \
	CALL(void, start, (const void *frame), )                                                   \
	CALL(void, touch_read, (unsigned long address, unsigned long size), )                      \
	CALL(void, end, (enum cape_directive directive, const struct cape_place *place), )         \
	CALL(void, flush,                                                                          \
	     (const struct cape_place *place, unsigned long count,                                 \
	      const struct cape_flushed *list), )                                                  \
	CALL(void, look_at, (const struct cape_place *place, int waits), )                         \
	/* The construct that was begun last; ends the run when there is none. */                  \
	CALL(struct cape_construct *, innermost, (void), )                                         \
	/* The region at LEVEL, from 1, among those around the caller, or NULL. */                 \
	CALL(const struct cape_construct *, region, (int level), )                                 \
	CALL(struct cape_settings *, settings, (void), ) /* of what runs now */                    \
	CALL(unsigned, number, (void), )		 /* of the caller in its team */           \
	CALL(unsigned, size, (void), )			 /* of the team */                         \
	CALL(unsigned, level, (void), )                                                            \
	CALL(unsigned, active_level, (void), )                                                     \
	CALL(unsigned, max_size, (void), ) /* of a team without num_threads() */                   \
	CALL(unsigned, processors, (void), )                                                       \
	CALL(struct cape_seat, seat, (void), ) /* of the caller */                                 \
	CALL(unsigned, limit, (void), )	       /* of all threads, where nothing limits them */

/* A task, as the compiler has made a function of it. */
struct cape_task_made {
	void (*body)(void *data);
	void *data;
	size_t size, alignment;
	void (*copy)(void *to, void *from); /* DATA; NULL: byte by byte */
	bool in_room; /* DATA is what task_room() has given, whose size is known there */
};

#define CAPE_TASK_CALLS(CALL)                                                                      \
	CALL(void, task_next, (int label, int flags), (label, flags))                              \
	CALL(void, task_depend, (enum cape_depend kind, const volatile void *item), (kind, item))  \
	CALL(void, tasks_run, (void), ())                                                          \
	CALL(void, taskwait_at, (const struct cape_place *place), (place))                         \
	CALL(void, taskyield, (void), ())                                                          \
	CALL(void, taskgroup_begin, (void), ())                                                    \
	CALL(void, taskgroup_end_at, (const struct cape_place *place), (place))

#define CAPE_TASK_PARTS(CALL)                                                                      \
	/* Room for the SIZE bytes of data of the task that comes next. */                         \
	CALL(void *, task_room, (size_t size), )                                                   \
	CALL(void, task_made, (const struct cape_task_made *made), )                               \
	CALL(int, in_final, (void), )                                                              \
	CALL(int, in_task, (void), )

#define CAPE_TASK_REDUCTION_CALLS(CALL)                                                            \
	CALL(void, task_reduction_scope,                                                           \
	     (const volatile void *variable, unsigned long size, volatile void *copy),             \
	     (variable, size, copy))                                                               \
	CALL(void, task_reduction_leave, (unsigned long count), (count))                           \
	CALL(void, task_reduction,                                                                 \
	     (const volatile void *values, volatile void *original, enum cape_operator op,         \
	      enum cape_type type, unsigned long count),                                           \
	     (values, original, op, type, count))                                                  \
	CALL(void, task_reduction_user,                                                            \
	     (const volatile void *values, volatile void *original, unsigned long size,            \
	      unsigned long count, void (*combine)(void *out, const void *in)),                    \
	     (values, original, size, count, combine))

#define CAPE_LOCK_PARTS(CALL)                                                                      \
	CALL(void, set_lock, (omp_lock_t * lock), )                                                \
	CALL(void, unset_lock, (omp_lock_t * lock), )                                              \
	CALL(int, test_lock, (omp_lock_t * lock), )                                                \
	CALL(void, set_nest_lock, (omp_nest_lock_t * lock), )                                      \
	CALL(void, unset_nest_lock, (omp_nest_lock_t * lock), )                                    \
	CALL(int, test_nest_lock, (omp_nest_lock_t * lock), )                                      \
	/* The caller uses a lock at PLACE. */                                                     \
	CALL(void, lock_placed, (const struct cape_place *place), )                                \
	/* Ends the run: WHAT was done with LOCK. */                                               \
	CALL(void, lock_misused, (const char *what, const void *lock), )

/*
 * What a lock says of its owner.  Sequential code is of threads the first (threads/wait.h), and so
 * it is of nodes: a saved run may go on by either.
 */
#define CAPE_LOCK_FREE	     0
#define CAPE_LOCK_SEQUENTIAL (1 << 1)

#define CAPE_CALL_MEMBER(type, name, parameters, arguments)    type(*name) parameters;
#define CAPE_CALL_OF_NODE(type, name, parameters, arguments)   .name = cape_node_##name,
#define CAPE_CALL_OF_THREAD(type, name, parameters, arguments) .name = cape_thread_##name,
#define CAPE_CALL_DECLARE(type, name, parameters, arguments)                                       \
	type cape_node_##name parameters;                                                          \
	type cape_thread_##name parameters;

/* What a node, or a thread, answers who asks it for NAME: a VALUE. */
#define CAPE_ANSWERS(kind, type, name, value)                                                      \
	type cape_##kind##_##name(void)                                                            \
	{                                                                                          \
		return value;                                                                      \
	}

struct cape_task_calls {
	CAPE_TASK_CALLS(CAPE_CALL_MEMBER)
	CAPE_TASK_PARTS(CAPE_CALL_MEMBER)
};

struct cape_task_reduction_calls {
	CAPE_TASK_REDUCTION_CALLS(CAPE_CALL_MEMBER)
};

struct cape_lock_calls {
	CAPE_LOCK_PARTS(CAPE_CALL_MEMBER)
};

struct cape_constructs {
	CAPE_CONSTRUCT_CALLS(CAPE_CALL_MEMBER)
	CAPE_CONSTRUCT_PARTS(CAPE_CALL_MEMBER)
	/* Of nodes, NULL where the program is not linked with them. */
	const struct cape_task_calls *tasks;
	const struct cape_task_reduction_calls *task_reductions;
	const struct cape_lock_calls *locks;
};

CAPE_CONSTRUCT_CALLS(CAPE_CALL_DECLARE)
CAPE_CONSTRUCT_PARTS(CAPE_CALL_DECLARE)
CAPE_TASK_CALLS(CAPE_CALL_DECLARE)
CAPE_TASK_PARTS(CAPE_CALL_DECLARE)
CAPE_TASK_REDUCTION_CALLS(CAPE_CALL_DECLARE)
CAPE_LOCK_PARTS(CAPE_CALL_DECLARE)

/* The one in use; the same on every node. */
extern const struct cape_constructs *cape_constructs;
extern const struct cape_constructs cape_constructs_of_nodes, cape_constructs_of_threads;
extern const struct cape_task_calls cape_tasks_of_nodes;
extern const struct cape_task_reduction_calls cape_task_reductions_of_nodes;
extern const struct cape_lock_calls cape_locks_of_nodes;

#endif
