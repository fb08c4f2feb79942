// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tables.c - whether pointers by which loops find their memory (rows.c) may have changed.
 *
 * While nothing runs but loops of which all is known, and what the program says of the time between
 * them, pointers that no such loop writes are what they were.  Anything else begins a new age.
 */
#include "memory/area.h"
#include "need/need.h"
#include "planned/planned.h"
#include "system/ranges.h"

#define STRETCHES_MOST 4096u /* of tables; of more it is not known who writes them */

static struct cape_plan_tables *tables_of(struct cape_runtime *runtime)
{
	return &runtime->planned->tables;
}

void cape_plan_tables_age(struct cape_runtime *runtime)
{
	tables_of(runtime)->age++;
}

/* Memory of which no known loop may write anything that its plan does not say. */
static bool is_exchanged(const struct cape_runtime *runtime, struct cape_range range)
{
	const struct cape_area *area =
		cape_areas_find(runtime->areas, range.start, range.end - range.start);

	return area && area->directory;
}

void cape_plan_tables_add(struct cape_runtime *runtime, struct cape_plan_rows *rows)
{
	struct cape_plan_tables *tables = tables_of(runtime);

	rows->is_exchanged = true;
	for (size_t i = 0; i < rows->count; i++) {
		rows->is_exchanged &= is_exchanged(runtime, rows->range[i]);
		if (tables->all.count < STRETCHES_MOST)
			cape_ranges_add(runtime, &tables->all, rows->range[i]);
	}
	if (rows->count)
		tables->number++;
	cape_plan_tables_look(runtime, rows);
}

void cape_plan_tables_watch(struct cape_runtime *runtime, const struct cape_ranges *words)
{
	struct cape_plan_tables *tables = tables_of(runtime);

	for (size_t i = 0; i < words->count; i++)
		if (is_exchanged(runtime, words->range[i]) && tables->all.count < STRETCHES_MOST)
			cape_ranges_add(runtime, &tables->all, words->range[i]);
	tables->number++;
}

bool cape_plan_tables_are(const struct cape_runtime *runtime, uint64_t age)
{
	const struct cape_plan_tables *tables = &runtime->planned->tables;

	return tables->age == age && tables->all.count < STRETCHES_MOST;
}

void cape_plan_tables_change(struct cape_runtime *runtime, const struct cape_range *range,
			     size_t count)
{
	const struct cape_ranges *all = &tables_of(runtime)->all;

	for (size_t i = 0; i < count; i++) {
		size_t after = cape_ranges_find(all->range, all->count, sizeof(*all->range),
						range[i].start);

		if (after < all->count && all->range[after].start < range[i].end)
			cape_plan_tables_age(runtime);
	}
}

void cape_plan_tables_look(struct cape_runtime *runtime, struct cape_plan_rows *rows)
{
	rows->age = tables_of(runtime)->age;
}

/* Sequential code has to look whether all nodes have them. */
bool cape_plan_tables_stand(struct cape_runtime *runtime, const struct cape_plan_rows *rows)
{
	return cape_plan_tables_are(runtime, rows->age) && rows->is_exchanged &&
	       !runtime->planned->spread;
}

static bool writes_any(const struct cape_runtime *runtime, const struct cape_plan *plan)
{
	const struct cape_ranges *all = &runtime->planned->tables.all;
	bool any = plan->leaves;

	for (size_t i = 0; i < all->count && !any; i++)
		any = cape_plan_writes(runtime, plan, all->range[i]);
	return any;
}

void cape_plan_tables_write(struct cape_runtime *runtime, struct cape_plan *plan)
{
	struct cape_plan_tables *tables = tables_of(runtime);

	if (plan->tables != tables->number) {
		plan->tables = tables->number;
		plan->writes_tables = writes_any(runtime, plan);
	}
	if (plan->writes_tables)
		tables->age++;
}
