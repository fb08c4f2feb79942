#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# again.t - what cape-cc says that decides on a loop's sets, so that they are not described again.
. "$(dirname "$0")/cape_cc.bash"

# decides WANTED NAME: the loop on standard input; "no" where nothing is asked.
decides() {
	{
		cat <<- 'END'
			double a[900], b[900], rest[9][9]; int list[90], three[3], limit; struct { int first, *next; } one;
			static void inner(int k, double *q, double x, float y, long double z, __int128 w, int m, double (*rows)[m]) {
			#pragma omp for collapse(COUNT)
		END
		cat
		echo '} void work(int n) { double x = n, rows[9][n];'
		echo '_Pragma("omp parallel")'
		echo '{ inner(n, a, x, n, n, n, n, rows); } }'
	} | sed "s/COUNT/${3-1}/" > case.c
	cape-cc --emit-c case.c | sed -nE 's/.*(cape_plan_need\(.*\));.*/\1/p; /cape_plan_begin/{x;s/.*/no/;x}
		/cape_plan_again/{s/.*cape_plan_again\((.*)\)\) \{.*/\1/;h}; /cape_plan_ready/{x;p}' |
		sed 's/(unsigned long)//; s/cape_plan_//g' | paste -sd' ' > stdout
	stdout_is "$1" "$2"
}

decides '0' "nothing" << 'END'
for (int i = 0; i < 90; i++) a[i] = b[i + 9];
END
decides '2, (long)q, (long)k' "values of the thread's own" << 'END'
for (int i = 0; i < 90; i++) a[i + k] = q[i];
END
decides '2, real(x), real(y)' "real numbers" << 'END'
for (int i = 0; i < 90; i++) if (x > 1 || y < 2) a[i] = x;
END
decides '2, (long)cape_first, (long)cape_step' "bounds that are not numbers" << 'END'
for (int i = k; i < 90; i += m) a[i] = 1;
END
decides '3, (long)cape_first_1, cape_trips_1, cape_trips_2' "bounds of several loops" 2 << 'END'
for (int i = k; i < 9; i++) for (int j = 0; j < 9; j++) rest[i][j] = 1;
END
decides 'need(&limit, sizeof(limit)) 1, (long)k' "memory" << 'END'
for (int i = 0; i < 9; i++) for (int j = k; j < limit; j++) a[i * 9 + j] = 1;
END
decides 'need(&one.first, sizeof(one.first)) need(&list[m], sizeof(list[m])) 1, (long)m' "its place" << 'END'
for (int i = 0; i < 9; i++) for (int j = one.first; j < list[m]; j++) a[i * 9 + j] = 1;
END
decides 'need(&three, sizeof(three)) 0' "all elements of an array" << 'END'
for (int i = 0; i < 9; i++) { a[three[0] + i] = 1; a[three[1] + i] = 1; a[three[2] + i] = 1; }
END
decides 'need(&three[1], sizeof(three[1]) * 2) 0' "some" << 'END'
for (int i = 0; i < 9; i++) { a[three[1] + i] = 1; a[three[2] + i] = 1; }
END
decides 'need(&list[3], sizeof(list[3])) 1, (long)k' "memory under a condition" << 'END'
for (int i = 0; i < 9; i++) if (i < k) for (int j = 0; j < list[3]; j++) a[i * 9 + j] = 1;
END
decides 'need(&list[m], sizeof(list[m])) 2, (long)k, (long)m' "memory that may not be there" << 'END'
for (int i = 0; i < 9; i++) if (i < k) for (int j = 0; j < list[m]; j++) a[i * 9 + j] = 1;
END
decides 'need(&list[90], sizeof(list[90])) 1, (long)k' "the same, behind its array" << 'END'
for (int i = 0; i < 9; i++) if (i < k) for (int j = 0; j < list[90]; j++) a[i * 9 + j] = 1;
END
decides '2, (long)sizeof(*rows), (long)rows' "the size of a row" << 'END'
for (int i = 0; i < 9; i++) rows[i][2] = 1;
END
decides '2, (long)sizeof(*rows), (long)rows' "the size of a row by a pointer" << 'END'
for (int i = 0; i < 9; i++) (*(rows + i))[2] = 1;
END
decides 'no' "a size in a type" << 'END'
for (int i = 0; i < 9; i++) ((double (*)[k])q)[i][2] = 1;
END
decides 'no' "numbers that are too long" << 'END'
for (int i = 0; i < 9; i++) if (z > 1) a[i] = 1;
END
decides 'no' "integers that are too long" << 'END'
for (int i = 0; i < 9; i++) if (w > 1) a[i] = 1;
END
plan_done
