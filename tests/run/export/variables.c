// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * variables.c - static variables of many types, written by two regions.
 *
 * Usage: variables FOLDER      it awaits the first save of the run in FOLDER (pause.h)
 */
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include "pause.h"

enum colour { RED, GREEN };

struct point {
	double x, y;
	char name[4];
	struct {
		short a;
	} in[2];
	unsigned bits : 3;
	union {
		int i;
		float f;
	} u;
	struct point *next;
};

static double grid[3][4];
static struct point points[2];
static float _Complex wave;
static long double precise;
static bool flag;
static enum colour colour;
static const char *text = "text";
static unsigned char small[2][3][2];
static int never[1000];
int count;

static int first(void)
{
	static int calls = 3;

	return calls++;
}

static int second(void)
{
	static int calls = 30;

	return calls++;
}

static void set(void)
{
	points[1].x = 2.5;
	points[1].name[0] = 'a';
	points[1].in[1].a = -7;
	points[0].u.i = 9;
	points[0].next = &points[1];
	wave = 1 + 2 * I;
	precise = 1.5L;
	flag = true;
	colour = GREEN;
	count = 42;
}

int main(int argc, char **argv)
{
	set();
#pragma omp parallel for
	for (int i = 0; i < 12; i++) {
		grid[i / 4][i % 4] = i * 1.5;
		small[i / 6][i / 2 % 3][i % 2] = (unsigned char)(i + 1);
	}
	if (argc > 1) {
		char *arguments[] = {"0", argv[1], NULL};

		pause_at(0, arguments);
	}
#pragma omp parallel for
	for (int i = 0; i < 12; i++)
		grid[i / 4][i % 4] += 1;
	printf("%d %d %g %s %d\n", first(), second(), grid[2][3], text, never[argc]);
	return 0;
}
