// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check.c - recording the accesses of this node.
 *
 * In the epoch that runs, the bytes that a place of the program has accessed are bits, by page, so
 * a loop takes no more memory the longer it runs; at its end they become runs.
 */
#include "races/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "races/check_state.h"
#include "races/conflict.h"
#include "memory/shared.h"
#include "message/exchange.h"
#include "heap/sites.h"

void cape_check_ask(void)
{
	cape_runtime_get()->check_asked = true;
}

int cape_check_start(struct cape_runtime *runtime)
{
	struct cape_check *check = cape_private_reserve(&runtime->private, sizeof(*check));
	int error;

	if (!check)
		return -ENOMEM;
	check->page = cape_private_reserve(&runtime->private, CHECK_PAGES * sizeof(*check->page));
	check->slot = cape_private_reserve(&runtime->private, CHECK_SLOTS * sizeof(*check->slot));
	check->run =
		cape_private_reserve(&runtime->private, CHECK_RUNS_LIMIT * sizeof(*check->run));
	check->epoch =
		cape_private_reserve(&runtime->private, CHECK_EPOCHS_LIMIT * sizeof(*check->epoch));
	if (!check->page || !check->slot || !check->run || !check->epoch)
		return -ENOMEM;
	error = cape_check_clocks_start(runtime, &check->clocks);
	runtime->check = check;
	runtime->sites->allocated = cape_check_allocate;
	if (!error)
		error = cape_check_compare_start(runtime);
	return error ? error : cape_sites_start(runtime);
}

static void add_run(struct cape_runtime *runtime, uint64_t place, uint64_t address, uint64_t length)
{
	struct cape_check *check = runtime->check;
	struct check_run *last = check->run + check->runs - 1;

	if (check->runs && last->place == place && last->epoch == check->epochs &&
	    last->address + last->length == address && last->length + length <= UINT32_MAX) {
		last->length += (uint32_t)length;
		return;
	}
	if (check->runs == CHECK_RUNS_LIMIT)
		cape_fail(runtime, 0, "--check-races: more accesses than can be kept before %s:%d",
			  runtime->channel->state.file, runtime->channel->state.line);
	check->run[check->runs++] =
		(struct check_run){address, (uint32_t)length, check->epochs, place};
}

static bool bit(const struct check_page *page, unsigned at)
{
	return page->bits[at / 64] >> at % 64 & 1;
}

static void add_page(struct cape_runtime *runtime, const struct check_page *page)
{
	for (unsigned at = 0; at < CAPE_PAGE;) {
		unsigned start;

		if (at % 64 == 0 && !page->bits[at / 64]) {
			at += 64;
			continue;
		}
		if (!bit(page, at)) {
			at++;
			continue;
		}
		start = at;
		while (at < CAPE_PAGE && bit(page, at))
			at++;
		add_run(runtime, page->place, page->page + start, at - start);
	}
}

/* The bitmaps become runs of the epoch that runs. */
static void empty_pages(struct cape_runtime *runtime)
{
	struct cape_check *check = runtime->check;

	for (uint32_t i = 0; i < check->pages; i++) {
		struct check_page *page = &check->page[i];

		add_page(runtime, page);
		check->slot[page->slot] = 0;
		memset(page->bits, 0, sizeof(page->bits));
	}
	check->pages = 0;
}

void cape_check_cut(struct cape_runtime *runtime)
{
	struct cape_check *check = runtime->check;
	uint64_t before = check->runs, stride = cape_check_stride(&check->clocks);
	uint32_t *epoch;

	empty_pages(runtime);
	if (check->runs == before)
		return;
	if ((check->epochs + 1) * stride > CHECK_EPOCHS_LIMIT)
		cape_fail(runtime, 0, "--check-races: more epochs than can be kept before %s:%d",
			  runtime->channel->state.file, runtime->channel->state.line);
	epoch = check->epoch + check->epochs * stride;
	memcpy(epoch, check->clocks.own, check->clocks.width * sizeof(*epoch));
	epoch[check->clocks.width] = check->clocks.lane;
	check->epochs++;
}

static struct check_page *page_of(struct cape_runtime *runtime, uint64_t place, uint64_t address)
{
	struct cape_check *check = runtime->check;
	uint64_t hash = (place * 31 + address / CAPE_PAGE) * 0x9e3779b97f4a7c15ull;
	uint32_t slot = (uint32_t)(hash >> 32) % CHECK_SLOTS;
	struct check_page *page;

	for (; check->slot[slot]; slot = (slot + 1) % CHECK_SLOTS) {
		page = &check->page[check->slot[slot] - 1];
		if (page->place == place && page->page == address)
			return page;
	}
	if (check->pages == CHECK_PAGES) {
		empty_pages(runtime);
		return page_of(runtime, place, address);
	}
	page = &check->page[check->pages++];
	page->place = place;
	page->page = address;
	page->slot = slot;
	check->slot[slot] = check->pages;
	return page;
}

static void mark(struct cape_runtime *runtime, uint64_t place, uint64_t address, uint64_t size)
{
	while (size) {
		uint64_t at = address % CAPE_PAGE;
		uint64_t here = size < CAPE_PAGE - at ? size : CAPE_PAGE - at;
		struct check_page *page = page_of(runtime, place, address - at);

		for (uint64_t i = at; i < at + here; i++)
			page->bits[i / 64] |= 1ull << i % 64;
		address += here;
		size -= here;
	}
}

