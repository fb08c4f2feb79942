#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run in jobs of Slurm: on its nodes without -np and hosts, and nobody left when it is cancelled.
#
# Slurm runs on a cluster by scripts/cluster, in which this script is started again.
. "$(dirname "$0")/../tap.sh"

tests=19
cluster=$root/scripts/cluster
cluster_name=slurm$$

in_new_cluster() {
	trap '"$cluster" --name "$cluster_name" down; finish' EXIT
	"$cluster" --name "$cluster_name" up 4 --owner $$ || exit 1
	timeout 240 "$cluster" --name "$cluster_name" run "$0" inside || exit 1
}

runs_where_it_says() {
	run salloc --quiet -N4 cape-run --verbose --verify "$echo_program" word </dev/null
	is_status 0 "salloc -N4 cape-run ./prog runs"
	stdout_has ' on 0 of 4$' "on 4 nodes"
	stderr_has "^cape-run: 4 nodes: the slots of Slurm's job [0-9]+ on node\[1-4\]$" "and says so"
	check "one on each machine" is "$(sed -nE 's/^cape-run: node ([0-9]): (node[0-9]),.*/\1 \2/p' \
		"$work/stderr" | paste -sd,)" "0 node1,1 node2,2 node3,3 node4"
	run salloc --quiet -N2 cape-run -np 3 "$echo_program" </dev/null
	stdout_has ' on 0 of 3$' "-np N is taken before the slots"
	run salloc --quiet -N4 cape-run --verbose -H node2,node3 -np 2 "$echo_program" </dev/null
	check "and hosts before the job's" is \
		"$(grep -oE '^cape-run: node [01]: node[0-9]' "$work/stderr" | cut -d: -f3 |
			paste -sd,)" " node2, node3"
	run salloc --quiet -N3 cape-run --check "$echo_program" </dev/null
	stdout_has '^  every machine reaches every other one$' "--check asks the job's machines by srun"
	check "... each once" is "$(sed -nE 's/^(node.: 1 node);.*/\1/p' "$work/stdout" | paste -sd,)" \
		"node1: 1 node,node2: 1 node,node3: 1 node"
	run salloc --quiet -N2 srun --quiet cape-run "$echo_program"
	stderr_has 'cape-run: srun has started this 2 times' "srun cape-run is refused"
}

as_a_user() {
	run setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp TMPDIR=/tmp \
		salloc --quiet -n3 cape-run "$echo_program" </dev/null
	stdout_has ' on 0 of 3$' "an ordinary user's job runs"
}

no_job_left() {
	[ -z "$(squeue -h)" ]
}

nobody_left() {
	! pgrep -f "$end_program|cape-monitor|cape-keeper|orted|slurmstepd" >/dev/null &&
		[ -z "$(ls /dev/shm)" ]
}

has_begun() {
	grep -q begun "$1" 2>/dev/null
}

# script TASKS COMMAND...: what sbatch is given.
script() {
	printf '#!/bin/sh\n#SBATCH --nodes=3 --ntasks-per-node=%s --output=%s\n' "$1" "$work/output"
	printf '%q ' "${@:2}"
}

runs_a_script() {
	script 2 cape-run "$echo_program" word >"$work/job"
	run sbatch --quiet "$work/job"
	check "a script for sbatch ends" soon no_job_left
	check "its tasks on its machines are the nodes" grep -q ' on 0 of 6$' "$work/output"
	check "and it says so" grep -qE '^cape-run: 3 nodes of 2 threads: .* on node\[1-3\]$' "$work/output"
}

is_cancelled() {
	salloc --quiet -N4 cape-run "$end_program" wait-all >"$work/begun" 2>&1 </dev/null &
	check "a job by salloc runs on" soon has_begun "$work/begun"
	scancel --user=root
	wait $!
	check "scancel ends it, and salloc says so" test $? -ne 0
	check "and leaves nobody, and no file" soon nobody_left
	script 1 cape-run "$end_program" wait-all >"$work/job"
	run sbatch --quiet "$work/job"
	check "so does a script" soon has_begun "$work/output"
	scancel --user=root
	check "scancel ends it" soon no_job_left
	check "and leaves nobody, and no file" soon nobody_left
}

[ "${1-}" = inside ] || plan "$tests"
if [ "${1-}" = inside ]; then
	# Slurm, not the cluster's settings, says what machines there are.
	unset OMPI_MCA_plm_rsh_agent OMPI_MCA_orte_default_hostfile
	unset PRTE_MCA_plm_ssh_agent PRTE_MCA_prte_default_hostfile
	export SLURM_CONF=$work/slurm/slurm.conf
	chmod 755 "$work"
	echo_program=$work/echo end_program=$work/end
	"$root/tests/run/slurm/start" "$work/slurm" 4 || exit 1
	cape-cc -O2 "$root/tests/run/cli/echo.c" -o "$echo_program" || exit 1
	cape-cc -O2 "$root/tests/run/cli/end.c" -o "$end_program" || exit 1
	runs_where_it_says
	as_a_user
	runs_a_script
	is_cancelled
elif [ "$(id -u)" -ne 0 ]; then
	skip "$tests" "only root can make a cluster of network namespaces"
elif [ "$(type -P slurmctld slurmd srun munged tc | wc -l)" -lt 5 ]; then
	skip "$tests" "Slurm or tc is missing (packages slurmctld slurmd slurm-client munge iproute2)"
else
	in_new_cluster
fi
