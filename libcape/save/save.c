// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * save.c - what of the program is saved at the end of a region, or inside one, and the process that
 * keeps it as it is then.
 *
 * Each node saves a part of shared memory: of the pages that all nodes hold so many as its share
 * is, and of the others those that it owns.  Who has saved a page as its owner does so when all
 * hold it, too: that node's monitor knows whether it has changed since.
 */
#include "save/save.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include "base/own_objects.h"
#include "channel/save.h"
#include "memory/directory.h"
#include "memory/frame.h"
#include "memory/mapping.h"
#include "memory/shared.h"
#include "message/exchange.h"
#include "save/parts.h"
#include "sync/due.h"
#include "system/libc.h"
#include "system/own_status.h"

static void start(struct cape_runtime *runtime);

CAPE_PART_OF_NODES(save, start);
CAPE_SAVED_LINKED(own);
CAPE_SAVED_LINKED(files);
CAPE_SAVED_LINKED(mapped);
CAPE_SAVED_LINKED(process);
CAPE_SAVED_LINKED(wtime);

/* Bytes of common memory that one node saves, before it is the next one's turn. */
#define SHARE (1ul << 20)

/* The out area, as it is filled. */
struct list {
	struct cape_runtime *runtime;
	struct cape_saved *saved;
	struct cape_range *range;
};

static int note_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
	(void)size;
	*(unsigned long long *)loads = info->dlpi_adds;
	return 1;
}

/* How many objects were loaded since the process began. */
static uint64_t count_loads(void)
{
	unsigned long long loads = 0;

	dl_iterate_phdr(note_loads, &loads);
	return loads;
}

void cape_save_loaded(struct cape_runtime *runtime, const char *text, uint64_t size)
{
	runtime->save->loaded = text;
	runtime->save->loaded_size = size;
	runtime->save->loads = count_loads();
	cape_mapped_start(runtime);
	/* Who goes on begins with the run's own program, whose stack is another. */
	if (runtime->channel->statistics.start_time)
		runtime->save->refusal = "the program has become another one by exec()";
}

bool cape_save_has_loaded(const struct cape_runtime *runtime)
{
	return count_loads() != runtime->save->loads;
}

void cape_save_keep(struct cape_runtime *runtime, uint64_t start, uint64_t size)
{
	struct cape_save *save = runtime->save;

	if (save->count == CAPE_SAVE_UNSHARED)
		save->refusal = "it is linked with too many libraries that have variables of "
				"threads";
	else
		save->unshared[save->count++] = (struct cape_range){start, start + size};
}

static void add(struct list *list, uint64_t start, uint64_t end)
{
	struct cape_range *last = &list->range[list->saved->ranges];

	if (list->saved->ranges && last[-1].end == start)
		last[-1].end = end;
	else
		list->range[list->saved->ranges++] = (struct cape_range){start, end};
}

/* Who saves what all hold at ADDRESS, and what is after it up to *END. */
static unsigned saver_of(const struct cape_runtime *runtime, const struct cape_area *area,
			 uint64_t address, uint64_t *end)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	if (page)
		*end = cape_page_end(address, *end);
	if (page && page->saved.saver)
		return page->saved.saver - 1u;
	if (*end > (address / SHARE + 1) * SHARE)
		*end = (address / SHARE + 1) * SHARE;
	return (unsigned)(address / SHARE % runtime->nodes);
}

/* This node's share of memory that all hold. */
static int add_common(void *context, struct cape_area *area, struct cape_range range)
{
	struct list *list = context;
	const struct cape_runtime *runtime = list->runtime;

	for (uint64_t at = range.start, end; at < range.end; at = end) {
		end = range.end;
		if (saver_of(runtime, area, at, &end) == runtime->node)
			add(list, at, end);
	}
	return 0;
}

static int add_owned(void *context, struct cape_area *area, struct cape_range range)
{
	struct list *list = context;

	for (uint64_t at = range.start; at < range.end; at += CAPE_PAGE) {
		const struct cape_directory_page *page = cape_directory_page(area, at);

		if (page->agreed.owner == list->runtime->node)
			add(list, at, at + CAPE_PAGE);
	}
	return 0;
}

static int note_savers(void *context, struct cape_area *area, struct cape_range range)
{
	(void)context;
	for (uint64_t at = range.start; at < range.end; at += CAPE_PAGE) {
		struct cape_directory_page *page = cape_directory_page(area, at);

		page->saved.saver = (uint16_t)(1 + page->agreed.owner);
	}
	return 0;
}

static void list_shared(struct list *list, bool all)
{
	struct cape_runtime *runtime = list->runtime;

	cape_shared_each(runtime, all, add_common, list);
	cape_mapping_close(runtime);
	if (runtime->directory->count)
		cape_directory_each(runtime, CAPE_PAGES_OWNED, add_owned, list);
}

/* Inside a region; of this node's own all, of the stack from REGISTERS on. */
static void list_own(struct list *list, const struct cape_registers *registers)
{
	const struct cape_own *own = cape_own_list(list->runtime, (uint64_t)(uintptr_t)registers);

	for (size_t i = 0; i < own->count; i++)
		add(list, own->range[i].start, own->range[i].end);
}

/* Sequential code; all of REGISTERS and what lies after them on the stack. */
static void list_alike(struct list *list, const struct cape_registers *registers)
{
	struct cape_runtime *runtime = list->runtime;
	const struct cape_save *save = runtime->save;

	if (runtime->node > 0)
		return;
	for (size_t i = 0; i < save->count; i++)
		add(list, save->unshared[i].start, save->unshared[i].end);
	add(list, (uint64_t)(uintptr_t)registers, runtime->stack->stack_end);
}

