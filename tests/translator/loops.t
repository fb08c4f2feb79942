#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loops that cape-cc refuses.
. "$(dirname "$0")/cape_cc.bash"

loop_refused() { # loop_refused NAME COLUMN WORDS HEADER
	refused "$1" "3:$2" "$3" <<-END
		void f(int *a, int n, int i, double d, int step) {
		#pragma omp parallel for
		$4 a[0] = n + (int)d + step + i; }
	END
}
loop_refused "while" 1 "needs a for loop" 'while (n--)'
loop_refused "a loop without a start" 6 "must begin with" 'for (; i < n; i++)'
loop_refused "a loop without a limit" 13 "must compare its variable" 'for (i = 0; ; i++)'
loop_refused "a comparison of another variable" 13 "must compare its variable" 'for (i = 0; n < 9; i++)'
loop_refused "==" 13 "must compare its variable" 'for (i = 0; i == 9; i++)'
loop_refused "two conditions" 13 "must compare its variable" 'for (i = 0; i && n; i++)'
loop_refused "a loop without a step" 20 "must step its variable" 'for (i = 0; i < n; )'
loop_refused "a step by multiplication" 20 "must step its variable" 'for (i = 1; i < n; i *= 2)'
loop_refused "a step of another variable" 20 "must step its variable" 'for (i = 0; i < n; n++)'
loop_refused "a step of 0" 20 "the step of the loop is 0" 'for (i = 0; i < n; i += 0)'
loop_refused "a step away from the limit" 20 "leads away from the limit" 'for (i = 0; i < n; i--)'
loop_refused "a step away from a limit that numbers reach" 20 "leads away from the limit" 'for (i = 0; i < 9; i--)'
loop_refused "a step away from a limit below" 21 "leads away from the limit" 'for (i = 5; i >= 5; i++)'
loop_refused "!= with a step of 2" 21 "must be 1 or -1" 'for (i = 0; i != n; i += 2)'
loop_refused "a loop variable of type double" 6 "integer or pointer type" 'for (d = 0; d < n; d++)'
loop_refused "a limit that moves with the variable" 17 "cannot use the loop variable" 'for (i = 0; i < i + n; i++)'
printf 'void f(int *a, double d) {\n#pragma omp parallel for\nfor (int i = 0; i < d; i++) a[i] = i; }\n' > case.c
! cape-cc -c case.c > stdout 2>&1 && grep -q 'case.c:2:.*the limit of an OpenMP loop must be an integer' stdout
ok "a limit of type double is refused"
printf 'void f(int n)\n{\n#pragma omp parallel num_threads("4")\n\tn++;\n#pragma omp parallel for schedule(dynamic, 2.5)\n\tfor (int i = 0; i < n; i++)\n\t\t;\n}\n' > case.c
! cape-cc -c case.c > stdout 2>&1 && grep -q 'case.c:3:.*num_threads must be given an integer' stdout && grep -q 'case.c:5:.*schedule must be given an integer' stdout
ok "num_threads and schedule must be given integers"
refused "a triangular nest" 4:21 "cannot depend on the loops around it" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for collapse(2)
	for (int i = 0; i < 9; i++)
	for (int j = 0; j < i; j++) a[i] = j; }
END
refused "a nest with a statement between" 3:29 "nothing between them" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for collapse(2)
	for (int i = 0; i < 9; i++) {
	a[i] = 0; for (int j = 0; j < 9; j++) a[i] += j; } }
END

plan_done
