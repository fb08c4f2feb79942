/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells sets by hand: a loop of ten iterations, which does what the argument says. */
#include <cape_sets.h>
#include <string.h>

static int a[100], b[100], at[10];

static void tell(int closed, long by)
{
	if (!cape_sets_begin(closed))
		return;
	cape_box(CAPE_SET_WRITE, "a[2 * i]", 11, (unsigned long)a, sizeof(*a), 1, 10ul,
		 (unsigned long)(a + 2), (unsigned long)(a + 18 + by));
	cape_box(CAPE_SET_READ, "b[i]", 12, (unsigned long)b, sizeof(*b), 1, 10ul,
		 (unsigned long)(b + 1), (unsigned long)(b + 9));
	cape_box(CAPE_SET_INDEX, "at[i]", 13, (unsigned long)at, sizeof(*at), 1, 10ul,
		 (unsigned long)(at + 1), (unsigned long)(at + 9));
	cape_box(CAPE_SET_MAY_WRITE, "b[99]", 14, (unsigned long)(b + 99), sizeof(*b), 0);
	if (by == 2)
		cape_box(CAPE_SET_MAY_WRITE, "at[3]", 15, (unsigned long)(at + 3), sizeof(*at), 0);
	cape_sets_ready();
}

int main(int count, char **arguments)
{
	const char *what = count > 1 ? arguments[1] : "";
	int own = 0;

	tell(strcmp(what, "open") != 0, !strcmp(what, "uneven")	 ? 1
					: !strcmp(what, "index") ? 2
								 : 0);
	for (int i = 0; i < 10; i++) {
		own += b[i] + at[i];
		if (strcmp(what, "less") != 0 || i != 7)
			a[2 * i] = own;
		own += strcmp(what, "less") != 0 ? a[2 * i] : 0;
	}
	if (!strcmp(what, "writes") || !strcmp(what, "uneven") || !strcmp(what, "index"))
		a[5] = own;
	if (!strcmp(what, "reads") || !strcmp(what, "open"))
		own = b[20];
	if (!strcmp(what, "early"))
		a[3] = 0;
	b[99] = own;
	cape_sets_end();
	a[5] = b[20];
	return 0;
}
