// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mmap.c - mmap() and its kin, in place of the C library's: what the program maps is shared memory.
 *
 * The C library's own mappings do not come here.  With one node, and without cape-run, the kernel
 * does what it does otherwise.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include "system/libc.h"
#include "system/own_status.h"
#include "heap/heap_lock.h"
#include "memory/mapping.h"
#include "message/one_truth.h"
#include "memory/area.h"
#include "base/ordering.h"
#include "replica/file_calls.h"
#include "replica/open_files.h"

#define KEPT_FLAGS (MAP_SHARED | MAP_PRIVATE | MAP_NORESERVE | MAP_POPULATE | MAP_LOCKED)
#define FIXED	   (MAP_FIXED | MAP_FIXED_NOREPLACE)

void *__sbrk(intptr_t increment);

/* What mmap() is called with. */
struct request {
	uint64_t start, length;
	int protection, flags, descriptor;
	off_t offset;
};

/* Whether mappings are shared by nodes at all. */
static bool is_shared(const struct cape_runtime *runtime)
{
	return runtime->channel && runtime->started &&
	       (runtime->nodes > 1 ||
		(runtime->channel->flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_RESTORE)));
}

/* A thread of a run by threads is as good as the initial one; else its memory is its node's. */
static bool is_member(const struct cape_runtime *runtime)
{
	return (runtime->channel->flags & CAPE_CHANNEL_THREADS) || cape_is_member(runtime);
}

/* The list is one thread's at a time, where there may be several. */
static bool lock(struct cape_runtime *runtime)
{
	if (runtime->channel->flags & CAPE_CHANNEL_THREADS)
		return cape_heap_lock(runtime);
	runtime->ordering->lock(runtime);
	return false;
}

static void unlock(struct cape_runtime *runtime, bool locked)
{
	if (!(runtime->channel->flags & CAPE_CHANNEL_THREADS))
		runtime->ordering->unlock(runtime);
	cape_heap_unlock(runtime, locked);
}

static int give_error(int error)
{
	if (error == 0)
		return 0;
	errno = -error;
	return -1;
}

_Noreturn static void refuse(struct cape_runtime *runtime, const char *what)
{
	cape_fail(runtime, 0, "at or after %s:%d: %s", runtime->channel->state.file,
		  runtime->channel->state.line, what);
}

static void *own_mmap(const struct request *request)
{
	return mmap((void *)(uintptr_t)request->start, request->length, request->protection,
		    request->flags, request->descriptor, request->offset);
}

/* -- anonymous memory --------------------------------------------------------------------- */

static uint64_t choose_place(struct cape_runtime *runtime, const struct request *request)
{
	uint64_t end = request->start + cape_page_ceiling(request->length);

	if (!(request->flags & FIXED))
		return cape_mapping_place(runtime, cape_page_ceiling(request->length));
	if (request->start < CAPE_MAPPED_START || end > CAPE_MAPPED_END)
		refuse(runtime, "mmap() at a fixed address that is not in an earlier mapping does "
				"not make shared memory; let mmap() choose the address");
	return request->start;
}

static void *map_anonymous(struct cape_runtime *runtime, const struct request *request)
{
	uint64_t place = choose_place(runtime, request);
	int flags = request->flags & (KEPT_FLAGS | CAPE_MAPPING_OF_FILE), error;

	if (!place) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (runtime->areas->base->private_only)
		flags = (flags & ~MAP_TYPE) | MAP_PRIVATE;
	error = cape_mapping_map(runtime, place, place + cape_page_ceiling(request->length),
				 request->protection, flags);
	return give_error(error) < 0 ? MAP_FAILED : (void *)(uintptr_t)place;
}

/* -- files -------------------------------------------------------------------------------- */

static int fill(const struct request *request, char *memory)
{
	for (uint64_t done = 0; done < request->length;) {
		ssize_t got =
			cape_file_read_at(request->descriptor, memory + done,
					  request->length - done, request->offset + (off_t)done);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -errno;
		done += got > 0 ? (uint64_t)got : 0;
	}
	return 0;
}

