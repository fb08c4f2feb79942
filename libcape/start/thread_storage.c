// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * thread_storage.c - the note of objects with threadprivate variables, and the libraries among them
 * that the program opens by dlopen().
 *
 * The thread-local storage of those lies in a block of the heap, which nodes share.  There is no
 * region in such a library, but one may call it: each node has its own of that block,
 * and no other learns of what the master has changed of it.
 */
#include "start/thread_storage.h"

#include <string.h>
#include "base/context.h"
#include "base/own_objects.h"
#include "memory/threadprivate.h"

/* Of notes; another number gives the program's version. */
#define NOTE_THREADPRIVATE 2

/* Whether the notes at START have that of cape_threadprivate.h. */
static bool tell_threadprivate(const char *start, uint64_t size)
{
	const char *end = start + size;
	ElfW(Nhdr) header;

	for (const char *at = start; at + sizeof(header) <= end;) {
		memcpy(&header, at, sizeof(header));
		at += sizeof(header);
		if (header.n_type == NOTE_THREADPRIVATE && header.n_namesz == sizeof("CAPE") &&
		    at + sizeof("CAPE") <= end && strcmp(at, "CAPE") == 0)
			return true;
		at += ((header.n_namesz + 3) & ~3u) + ((header.n_descsz + 3) & ~3u);
	}
	return false;
}

bool cape_has_threadprivate(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE &&
		    tell_threadprivate((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				       info->dlpi_phdr[i].p_memsz))
			return true;
	return false;
}

/* What the C library finds storage by. */
struct thread_storage_index {
	unsigned long module, offset;
};

extern void *__tls_get_addr(struct thread_storage_index *index);

static bool is_known(const struct cape_runtime *runtime, uint64_t address)
{
	for (size_t i = 0; i < runtime->threadprivates->count; i++)
		if (runtime->threadprivates->storage[i].address == address)
			return true;
	return false;
}

static int add_opened(struct dl_phdr_info *info, size_t size, void *context)
{
	struct thread_storage_index index = {info->dlpi_tls_modid, 0};
	struct cape_runtime *runtime = context;

	(void)size;
	if (!index.module || !cape_has_threadprivate(info))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t address = (uint64_t)(uintptr_t)__tls_get_addr(&index),
			 length = info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_TLS || is_known(runtime, address))
			continue;
		cape_own_objects_add(runtime, address, length);
		cape_thread_storage_add(runtime, address, length, false);
	}
	return 0;
}

/* Called by constructors of cape_threadprivate.h. */
void cape_threadprivate_loaded(void);

CAPE_EXPORT void cape_threadprivate_loaded(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->started && runtime->channel)
		dl_iterate_phdr(add_opened, runtime);
}
