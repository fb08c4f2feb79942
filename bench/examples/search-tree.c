/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search-tree.c - a binary search tree that all threads insert into, and then search.
 *
 * Usage: search-tree [keys]      Ends with 1 if a key is missing, or one is there that should not
 * be.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	long key;
	struct node *left, *right;
	omp_lock_t lock; /* for left and right */
};

static struct node *new_node(long key)
{
	struct node *node = malloc(sizeof(*node));

	node->key = key;
	node->left = NULL;
	node->right = NULL;
	omp_init_lock(&node->lock);
	return node;
}

/* Hand over hand: a node is locked while its child is looked at. */
static void insert(struct node *node, long key)
{
	omp_set_lock(&node->lock);
	for (;;) {
		struct node **child = key < node->key ? &node->left : &node->right, *next = *child;

		if (!next) {
			*child = new_node(key);
			omp_unset_lock(&node->lock);
			return;
		}
		omp_set_lock(&next->lock);
		omp_unset_lock(&node->lock);
		node = next;
	}
}

static int contains(const struct node *node, long key)
{
	while (node && node->key != key)
		node = key < node->key ? node->left : node->right;
	return node != NULL;
}

static long destroy(struct node *node)
{
	long count;

	if (!node)
		return 0;
	count = 1 + destroy(node->left) + destroy(node->right);
	omp_destroy_lock(&node->lock);
	free(node);
	return count;
}

/* Different numbers below RANGE for different I, in an order without order. */
static long key_of(long i, long range)
{
	return (i * 7919 + 13) % range;
}

int main(int argc, char **argv)
{
	long keys = argc > 1 ? atol(argv[1]) : 300, range = 2 * keys + 1, missing = 0, extra = 0;
	struct node *root = new_node(range / 2);
	long nodes;

	while (range % 7919 == 0)
		range++;
#pragma omp parallel
	{
#pragma omp for
		for (long i = 0; i < keys; i++)
			if (key_of(i, range) != root->key)
				insert(root, key_of(i, range));
#pragma omp for reduction(+ : missing, extra)
		for (long i = 0; i < 2 * keys; i++) {
			long key = key_of(i, range);
			int expected = i < keys || key == root->key;

			missing += expected && !contains(root, key);
			extra += !expected && contains(root, key);
		}
	}
	nodes = destroy(root);
	printf("%ld keys, %ld missing, %ld extra\n", keys, missing, extra);
	return missing || extra || nodes < keys || nodes > keys + 1 ? 1 : 0;
}