/* Anonymous memory with the file's contents, as far as the file goes; FLAGS of the mapping. */
static void *map_copy(struct cape_runtime *runtime, const struct request *request, int flags)
{
	struct request anonymous = *request;
	uint64_t end;
	char *memory;
	int error;

	anonymous.protection = PROT_READ | PROT_WRITE;
	anonymous.flags = (request->flags & FIXED) | flags;
	memory = map_anonymous(runtime, &anonymous);
	if (memory == MAP_FAILED)
		return memory;
	end = (uintptr_t)memory + cape_page_ceiling(request->length);
	error = fill(request, memory);
	if (!error && request->protection != anonymous.protection)
		error = cape_mapping_protect(runtime, (uintptr_t)memory, end, request->protection);
	if (!error)
		return memory;
	cape_mapping_unmap(runtime, (uintptr_t)memory, end);
	errno = -error;
	return MAP_FAILED;
}

/* A copy in memory of what node 0 has open (files.c), or a file in memory of the program's. */
static bool is_in_memory(int descriptor)
{
	char path[64], target[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	return syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof(target) - 1) > 0 &&
	       strncmp(target, "/memfd:", 7) == 0;
}

/* Node 0 maps the file, others a file in memory or a copy: each writes its own. */
static void *map_shared_file(struct cape_runtime *runtime, const struct request *request)
{
	struct request fixed = *request;
	void *memory = map_copy(runtime, request, MAP_PRIVATE | CAPE_MAPPING_OF_FILE);

	if (memory == MAP_FAILED)
		return memory;
	fixed.start = (uintptr_t)memory;
	fixed.flags = (request->flags & KEPT_FLAGS) | MAP_FIXED;
	/* Others have read the file before node 0 can write to it. */
	cape_one_truth(runtime, &fixed.length, sizeof(fixed.length), "mmap()");
	if ((runtime->node == 0 || is_in_memory(request->descriptor)) &&
	    own_mmap(&fixed) == MAP_FAILED)
		cape_fail(runtime, 0, "node %u: cannot map a file: %s", runtime->node,
			  strerror(errno));
	cape_area_settled(cape_areas_find(runtime->areas, fixed.start, fixed.length), fixed.start,
			  cape_page_ceiling(fixed.length), false);
	return memory;
}

/* Whether the descriptor is of /dev/zero, which is a way to get anonymous memory. */
static bool is_zero_device(struct cape_runtime *runtime, int descriptor)
{
	struct stat status = {.st_mode = 0};
	bool zero = cape_own_status(descriptor, &status) == 0 && S_ISCHR(status.st_mode) &&
		    status.st_rdev == makedev(1, 5);

	if (cape_is_replicated(runtime))
		cape_one_truth(runtime, &zero, sizeof(zero), "mmap()");
	return zero;
}

static void *map_file(struct cape_runtime *runtime, const struct request *request)
{
	bool replicated = cape_is_replicated(runtime);

	if (!(request->protection & PROT_WRITE) && replicated && !(request->flags & FIXED)) {
		runtime->files->mapped = true;
		return own_mmap(request);
	}
	if (is_zero_device(runtime, request->descriptor))
		return map_anonymous(runtime, request);
	if (!(request->flags & MAP_SHARED) || !(request->protection & PROT_WRITE) ||
	    (request->flags & MAP_TYPE) == MAP_PRIVATE)
		return map_copy(runtime, request, MAP_PRIVATE);
	if (runtime->areas->base->private_only)
		refuse(runtime, "mmap() of a file, writable and MAP_SHARED, needs --method "
				"tickpt2");
	/* One that is alone writes to the file itself. */
	if (runtime->nodes == 1)
		return own_mmap(request);
	if (!replicated)
		refuse(runtime, "mmap() of a file, writable and MAP_SHARED, inside a parallel "
				"region; map it before the region");
	return map_shared_file(runtime, request);
}

/* -- the functions ------------------------------------------------------------------------ */

static void *map_shared(struct cape_runtime *runtime, const struct request *request)
{
	uint64_t end = request->start + request->length;

	/* In place of other shared memory: that is what the mapping is then. */
	if ((request->flags & MAP_FIXED) &&
	    cape_areas_find(runtime->areas, request->start, request->length) &&
	    !cape_mapping_owns(request->start, end))
		return own_mmap(request);
	if ((request->flags & MAP_FIXED_NOREPLACE) == MAP_FIXED_NOREPLACE &&
	    cape_mapping_find(runtime, request->start)) {
		errno = EEXIST;
		return MAP_FAILED;
	}
	if (request->flags & MAP_ANONYMOUS)
		return map_anonymous(runtime, request);
	return map_file(runtime, request);
}

