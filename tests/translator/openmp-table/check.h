/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - a program of the OpenMP table: a list of checks, each for the row of the same name.
 *
 * A check returns whether all was right.  A row that is called serialised has a second check, whose
 * name ends in " alone": whether one thread did it all.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

struct check {
	const char *row;
	int (*function)(void);
};

static int check_all(const struct check *checks, int count)
{
	int wrong = 0;

	for (int i = 0; i < count; i++) {
		int right = checks[i].function();

		printf("%s: %s\n", checks[i].row, right ? "right" : "wrong");
		wrong += !right;
	}
	return wrong > 0;
}

#define CHECK_ALL(checks) check_all(checks, sizeof(checks) / sizeof *(checks))

#endif
