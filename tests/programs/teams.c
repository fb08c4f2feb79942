/* SPDX-License-Identifier: GPL-2.0-or-later */
/* teams.c - a league of one team: what is read back in it, and what its limit of threads does. */
#include <omp.h>
#include <stdio.h>

static int calls;

static int one(int value)
{
	calls++;
	return value;
}

static void show(const char *where)
{
	printf("%s: %d of %d, %d\n", where, omp_get_team_num(), omp_get_num_teams(),
	       omp_get_thread_limit());
}

int main(void)
{
	int before = omp_get_thread_limit(), count = 0, limit = 0, largest = 0, both[2];

#pragma omp teams num_teams(1) thread_limit(one(2))
	{
		show("teams");
#pragma omp parallel reduction(max : largest)
		{
			largest = omp_get_num_threads();
			limit = omp_get_thread_limit();
		}
	}
	printf("%d %d\n", largest <= 2, limit);
	omp_set_teams_thread_limit(3);
#pragma omp teams num_teams(one(1))
	show("as set");
#pragma omp teams distribute parallel for num_teams(1) thread_limit(one(1)) reduction(+ : count)   \
	lastprivate(limit)
	for (int i = 0; i < 10; i++) {
		count += omp_get_num_threads();
		limit = omp_get_thread_limit();
	}
	printf("%d %d\n", count, limit);
#pragma omp target teams map(from : both) num_teams(1) thread_limit(4)
	{
		both[0] = omp_get_num_teams();
#pragma omp parallel num_threads(1)
		both[1] = omp_get_thread_limit();
	}
	printf("%d %d\n", both[0], both[1]);
	printf("%d %d\n", omp_get_thread_limit() == before, calls);
	return 0;
}
