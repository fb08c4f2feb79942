#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes of several threads: numbers, sums with the same bits however a team is spread, settings, ends,
# and what cannot be combined with them.  The programs of tests/programs run so, too.
. "$(dirname "$0")/../tap.sh"

plan 33

check "a program is built" cape-cc -O2 "$root/tests/run/mixed/sums.c" -o "$work/sums"
OMP_NUM_THREADS=6 run "$work/sums"
whole=$(cat "$work/stdout")
check "six threads of one process" is "$status ${whole%%0x*}" "0 6 6 6 6 "
for spread in '6 1' '3 2' '2 3'; do
	read -r nodes threads <<< "$spread"
	run "${cape_run[@]}" -np "$nodes" --threads "$threads" --verify "$work/sums"
	stdout_is "$whole" "$nodes nodes of $threads: the same, to the last bit"
done
run "${cape_run[@]}" -np 4 --threads 2 --verify "$work/sums"
check "more threads" is "$status $(cut -d ' ' -f 1-4 "$work/stdout")" "0 8 8 8 8"
OMP_NUM_THREADS=5 run "${cape_run[@]}" -np 3 --threads 2 "$work/sums"
check "OMP_NUM_THREADS is the whole team's" is "$(cut -d ' ' -f 1-4 "$work/stdout")" "5 5 5 5"
stderr_has 'OMP_NUM_THREADS=5 leaves 1 of 6 threads without work at .*sums.c' "... and what that leaves is told"
OMP_NUM_THREADS=2 run "${cape_run[@]}" -np 3 --threads 2 --verify "$work/sums"
check "a team may be of one node of three" is "$(cut -d ' ' -f 1-4 "$work/stdout")" "2 2 2 2"
OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive run "${cape_run[@]}" -np 2 --threads 2 --verify --exchange eager "$work/sums"
check "... or of one and a half of two, eager" is "$(cut -d ' ' -f 1-4 "$work/stdout")" "3 3 3 3"
run cape-run -np 2 --threads 3 --stats=json "$work/sums" bound
check "over Open MPI" is "$status $(head -n 1 "$work/stdout")" "0 $whole"
check "... with all processors" is "$(tail -n 1 "$work/stdout")" "$(nproc)"
check "... and threads are counted" is "$(jq -c '[.nodes[].threads]' "$work/stderr")" '[3,3]'
run cape-run -np 2 --threads 2 --stats "$work/sums"
stderr_has '^method tickpt2, model spmd' "their table is that of nodes"

check "a program that waits for locks is built" cape-cc -O2 "$root/tests/programs/mixed-waits.c" -o "$work/waits"
run timeout 60 "${cape_run[@]}" -np 2 --threads 3 --verify "$work/waits"
check "two threads of a node wait, the third takes other locks" is "$status $(cat "$work/stdout")" "0 0 0 0"

# What cannot be combined with them.
run "${cape_run[@]}" -np 2 --threads 2 --races "$work/sums"
refused 2 '--threads 2 cannot be combined with --races.*use -np 4' "--races is refused"
run "${cape_run[@]}" -np 2 --threads 2 --method dickpt "$work/sums"
refused 2 "--threads 2 cannot be combined with the papers' methods and models" "a method of the papers is refused"
run "${cape_run[@]}" -np 1000 --threads 1000 "$work/sums"
refused 2 'a team has 65535 threads at most' "too large a team is refused"
check "a program for --check-races is built" cape-cc --check-races -O2 "$root/tests/run/mixed/sums.c" -o "$work/checked"
run "${cape_run[@]}" -np 2 --threads 2 "$work/checked"
check "... and refuses threads" is "$status" 1
stderr_has 'built with --check-races, the program runs on nodes of one thread: leave --threads out' "... and says so"

# Saves, at ends of regions: a run that dies goes on, each thread with its own values.
check "a program is built that dies once" cape-cc -O2 "$root/tests/run/mixed/dies-once.c" -o "$work/once"
run cape-run -np 2 --threads 2 --checkpoint "$work/saved" --every 1 --max-restarts 1 "$work/once" "$work/mark" "$work/saved/000001/run"
check "a thread dies, and the run goes on" is "$status $(cat "$work/stdout")" "0 1800 1768230"
stderr_has 'goes on from .*/saved/0.* .restart 1 of 1' "... from a save"

# The end of one thread is that of the run.
check "a program that dies is built" cape-cc -g -O0 "$root/tests/run/mixed/dies.c" -o "$work/dies"
run "${cape_run[@]}" -np 2 --threads 2 "$work/dies" segv
check "a thread that dies of SIGSEGV ends the run" is "$status" 139
stderr_has '^cape-run: node 1: the program was killed by signal 11 .*in die\(\) at dies.c' "... which is told, with its place"
run timeout 60 "${cape_run[@]}" -np 2 --threads 2 "$work/dies" deep
check "one whose stack is full, too" is "$status" 139
stderr_has '^cape-run: node 1: the program was killed by signal 11 .*in go_deep\(\)' "... by name"
run "${cape_run[@]}" -np 2 --threads 2 "$work/dies" exit
check "a thread that calls exit() ends it with its status" is "$status" 7
run "${cape_run[@]}" -np 2 --threads 2 "$work/dies" all
check "all of them, too" is "$status" 7
check "... which is done once" is "$(grep -c '^the end' "$work/stderr")" 1
