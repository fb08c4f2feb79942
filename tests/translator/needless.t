#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Barriers directly after or before another one: what remains of them, as --emit-c shows it.
. "$(dirname "$0")/cape_cc.bash"

barriers() { # barriers NAME COUNT < statements of a region: so many barriers wait, ends included
	{
		printf 'int x, v, a[99]; int g(int);\nvoid f(int n) {\n#pragma omp parallel\n{\n'
		cat
		printf '}\n}\n'
	} > case.c
	cape-cc --emit-c case.c > emitted.c 2> stdout
	check "$1" [ "$(grep -cE 'cape_barrier\(|cape_end\(CAPE_(FOR|SINGLE|SECTIONS),' emitted.c)" -eq "$2" ]
}
known=$'\n#pragma omp for\nfor (int i = 0; i < 99; i++) a[i] = i;'
unknown=$'\n#pragma omp for\nfor (int i = 0; i < 99; i++) a[g(i)] = i;'
barrier=$'\n#pragma omp barrier\n'

barriers "after a loop" 2 <<< "$known$barrier g(1); $known g(2);"
barriers "after two" 1 <<< "$known$barrier$barrier g(1);"
barriers "after a loop that does not wait" 1 <<< "${known/for/for nowait}$barrier g(1);"
barriers "after single" 1 <<< $'#pragma omp single\nx++;'"$barrier g(1);"
barriers "after sections" 1 <<< $'#pragma omp sections\n{ x++; }'"$barrier g(1);"
barriers "after single nowait" 1 <<< $'#pragma omp single nowait\nx++;'"$barrier g(1);"
barriers "after critical" 1 <<< $'#pragma omp critical\nx++;'"$barrier g(1);"
barriers "after a statement" 2 <<< "$known g(1);$barrier g(1);"
barriers "after a loop under a condition" 2 <<< "if (n)
$known$barrier g(1);"
barriers "after a block with a loop" 2 <<< "{ $known }$barrier g(1);"
barriers "before the end of the region" 0 <<< "g(1);$barrier"
barriers "a loop that is not known, before the end of the region" 0 <<< "$unknown"
barriers "a loop that is not known, and a barrier, before the end of the region" 0 <<< "$unknown$barrier"
barriers "a loop that is not known, before a statement" 1 <<< "$unknown g(1);"
barriers "a known loop before the end of the region" 1 <<< "$known"
barriers "a loop under a condition before the end of the region" 1 <<< "if (n)
$unknown"
# A region whose statement is no block ends elsewhere.
printf 'void f(void) {\n#pragma omp parallel\nfor (int k = 0; k < 9; k++) {\n%s%s}\n}\n' \
	'f();' "$barrier" > case.c
cape-cc --emit-c case.c > emitted.c 2> stdout
check "in a loop that is the region" grep -q 'cape_barrier' emitted.c
plan_done
