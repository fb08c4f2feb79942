/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threadprivate-kinds.c - how threadprivate variables can be declared, and what copyin hands out of
 * them: also where the first thread changes its own at once, and from an inner region.
 */
#include <omp.h>
#include <stdio.h>

typedef double row[3];
typedef struct point {
	int x, y;
	struct point *next;
} point;
enum colour { RED, GREEN, BLUE };

extern int declared_twice;
extern int declared_twice;
static int first = 1, unshared = 2, *second = &unshared, third[2][3] = {{1, 2, 3}, {4, 5, 6}};
static row matrix[2] = {{0.5, 1.5, 2.5}};
static point origin = {1, 2, NULL}, *nearest;
static volatile long counted;
static const char *const names[] = {"red", "green", "blue"}, *name = "none";
static enum colour colour = GREEN;
static long double wide __attribute__((aligned(64))) = 0.25L;
static int (*function)(int);
#pragma omp threadprivate(declared_twice, first, second, third)
#pragma omp threadprivate(matrix, origin)
#pragma omp threadprivate(nearest, counted, name, colour, wide, function)
int declared_twice = 7;

static int results[64];

static int twice(int value)
{
	return 2 * value;
}

static int thrice(int value)
{
	return 3 * value;
}

static void show(const char *what)
{
	printf("%-8s", what);
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf(" %d", results[i]);
	putchar('\n');
}

/* A static of a block, and an external one declared there. */
static int inner(int more)
{
	static int calls, sums[3];
	extern int declared_in_block;
#pragma omp threadprivate(calls, sums)

	calls++;
	sums[calls % 3] += more;
	return calls * 100 + sums[1] + declared_in_block;
}
int declared_in_block = 5;

static int all(void)
{
	return declared_twice + first + *second + third[1][2] + (int)(4 * matrix[0][1]) + origin.x +
	       (nearest ? nearest->y : 0) + (int)counted + name[0] + names[colour][1] +
	       (int)(8 * wide) + (function ? function(1) : 0);
}

/* Each thread begins with the initial values, and keeps its own. */
static void keep(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();

		results[me] = all();
		declared_twice += me;
		third[1][2] *= me;
		matrix[0][1] += me;
		origin.x -= me;
		nearest = &origin;
		counted += 10 * me;
		colour = me % 3;
		function = me % 2 ? twice : thrice;
	}
	show("initial");
#pragma omp parallel
	results[omp_get_thread_num()] = all() + inner(omp_get_thread_num());
	show("kept");
#pragma omp parallel
	results[omp_get_thread_num()] = inner(1);
	show("inner");
}

/* The first thread changes what the others get as soon as it can. */
static void copy(int round)
{
	int wrong = 0;

	declared_twice = 1000 + round;
	third[0][0] = round;
	counted = -round;
	wide = round / 8.0L;
	name = round % 2 ? "odd" : "even";
	colour = BLUE;
#pragma omp parallel copyin(declared_twice, third, counted, wide) copyin(name, colour)             \
	reduction(+ : wrong)
	{
		wrong +=
			declared_twice != 1000 + round || third[0][0] != round || counted != -round;
		wrong += wide != round / 8.0L || name[0] != (round % 2 ? 'o' : 'e') ||
			 colour != BLUE;
		declared_twice = -1;
		third[0][0] = -2;
		counted = 1;
		wide = 99;
		name = names[0];
		colour = RED;
	}
	results[0] += wrong;
}

/* One thread copies in from itself, and later regions have each thread's own. */
static void nest(void)
{
#pragma omp parallel
	{
		first = 10 + omp_get_thread_num();
#pragma omp parallel num_threads(1) copyin(first)
		first += 100;
	}
#pragma omp parallel
	results[omp_get_thread_num()] = first;
	show("nested");
#pragma omp parallel for copyin(first) schedule(static, 1)
	for (int i = 0; i < omp_get_max_threads(); i++)
		results[i] = first + i;
	show("loop");
#pragma omp parallel sections copyin(first)
	{
#pragma omp section
		results[0] = first;
#pragma omp section
		results[1] = first;
	}
	show("sections");
}

int main(void)
{
	keep();
	results[0] = 0;
	for (int round = 0; round < 40; round++)
		copy(round);
	printf("%d wrong, first thread's %d %d\n", results[0], declared_twice, third[0][0]);
	nest();
	return 0;
}
