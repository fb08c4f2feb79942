// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check.c - every access of a loop against the sets that it has described.
 *
 * What is the thread's own is in no set: its stack, and what is thread-local.  On the stack of
 * sequential code the compiler puts addresses of what a region shares, so what is read there is not
 * looked at; what is written is.  Where a set is not
 * what the compiler took it for - an address that does not grow evenly, memory that decides on
 * others and is written by the loop itself - the part is not checked: nothing may rely on it.
 */
#include "sets/check.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/context.h"
#include "cape_sets.h"
#include "memory/apart.h"
#include "memory/shared.h"
#include "sets/intervals.h"
#include "system/memory.h"

extern void *__libc_stack_end;

/* Below the end of the first thread's stack: Linux maps nothing else there. */
#define STACK_SIZE (100ull << 20)

#define FAR (1ul << 20) /* bytes: nothing that has to do with it */

#define ROUNDS_MOST (1u << 22) /* of loops whose accesses are not evenly apart */

/* An access as the source has it, for messages. */
struct described {
	uint64_t start, end;
	const char *text;
	unsigned line;
};

/* Of one thread. */
struct cape_checked {
	bool telling;	   /* between begin and ready */
	bool on;	   /* accesses are held against the sets */
	bool closed, said; /* CAPE_SETS_CLOSED, CAPE_SETS_SAID */
	bool pipeline;	   /* they are those of a pipeline, and loops in it have none */
	bool uneven;	   /* the sets cannot be relied on */
	unsigned rounds;
	const struct cape_place *place;
	struct cape_intervals read, write, must, index;
	uint64_t *written; /* a bit for each byte of MUST */
	size_t written_room;
	struct described *described;
	size_t described_count, described_room;
	uint64_t stack_end;
};

/*
 * The initial thread's is private memory: outside of regions its thread-local storage has node 0's
 * values.
 */
CAPE_PART(checked, NULL);
static __thread struct cape_checked of_other_thread;
static uint64_t load_bias, local_size; /* of the program: where it is, what is thread-local */
static bool program_is_read;

static struct cape_checked *own(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	return cape_is_initial_thread(runtime) ? runtime->checked : &of_other_thread;
}

void cape_sets_ask(void)
{
	cape_runtime_get()->sets_asked = true;
}

/* -- what is the thread's own ------------------------------------------------------------------ */

static int read_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	program_is_read = true;
	load_bias = info->dlpi_addr;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			local_size = info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
	return 1; /* the program is the first one */
}

static uint64_t stack_end(uint64_t frame)
{
	pthread_attr_t attributes;
	size_t size = 0;
	void *start;

	if (cape_is_apart(frame))
		return CAPE_APART_END;
	if (cape_is_initial_thread(cape_runtime))
		return (uint64_t)(uintptr_t)__libc_stack_end;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return frame;
	if (pthread_attr_getstack(&attributes, &start, &size) != 0)
		start = NULL;
	pthread_attr_destroy(&attributes);
	return (uint64_t)(uintptr_t)start + size;
}

static bool is_own(uint64_t address)
{
	struct cape_checked *here = own();
	uint64_t local = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	return (address >= frame && address < here->stack_end) ||
	       (address >= local - local_size && address < local + local_size + 16);
}

/* Whether it is on the stack of sequential code. */
static bool is_sequential(uint64_t address)
{
	uint64_t end = (uint64_t)(uintptr_t)__libc_stack_end;

	return address < end && end - address < STACK_SIZE;
}

/* -- telling ----------------------------------------------------------------------------------- */

static void finish(void);

static void begin(int how, const struct cape_place *place)
{
	struct cape_checked *here = own();
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	finish();
	if (!program_is_read)
		dl_iterate_phdr(read_program, NULL);
	here->stack_end = stack_end(frame);
	here->telling = true;
	here->closed = how & CAPE_SETS_CLOSED;
	here->said = how & CAPE_SETS_SAID;
	here->uneven = false;
	here->rounds = 0;
	here->place = place;
	here->described_count = 0;
	cape_intervals_empty(&here->read);
	cape_intervals_empty(&here->write);
	cape_intervals_empty(&here->must);
	cape_intervals_empty(&here->index);
}

