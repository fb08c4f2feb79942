// SPDX-License-Identifier: GPL-2.0-only
/* Looking at epochs: what pages were at the beginning of one, and where two differ. */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "time/time.h"

/**
 * cape_look_at_epoch() - finds an epoch
 * @process: its lock is held
 * @epoch: its number, or CAPE_EPOCH_NEWEST
 * @past: the epoch, as long as the lock is held
 *
 * Return: 0, -ENODATA if no image is locked, -ENOENT if there is no such epoch.
 */
int cape_look_at_epoch(struct cape_process *process, u64 epoch, struct cape_past *past)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	if (!snapshot)
		return -ENODATA;
	*past = (struct cape_past){ .snapshot = snapshot, .mappings = &snapshot->mappings };
	if (epoch == CAPE_EPOCH_NEWEST || epoch == snapshot->epoch)
		return 0;
	past->layer = cape_find_layer(snapshot, epoch);
	if (!past->layer)
		return -ENOENT;
	past->mappings = &past->layer->mappings;
	return 0;
}

/* The layer after @layer, or NULL if the newest epoch comes. */
static struct cape_layer *next_layer(const struct cape_snapshot *snapshot,
				     struct cape_layer *layer)
{
	return list_is_last(&layer->link, &snapshot->layers) ? NULL : list_next_entry(layer, link);
}

/**
 * cape_past_state() - what was a page at the beginning of an epoch?
 * @past: the epoch
 * @block: of the page, or NULL if it has none
 * @address: of the page
 *
 * Return: its twin, of which no reference is taken, or CAPE_WAS_*.
 */
void *cape_past_state(const struct cape_past *past, const struct cape_block *block,
		      unsigned long address)
{
	struct cape_layer *layer;

	for (layer = past->layer; layer; layer = next_layer(past->snapshot, layer)) {
		void *state = xa_load(&layer->pages, address >> PAGE_SHIFT);

		if (state)
			return state;
	}
	return cape_page_state(block, cape_page_index(address));
}

/* The first page from @number on that is in a layer from @layer on, before @until; or ULONG_MAX. */
static unsigned long next_in_layers(const struct cape_snapshot *snapshot, struct cape_layer *layer,
				    const struct cape_layer *until, unsigned long number)
{
	unsigned long first = ULONG_MAX;

	for (; layer && layer != until; layer = next_layer(snapshot, layer)) {
		unsigned long at = number;

		if (xa_find(&layer->pages, &at, first, XA_PRESENT))
			first = at;
	}
	return first;
}

/* The first address from @start on, before @end, where there may be more than CAPE_WAS_NONE. */
unsigned long cape_next_past(const struct cape_past *past, unsigned long start, unsigned long end)
{
	unsigned long next = cape_next_block(past->snapshot, start, end);
	unsigned long number = next_in_layers(past->snapshot, past->layer, NULL,
					      start >> PAGE_SHIFT);

	if (number < next >> PAGE_SHIFT)
		next = number << PAGE_SHIFT;
	return max(next, start);
}

/* Adds the pages that follow without a gap. */
static void add_neighbours(const struct cape_past *from, const struct cape_layer *until,
			   struct cape_extent *extent)
{
	unsigned long number = (extent->start + extent->length) >> PAGE_SHIFT;

	while (next_in_layers(from->snapshot, from->layer, until, number) == number &&
	       !fatal_signal_pending(current)) {
		extent->length += PAGE_SIZE;
		number++;
		cond_resched();
	}
}

static int find_differences(const struct cape_past *from, const struct cape_layer *until,
			    struct cape_diff *diff)
{
	while (diff->count < diff->capacity) {
		unsigned long number = next_in_layers(from->snapshot, from->layer, until,
						      diff->cursor >> PAGE_SHIFT);
		u64 entry = diff->extents + diff->count * sizeof(struct cape_extent);
		struct cape_extent extent = { (u64)number << PAGE_SHIFT, PAGE_SIZE };

		if (number == ULONG_MAX) {
			diff->cursor = CAPE_CURSOR_END;
			return 0;
		}
		add_neighbours(from, until, &extent);
		if (copy_to_user(u64_to_user_ptr(entry), &extent, sizeof(extent)))
			return -EFAULT;
		diff->count++;
		diff->cursor = extent.start + extent.length;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* Pages that may differ between two epochs: see struct cape_diff. */
int cape_diff(struct cape_process *process, struct cape_diff *diff)
{
	struct cape_past from, to;
	int err;

	err = cape_look_at_epoch(process, diff->from, &from);
	err = err ?: cape_look_at_epoch(process, diff->to, &to);
	if (err)
		return err;
	if (!from.layer || (to.layer && to.layer->epoch <= from.layer->epoch))
		return -EINVAL;
	diff->count = 0;
	if (diff->cursor == CAPE_CURSOR_END)
		return 0;
	return find_differences(&from, to.layer, diff);
}

static int tell(struct cape_epochs *epochs, u64 epoch, u64 twin_count)
{
	struct cape_epoch_entry entry = { epoch, twin_count };
	u64 at = epochs->entries + epochs->count * sizeof(entry);

	if (epochs->count++ >= epochs->capacity)
		return 0;
	return copy_to_user(u64_to_user_ptr(at), &entry, sizeof(entry)) ? -EFAULT : 0;
}

/* Which epochs there are: see struct cape_epochs. */
int cape_get_epochs(struct cape_process *process, struct cape_epochs *epochs)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	u64 twin_count;
	struct cape_layer *layer;
	int err;

	epochs->count = 0;
	epochs->view = snapshot ? process->view : CAPE_EPOCH_NEWEST;
	if (!snapshot)
		return 0;
	twin_count = snapshot->twin_count;
	list_for_each_entry(layer, &snapshot->layers, link) {
		err = tell(epochs, layer->epoch, layer->twin_count);
		if (err)
			return err;
		twin_count -= layer->twin_count;
	}
	return tell(epochs, snapshot->epoch, twin_count);
}
