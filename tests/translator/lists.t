#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lists.t - what cape-cc has each node go through by itself, to find what a loop reads by lists.
. "$(dirname "$0")/cape_cc.bash"

# lists WANTED NAME: of the loop on standard input what is described of its own iterations, each as its
# address with "look" where a word is looked up; "no" where nothing is.
lists() {
	{
		cat <<- 'END'
			double a[900], b[900], small[9]; int list[91], other[90], *column, n; long double wide[90];
			struct { int *start, *column; double *value; } matrix; struct { int list[90]; double a[90]; } all;
			volatile int changing[90];
			static void inner(int k, double *q, double **rows) {
			#pragma omp for
		END
		cat
		echo '} void work(double **rows) {'
		echo '_Pragma("omp parallel")'
		echo '{ inner(n, a, rows); } }'
	} > case.c
	cape-cc --emit-c case.c | sed -n '/cape_plan_lists(/,/cape_plan_listed/p' > listed
	sed -nE '1s/.*(cape_plan_lists\(.*\))\).*/\1/p; s/.*cape_plan_box\(CAPE_SET_READ, \(unsigned long\)(.*), sizeof.*/\1/p' listed |
		sed -E 's/cape_plan_row\([^,]*, &([^()]*)\)/look(\1)/g
			s/, sizeof.*//; s/cape_plan_//' | paste -sd' ' > stdout
	[[ -s listed ]] || echo no > stdout
	stdout_is "$1" "$2"
}

lists 'lists(0 + sizeof(b)) &b[look(list[cape_i0])]' "an index" << 'END'
for (int i = 0; i < 90; i++) a[i] = b[list[i]];
END
lists 'lists(0 + sizeof(list) + sizeof(b)) &b[look(list[cape_i0])]' "beside what may be written by a pointer" << 'END'
for (int i = 0; i < 90; i++) if (other[i]) column[i] = b[list[i]];
END
lists 'no' "no index" << 'END'
for (int i = 0; i < 90; i++) a[i] = b[i + k];
END
lists 'no' "indices that the loop writes" << 'END'
for (int i = 0; i < 90; i++) list[i] = other[list[i]];
END
lists 'no' "indices beside those that it writes" << 'END'
for (int i = 0; i < 90; i++) { a[i] = b[list[i + 1]]; list[i] = i; }
END
lists 'lists(0) &q[look(list[cape_i0])]' "by a pointer of the thread's own" << 'END'
for (int i = 0; i < 90; i++) b[i] = q[list[i]];
END
lists 'lists(0 + sizeof(b)) &b[look(all.list[cape_i0])]' "beside another member of the same record" << 'END'
for (int i = 0; i < 90; i++) all.a[i] = b[all.list[i]];
END
lists 'no' "what may change meanwhile" << 'END'
for (int i = 0; i < 90; i++) a[i] = b[changing[i]];
END
lists 'no' "what might be divided by nothing" << 'END'
for (int i = 0; i < 90; i++) if (other[i]) a[i] = b[list[i] / other[i]];
END
lists 'no' "writes by an index" << 'END'
for (int i = 0; i < 90; i++) a[list[i]] = b[i];
END
lists 'no' "words that are too long" << 'END'
for (int i = 0; i < 90; i++) a[i] = b[(int)wide[i]];
END

# What decides on lists by a variable on the stack is a part of what is asked.
cat > case.c << 'END'
static double a[90];
static int list[90];
void work(double *from, int shift)
{
#pragma omp parallel for
	for (int i = 0; i < 90; i++)
		a[i] = from[list[i] + shift];
}
END
run cape-cc --emit-c case.c
stdout_has 'cape_plan_again\(4, .*, \(long\)from, \(long\)shift\)' "variables on the stack decide, too"
plan_done
