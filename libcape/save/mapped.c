// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mapped.c - reads /proc/self/maps, and lists mappings that are neither saved otherwise nor there
 * again in a program that begins.
 */
#include "save/mapped.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/saved.h"
#include "channel/capture.h"
#include "heap/heap.h"
#include "memory/area.h"
#include "save/save.h"
#include "system/libc.h"

#define LIST_LIMIT  65536ul /* Linux lets a process have no more */
#define TEXT_SIZE   (64ul << 10)
#define NAME_LENGTH 200

/* A line of /proc/self/maps. */
struct line {
	struct cape_range range;
	bool shared;
	int protection;
	const char *name; /* without blanks in front; empty: it has none */
};

static bool parse(char *text, struct line *line)
{
	unsigned long long start, end;
	char mode[5];
	int used = 0;

	if (sscanf(text, "%llx-%llx %4s %*x %*s %*u %n", &start, &end, mode, &used) != 3 || !used)
		return false;
	*line = (struct line){
		.range = {start, end},
		.shared = mode[3] == 's',
		.protection = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0) |
			      (mode[2] == 'x' ? PROT_EXEC : 0),
		.name = text + used,
	};
	return true;
}

/* Calls EACH for each line until it gives false; whether it never did.  -errno: it cannot be read.
 */
static int each_line(struct cape_runtime *runtime,
		     bool (*each)(struct cape_runtime *runtime, const struct line *line))
{
	char *text = runtime->save->mapped.text, *end;
	int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	size_t left = 0;
	bool goes_on = true;
	ssize_t got = 0;
	int error;

	if (file < 0)
		return -errno;
	while (goes_on && (got = read(file, text + left, TEXT_SIZE - 1 - left)) > 0) {
		char *at = text;
		struct line line;

		left += (size_t)got;
		text[left] = '\0';
		for (; goes_on && (end = strchr(at, '\n')); at = end + 1) {
			*end = '\0';
			goes_on = !parse(at, &line) || each(runtime, &line);
		}
		left -= (size_t)(at - text);
		memmove(text, at, left);
	}
	error = errno;
	close(file);
	return got < 0 ? -error : goes_on;
}

/* -- what is known -------------------------------------------------------------------------- */

static bool note_known(struct cape_runtime *runtime, const struct line *line)
{
	struct cape_mapped *mapped = &runtime->save->mapped;
	struct cape_range *known = mapped->known;
	size_t count = mapped->known_count;

	if (count && known[count - 1].end == line->range.start)
		known[count - 1].end = line->range.end;
	else if (count < LIST_LIMIT)
		known[mapped->known_count++] = line->range;
	return true;
}

void cape_mapped_start(struct cape_runtime *runtime)
{
	struct cape_mapped *mapped = &runtime->save->mapped;

	if (!(runtime->channel->flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_RESTORE)))
		return;
	mapped->known = cape_must_reserve(runtime, LIST_LIMIT * sizeof(*mapped->known));
	mapped->list = cape_must_reserve(runtime, LIST_LIMIT * sizeof(*mapped->list));
	mapped->text = cape_must_reserve(runtime, TEXT_SIZE);
	each_line(runtime, note_known);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The run time's, the kernel's, the stack, or as it will be again when a program begins. */
static bool is_known(const struct cape_mapped *mapped, const struct line *line)
{
	if (line->shared)
		return begins(line->name, "/memfd:cape-channel") ||
		       begins(line->name, "/memfd:cape-board");
	if (line->range.start >= CAPE_HEAP_START && line->range.end <= CAPE_PRIVATE_END)
		return true;
	if (begins(line->name, "[stack]") || begins(line->name, "[v") ||
	    begins(line->name, "[uprobes]"))
		return true;
	for (size_t i = 0; i < mapped->known_count; i++)
		if (line->range.start >= mapped->known[i].start &&
		    line->range.end <= mapped->known[i].end)
			return true;
	return false;
}