CAPE_FUNCTION(void *, mmap,
	      (void *start, size_t length, int protection, int flags, int descriptor, off_t offset))
{
	struct request request = {(uintptr_t)start, length, protection, flags, descriptor, offset};
	struct cape_runtime *runtime = cape_runtime_get();
	void *memory;
	bool locked;

	if (!is_shared(runtime) || !is_member(runtime) || !length ||
	    request.start + length < request.start || request.start % CAPE_PAGE ||
	    length > CAPE_MAPPED_SEQUENTIAL_SIZE)
		return own_mmap(&request);
	locked = lock(runtime);
	memory = map_shared(runtime, &request);
	unlock(runtime, locked);
	return memory;
}

CAPE_SAME_FUNCTION(mmap64, mmap);

CAPE_FUNCTION(int, munmap, (void *start, size_t length))
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t from = (uintptr_t)start, end = cape_page_ceiling(from + length);
	bool locked;
	int error;

	if (!is_shared(runtime) || !length || from % CAPE_PAGE || !cape_mapping_owns(from, end))
		return munmap(start, length);
	locked = lock(runtime);
	error = cape_mapping_unmap(runtime, from, end);
	unlock(runtime, locked);
	return give_error(error);
}

/* Memory that CAPE must always read and write stays as it is: the program cannot fence it off. */
static int protect_other(struct cape_runtime *runtime, void *start, size_t length, int protection)
{
	bool known = cape_areas_find(runtime->areas, (uintptr_t)start, length);

	if (known && (protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE))
		refuse(runtime, "mprotect() removes access to memory of malloc(), static storage "
				"or the stack, which the nodes share; use memory of mmap()");
	if (!known && (protection & PROT_WRITE))
		refuse(runtime, "mprotect() makes memory writable that the nodes do not share; "
				"call mmap() with PROT_WRITE");
	return mprotect(start, length, protection);
}

CAPE_FUNCTION(int, mprotect, (void *start, size_t length, int protection))
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t from = (uintptr_t)start, end = cape_page_ceiling(from + length);
	bool locked;
	int error;

	if (!is_shared(runtime) || !length || from % CAPE_PAGE)
		return mprotect(start, length, protection);
	if (cape_mapping_owns(from, end)) {
		locked = lock(runtime);
		error = cape_mapping_protect(runtime, from, end, protection);
		unlock(runtime, locked);
		return give_error(error);
	}
	return is_member(runtime) ? protect_other(runtime, start, length, protection)
				  : mprotect(start, length, protection);
}

/* After what is there, if nothing else is. */
static bool extend(struct cape_runtime *runtime, const struct cape_mapping *mapping, uint64_t end,
		   uint64_t new_end)
{
	uint64_t zone = (end - 1 - CAPE_MAPPED_START) / CAPE_MAPPED_SEQUENTIAL_SIZE;

	if (mapping->end != end || cape_is_concurrent(runtime) ||
	    zone != (new_end - 1 - CAPE_MAPPED_START) / CAPE_MAPPED_SEQUENTIAL_SIZE || zone > 0)
		return false;
	for (uint64_t at = end; at < new_end; at += CAPE_PAGE)
		if (cape_mapping_find(runtime, at))
			return false;
	return cape_mapping_map(runtime, end, new_end, mapping->protection, mapping->flags) == 0;
}

static void *move(struct cape_runtime *runtime, struct cape_mapping old, uint64_t from,
		  uint64_t length, uint64_t new_length, uint64_t to)
{
	int error;

	if (!to)
		to = cape_mapping_place(runtime, new_length);
	if (!to) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	error = cape_mapping_map(runtime, to, to + new_length, PROT_READ | PROT_WRITE, old.flags);
	if (error) {
		errno = -error;
		return MAP_FAILED;
	}
	memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from,
	       length < new_length ? length : new_length);
	cape_mapping_unmap(runtime, from, from + length);
	if (old.protection != (PROT_READ | PROT_WRITE))
		cape_mapping_protect(runtime, to, to + new_length, old.protection);
	return (void *)(uintptr_t)to;
}

