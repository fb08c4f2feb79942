/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-compare.c - what atomic compare takes for equal: floating numbers by their bits. */
#include <math.h>
#include <stdio.h>

static struct {
	double value;
	long double wide;
	float narrow[2];
} set;
static int number = 7, *place = &number;

/* 1 for each of the forms that found its equal */
static int equal(double value, int at)
{
	double before;
	int found, all;

#pragma omp atomic compare
	set.value = set.value == value ? 5.0 : set.value;
	found = set.value == 5.0;
	set.value = 0.0;
#pragma omp atomic compare
	if (set.narrow[at] == value) {
		set.narrow[at] = 2.5f;
	}
	all = found + 2 * (set.narrow[at] == 2.5f);
	set.narrow[at] = 0.0f;
#pragma omp atomic compare
	set.wide = set.wide == value ? 5.0L : set.wide;
	all += 4 * (set.wide == 5.0L);
	set.wide = 0.0L;
#pragma omp atomic compare capture
	{
		before = set.value;
		if (set.value == value) {
			set.value = 1.5;
		}
	}
	all += 8 * (set.value == 1.5) + 16 * (before != 0.0);
	set.value = 0.0;
	return all;
}

int main(void)
{
	printf("%d %d %d %d\n", equal(0.0, 1), equal(-0.0, 1), equal(NAN, 0), equal(1.0, 0));
	set.value = NAN;
#pragma omp atomic compare
	set.value = set.value == NAN ? 3.0 : set.value;
	printf("%d\n", set.value == 3.0);
#pragma omp parallel for
	for (int i = 0; i < 100; i++) {
#pragma omp atomic compare
		*place = *place == 7 + i - i ? 8 : *place;
#pragma omp atomic compare
		if (place == NULL) {
			place = &number;
		}
	}
	printf("%d %d\n", number, place == &number);
	return 0;
}
