// SPDX-License-Identifier: GPL-2.0-only
/* Layers: what older epochs of a locked process image have otherwise than the one after them. */
#include <linux/mm.h>
#include <linux/slab.h>
#include "driver.h"

/* The layer of an older epoch, or NULL. */
struct cape_layer *cape_find_layer(struct cape_snapshot *snapshot, u64 epoch)
{
	struct cape_layer *layer;

	list_for_each_entry(layer, &snapshot->layers, link)
		if (layer->epoch == epoch)
			return layer;
	return NULL;
}

/* Of an epoch, with nothing in it; NULL without memory. */
struct cape_layer *cape_new_layer(u64 epoch)
{
	struct cape_layer *layer = kzalloc(sizeof(*layer), GFP_KERNEL_ACCOUNT);

	if (!layer)
		return NULL;
	INIT_LIST_HEAD(&layer->link);
	xa_init_flags(&layer->pages, XA_FLAGS_ACCOUNT);
	layer->epoch = epoch;
	return layer;
}

/* One that is not counted against the limit. */
void cape_free_layer(struct cape_layer *layer)
{
	unsigned long number;
	void *state;

	xa_for_each(&layer->pages, number, state) {
		if (!xa_is_value(state))
			put_page(state);
		cond_resched();
	}
	xa_destroy(&layer->pages);
	cape_forget_mappings(&layer->mappings);
	kfree(layer);
}

/* Gives up all layers of a list that is the snapshot's, or was. */
void cape_drop_layers(struct cape_snapshot *snapshot, struct list_head *layers)
{
	struct cape_layer *layer, *next;

	list_for_each_entry_safe(layer, next, layers, link) {
		list_del(&layer->link);
		cape_uncharge_twins(snapshot, layer->twin_count);
		cape_free_layer(layer);
	}
}

/**
 * cape_keep_older() - a page is going to get a twin that is not of older epochs
 * @snapshot: the locked image, in which the page has no twin
 * @address: of the page
 *
 * Older epochs had no page there either, but what they had may have been another mapping's.
 *
 * Return: 0 or -ENOMEM.
 */
int cape_keep_older(struct cape_snapshot *snapshot, unsigned long address)
{
	struct cape_layer *layer;
	int err;

	if (list_empty(&snapshot->layers))
		return 0;
	layer = list_last_entry(&snapshot->layers, struct cape_layer, link);
	err = xa_insert(&layer->pages, address >> PAGE_SHIFT, CAPE_WAS_NONE, GFP_KERNEL);
	return err == -EBUSY ? 0 : err;
}