/* Of whole pages at START, which may be mapped, to TO if that is not 0. */
static void *remap(struct cape_runtime *runtime, void *start, uint64_t length, uint64_t new_length,
		   int flags, uint64_t to)
{
	uint64_t from = (uintptr_t)start;
	const struct cape_mapping *mapping = cape_mapping_find(runtime, from);

	if (!mapping)
		return (void *)syscall(SYS_mremap, start, length, new_length, flags, to);
	if (to && (to < CAPE_MAPPED_START || to + new_length > CAPE_MAPPED_END))
		refuse(runtime, "mremap() to a fixed address that is not in an earlier mapping");
	if ((to || new_length > length) && (mapping->flags & CAPE_MAPPING_OF_FILE))
		refuse(runtime, "mremap() cannot move or enlarge a mapping of a file that is "
				"writable and MAP_SHARED; unmap the file, and map it again");
	if (!to && new_length < length)
		cape_mapping_unmap(runtime, from + new_length, from + length);
	if (!to &&
	    (new_length <= length || extend(runtime, mapping, from + length, from + new_length)))
		return start;
	if (flags & MREMAP_MAYMOVE)
		return move(runtime, *mapping, from, length, new_length, to);
	errno = ENOMEM;
	return MAP_FAILED;
}

CAPE_FUNCTION(void *, mremap, (void *start, size_t length, size_t new_length, int flags, ...))
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t to = 0;
	va_list arguments;
	void *memory;
	bool locked;

	if (flags & MREMAP_FIXED) {
		va_start(arguments, flags);
		to = (uintptr_t)va_arg(arguments, void *);
		va_end(arguments);
	}
	if (!is_shared(runtime) || !length || !new_length || (uintptr_t)start % CAPE_PAGE)
		return (void *)syscall(SYS_mremap, start, length, new_length, flags, to);
	locked = lock(runtime);
	memory = remap(runtime, start, cape_page_ceiling(length), cape_page_ceiling(new_length),
		       flags, to);
	unlock(runtime, locked);
	return memory;
}

/* -- the program's break ------------------------------------------------------------------ */

/* Shared memory: what one node sets in a single construct is everybody's. */
static uint64_t program_break = CAPE_BREAK_START;

static int set_break(struct cape_runtime *runtime, uint64_t to)
{
	uint64_t old_end = cape_page_ceiling(program_break), end = cape_page_ceiling(to);
	bool locked = lock(runtime);
	int error = 0;

	if (to < CAPE_BREAK_START || to > CAPE_MAPPED_END)
		error = -ENOMEM;
	else if (end > old_end)
		error = cape_mapping_map(runtime, old_end, end, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE);
	else if (end < old_end)
		error = cape_mapping_unmap(runtime, end, old_end);
	if (!error)
		program_break = to;
	unlock(runtime, locked);
	return give_error(error);
}

CAPE_FUNCTION(void *, sbrk, (intptr_t increment))
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t old = program_break;

	if (!is_shared(runtime))
		return __sbrk(increment);
	if (increment && set_break(runtime, old + (uint64_t)increment) < 0)
		return (void *)-1;
	return (void *)(uintptr_t)old;
}

CAPE_FUNCTION(int, brk, (void *end))
{
	struct cape_runtime *runtime = cape_runtime_get();

	return is_shared(runtime) ? set_break(runtime, (uintptr_t)end)
				  : CAPE_OWN_FUNCTION(brk)(end);
}

/*
 * What is touched is locked when it is, not before: CAPE reserves far more addresses than there is
 * memory.
 */
CAPE_FUNCTION(int, mlockall, (int flags))
{
	return (int)syscall(SYS_mlockall, flags | MCL_ONFAULT);
}

/* -- other shared memory ------------------------------------------------------------------ */

CAPE_FUNCTION(int, shmget, (key_t key, size_t size, int flags))
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (is_shared(runtime))
		refuse(runtime, "shmget(): the nodes do not share memory of System V; use malloc() "
				"or mmap()");
	return (int)syscall(SYS_shmget, key, size, flags);
}
