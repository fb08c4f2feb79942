// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * protect_choose.c - which protection a run takes: the driver serves if every node has it.
 */
#include "protect_choose.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checkpointer.h"
#include "protect.h"
#include "uapi/cape.h"
#include "wire/collective.h"

/* How many nodes have no driver, or a negative errno. */
static int count_without_driver(const struct node *node)
{
	int device = open(CAPE_DEVICE, O_RDWR | O_CLOEXEC), count = 0;
	uint32_t without = device < 0, *all = calloc((size_t)node->size, sizeof(*all));

	if (device >= 0)
		close(device);
	if (!all)
		return -ENOMEM;
	count = collective_gather_to_all(node->wire, &without, sizeof(without), all);
	for (int i = 0; count >= 0 && i < node->size; i++)
		count += all[i] != 0;
	free(all);
	return count;
}

void protect_choose(struct node *node)
{
	int without;

	if (!node->options.checkpointer->protects) {
		if (node->options.protection && node->options.protection->by_driver)
			node_fail(node, 2,
				  "--protect %s: the method %s protects no pages; use --method "
				  "dickpt or tickpt1",
				  node->options.protection->name,
				  cape_method_name(node->options.method));
		node->options.protection = NULL;
		return;
	}
	if (node->options.protection && !node->options.protection->by_driver)
		return;
	without = count_without_driver(node);
	if (without < 0) {
		node_fail(node, 1, "node %d: cannot agree with the others on the driver: %s",
			  node->rank, strerror(-without));
	} else if (!without) {
		if (!node->options.protection)
			node->options.protection = &protect_driver;
	} else if (node->options.protection) {
		if (node->rank == 0)
			node_fail(node, 1,
				  "--protect %s: %d of %d nodes cannot open " CAPE_DEVICE
				  "; load the module (insmod kmod/cape.ko), or use --protect "
				  "mprotect",
				  node->options.protection->name, without, node->size);
	} else {
		node->options.protection = &protect_mprotect;
		if (node->rank == 0)
			fprintf(stderr, "cape-run: no " CAPE_DEVICE
					": pages are protected from user space (--protect "
					"mprotect)\n");
	}
}