/* Alike on all nodes, too, and nobody writes to it. */
static void list_mapped(struct list *list)
{
	const struct cape_mapped *mapped = &list->runtime->save->mapped;

	for (size_t i = 0; i < mapped->count && list->runtime->node == 0; i++)
		add(list, mapped->list[i].range.start, mapped->list[i].readable);
}

static unsigned char *put_bytes(unsigned char *to, const void *from, uint64_t size)
{
	memcpy(to, from, size);
	return to + cape_saved_padded(size);
}

/* The size of what is in the out area. */
static uint64_t fill(struct cape_runtime *runtime, const struct cape_registers *registers)
{
	unsigned char *start = (unsigned char *)runtime->channel + CAPE_CHANNEL_OUT, *at;
	struct cape_saved *saved = (struct cape_saved *)start;
	struct list list = {runtime, saved, (struct cape_range *)(saved + 1)};

	*saved = (struct cape_saved){
		.resume = (uint64_t)(uintptr_t)registers,
		.loaded = runtime->save->loaded_size,
		.in_region = runtime->in_region,
	};
	list_shared(&list, !runtime->in_region);
	if (runtime->in_region)
		list_own(&list, registers);
	else
		list_alike(&list, registers);
	list_mapped(&list);
	at = put_bytes((unsigned char *)&list.range[saved->ranges], runtime->save->loaded,
		       saved->loaded);
	saved->state = cape_saved_put(runtime, false, at);
	at += cape_saved_padded(saved->state);
	saved->node_state = cape_saved_put(runtime, true, at);
	return (uint64_t)(at + cape_saved_padded(saved->node_state) - start);
}

/*
 * A process of the monitor's, not of the program's, which would get its end.  It holds
 * nothing but memory, and ends with the monitor.  Its number, or -errno.
 */
static int make_snapshot(void)
{
	uint64_t all = UINT64_MAX, before;
	long parent, process;

	/* No handler of the program's runs in it. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	parent = syscall(SYS_getppid);
	process = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (process != 0) {
		int result = process < 0 ? -errno : (int)process;

		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
		return result;
	}
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	syscall(SYS_close_range, 0, ~0u, 0);
	while (syscall(SYS_getppid) == parent)
		syscall(SYS_pause);
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* A folder has a link for each folder in it. */
static unsigned count_threads(void)
{
	struct stat status;

	return cape_own_status_at(AT_FDCWD, "/proc/self/task", &status, 0) == 0
		       ? (unsigned)status.st_nlink - 2
		       : UINT_MAX;
}

/* Whether there are others than the initial thread and those that run its regions. */
static bool has_threads(const struct cape_runtime *runtime)
{
	bool may_have = runtime->channel->flags & CAPE_CHANNEL_THREADS || runtime->threads > 1;

	if (!may_have && !runtime->save->had_threads)
		return !__libc_single_threaded;
	return count_threads() != 1 + runtime->save->threads;
}

/* Why the program cannot be saved now, or NULL. */
static const char *refuse_now(struct cape_runtime *runtime)
{
	const char *why;

	if (runtime->save->refusal)
		return runtime->save->refusal;
	if (cape_own_objects_known(runtime) || has_threads(runtime))
		return "the program makes threads itself";
	if (runtime->check)
		return "the program was built with --check-races";
	if (cape_save_has_loaded(runtime))
		return "the program has loaded libraries since it began";
	for (size_t i = 0; i < runtime->areas->count; i++)
		if (runtime->areas->area[i].kind == CAPE_AREA_DECLARED)
			return "the program shares memory of its own by cape_declare()";
	why = cape_saved_refuse(runtime);
	return why ? why : cape_mapped_refuse(runtime);
}

/* Inside a region: until all have looked at files, which others would change when they go on. */
static void await_all(struct cape_runtime *runtime)
{
	static const struct cape_place place = {"the save of the run", 0};

	cape_exchange(runtime, CAPE_SYNC_TRUTH, "", 0, &place);
}

void cape_save(struct cape_runtime *runtime, const struct cape_registers *registers)
{
	struct cape_channel_save *save = &runtime->channel->save;
	int saved = errno;
	const char *why = refuse_now(runtime);

	save->snapshot = 0;
	save->agreed = runtime->in_region ? runtime->due->in_region : runtime->due->at_end;
	/* Whether or not this node refuses: all must know the same savers. */
	if (runtime->directory->count)
		cape_directory_each(runtime, CAPE_PAGES_OWNED, note_savers, NULL);
	if (!why) {
		save->refusal[0] = '\0';
		runtime->channel->out_size = fill(runtime, registers);
		/* As the program will find it. */
		errno = saved;
		save->snapshot = make_snapshot();
	}
	if (save->snapshot < 0)
		why = strerror(-save->snapshot);
	if (why && why != save->refusal)
		snprintf(save->refusal, sizeof(save->refusal), "%s", why);
	cape_channel_request(runtime->channel, CAPE_REQUEST_SNAPSHOT);
	if (runtime->in_region)
		await_all(runtime);
	errno = saved;
}

static void save_in_region(struct cape_runtime *runtime)
{
	cape_frame_keep(runtime, cape_save);
}

static void start(struct cape_runtime *runtime)
{
	runtime->due->refuse = refuse_now;
	runtime->due->save = save_in_region;
}
