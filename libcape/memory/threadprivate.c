/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threadprivate.c - each node's own values of threadprivate variables, in and out of regions.
 *
 * The variable's own storage is used inside and outside of regions; on nodes other than the
 * master two copies behind it are exchanged at a region's borders.
 */
#include "memory/threadprivate.h"

#include <string.h>
#include "cape.h"
#include "checkpoint/diff.h"
#include "base/saved.h"
#include "memory/twin.h"

/* Constructors of libraries, which add theirs, come before the program's own. */
static void start(struct cape_runtime *runtime)
{
	struct cape_threadprivates *variables = runtime->threadprivates;

	if (!variables->list)
		variables->list = cape_must_reserve(runtime, CAPE_THREADPRIVATES_LIMIT *
								     sizeof(*variables->list));
}

CAPE_PART(threadprivates, start);

/* The program's cape_set_threadprivate(); the linker names the ends. */
extern const struct cape_threadprivate_record *const __start_cape_threadprivate[]
	__attribute__((weak, visibility("hidden")));
extern const struct cape_threadprivate_record *const __stop_cape_threadprivate[]
	__attribute__((weak, visibility("hidden")));

void cape_threadprivate_add(struct cape_runtime *runtime, uint64_t address, uint64_t size,
			    const char *name)
{
	struct cape_threadprivate *list;
	size_t at = 0;

	start(runtime);
	list = runtime->threadprivates->list;
	while (at < runtime->threadprivates->count && list[at].address < address)
		at++;
	if (at < runtime->threadprivates->count && list[at].address == address)
		return;
	if (runtime->threadprivates->count == CAPE_THREADPRIVATES_LIMIT)
		cape_fail(runtime, 0, "more than %lu threadprivate variables",
			  CAPE_THREADPRIVATES_LIMIT);
	/* A record has what the program wrote. */
	name += *name == '&';
	memmove(&list[at + 1], &list[at], (runtime->threadprivates->count - at) * sizeof(*list));
	runtime->threadprivates->count++;
	list[at] = (struct cape_threadprivate){
		.address = address,
		.size = size,
		.name = name,
		.own = cape_private_reserve(&runtime->private, size),
		.master = cape_private_reserve(&runtime->private, size),
	};
	if (!list[at].own || !list[at].master)
		cape_fail(runtime, 0, "no room for the threadprivate variable %s", name);
	memcpy(list[at].own, (const void *)(uintptr_t)address, size);
	/* Registered in mid region: the value of the region's entry is the initial one too. */
	memcpy(list[at].master, list[at].own, size);
}

void cape_threadprivate_add_recorded(void)
{
	for (const struct cape_threadprivate_record *const *record = __start_cape_threadprivate;
	     record != __stop_cape_threadprivate; record++)
		cape_threadprivate_add(cape_runtime_get(), (uint64_t)(uintptr_t)(*record)->address,
				       (*record)->size, (*record)->name);
}

bool cape_threadprivate_any(const struct cape_runtime *runtime)
{
	return &__start_cape_threadprivate[0] != &__stop_cape_threadprivate[0] ||
	       runtime->threadprivates->count;
}

void cape_threadprivate_enter(struct cape_runtime *runtime)
{
	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		struct cape_threadprivate *variable = &runtime->threadprivates->list[i];
		void *memory = (void *)(uintptr_t)variable->address;

		memcpy(variable->master, memory, variable->size);
		if (runtime->node > 0 && !variable->copyin)
			memcpy(memory, variable->own, variable->size);
		variable->copyin = false;
	}
}

int cape_threadprivate_diff(struct cape_runtime *runtime, struct cape_range range,
			    struct cape_runs *runs)
{
	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		const struct cape_threadprivate *variable = &runtime->threadprivates->list[i];

		if (variable->address == range.start)
			return cape_diff((const void *)(uintptr_t)range.start, variable->master,
					 range.end - range.start, range.start, runs);
	}
	return 0;
}

void cape_threadprivate_leave(struct cape_runtime *runtime)
{
	if (runtime->node == 0)
		return;
	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		struct cape_threadprivate *variable = &runtime->threadprivates->list[i];
		void *memory = (void *)(uintptr_t)variable->address;

		memcpy(variable->own, memory, variable->size);
		memcpy(memory, variable->master, variable->size);
	}
	for (size_t i = 0; i < runtime->areas->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];

		if (area->kind == CAPE_AREA_MASTER)
			cape_twin_restore(area, (struct cape_range){area->start, area->end});
	}
}

/* -- for saving --------------------------------------------------------------------------- */

/* Of one variable; its value follows. */
struct saved {
	uint64_t address, size, name;
};

static uint64_t put_own(struct cape_runtime *runtime, unsigned char *to)
{
	uint64_t used = 0;

	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		const struct cape_threadprivate *variable = &runtime->threadprivates->list[i];
		struct saved saved = {variable->address, variable->size,
				      (uint64_t)(uintptr_t)variable->name};

		if (to) {
			memcpy(to + used, &saved, sizeof(saved));
			memcpy(to + used + sizeof(saved), variable->own, variable->size);
		}
		used += sizeof(saved) + variable->size;
	}
	return used;
}

static void take_one(struct cape_runtime *runtime, const struct saved *saved,
		     const unsigned char *value)
{
	struct cape_threadprivates *variables = runtime->threadprivates;

	/* Known already, or registered by a constructor that has not run here. */
	cape_threadprivate_add(runtime, saved->address, saved->size,
			       (const char *)(uintptr_t)saved->name);
	for (size_t i = 0; i < variables->count; i++)
		if (variables->list[i].address == saved->address)
			memcpy(variables->list[i].own, value, saved->size);
}

static void take_own(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct saved saved;

	while (size >= sizeof(saved)) {
		memcpy(&saved, from, sizeof(saved));
		from += sizeof(saved);
		size -= sizeof(saved);
		if (saved.size > size)
			break;
		take_one(runtime, &saved, from);
		from += saved.size;
		size -= saved.size;
	}
}

CAPE_SAVED(threadprivate, .of_node = true, .put = put_own, .take = take_own);
