#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bench/npb: what it says of a kernel in all forms, and of trees that are none.
#
# The trees have one kernel each, of a few lines, that prints what those of NPB print.
. "$(dirname "$0")/../tap.sh"

plan 13
export CAPE_BUILD=$build

npb() {
	run "$root/bench/npb" "$@"
}

# tree NAME COMPILER: with the kernel EP, whose source is the standard input.
tree() {
	mkdir -p "$work/$1/sys" "$work/$1/EP"
	touch "$work/$1/sys/setparams.c"
	echo "CCOMPILE = \$($2) -c" >"$work/$1/sys/make.common"
	printf '%s\n' "include ../config/make.def" \
		"../bin/ep.\$(CLASS): ep.c; ${3-\$($2)} \$(CFLAGS) -o \$@ ep.c" >"$work/$1/EP/Makefile"
	cat >"$work/$1/EP/ep.c"
}

tree omp CC <<'EOF'
#include <stdio.h>
static int sum[40];
int main(void)
{
	int all = 0;
#pragma omp parallel for
	for (int i = 0; i < 40; i++)
		sum[i] = i;
	for (int i = 0; i < 40; i++)
		all += sum[i];
	printf(" Time in seconds = 0.00\n Verification = %s\n", all == 780 ? "SUCCESSFUL" : "UNSUCCESSFUL");
	return 0;
}
EOF
tree mpi MPIFC mpicc <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	static char text[250000];
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv_replace(text, sizeof(text), MPI_CHAR, (rank + 1) % size, 0,
			     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf(" Time in seconds = 0.00\n Verification = SUCCESSFUL\n");
	return MPI_Finalize();
}
EOF

npb
is_status 2 "no tree is refused"
stderr_has 'NPB_DIR is not set' "and what names it is told"
npb --dir "$work/mpi"
stderr_has 'is no tree of NPB in OpenMP C: sys/make\.common has no CC' "so is a tree of MPI"
npb --dir "$work/omp" --mpi-dir "$work/omp"
stderr_has 'NPB_MPI_DIR: .* no tree of NPB in MPI' "and one of OpenMP for MPI"
npb --dir "$work/omp" --forms cape,pthreads
stderr_has 'pthreads: there are serial, openmp, mpi, cape' "a form that there is not is refused"

npb --dir "$work/omp" --mpi-dir "$work/mpi" --np 1,3 --verify
is_status 0 "all forms are built, run and verified"
stdout_has '^kernel .* serial s +openmp s +mpi s +cape s +mpi MB +cape MB$' "side by side"
stdout_has '^EP +S +1 +SUCCESSFUL( +0\.00){4} +0\.000 +0\.000$' "one node sends nothing"
stdout_has '^EP +S +3 +SUCCESSFUL( +0\.00){4} +0\.750 +0\.0[0-9]{2}$' "Open MPI's bytes are those sent"
npb --dir "$work/omp" --np 2 --json
has() {
	jq -e "$@" >/dev/null
}
check "JSON has the same, without MPI" has \
	'.rows[0].forms | (keys | sort) == ["cape", "openmp", "serial"] and .cape.bytes > 0' \
	"$work/stdout"

sed -i 's/all == 780/all == 781/' "$work/omp/EP/ep.c"
npb --dir "$work/omp" --np 2 --forms openmp,cape
is_status 1 "what does not verify fails"
stdout_has '^EP +S +2 +UNSUCCESSFUL +- +- +-$' "and has no time"
echo 'nonsense' >>"$work/omp/EP/ep.c"
npb --dir "$work/omp" --np 2 --forms cape
stdout_has 'cape: .*ep\.c:.*error: ' "what is not built is shown with its error"
