#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# traffic.t - what --stats calls sent is what goes over the network.
. "$(dirname "$0")/../tap.sh"

plan 9

cluster=$root/scripts/cluster
cluster_name=traffic$$

cat >"$work/fill.c" <<'END'
#include <stdio.h>
#include <stdlib.h>

static int filled[1 << 22];

/* Writes and reads SIZE numbers, by equal shares. */
int main(int count, char **argument)
{
	int size = atoi(argument[1]);
	long sum = 0;

	(void)count;
#pragma omp parallel for
	for (int i = 0; i < size; i++)
		filled[i] = i + 1;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < size; i++)
		sum += filled[i];
#ifdef CRITICAL
#pragma omp parallel
#pragma omp critical
	sum++;
#endif
	printf("%ld\n", sum > 0);
	return 0;
}
END
cape-cc -O2 "$work/fill.c" -o "$work/fill"
cape-cc -O2 -DCRITICAL "$work/fill.c" -o "$work/critical"

# statistics NODES [OPTION...] PROGRAM: of a run, in $work/stderr.
statistics() {
	run cape-run -np "$1" --exchange eager --stats=json "${@:2}" 4194304
	sed -i '/^cape-run: no .dev.cape/d' "$work/stderr"
}

# all EXPRESSION WHAT: holds for every node.
all() {
	check "$2" jq -e "all(.nodes[]; $1)" "$work/stderr"
}

statistics 4 "$work/critical"
is_status 0 "a program with large checkpoints runs"
all '.own_bytes > 4194304 and .own_bytes < 4300000' "a checkpoint is a quarter of what changed"
all '(.sent_own_bytes / .own_bytes) as $r | $r > 0.99 and $r < 1.01' "it is sent once, on the ring"
all '(.sent_forwarded_bytes / .own_bytes) as $r | $r > 1.98 and $r < 2.02' \
	"two others' are forwarded"
all '.sent_bytes == .sent_own_bytes + .sent_forwarded_bytes + .sent_service_bytes +
	.sent_output_bytes + .sent_input_bytes + .sent_fetched_bytes and .sent_service_bytes > 0' \
	"all kinds make up what is sent, a critical's messages too"

statistics 1 "$work/fill"
all '.own_bytes > 0 and .sent_bytes == 0' "one node sends nothing"

statistics 4 --method dickpt --model master-slave "$work/fill"
check "master-slave: slaves send their own, the broadcast is passed on, but not by the last" \
	jq -e '.nodes[0].sent_own_bytes > 16e6 and .nodes[0].sent_forwarded_bytes < 4000 and
	all(.nodes[1:][]; .sent_own_bytes > 5e6 and .sent_own_bytes < 6e6) and
	all(.nodes[1, 2]; .sent_forwarded_bytes > 16e6)' "$work/stderr"

# sent_by NODE: what the kernel has sent over its line.
sent_by() {
	ip -n "$cluster_name-$1" -json -statistics link show dev eth0 | jq '.[0].stats64.tx.bytes'
}

# Headers, acknowledgements and the start of the run come on top.
within_a_tenth() {
	local node counted
	for node in 1 2 3 4; do
		counted=$(jq ".nodes[$node - 1].sent_bytes" "$work/stderr")
		note "node $node: $counted bytes counted, $((after[node] - before[node])) by the kernel"
		((after[node] - before[node] >= counted)) || return 1
		((after[node] - before[node] <= counted + counted / 10)) || return 1
	done
}

if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	skip 2 "a network needs root and tc (package iproute2)"
	exit
fi
"$cluster" --name "$cluster_name" up 4 --rate unlimited --owner $$
for node in 1 2 3 4; do before[node]=$(sent_by "$node"); done
run "$cluster" --name "$cluster_name" run --nodes 4 "$build/bin/cape-run" -np 4 --exchange eager \
	--stats=json "$work/fill" 4194304
for node in 1 2 3 4; do after[node]=$(sent_by "$node"); done
is_status 0 "on a cluster"
check "the kernel's counters agree within a tenth" within_a_tenth
"$cluster" --name "$cluster_name" down
