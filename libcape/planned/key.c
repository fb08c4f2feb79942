// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * key.c - loops whose sets have been described before.
 *
 * Sets follow from the loop's iterations, from values, and from memory that is brought for them, or
 * that has pointers to what is accessed (rows.c): that is their key.  Where it is one of before, so
 * are the sets, and nothing need be described.
 * Where nodes read each other's memory it does not matter if some describe a loop all the same:
 * each comes to the same plan.  Where they share none all do the same, for what decides is sent
 * then.
 */
#include <stdarg.h>
#include <string.h>
#include "memory/area.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "system/libc.h"
#include "system/number.h"
#include "system/ranges.h"

static void add(struct cape_plan_key *key, uint64_t word)
{
	if (key->count < CAPE_PLAN_WORDS)
		key->word[key->count] = word;
	key->count++;
}

void cape_plan_key_begin(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_construct *construct = planned->construct;

	planned->asked.count = 0;
	planned->has_key = false;
	planned->again = NULL;
	add(&planned->asked, (uintptr_t)construct->place);
	add(&planned->asked, construct->work.first);
	add(&planned->asked, construct->work.last);
	add(&planned->asked, construct->work.chunk);
	add(&planned->asked, planned->spread);
}

/* What a loop looks at that does not run after all need not exist. */
static bool copy(struct cape_runtime *runtime, uint64_t *word, uint64_t address, uint64_t size)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, size);

	*word = 0;
	if (!area || area->kind != CAPE_AREA_STATIC)
		return cape_copy_if_there(word, (const void *)address, size) == (ssize_t)size;
	memcpy(word, (const void *)address, size);
	return true;
}

void cape_plan_key_memory(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_plan_key *key = &runtime->planned->asked;
	uint64_t word, length;

	add(key, address);
	for (uint64_t at = 0; at < size && key->count <= CAPE_PLAN_WORDS; at += length) {
		length = cape_least(sizeof(word), size - at);
		if (copy(runtime, &word, address + at, length))
			add(key, word);
		else
			key->count = CAPE_PLAN_WORDS + 1;
	}
}

/* The one of before that is the same as that which is asked for, or NULL. */
static struct cape_plan_key *find(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_plan_key *asked = &planned->asked;
	const uint32_t *at = cape_plan_index_find(&planned->keys, asked->number);

	for (unsigned i = 0; i < CAPE_PLAN_WAYS && at[i]; i++) {
		struct cape_plan_key *key = &planned->key[at[i] - 1];

		if (key->number == asked->number && key->count == asked->count &&
		    !memcmp(key->word, asked->word, asked->count * sizeof(*asked->word)) &&
		    cape_plan_rows_are(runtime, &key->rows) &&
		    (!key->lists || cape_plan_lists_serve(runtime, key->lists, key->lists_number)))
			return key;
	}
	return NULL;
}

/* All words are there. */
static void end(struct cape_planned *planned)
{
	struct cape_plan_key *asked = &planned->asked;

	asked->number = 1;
	for (size_t i = 0; i < asked->count; i++)
		asked->number = cape_number_mix(asked->number, asked->word[i]);
	planned->has_key = true;
}

CAPE_EXPORT int cape_plan_again(unsigned long count, ...)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_plan_key *key;
	va_list list;

	va_start(list, count);
	while (count--)
		add(&planned->asked, va_arg(list, unsigned long));
	va_end(list);
	if (planned->asked.count > CAPE_PLAN_WORDS)
		return 0;
	end(planned);
	key = find(runtime);
	if (!key || !cape_plan_is_kept(runtime, key))
		return 0;
	planned->again = key;
	planned->writes = key->writes;
	planned->reads = key->reads;
	return 1;
}

void cape_plan_key_keep(struct cape_runtime *runtime, struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;
	const struct cape_plan_key *asked = &planned->asked;
	struct cape_plan_key *key;

	if (!planned->has_key || planned->again)
		return;
	key = find(runtime);
	if (!key)
		key = &planned->key[cape_plan_index_add(&planned->keys, asked->number)];
	memcpy(key->word, asked->word, asked->count * sizeof(*asked->word));
	key->count = asked->count;
	key->number = asked->number;
	cape_plan_rows_take(runtime, &key->rows);
	key->lists = planned->listing.of;
	key->lists_number = key->lists ? key->lists->number : 0;
	key->writes = planned->writes;
	key->reads = planned->reads;
	key->plan = plan;
	key->with = plan->use == CAPE_PLANNED ? plan->with : NULL;
	key->with_number = key->with ? key->with->number : 0;
}
