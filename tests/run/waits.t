#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# waits.t - loops that wait for another node, or only seem to; waits for children.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

plan 15

build_programs() {
	local source
	for source in "$root"/tests/run/waits/*.c; do
		cape-cc -O2 "$source" -o "$work/$(basename "$source" .c)" || return
	done
}

check "the programs are built" build_programs

# 10 ns and more, if each look is a call that asks for the time.
run "${cape_run[@]}" -np 2 "$work/hot"
is_status 0 "a hot loop that tests a volatile object ends"
turn=$(cat "$work/stdout")
note "a turn takes $turn ns"
check "each of its looks is cheap" test "$turn" -lt 8

run "${cape_run[@]}" -np 2 --verify "$work/working"
is_status 0 "a loop that works is ended by another node's volatile object"
stdout_is soon "and soon"

# relax() stands in a file of its own, which has nothing of OpenMP.
mkdir "$work/apart"
printf '#include <sched.h>\nvoid relax(void)\n{\n\tsched_yield();\n}\n' >"$work/apart/relax.c"
cat >"$work/apart/main.c" <<'EOT'
#include <omp.h>
#include <stdio.h>
void relax(void);
static int begun;
int main(void)
{
#pragma omp parallel
	{
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			begun = 1;
		while (!begun)
			relax();
	}
	puts("all went on");
}
EOT
check "a program that yields in another file is built" \
	cape-cc -O2 -o "$work/relax" "$work/apart/main.c" "$work/apart/relax.c"
run timeout 60 "${cape_run[@]}" -np 3 --verify "$work/relax"
stdout_is "all went on" "its loop ends"

run "${cape_run[@]}" -np 3 --verify "$work/children" killed
stdout_is "9 by a signal" "a child is killed on node 0 alone: the others' end, too"

# In the background: all last longer than one is told after.
"${cape_run[@]}" -np 2 "$work/plain" compute >"$work/compute" 2>&1 &
compute=$!
"${cape_run[@]}" -np 2 --verify "$work/children" ended >"$work/ended" 2>"$work/told" &
children=$!
run "${cape_run[@]}" -np 2 "$work/plain"
wait "$compute" || echo "it failed" >>"$work/compute"
stdout_is "done" "a loop that waits without a flush: the run goes on"
line=$(grep -n 'omp parallel' "$root/tests/run/waits/plain.c" | cut -d : -f 1)
stderr_has "cape-run: node 1, at or after .*plain.c:$line, has only read memory .* needs a flush" \
	"and it is told which node waits, where, and what is missing"
check "once" is "$(grep -c "has only read" "$work/stderr")" 1
check "of one that computes nothing is told" is "$(cat "$work/compute")" "done"
wait "$children"
check "a child ends on node 0 alone: the run ends" is $? 0
check "as node 0's did" is "$(cat "$work/ended")" "7 by itself"
check "and is told" grep -q '^cape: node 1: its process [0-9]* is not waited for' "$work/told"