/* -- what is there now ---------------------------------------------------------------------- */

/* Where a file ends in front of its mapping, nothing can be read after that. */
static uint64_t find_readable(struct cape_range range)
{
	int memory = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
	uint64_t low = range.start, high = range.end;
	char byte;

	while (memory >= 0 && low < high) {
		uint64_t middle = low + (high - low) / 2 / CAPE_PAGE * CAPE_PAGE;

		if (pread(memory, &byte, 1, (off_t)middle) == 1)
			low = middle + CAPE_PAGE;
		else
			high = middle;
	}
	if (memory >= 0)
		close(memory);
	return low;
}

static bool refuse_line(struct cape_mapped *mapped, const struct line *line, const char *what)
{
	snprintf(mapped->why, sizeof(mapped->why),
		 "%.*s is mapped at %#llx, %s, which cannot be saved", NAME_LENGTH,
		 *line->name ? line->name : "memory without a name",
		 (unsigned long long)line->range.start, what);
	return false;
}

static bool list_line(struct cape_runtime *runtime, const struct line *line)
{
	struct cape_mapped *mapped = &runtime->save->mapped;
	uint64_t readable;

	if (is_known(mapped, line))
		return true;
	if (line->shared)
		return refuse_line(mapped, line, "MAP_SHARED");
	if (line->protection & PROT_WRITE)
		return refuse_line(mapped, line, "writable, and not by mmap() of the C library");
	readable = find_readable(line->range);
	if (readable == line->range.start)
		return refuse_line(mapped, line, "and cannot be read");
	if (mapped->count == LIST_LIMIT)
		return refuse_line(mapped, line, "as one of too many");
	mapped->list[mapped->count++] = (struct cape_mapped_memory){
		.range = line->range,
		.readable = readable,
		.protection = (uint64_t)line->protection,
	};
	return true;
}

const char *cape_mapped_refuse(struct cape_runtime *runtime)
{
	struct cape_mapped *mapped = &runtime->save->mapped;
	int result;

	if (!mapped->text)
		return NULL;
	mapped->count = 0;
	result = each_line(runtime, list_line);
	if (result < 0)
		snprintf(mapped->why, sizeof(mapped->why),
			 "/proc/self/maps, which lists what is mapped, cannot be read: %s",
			 strerror(-result));
	return result > 0 ? NULL : mapped->why;
}

/* -- for saving ----------------------------------------------------------------------------- */

static uint64_t put_list(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_mapped *mapped = &runtime->save->mapped;
	uint64_t size = mapped->count * sizeof(*mapped->list);

	if (to && size)
		memcpy(to, mapped->list, size);
	return size;
}

/* Contents come with the rest of memory. */
static void take_list(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_mapped_memory mapping;

	for (; size >= sizeof(mapping); from += sizeof(mapping), size -= sizeof(mapping)) {
		memcpy(&mapping, from, sizeof(mapping));
		if (mmap((void *)(uintptr_t)mapping.range.start,
			 mapping.range.end - mapping.range.start, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			 0) != MAP_FAILED)
			continue;
		cape_fail(runtime, 0,
			  "node %u: the run cannot continue here: a file was mapped at %#llx, "
			  "where there is something else now: %s",
			  runtime->node, (unsigned long long)mapping.range.start, strerror(errno));
	}
}

static void finish_list(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_mapped_memory mapping;

	for (; size >= sizeof(mapping); from += sizeof(mapping), size -= sizeof(mapping)) {
		memcpy(&mapping, from, sizeof(mapping));
		if (mprotect((void *)(uintptr_t)mapping.range.start,
			     mapping.range.end - mapping.range.start, (int)mapping.protection) < 0)
			cape_fail(runtime, 0, "node %u: cannot protect what was mapped: %s",
				  runtime->node, strerror(errno));
	}
}

CAPE_SAVED_AS(mapped, "foreign", .put = put_list, .take = take_list, .finish = finish_list);
