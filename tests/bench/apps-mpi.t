#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# apps-mpi.t - the MPI twins of bench/apps, small, print what the OpenMP programs print, and what
# cape-bench counts of them and of CAPE's programs is what they send and hold.
#
# Their exit status is that of their self-check.
. "$(dirname "$0")/../tap.sh"

programs=$build/lib/cape/bench
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# twin NAME ARGUMENTS...: on 1, 3 and 4 ranks.
twin() {
	local expected ranks
	expected=$(OMP_NUM_THREADS=2 "$programs/openmp/$1" "${@:2}" 2>/dev/null)
	for ranks in 1 3 4; do
		run mpirun --oversubscribe --mca mpi_yield_when_idle 1 -np "$ranks" \
			"$programs/mpi/$1" "${@:2}"
		is_status 0 "$1 on $ranks ranks ends well"
		check "and prints what OpenMP prints" is "$(cat "$work/stdout")" "${expected:-nothing}"
	done
}

# module NAME ARGUMENTS...: a measuring program of cape-bench.
module() {
	run env PYTHONPATH="$build/lib/cape" python3 -B -m "cape_bench.$1" "${@:2}"
}

# in_stdout NAME LEAST MOST: the number of that name.
in_stdout() {
	awk -v name="$1" -v least="$2" -v most="$3" \
		'$1 == name { found = $2 >= least && $2 <= most } END { exit !found }' "$work/stdout"
}

# Only ob1 may be used, as in scripts/cluster.
test_sent() {
	export OMPI_MCA_pml=ob1
	module sent mpirun --oversubscribe --mca mpi_yield_when_idle 1 -np 3 \
		"$programs/mpi/jacobi2d" 67 5
	unset OMPI_MCA_pml
	check "the borders' bytes are counted, and some more for the largest change" \
		in_stdout sent_bytes $((2 * 2 * 67 * 8 * 5)) $((2 * 2 * 67 * 8 * 5 + 1000))
	check "the result is passed on" grep -q '^jacobi2d: n 67, ' "$work/stdout"
	module sent mpirun --oversubscribe -np 2 "$programs/mpi/jacobi2d" 1
	is_status 2 "so is a program's status"
}

test_resident() {
	module resident "$programs/cape/stencil1d" cape-run -np 3 "$programs/cape/stencil1d" 8 1500
	is_status 0 "a program's memory is watched"
	check "that of every node" in_stdout processes 3 3
	check "which holds at least its part of the arrays" in_stdout least_bytes $(((16 << 20) / 3)) \
		$((1 << 30))
	check "its monitors hold some, too" in_stdout monitor_bytes 1000000 $((1 << 30))
	module resident "$programs/cape/stencil1d" "$programs/openmp/lu" 50
	is_status 1 "another program is not taken for it"
	stderr_has '^resident: no process of .*stencil1d was seen' "and it says so"
}

while read -ra words; do
	twin "${words[@]}" </dev/null
done < <(grep -v '^#' "$root/tests/bench/small-apps")
test_sent
test_resident
plan_done
