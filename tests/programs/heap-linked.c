/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap-linked.c - a tree and lists that all threads build together, walk, and free across. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 90

struct node {
	int key;
	char *name;
	struct node *left, *right;
};

struct chain {
	struct chain *next;
	int owner;
	char filler[40];
};

static struct node *root;
static struct chain *chains[64], *all;

static char *name_of(int key)
{
	char text[32];

	snprintf(text, sizeof(text), "node %d", key);
	return strdup(text);
}

static void insert(int key)
{
	struct node **place = &root;

#pragma omp critical(tree)
	{
		while (*place)
			place = key < (*place)->key ? &(*place)->left : &(*place)->right;
		*place = calloc(1, sizeof(**place));
		(*place)->key = key;
		(*place)->name = name_of(key);
	}
}

/* Walks in order; returns the last key, or -1 where it is out of order. */
static int walk(const struct node *node, int last, long *length)
{
	if (!node)
		return last;
	last = walk(node->left, last, length);
	if (last < -1 || node->key <= last)
		return -2;
	*length += (long)strlen(node->name);
	return walk(node->right, node->key, length);
}

static void destroy(struct node *node)
{
	if (!node)
		return;
	destroy(node->left);
	destroy(node->right);
	free(node->name);
	free(node);
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, links = 0;
	long length = 0;

	/* The root is the same whoever comes first. */
	insert(N / 2);
#pragma omp parallel reduction(+ : wrong, links)
	{
		int me = omp_get_thread_num();
		long mine = 0;

#pragma omp for schedule(dynamic)
		for (int i = 0; i < N; i++)
			if (i * 37 % N != N / 2)
				insert(i * 37 % N);
		/* Everybody walks the whole tree. */
		wrong += walk(root, -1, &mine) != N - 1;
		/* Each thread's own list; then they are tied to one. */
		for (int i = 0; i < 10; i++) {
			struct chain *link = malloc(sizeof(*link));

			link->owner = me;
			memset(link->filler, 'a' + i, sizeof(link->filler));
			link->next = chains[me];
			chains[me] = link;
		}
#pragma omp barrier
#pragma omp single
		for (int t = 0; t < threads; t++) {
			struct chain *last = chains[t];

			while (last->next)
				last = last->next;
			last->next = all;
			all = chains[t];
		}
		for (const struct chain *link = all; link; link = link->next)
			links += link->owner == me && link->filler[39] >= 'a';
		/* The last thread frees what all have allocated, and allocates anew. */
#pragma omp barrier
		if (me == threads - 1) {
			while (all) {
				struct chain *next = all->next;

				free(all);
				all = next;
			}
			destroy(root->left);
			root->left = NULL;
		}
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < threads; i++)
			chains[i] = realloc(strcpy(malloc(20), "again"), 2000);
	}
	for (int t = 0; t < threads; t++) {
		wrong += strcmp((char *)chains[t], "again") != 0;
		free(chains[t]);
	}
	wrong += walk(root, -1, &length) != N - 1;
	destroy(root);
	printf("%d wrong, %d, %ld\n", wrong, links == 10 * threads, length);
	return 0;
}
