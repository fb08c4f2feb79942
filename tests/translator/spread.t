#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spread.t - which loops cape-cc lets all nodes share out where sequential code meets them.
. "$(dirname "$0")/cape_cc.bash"

# spreads CARRIED NAME [OPTION]: the statements on standard input; "no" where none is spread.
spreads() {
	{
		cat <<- 'END'
			#include <omp.h>
			#include <stdlib.h>
			double a[900], b[900]; int list[90], count; struct pair { int first, second; } pairs[90];
			double other(double); static double twice(double x) { return 2 * x; }
			static void work(int n, double *p, struct pair pair)
			{
				int i, j, k = 0; double t = 0, u = 0, own[9] = {0};
				(void)i, (void)j, (void)k, (void)t, (void)u, (void)own, (void)n, (void)p, (void)pair;
		END
		cat
		echo '} int main(void) { work(3, a, pairs[0]); }'
	} > case.c
	cape-cc "${3---spread}" --emit-c case.c > emitted.c 2> stderr
	if grep -q cape_plan_begin_spread emitted.c; then
		sed -nE 's/.*#pragma omp parallel( firstprivate\((.*)\))?.*/\2/p' emitted.c > stdout
	else
		echo no > stdout
	fi
	stdout_is "$1" "$2"
}

spreads 'j, t, p, n' "a loop, with what it carries" << 'END'
#pragma omp for
for (i = 0; i < 90; i++)
	for (j = 0; j < 9; j++) { t = twice(a[i * 9 + j]); p[i * 9 + j] = t * n; }
END
spreads '' "one that carries nothing" << 'END'
#pragma omp for private(t)
for (i = 0; i < 90; i++) { t = b[i]; a[i] = t; }
END
spreads no "--no-spread" --no-spread << 'END'
#pragma omp for
for (i = 0; i < 90; i++) a[i] = b[i];
END
spreads 't' "a variable that gets another value first" << 'END'
#pragma omp for
for (i = 0; i < 90; i++) { t = b[i]; a[i] = t; }
if (n) t = 0; else { k = 1; t = 1; }
a[0] = t;
END
spreads 'j' "the next loop" << 'END'
#pragma omp for
for (i = 0; i < 90; i++) for (j = 0; j < 9; j++) a[i * 9 + j] = 1;
for (i = 0; i < 9; i++) for (j = 0; j < 9; j++) b[j]++;
END
spreads 't' "a round of the loop around" << 'END'
for (k = 0; k < 9; k++) {
	t = 1;
	b[0] = t;
#pragma omp for
	for (i = 0; i < 90; i++) { t = b[i]; a[i] = t; }
}
END
while IFS=: read -r name after; do
	spreads no "what is used afterwards: $name" << END
for (k = 0; k < 9; k++) {
	if (k > n) b[7] = t;
#pragma omp for
	for (i = 0; i < 90; i++) { $name = b[i]; a[i] = $name; }
	$after
}
END
done <<- 'END'
	u:b[0] = u;
	u:if (n) u = 0; b[0] = u;
	u:for (i = 0; i < n; i++) u = 0; b[0] = u;
	u:for (i = 0; i < n; i++) { if (n > 3) continue; u = 0; } b[0] = u;
	u:while (n--) u += 1;
	u:u += 1;
	u:u = twice(u);
	u:b[0] = ({ u; });
	u:int sized[(int)u]; (void)sized;
	u:b[0] = n ? (u = 1) : u;
	t:
END
while IFS=: read -r name body; do
	spreads no "$name" <<< $'#pragma omp for\nfor (i = 0; i < 90; i++) '"$body"
done <<- 'END'
	a call of another file:a[i] = other(b[i]);
	a loop that asks for the thread:a[i] = omp_get_thread_num();
	the end of the program:{ if (b[i] < 0) abort(); a[i] = 1; }
	an array of the function's own:{ own[i % 9] = b[i]; a[i] = own[i % 9]; }
	a struct of its own:a[i] = pair.first;
	what is read by a list:a[i] = b[list[i]];
	an address:{ double *q = &t; *q = b[i]; a[i] = t; }
END
spreads no "a reduction" << 'END'
static double sum;
#pragma omp for reduction(+ : sum)
for (i = 0; i < 90; i++) sum += a[i];
END
spreads no "in a region" << 'END'
#pragma omp parallel
{
#pragma omp for
	for (int l = 0; l < 90; l++) a[l] = b[l];
}
END
spreads no "in a function with jumps" << 'END'
again:
#pragma omp for
for (i = 0; i < 90; i++) { t = b[i]; a[i] = t; }
if (n--) goto again;
END
plan_done
