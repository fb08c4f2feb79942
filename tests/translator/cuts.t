#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cuts.t - conditions on the values of loops that leave whole stretches of these: such loops are not gone through.
. "$(dirname "$0")/cape_cc.bash"

# whole YES|NO NAME: the loop on standard input, in functions with variables.
whole() {
	{
		echo 'double a[90][90], b[90][90]; int n, two[9]; void work(void) {'
		echo '#pragma omp parallel for'
		echo 'for (int i = 0; i < 90; i++) for (int j = 0; j < 90; j++) {'
		cat
		echo '} }'
	} > case.c
	cape-cc --emit-c case.c > emitted.c || cat case.c
	check "$2" is "$(grep -c 'cape_plan_box' emitted.c) $(grep -c 'cape_plan_round' emitted.c)" \
		"$(grep -c 'cape_plan_box' emitted.c) $([[ $1 == YES ]] && echo 0 || echo "${3-1}")"
}

whole YES "one end" << 'END'
if (i > 0 && j < 89) b[i][j] = a[i - 1][j + 1];
END
whole YES "all edges" << 'END'
if (i == 0 || i == 89 || j == 0 || j == n - 1) b[i][j] = a[i][j]; else b[i][j] = a[i - 1][j - 1] + a[i + 1][j + 1];
END
whole YES "sums" << 'END'
if (i + 1 < n && 2 * j - 3 >= n) b[i][j] = 1; if (!(n != 7 - i)) b[i][j] = 3;
END
whole YES "choices" << 'END'
b[i][j] = a[i ? i - 1 : 0][j == 89 ? 0 : j + 1] + a[i][i > n || j == 3 ? j : 7];
END
whole NO "a number that is not in order" 2 << 'END'
if (i % 3 == 0 || j % 7) b[i][j] = 1;
END
whole NO "what wraps around" << 'END'
if ((unsigned char)(j * 3) > 7) b[i][j] = 1;
END
whole NO "unsigned sums" << 'END'
if (j - 1u < 7u) b[i][j] = 1;
END
whole NO "several values" 2 << 'END'
if (i < j) b[i][j] = 1;
END
whole NO "memory" << 'END'
if (i < two[j % 9]) b[i][j] = 1;
END

# Each doubles the ways that lead to what is under the condition.
{
	echo -n 'if (i == 0'
	for ((i = 1; i < 40; i++)); do echo -n " || i == $i && j != $i"; done
	echo ') b[i][j] = 1;'
} > many
whole NO "too many conditions" 2 < many
check "are not taken apart" [ "$(wc -l < emitted.c)" -lt 400 ]
{
	for ((i = 1; i < 40; i++)); do echo "if (i != $i || j == $i)"; done
	echo 'b[i][j] = a[i][j];'
} > many
whole NO "nor are those in each other" 2 < many
check "more than once" [ "$(wc -l < emitted.c)" -lt 4000 ]
plan_done
