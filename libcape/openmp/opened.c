/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opened.c - regions of libraries that the program opens itself, by dlopen().
 *
 * Shared memory is what was loaded when the program started: what such a region changes in its
 * library's variables would stay on each node, and nobody would notice.
 */
#include "openmp/opened.h"

#include <link.h>
#include "memory/area.h"
#include "save/save.h"

struct search {
	const struct cape_runtime *runtime;
	uint64_t address; /* in the object that is looked for */
	const char *name; /* of that, if it came later and has variables */
};

static bool has_segment(const struct dl_phdr_info *info, uint32_t type, uint64_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == type &&
		    address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
			return true;
	}
	return false;
}

/* What is read-only by now, which a writable segment may begin with, is no area. */
static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	if (!has_segment(info, PT_LOAD, search->address))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t last = info->dlpi_addr + header->p_vaddr + header->p_memsz - 1;

		if (header->p_type == PT_LOAD && (header->p_flags & PF_W) &&
		    !has_segment(info, PT_GNU_RELRO, last) &&
		    !cape_areas_find(search->runtime->areas, last, 1))
			search->name = info->dlpi_name;
	}
	return 1;
}

void cape_opened_refuse(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct search search = {.runtime = runtime, .address = (uint64_t)(uintptr_t)place};

	if (!cape_save_has_loaded(runtime))
		return;
	dl_iterate_phdr(look, &search);
	if (search.name)
		cape_fail(runtime, 0,
			  "%s:%d: this region is in %s, which the program has opened by dlopen(): "
			  "nodes do not share the variables of that library; link the program with "
			  "the library",
			  place->file, place->line, search.name);
}
