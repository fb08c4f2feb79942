// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_scopes.c - which variable a task's part is of, and adding it there.
 */
#include "openmp/contributions.h"

#include "checkpoint/reduction.h"

const struct cape_task_scope *
cape_contributions_scope(const struct cape_contributions *contributions, uint64_t address,
			 uint64_t size)
{
	for (size_t i = contributions->scopes; i-- > 0;) {
		const struct cape_task_scope *scope = &contributions->scope[i];

		if (address >= scope->address && address - scope->address <= scope->size &&
		    size <= scope->size - (address - scope->address))
			return scope;
	}
	return NULL;
}

void cape_contributions_apply(const struct cape_task_scope *scope,
			      const struct cape_contribution *part, const unsigned char *values)
{
	uint64_t address = scope ? part->address - scope->address + scope->copy : part->address;
	unsigned char *out = (unsigned char *)(uintptr_t)address;

	if (!part->combine) {
		cape_reduction_apply((enum cape_operator)part->op, (enum cape_type)part->type, out,
				     values, part->count);
		return;
	}
	for (uint64_t i = 0; i < part->count; i++)
		part->combine(out + i * part->size, values + i * part->size);
}
