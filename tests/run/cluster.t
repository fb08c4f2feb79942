#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/cluster: nodes of their own, at the speed that was asked for; nothing is left behind.
. "$(dirname "$0")/../tap.sh"

plan 29

cluster=$root/scripts/cluster
cluster_name=test$$

# Moves 3 MB from node2 to node1 and prints the Mbit/s.
cat >"$work/speed.py" <<'END'
import socket, subprocess, sys, time

SENDER = """
import socket
line = socket.create_connection(("node1", 5001))
line.sendall(bytes(3 << 20))
"""
server = socket.create_server(("node1", 5001))
sender = subprocess.Popen([sys.argv[1], "node2", "python3", "-c", "'" + SENDER + "'"])
line, _ = server.accept()
got = len(line.recv(1 << 16))
started, counted = time.monotonic(), 0
while data := line.recv(1 << 16):
    counted += len(data)
print(counted * 8e-6 / (time.monotonic() - started))
sys.exit(sender.wait())
END

is_gone() {
	! ip netns list | grep -q "^$cluster_name-" && [ ! -e "/run/cape-cluster/$cluster_name" ] &&
		! pgrep -f "$cluster_name" >/dev/null
}

# nothing_left: soon neither namespaces nor processes nor files.
nothing_left() {
	soon is_gone && return
	pgrep -af "$cluster_name"
	return 1
}

none_sleeps() {
	! pgrep -f "sleep 98$$" >/dev/null
}

no_process_left() {
	soon none_sleeps
}

sleeping() {
	[ "$(pgrep -cf "^sleep 98$$")" -ge "$1" ]
}

# start_sleeping NODES [COMMAND...]: a run by COMMAND that does not end by itself; its process is $!.
start_sleeping() {
	"${@:2}" "$cluster" --name "$cluster_name" run mpirun --allow-run-as-root -np "$1" sleep "98$$" &
	soon sleeping "$1"
}

test_words() {
	run "$cluster" nonsense
	is_status 2 "an unknown command is refused"
	stderr_has "no command 'nonsense'" "by name"
	for nodes in 0 251 x ''; do
		run "$cluster" --name "$cluster_name" up "$nodes"
		stderr_has 'number of nodes must be' "'$nodes' nodes are refused"
	done
	run "$cluster" --name "$cluster_name" up 2 --rate fast
	stderr_has "^cluster: --rate must be like 100mbit.*'fast'" "a rate that is none is refused"
	run "$cluster" --name '../x' status
	stderr_has '^cluster: --name must be' "a name that is a path is refused"
	if unshare --user true 2>/dev/null; then
		run unshare --user "$cluster" --name "$cluster_name" up 2
		stderr_has '^cluster: up needs root' "it says that it needs root"
	else
		skip 1 "no user namespace can be made here, as in a chroot"
	fi
}

test_up() {
	run "$cluster" --name "$cluster_name" run true
	stderr_has 'is not up; first:' "nothing runs where nothing is up"
	run "$cluster" --name "$cluster_name" up 3 --rate 100mbit
	is_status 0 "3 nodes come up"
	run "$cluster" --name "$cluster_name" up 2
	stderr_has 'is up already; first: .*down' "not twice"
	run "$cluster" status
	stdout_has "^$cluster_name: 3 nodes, 100mbit$" "status knows them"
	check "no address is seen outside" test -z "$(ip -o address | grep -F 10.77.)"
	run "$cluster" --name "$cluster_name" run --nodes 4 true
	stderr_has 'must be a number from 1 to 3' "a run on more nodes than there are is refused"
}

# A processor that is busy otherwise may make the line seem slower, but not always.
line_is_limited() {
	local tries reached=0
	for ((tries = 0; tries < 20 && !reached; tries++)); do
		run "$cluster" --name "$cluster_name" run \
			sh -c 'exec python3 "$0" "$TMPDIR/rsh"' "$work/speed.py"
		awk '{ exit !($1 < 102) }' "$work/stdout" || return 1
		reached=$(awk '{ print ($1 > 80) }' "$work/stdout")
	done
	[ "$reached" = 1 ]
}

test_run() {
	run "$cluster" --name "$cluster_name" run sh -c 'hostname; read -r line; echo "$line"; exit 7' <<<word
	is_status 7 "the exit status is the program's"
	stdout_is "node1
word" "it runs on node1 and reads standard input"
	run "$cluster" --name "$cluster_name" run mpirun --allow-run-as-root -np 3 hostname
	check "mpirun uses every node" is "$(sort "$work/stdout" | tr '\n' ' ')" "node1 node2 node3 "
	check "the line has 100 Mbit/s, and never more" line_is_limited
}

test_ends() {
	start_sleeping 3
	kill -KILL $!
	check "kill -9 of a run ends all of it" no_process_left
	start_sleeping 3
	kill -TERM $!
	wait $!
	check "SIGTERM's status is told" is $? 143
	check "and nothing is left of the run" no_process_left
	# A shell starts what is in the background deaf to Ctrl-C.
	start_sleeping 2 env --default-signal=INT setsid
	kill -INT -- -$!
	wait $!
	check "Ctrl-C's status is told" is $? 130
	check "and nothing is left of the run" no_process_left
	start_sleeping 2
	run "$cluster" --name "$cluster_name" down
	is_status 0 "down succeeds while something runs"
	check "and leaves nothing" nothing_left
	run "$cluster" --name "$cluster_name" down
	is_status 0 "down is happy with nothing"
	sleep 100 &
	run "$cluster" --name "$cluster_name" up 2 --owner $!
	is_status 0 "a cluster with an owner comes up"
	kill -KILL $!
	check "it goes when its owner is killed" nothing_left
}

test_words
if [ "$(id -u)" -ne 0 ]; then
	skip 20 "only root can make network namespaces"
elif ! command -v tc >/dev/null; then
	skip 20 "ip and tc are missing (package iproute2)"
else
	trap '"$cluster" --name "$cluster_name" down; finish' EXIT
	test_up
	test_run
	test_ends 2>/dev/null
fi