void cape_check_access(struct cape_runtime *runtime, uint64_t address, uint64_t size,
		       unsigned access, const void *code)
{
	struct cape_check *check = runtime->check;

	if (!check || !cape_is_concurrent(runtime) || check->paused || !size ||
	    runtime->thread >= runtime->team || !cape_shared_holds(runtime, address, size))
		return;
	if (address - check->atomic < check->atomic_size)
		access |= CAPE_CONFLICT_ATOMIC;
	if (access & CAPE_CONFLICT_WRITE)
		check->wrote = true;
	mark(runtime, (uint64_t)(uintptr_t)code << 2 | access, address, size);
}

void cape_check_atomic(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	if (!runtime->check)
		return;
	runtime->check->atomic = address;
	runtime->check->atomic_size = size;
}

void cape_check_pause(struct cape_runtime *runtime, bool pause)
{
	if (runtime->check)
		runtime->check->paused = pause;
}

static void send_accesses(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_check *check = runtime->check;
	uint64_t stride = cape_check_stride(&check->clocks);
	uint64_t clocks = check->epochs * stride * sizeof(*check->epoch);
	uint64_t size = cape_check_message_size(stride, check->epochs, check->runs);
	struct check_message head = {check->epochs, check->runs};
	struct cape_message_writer writer;
	unsigned char *at;

	at = cape_exchange_open(runtime, &writer, CAPE_SYNC_CHECK, size, place);
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), check->epoch, clocks);
	memcpy(at + size - check->runs * sizeof(*check->run), check->run,
	       check->runs * sizeof(*check->run));
	cape_exchange_close(runtime, &writer);
}

/* What a node knows of the memory of a pair. */
struct answer {
	unsigned char value[CAPE_CONFLICT_WINDOW];
	struct cape_site site;
};

static void answer_pairs(struct cape_runtime *runtime, const struct check_pair *pairs,
			 uint64_t count, const struct cape_place *place)
{
	struct cape_message_writer writer;
	struct answer *answer = cape_exchange_open(runtime, &writer, CAPE_SYNC_CHECK,
						   count * sizeof(*answer), place);

	for (uint64_t i = 0; i < count; i++) {
		const struct cape_site *site = cape_sites_find(runtime, pairs[i].address);
		struct cape_conflict conflict;

		answer[i] = (struct answer){.site = site ? *site : (struct cape_site){0}};
		cape_conflict_window(runtime, pairs[i].address, &conflict);
		cape_conflict_value(&conflict, answer[i].value);
	}
	cape_exchange_close(runtime, &writer);
}

static const void *answer_of(struct cape_runtime *runtime, unsigned node)
{
	return cape_message_get(cape_exchange_message(runtime, node), CAPE_SECTION_FREE);
}

/* The allocation is known to the node that made it: all in sequential code. */
static void learn_site(struct cape_runtime *runtime, uint64_t number)
{
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct answer *answer = answer_of(runtime, node);

		if (answer[number].site.address)
			cape_sites_note(runtime,
					(const void *)(uintptr_t)answer[number].site.address,
					answer[number].site.size,
					(const void *)(uintptr_t)answer[number].site.code);
	}
}

static void tell_pair(struct cape_runtime *runtime, const struct check_pair *pair, uint64_t number)
{
	struct cape_conflict *conflict = &runtime->channel->conflict;

	learn_site(runtime, number);
	cape_conflict_describe(runtime, pair->address, conflict);
	for (int i = 0; i < 2; i++) {
		const struct answer *answer = answer_of(runtime, pair->node[i]);
		struct cape_conflict_side *side = &conflict->side[i];

		side->node = pair->node[i];
		side->access = pair->place[i] & 3;
		side->code = pair->place[i] >> 2;
		memcpy(side->value, answer[number].value, sizeof(side->value));
	}
	cape_channel_request(runtime->channel, CAPE_REQUEST_RACE);
}

/* Node 0 says which pairs there are; all answer what they know of them, and node 0 reports them. */
static void share_pairs(struct cape_runtime *runtime, const struct check_pair *own, uint64_t found,
			const struct cape_place *place)
{
	const struct cape_message *master;
	const struct check_pair *pairs;
	uint64_t count;

	cape_exchange(runtime, CAPE_SYNC_CHECK, own, found * sizeof(*own), place);
	master = cape_exchange_message(runtime, 0);
	count = master->size[CAPE_SECTION_FREE] / sizeof(*pairs);
	if (!count)
		return;
	pairs = runtime->node == 0
			? own
			: (const struct check_pair *)cape_message_get(master, CAPE_SECTION_FREE);
	answer_pairs(runtime, pairs, count, place);
	for (uint64_t i = 0; runtime->node == 0 && i < count; i++)
		tell_pair(runtime, &own[i], i);
}

void cape_check_sync(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_check *check = runtime->check;
	uint64_t found = 0;

	if (!check || runtime->nodes == 1)
		return;
	check->paused = false;
	cape_check_cut(runtime);
	send_accesses(runtime, place);
	if (runtime->node == 0)
		found = cape_check_compare(runtime);
	runtime->channel->unreported = false;
	share_pairs(runtime, cape_check_pairs(runtime) - found, found, place);
	check->runs = 0;
	check->epochs = 0;
}
