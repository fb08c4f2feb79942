#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# handed-on.t - pipelines on machines of their own, whose programs hand on to each other.
. "$(dirname "$0")/../tap.sh"

cluster=$root/scripts/cluster
cluster_name=handed$$
programs=("$root"/tests/programs/pipeline-*.c)

plan "${#programs[@]}"

if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	skip "${#programs[@]}" "needs root, and ip and tc (package iproute2)"
	exit
fi
trap '"$cluster" --name "$cluster_name" down; finish' EXIT
"$cluster" --name "$cluster_name" up 4 --owner $$

for program in "${programs[@]}"; do
	name=$(basename "$program" .c)
	gcc -O2 -fopenmp -w "$program" -o "$work/$name.threads" -lm
	OMP_NUM_THREADS=4 "$work/$name.threads" >"$work/expected" </dev/null
	run "$cluster" --name "$cluster_name" run cape-run --verify -np 4 \
		"$(compiled "programs/$name")" </dev/null
	stdout_is "$(cat "$work/expected")" "$name: four machines print what four threads do"
done
