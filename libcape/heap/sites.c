// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sites.c - a table of blocks by their address; of those that meet in it the older is forgotten.
 */
#include "heap/sites.h"

#include <errno.h>
#include "base/context.h"

CAPE_PART(sites, NULL);

#define SITES (1ul << 18)
#define NEAR  8ul /* slots that an address may be in */

static uint64_t slot_of(uint64_t address)
{
	return (address >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (SITES - NEAR);
}

int cape_sites_start(struct cape_runtime *runtime)
{
	runtime->sites->table =
		cape_private_reserve(&runtime->private, SITES * sizeof(*runtime->sites->table));
	return runtime->sites->table ? 0 : -ENOMEM;
}

void cape_sites_note(struct cape_runtime *runtime, const void *block, uint64_t size,
		     const void *code)
{
	uint64_t address = (uint64_t)(uintptr_t)block;
	struct cape_site *near = &runtime->sites->table[slot_of(address)], *site = NULL;

	if (!block)
		return;
	for (uint64_t i = 0; i < NEAR && !site; i++)
		if (!near[i].address || near[i].address == address)
			site = &near[i];
	if (!site) {
		for (uint64_t i = 1; i < NEAR; i++)
			near[i - 1] = near[i];
		site = &near[NEAR - 1];
	}
	*site = (struct cape_site){address, size, (uint64_t)(uintptr_t)code};
}

const struct cape_site *cape_sites_find(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_site *found = NULL;

	for (uint64_t i = 0; runtime->sites->table && i < SITES; i++) {
		const struct cape_site *site = &runtime->sites->table[i];

		if (site->address <= address && address - site->address < site->size &&
		    (!found || site->address > found->address))
			found = site;
	}
	return found;
}

const struct cape_site *cape_sites_at(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_site *near = &runtime->sites->table[slot_of(address)];

	for (uint64_t i = 0; runtime->sites->table && address && i < NEAR; i++)
		if (near[i].address == address)
			return &near[i];
	return NULL;
}
