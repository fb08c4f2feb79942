#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run in a job of a batch system, as far as that is seen in the environment; and where nodes
# run.
. "$(dirname "$0")/../tap.sh"

plan 37

program=$work/echo
cape-cc -O2 "$root/tests/run/cli/echo.c" -o "$program" || exit 1

# slurm SLOTS COMMAND...: the environment of Slurm's job 7.
slurm() {
	run env SLURM_JOB_ID=7 SLURM_JOB_NODELIST='node[1-4]' SLURM_TASKS_PER_NODE="$1" "${@:2}"
}

# A file that is no program comes after the slots, and before mpirun.
test_slurm() {
	local slots
	for slots in '1 1 node' '2(x3),1 7 nodes' '3,2(x2) 7 nodes' '64(x4) 4 nodes of 64 threads' '8 1 node of 8 threads'; do
		slurm "${slots%% *}" cape-run "$work/missing"
		stderr_has "^cape-run: ${slots#* }: the slots of Slurm's job 7 on node\[1-4\]$" \
			"the slots ${slots%% *} are ${slots#* }"
	done
	slurm '2(x4)' env SLURM_CPUS_PER_TASK=3 cape-run "$work/missing"
	stderr_has '^cape-run: 4 nodes of 6 threads: ' "each has so many processors"
	slurm '2(x3),1' env SLURM_CPUS_PER_TASK=3 cape-run "$work/missing"
	stderr_has '^cape-run: 7 nodes of 3 threads: ' "... where machines have not as many slots, too"
	slurm '4(x3)' cape-run --threads 4 "$work/missing"
	stderr_has '^cape-run: 3 nodes of 4 threads: ' "as many threads as slots are given to each machine"
	slurm '4(x3)' cape-run --threads 1 "$work/missing"
	stderr_has '^cape-run: 12 nodes: ' "nodes of one thread are asked for"
	slurm '4(x3)' cape-run --checkpoint "$work/saved" "$work/missing"
	stderr_has '^cape-run: 3 nodes of 4 threads: ' "... and saved as others"
	slurm '4(x3)' cape-run --races "$work/missing"
	stderr_has '^cape-run: 12 nodes: ' "... or wanted by an option"
	slurm '2(x3),1' cape-run -np 3 "$work/missing"
	refused 127 'missing: No such file' "a number of nodes that is given is taken"
	for slots in '' 0 a '2(x' '2(x3' '2(x0)' '2,' ',2' '2 2' 999999999999 '99999(x99999)'; do
		slurm "$slots" cape-run "$program"
		refused 2 "^cape-run: this is Slurm's job 7, but SLURM_TASKS" "the slots '$slots' are refused"
	done
	slurm '64(x20),1' cape-run "$program"
	refused 2 'job 7 has 1281 slots.* at most 1024 nodes; choose a number: -np N' "more slots than nodes can be"
	slurm '1(x4)' env SLURM_STEP_NUM_TASKS=4 cape-run "$program"
	refused 2 'srun has started this 4 times.*without srun' "a cape-run for each task is refused"
}

test_pbs() {
	printf 'localhost\nlocalhost\n\nlocalhost\n' >"$work/nodes"
	run env PBS_JOBID=3.pbs PBS_NODEFILE="$work/nodes" cape-run "$program" </dev/null
	stdout_has ' of 3$' "PBS's slots on one machine are the threads"
	stderr_has "^cape-run: 1 node of 3 threads: the slots of PBS's job 3.pbs on $work/nodes$" "and it says so"
	run env PBS_JOBID=3.pbs PBS_NODEFILE="$work/nodes" cape-run --races "$program" </dev/null
	stderr_has "^cape-run: 3 nodes: the slots of PBS's" "... or nodes"
	: >"$work/nodes"
	run env PBS_JOBID=3.pbs PBS_NODEFILE="$work/nodes" cape-run "$program" </dev/null
	refused 2 'PBS_NODEFILE=.*/nodes, is empty' "an empty list of machines is refused"
	run env PBS_JOBID=3.pbs PBS_NODEFILE="$work/none" cape-run "$program" </dev/null
	refused 2 'PBS_NODEFILE=.*/none, cannot be read' "and one that is not there"
	run env PBS_JOBID=3.pbs PBS_NODEFILE="$work" cape-run "$program" </dev/null
	refused 2 'PBS_NODEFILE=.*, cannot be read: Is a directory' "and a folder"
}

test_hosts() {
	run cape-run -H localhost:2 "$program" </dev/null
	stderr_has '^cape-run: 2 nodes: the slots of the machines that are named$' "slots of a machine that is named are nodes"
	printf '%s slots=2\n' a b '# c' >"$work/hosts"
	run cape-run --hostfile "$work/hosts" "$work/missing"
	stderr_has '^cape-run: 2 nodes of 2 threads: the slots of the machines' "those of several are their threads"
}

# run_pinned COMMAND...: mpirun, and so the nodes, may use one processor of those that there are.
run_pinned() {
	mkdir -p "$work/bin"
	cat >"$work/bin/mpirun" <<-EOF
		#!/bin/sh
		exec taskset -c "$1" "$(command -v mpirun)" "\$@"
	EOF
	chmod 755 "$work/bin/mpirun"
	run env PATH="$work/bin:$PATH" "${@:2}" </dev/null
}

test_placement() {
	local host first
	host=$(hostname)
	first=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
	run cape-run -np 2 --verbose "$program" </dev/null
	check "--verbose says where each node runs" is \
		"$(grep -cE "^cape-run: node [01]: $host, processors? [0-9,-]+ of [0-9]+ \([0-9]+ proc" \
			"$work/stderr")" 2
	run_pinned "$first" cape-run -np 1 "$program"
	check "one node on one processor shares it with nobody" is "$(grep -c share "$work/stderr")" 0
	if [ "$(nproc)" -lt 2 ]; then
		skip 1 "there is one processor"
	else
		run_pinned "$first" cape-run -np 3 "$program"
		stderr_has "^cape-run: 3 nodes share processor $first of $host, which has [0-9]+:.* than 1$" \
			"nodes that are bound to fewer processors than there are"
	fi
	run taskset -c "$first" cape-run -np 3 "$program" </dev/null
	check "who chooses that for cape-run itself is not told" is "$(grep -c share "$work/stderr")" 0
}

test_slurm
test_pbs
test_hosts
test_placement
