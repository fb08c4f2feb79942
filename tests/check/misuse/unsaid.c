/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unsaid.c - a critical construct, called behind the back of the macro that says it at start. */
#include <cape.h>
#include <stdio.h>

static const struct cape_place here = {__FILE__, __LINE__};

int main(void)
{
	long sum = 0;

#pragma omp parallel
	{
		cape_critical_begin_at(NULL, &here);
		sum++;
		cape_critical_end(NULL);
	}
	printf("%ld\n", sum);
	return 0;
}
