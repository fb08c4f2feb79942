/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-list.c - a linked list and a tree, built in sequential code and changed in regions. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	int key;
	long value;
	struct node *next, *left, *right;
};

static struct node *list, *tree;

static struct node *push(struct node *next, int key)
{
	struct node *node = calloc(1, sizeof(*node));

	node->key = key;
	node->next = next;
	return node;
}

static void insert(struct node **where, struct node *node)
{
	while (*where)
		where = node->key < (*where)->key ? &(*where)->left : &(*where)->right;
	*where = node;
}

static long sum(const struct node *node)
{
	return node ? sum(node->left) + node->value + sum(node->right) : 0;
}

int main(void)
{
	struct node *nodes[100], **last = &nodes[99];
	long total = 0;

	for (int i = 0; i < 100; i++) {
		list = push(list, i * 37 % 101);
		nodes[i] = list;
		insert(&tree, list);
	}
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		nodes[i]->value = nodes[i]->key * 2L;
	printf("%ld\n", sum(tree));
#pragma omp parallel reduction(+ : total)
	{
		/* Everybody walks, each thread changes its own. */
		for (struct node *node = list; node; node = node->next)
			total += node->key;
#pragma omp barrier
#pragma omp for schedule(static, 3)
		for (int i = 0; i < 100; i++)
			nodes[i]->next = i % 2 ? NULL : nodes[(i + 2) % 100];
#pragma omp single
		{
			(*last)->value = -1;
			tree->left = NULL;
		}
	}
	printf("%d %ld\n", total > 0, sum(tree));
	list = nodes[0];
	for (int i = 0; i < 60; i++)
		list = list->next;
	printf("%d\n", list->key);
	for (int i = 0; i < 100; i++)
		free(nodes[i]);
	return 0;
}
