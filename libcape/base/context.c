// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * context.c - making the context, and what all rooms do with it: failing, the time, the place.
 */
#include "base/context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "channel/fetch.h"
#include "system/address_space.h"
#include "system/libc.h"
#include "base/saved.h"
#include "base/stand_in.h"

#define WHY_SIZE 512

/*
 * struct cape_runtime *cape_runtime, with all of its page, which is exchanged in another way:
 * nothing of the program's is on that page.  A variable as large as that would have another type.
 */
__asm__(".pushsection .bss.cape_runtime, \"aw\", @nobits\n"
	".balign 4096\n"
	".globl cape_runtime\n"
	".type cape_runtime, @object\n"
	".size cape_runtime, 4096\n"
	"cape_runtime: .zero 4096\n"
	".popsection\n");
_Static_assert(CAPE_FETCH_PAGE == 4096, "the page of cape_runtime");
CAPE_EXPORT int cape_program_by_threads;

/* The linker lists all parts that are in the program. */
extern const struct cape_part *const __start_cape_parts[], *const __stop_cape_parts[];

/* What constructors of the program have said, which a restored one does not run. */
struct said {
	bool takes, adds, check_asked, sets_asked;
};

static uint64_t put_said(struct cape_runtime *runtime, unsigned char *to)
{
	struct said said = {runtime->takes, runtime->adds, runtime->check_asked,
			    runtime->sets_asked};

	if (to)
		memcpy(to, &said, sizeof(said));
	return sizeof(said);
}

static void take_said(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct said said = {false, false, false, false};

	memcpy(&said, from, size < sizeof(said) ? size : sizeof(said));
	runtime->takes = said.takes;
	runtime->adds = said.adds;
	runtime->check_asked = said.check_asked;
	runtime->sets_asked = said.sets_asked;
}

CAPE_SAVED(said, .put = put_said, .take = take_said);

void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (runtime && runtime->channel) {
		memcpy(runtime->channel->reason, line, sizeof(line));
		runtime->channel->fail_address = address;
		cape_channel_request(runtime->channel, CAPE_REQUEST_FAIL);
	}
	dprintf(STDERR_FILENO, "cape: %s\n", line);
	if (runtime)
		runtime->failed = true;
	abort();
}

uint64_t cape_now(void)
{
	struct timespec now;

	cape_runtime->clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cape_runtime_place(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_channel_state *state;
	size_t length;

	if (!runtime->channel)
		return;
	state = &runtime->channel->state;
	state->line = place->line;
	length = strlen(place->file);
	if (length > sizeof(state->file) - 1)
		length = sizeof(state->file) - 1;
	memcpy(state->file, place->file, length);
	state->file[length] = '\0';
}

/* Before anything else has run: only the user can be informed. */
static void *reserve(struct cape_private *private, size_t size)
{
	void *memory = cape_private_reserve(private, size);
	char why[WHY_SIZE];

	if (memory)
		return memory;
	dprintf(STDERR_FILENO, "cape: cannot reserve addresses: %s\n",
		cape_address_space_why(errno, why, sizeof(why)));
	syscall(SYS_exit_group, 126);
	__builtin_unreachable();
}

/* Called by malloc before anything else ran: must allocate nothing. */
struct cape_runtime *cape_runtime_make(void)
{
	const struct cape_part *const *part;
	struct cape_private private;
	struct cape_runtime *runtime;

	if (cape_private_start(&private) < 0)
		abort();
	runtime = reserve(&private, sizeof(*runtime));
	for (part = __start_cape_parts; part != __stop_cape_parts; part++)
		*(void **)((char *)runtime + (*part)->pointer) = reserve(&private, (*part)->size);
	runtime->private = private;
	cape_private_blocks_init(&runtime->blocks, &runtime->private);
	runtime->nodes = runtime->threads = 1;
	runtime->team = 1;
	cape_runtime = runtime;
	return runtime;
}

void cape_parts_start(struct cape_runtime *runtime)
{
	for (const struct cape_part *const *part = __start_cape_parts; part != __stop_cape_parts;
	     part++)
		if ((*part)->start && !(runtime->by_itself && (*part)->of_nodes))
			(*part)->start(runtime);
}

void cape_fail_for_addresses(struct cape_runtime *runtime, const char *what, int error)
{
	char why[WHY_SIZE];

	cape_fail(runtime, 0, "cannot %s: %s", what,
		  cape_address_space_why(-error, why, sizeof(why)));
}

void cape_fail_for_changes(struct cape_runtime *runtime, size_t runs, int error)
{
	if (error == -ENOMEM)
		cape_fail(runtime, 0, "out of memory for the list of changes (%zu runs)", runs);
	cape_fail(runtime, 0,
		  "the list of changes is out of order after %zu runs: this is an error in CAPE",
		  runs);
}

void cape_must_grow(struct cape_runtime *runtime, void **array, size_t *capacity, size_t count,
		    size_t size)
{
	if (cape_memory_grow(&runtime->blocks.memory, array, capacity, count, size) < 0)
		cape_fail(runtime, 0, "no memory for a list of %zu times %zu bytes", count, size);
}

void *cape_must_reserve(struct cape_runtime *runtime, size_t size)
{
	void *memory = cape_private_reserve(&runtime->private, size);

	if (!memory)
		cape_fail_for_addresses(runtime, "reserve addresses", -errno);
	return memory;
}
