// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * outlined_task.c - tasks' blocks that the compiler has made functions of.
 *
 * What their clauses say the construct's own calls have said before.
 */
#include <string.h>
#include "openmp/constructs.h"

/* gcc's GOMP_task(). */
void cape_gomp_task(void (*body)(void *data), void *data, void (*copy)(void *to, void *from),
		    long size, long alignment, bool condition, unsigned int flags, void **depend,
		    int priority, void *detach);

CAPE_EXPORT void
cape_gomp_task(void (*body)(void *data), void *data, void (*copy)(void *to, void *from), long size,
	       long alignment, __attribute__((unused)) bool condition,
	       __attribute__((unused)) unsigned int flags, __attribute__((unused)) void **depend,
	       __attribute__((unused)) int priority, __attribute__((unused)) void *detach)
{
	cape_constructs->tasks->task_made(&(struct cape_task_made){.body = body,
								   .data = data,
								   .size = (size_t)size,
								   .alignment = (size_t)alignment,
								   .copy = copy});
}

/* What clang's code knows of a task; its values lie after it, and then what it shares. */
struct kmp_task {
	void *shares;
	int (*run)(int thread, struct kmp_task *task);
	int at; /* of an untied task, which cape-cc makes none of: where the shares begin */
	void *unused[2];
};

#define ROUNDED(size) (((size) + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1))

/* In a copy the task shares what it did. */
static void run_kmp_task(void *data)
{
	struct kmp_task *task = data;

	task->shares = (char *)data + task->at;
	task->run(0, task);
}

int cape_kmpc_global_thread_num(const void *place);

CAPE_EXPORT int cape_kmpc_global_thread_num(__attribute__((unused)) const void *place)
{
	return 0;
}

/* clang's __kmpc_omp_task_alloc(). */
struct kmp_task *cape_kmpc_omp_task_alloc(const void *place, int thread, int flags, size_t size,
					  size_t shares_size,
					  int (*run)(int thread, struct kmp_task *task));

CAPE_EXPORT struct kmp_task *cape_kmpc_omp_task_alloc(__attribute__((unused)) const void *place,
						      __attribute__((unused)) int thread,
						      __attribute__((unused)) int flags,
						      size_t size, size_t shares_size,
						      int (*run)(int thread, struct kmp_task *task))
{
	struct kmp_task *task = cape_constructs->tasks->task_room(ROUNDED(size) + shares_size);

	task->shares = (char *)task + ROUNDED(size);
	task->run = run;
	task->at = (int)ROUNDED(size);
	return task;
}

/* clang's __kmpc_omp_task(). */
int cape_kmpc_omp_task(const void *place, int thread, struct kmp_task *task);

CAPE_EXPORT int cape_kmpc_omp_task(__attribute__((unused)) const void *place,
				   __attribute__((unused)) int thread, struct kmp_task *task)
{
	cape_constructs->tasks->task_made(
		&(struct cape_task_made){.body = run_kmp_task, .data = task, .in_room = true});
	return 0;
}

/* So that nodes' are linked where there are tasks. */
__attribute__((used)) static const struct cape_task_calls *const of_nodes = &cape_tasks_of_nodes;
