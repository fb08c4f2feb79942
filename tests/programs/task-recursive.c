/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task-recursive.c - tasks that make tasks: Fibonacci, merge sort, a tree, queens on a board. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 300

struct tree {
	int key;
	struct tree *left, *right;
};

static int numbers[N], scratch[N];
static long solutions;

static long fibonacci(int n)
{
	long x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x) if (n > 6)
	x = fibonacci(n - 1);
#pragma omp task shared(y) firstprivate(n) final(n < 5)
	y = fibonacci(n - 2);
#pragma omp taskwait
	return x + y;
}

static void merge_sort(int *a, int *buffer, int n)
{
	int i = 0, j = n / 2, k = 0;

	if (n < 2)
		return;
#pragma omp task
	merge_sort(a, buffer, n / 2);
#pragma omp task
	merge_sort(a + n / 2, buffer + n / 2, n - n / 2);
#pragma omp taskwait
	while (i < n / 2 || j < n)
		if (j == n || (i < n / 2 && a[i] <= a[j]))
			buffer[k++] = a[i++];
		else
			buffer[k++] = a[j++];
	memcpy(a, buffer, (size_t)n * sizeof(*a));
}

static struct tree *build(int low, int high)
{
	struct tree *tree;

	if (low >= high)
		return NULL;
	tree = malloc(sizeof(*tree));
	tree->key = (low + high) / 2;
#pragma omp task firstprivate(tree)
	tree->left = build(low, tree->key);
#pragma omp task firstprivate(tree)
	tree->right = build(tree->key + 1, high);
#pragma omp taskwait
	return tree;
}

static long sum(struct tree *tree, int depth)
{
	long left = 0, right = 0;

	if (!tree)
		return 0;
#pragma omp task shared(left)
	left = sum(tree->left, depth + 1);
	right = sum(tree->right, depth + 1);
#pragma omp taskwait
	left += right + (long)tree->key * depth;
	free(tree);
	return left;
}

static void place(int row, unsigned columns, unsigned up, unsigned down)
{
	if (row == 6) {
#pragma omp atomic
		solutions++;
		return;
	}
	for (int column = 0; column < 6; column++) {
		unsigned c = 1U << column, u = 1U << (row + column), d = 1U << (row + 6 - column);

		if (columns & c || up & u || down & d)
			continue;
#pragma omp task
		place(row + 1, columns | c, up | u, down | d);
	}
}

int main(void)
{
	long result = 0, keys = 0;
	int wrong = 0;

	for (int i = 0; i < N; i++)
		numbers[i] = i * 7919 % 1009;
#pragma omp parallel
	{
#pragma omp single
		result = fibonacci(12);
#pragma omp single
		merge_sort(numbers, scratch, N);
#pragma omp single nowait
		keys = sum(build(0, 100), 1);
#pragma omp barrier
#pragma omp single
		place(0, 0, 0, 0);
	}
	for (int i = 1; i < N; i++)
		wrong += numbers[i - 1] > numbers[i];
	printf("%ld %d %d %ld %ld\n", result, wrong, numbers[N / 2], keys, solutions);
	return 0;
}