CAPE_EXPORT int cape_sets_begin_at(int how, const struct cape_place *place)
{
	if (own()->pipeline)
		return 0;
	begin(how, place);
	return 1;
}

CAPE_EXPORT int cape_sets_begin_pipeline_at(const struct cape_place *place)
{
	begin(CAPE_SETS_CLOSED, place);
	own()->pipeline = true;
	return 1;
}

static void add(struct cape_intervals *set, const struct cape_box *box)
{
	if (cape_intervals_add(set, box) < 0)
		own()->uneven = true;
}

static void note_described(const struct cape_box *box, const char *text, unsigned line)
{
	struct cape_checked *here = own();
	struct described one = {box->at, box->at + box->size, text, line};

	for (unsigned i = 0; i < box->dimensions; i++) {
		uint64_t by = (uint64_t)box->dimension[i].stride * (box->dimension[i].count - 1);

		if (box->dimension[i].stride < 0)
			one.start += by;
		else
			one.end += by;
	}
	if (cape_memory_grow(&cape_memory_pages, (void **)&here->described, &here->described_room,
			     here->described_count + 1, sizeof(*here->described)) == 0)
		here->described[here->described_count++] = one;
}

CAPE_EXPORT void cape_box(enum cape_set set, const char *text, unsigned line, unsigned long at,
			  unsigned long size, unsigned long dimensions, ...)
{
	struct cape_checked *here = own();
	struct cape_box box;
	va_list list;

	va_start(list, dimensions);
	if (!cape_box_read(&box, at, size, dimensions, list))
		here->uneven = true;
	va_end(list);
	if (dimensions > CAPE_BOX_DIMENSIONS)
		return;
	note_described(&box, text, line);
	switch (set) {
	case CAPE_SET_READ:
		add(&here->read, &box);
		break;
	case CAPE_SET_INDEX:
		add(&here->read, &box);
		add(&here->index, &box);
		break;
	case CAPE_SET_WRITE:
		add(&here->must, &box);
		break;
	case CAPE_SET_FILL:	 /* by functions without hooks */
	case CAPE_SET_MAY_WRITE: /* what stays as it is has to be there, too */
		add(&here->read, &box);
		add(&here->write, &box);
		break;
	}
}

CAPE_EXPORT int cape_sets_round(void)
{
	struct cape_checked *here = own();
	here->uneven |= ++here->rounds > ROUNDS_MOST;
	return !here->uneven;
}

CAPE_EXPORT void cape_sets_ready(void)
{
	struct cape_checked *here = own();
	size_t words;

	here->uneven |=
		cape_intervals_sort(&here->read) < 0 || cape_intervals_sort(&here->write) < 0 ||
		cape_intervals_sort(&here->must) < 0 || cape_intervals_sort(&here->index) < 0;
	words = cape_intervals_bytes(&here->must) / 64 + 1;
	if (cape_memory_grow(&cape_memory_pages, (void **)&here->written, &here->written_room,
			     words, sizeof(*here->written)) < 0)
		here->uneven = true;
	else
		memset(here->written, 0, words * sizeof(*here->written));
	here->telling = false;
	here->on = !here->uneven && !cape_intervals_meet(&here->index, &here->write) &&
		   !cape_intervals_meet(&here->index, &here->must);
}

/* -- messages ---------------------------------------------------------------------------------- */

/* How many bytes ADDRESS is before DESCRIBED, or after its last one; 0: none. */
static uint64_t bytes_away(const struct described *described, uint64_t address)
{
	if (address < described->start)
		return described->start - address;
	return address < described->end ? 0 : address - described->end + 1;
}

/* What was described nearest to ADDRESS, or NULL. */
static const struct described *nearest(uint64_t address)
{
	struct cape_checked *here = own();
	const struct described *best = NULL;

	for (size_t i = 0; i < here->described_count; i++) {
		const struct described *described = &here->described[i];

		if (!best || bytes_away(described, address) < bytes_away(best, address))
			best = described;
	}
	return best;
}

