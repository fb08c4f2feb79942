#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# apps-mpi.t - the MPI twins of bench/apps, small, print what the OpenMP programs print.
#
# Their exit status is that of their self-check.
. "$(dirname "$0")/../tap.sh"

test_limit=120
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

while read -ra words; do
	twin "${words[@]}" </dev/null
done < <(grep -v '^#' "$root/tests/bench/small-apps")
plan_done
