/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No directive stands here, but regions call it. */
#include <stdatomic.h>

static _Atomic int calls;
static atomic_int twice;
static int sum;

void bump(int i)
{
	calls++;
	atomic_fetch_add(&twice, 2);
	__sync_fetch_and_add(&sum, i);
}

int bumped(void)
{
	return calls + twice + sum;
}
