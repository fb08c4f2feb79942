#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A line that goes down while a run is on it: the run ends, and names node and machine.
. "$(dirname "$0")/../tap.sh"

plan 14

cluster=$root/scripts/cluster
cluster_name=lost$$

is_begun() {
	grep -q 'step 3' "$work/stdout"
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# cut NODE STEPS OPTION...: a run on 3 machines, whose line to NODE goes down; its status is in
# $status.
cut() {
	local runner
	: >"$work/stdout"
	command_text="cut $*"
	"$cluster" --name "$cluster_name" run cape-run --lost-after 2 "${@:3}" -np 3 "$work/steps" \
		"$2" 20 </dev/null >"$work/stdout" 2>"$work/stderr" &
	runner=$!
	soon is_begun
	ip netns exec "$cluster_name-$1" ip link set eth0 down
	soon has_ended "$runner" || soon has_ended "$runner"
	kill -KILL "$runner" 2>/dev/null && note "it did not end within 20 seconds"
	status=0
	wait "$runner" || status=$?
	ip netns exec "$cluster_name-$1" ip link set eth0 up
}

if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	skip 14 "needs root, and ip and tc (package iproute2)"
	exit
fi
trap '"$cluster" --name "$cluster_name" down; finish' EXIT
cape-cc -O2 "$root/tests/run/faults/steps.c" -o "$work/steps"
"$cluster" --name "$cluster_name" up 3
cut 2 100000
is_status 1 "a line that goes down ends the run"
stderr_has 'node 1 on node2 does not answer any more' "node and machine are named"
check "by one line" is "$(wc -l <"$work/stderr")" 1
cut 1 100000
is_status 1 "so does node 0's line"
stderr_has 'node [12] on node[23] does not answer any more' "which misses all others"
run "$cluster" --name "$cluster_name" run cape-run --lost-after 2 -np 3 "$work/steps" 5 20 </dev/null
check "the next run is right" grep -q '^end$' "$work/stdout"
: >"$work/stdout"
"$cluster" --name "$cluster_name" run cape-run -np 3 "$work/steps" 100000 20 </dev/null \
	>"$work/stdout" 2>"$work/stderr" &
soon is_begun
for pid in $(ip netns pids "$cluster_name-3"); do
	[[ $(cat "/proc/$pid/comm") != [op]rted ]] || kill -KILL "$pid"
done
check "mpirun's daemon is killed: the run ends" soon has_ended $!
# Open MPI 5's mpirun ends before the node can say so.
stderr_has 'node 2: [op]rted, which mpirun had started on node3, has died|Remote daemon: .* on node node3$' \
	"its machine is named"
# On node 1's own folder: all machines here see it.
cut 3 100 --checkpoint "$work/saved" --every 1 --max-restarts 3
is_status 0 "a run that is saved goes on without a machine that is lost"
stderr_has "goes on from $work/saved/[0-9]*, without node3 \(restart 1 of 3\)\$" "and says so"
check "by one line more" is "$(wc -l <"$work/stderr")" 2
sort -u "$work/stdout" >"$work/printed"
run cape-run -np 1 "$work/steps" 100 0
check "and prints what it should" cmp "$work/printed" <(sort -u "$work/stdout")

# tell_to_go_on PID: it and all that it has started, as a batch system does after a pause.
tell_to_go_on() {
	local child

	kill -CONT "$1" 2>/dev/null
	for child in $(pgrep -P "$1"); do
		tell_to_go_on "$child"
	done
}

"$cluster" --name "$cluster_name" run cape-run -np 3 "$work/steps" 5 20 </dev/null \
	>"$work/stdout" 2>"$work/stderr" &
runner=$!
for ((i = 0; i < 8; i++)); do
	tell_to_go_on "$runner"
	sleep 0.1
done
status=0
wait "$runner" || status=$?
check "SIGCONT while machines are being reached takes no output away" \
	is "$status $(tail -n 1 "$work/stdout")" "0 end"
check "... and no word is said of it" is "$(cat "$work/stderr")" ""