static void describe(char *text, size_t size, uint64_t address)
{
	const struct described *best = nearest(address);

	if (!best || bytes_away(best, address) > FAR)
		snprintf(text, size, "it was said to access nothing near that");
	else if (address < best->start)
		snprintf(text, size,
			 "the nearest that it was said to access is '%s' in line %u, "
			 "which begins %llu bytes after that",
			 best->text, best->line, (unsigned long long)(best->start - address));
	else if (address >= best->end)
		snprintf(text, size,
			 "the nearest that it was said to access is '%s' in line %u, "
			 "which ends %llu bytes before that",
			 best->text, best->line, (unsigned long long)(address - best->end));
	else
		snprintf(text, size, "it is between those of '%s' in line %u", best->text,
			 best->line);
}

/* The loop DOES something at ADDRESS that is not what was described. */
static void __attribute__((noreturn)) fail(uint64_t address, const char *does, const char *where)
{
	struct cape_checked *here = own();
	char near[256];

	describe(near, sizeof(near), address);
	here->on = false;
	cape_fail(cape_runtime, address, "--check-sets: the loop at %s:%d %s at %#llx; %s%s. %s",
		  here->place->file, here->place->line, does, (unsigned long long)address, near,
		  where,
		  here->said ? "The loop's '#pragma cape' says too little"
			     : "cape-cc has read the source wrongly: please report it with the "
			       "source");
}

static void __attribute__((noreturn))
fail_access(uint64_t address, uint64_t size, bool writes, const void *code)
{
	char does[256], where[80], name[128] = "";

	/* Without a monitor nobody knows names. */
	if (cape_runtime && cape_runtime->channel)
		cape_shared_name(cape_runtime, address, name, sizeof(name));
	snprintf(does, sizeof(does), "%s %llu bytes%s%s, which %s,", writes ? "writes" : "reads",
		 (unsigned long long)size, *name ? " of " : "", name,
		 own()->said ? "nothing says" : "cape-cc did not find in the source");
	snprintf(where, sizeof(where), ". 'addr2line -e PROGRAM %#llx' names the line",
		 (unsigned long long)((uint64_t)(uintptr_t)code - 1 - load_bias));
	fail(address, does, where);
}

/* -- accesses ---------------------------------------------------------------------------------- */

static uint64_t bit_of(const struct cape_interval *interval, uint64_t address)
{
	return interval->before + address - interval->start;
}

/* Marks the byte as written if the loop is to write it. */
static bool mark(uint64_t address)
{
	struct cape_checked *here = own();
	const struct cape_interval *interval = cape_intervals_find(&here->must, address);

	if (interval)
		here->written[bit_of(interval, address) / 64] |= 1ull
								 << bit_of(interval, address) % 64;
	return interval;
}

/* Whether the thread has written the byte, as it was to do. */
static bool is_marked(uint64_t address)
{
	struct cape_checked *here = own();
	const struct cape_interval *interval = cape_intervals_find(&here->must, address);

	return interval &&
	       here->written[bit_of(interval, address) / 64] >> bit_of(interval, address) % 64 & 1;
}

void cape_sets_access(uint64_t address, uint64_t size, bool writes, const void *code)
{
	struct cape_checked *here = own();
	uint64_t at = address;

	if (!here->on || is_own(address) || (!writes && (!here->closed || is_sequential(address))))
		return;
	while (at < address + size) {
		uint64_t reach = cape_intervals_reach(writes ? &here->write : &here->read, at);

		if (writes ? mark(at) : is_marked(at))
			at++;
		else if (reach > at)
			at = reach;
		else
			fail_access(at, size, writes, code);
	}
}

bool cape_sets_is_telling(void)
{
	return own()->telling;
}

/* The part is over: all that was to be written has been. */
static void finish(void)
{
	struct cape_checked *here = own();
	if (!here->on)
		return;
	here->on = false;
	for (size_t i = 0; i < here->must.count; i++) {
		const struct cape_interval *interval = &here->must.list[i];

		for (uint64_t at = interval->start; at < interval->end; at++)
			if (!is_own(at) && !is_marked(at))
				fail(at,
				     "does not write all that cape-cc found in the source, the "
				     "byte",
				     "");
	}
}

CAPE_EXPORT void cape_sets_end(void)
{
	if (!own()->pipeline)
		finish();
}

CAPE_EXPORT void cape_sets_end_pipeline(void)
{
	own()->pipeline = false;
	finish();
}
