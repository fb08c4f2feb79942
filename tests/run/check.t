#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --check finds what is wrong with a machine, names it, and says what mends it.
. "$(dirname "$0")/../tap.sh"

plan 53

cluster=$root/scripts/cluster
cluster_name=check$$
agent=$work/agent
libm=$(realpath /lib/*-linux-gnu/libm.so.6 | head -n 1)

# Programs of node2 as they may be: each folder in front of what is usual.
make_folders() {
	mkdir "$work/run" "$work/tools" "$work/other" "$work/empty"
	ln -s "$(command -v sh)" "$(command -v sed)" "$(command -v mpirun)" "$work/tools"
	printf '#!/bin/sh\necho "mpirun (Open MPI) 9.9.9"\n' >"$work/other/mpirun"
	chmod +x "$work/other/mpirun"
	{ cat "$build/bin/cape-monitor" && echo; } >"$work/monitor"
	{ cat "$libm" && echo; } >"$work/libm"
	sed 's/\bsse2\b//' /proc/cpuinfo >"$work/cpuinfo"
	chmod +x "$work/monitor" "$work/libm"
	printf '%s\n' '#include <math.h>' '#include <stdio.h>' 'int main(int count, char **v)' '{' \
		'double s = count;' '#pragma omp parallel for reduction(+ : s)' \
		'for (int i = 0; i < 10; i++) s += sin(i);' 'printf("%g\n", s);' \
		'return 0; }' >"$work/run/what.c"
	cape-cc -O2 "$work/run/what.c" -o "$work/run/what" -lm
	{ cat "$work/run/what" && echo; } >"$work/what"
	chmod +x "$work/what"
}

# How node2 is reached: with the fault that $FAULT names.
make_agent() {
	cat >"$work/agent" <<-END
		#!/bin/bash
		real=/run/cape-cluster/$cluster_name/rsh
		mounted() {
			exec unshare --mount bash -c "\$1"'; exec "\$@"' - "\$real" "\${words[@]}"
		}
		words=("\$@")
		[ "\$1" = node2 ] || exec "\$real" "\$@"
		case \$FAULT in
		password) echo "me@node2: Permission denied (publickey,password)." >&2; exit 255 ;;
		name) echo "ssh: Could not resolve hostname node2: unknown" >&2; exit 255 ;;
		cape) mounted "mount --bind '$work/empty' '$build/bin'" ;;
		monitor) mounted "mount --bind '$work/monitor' '$build/bin/cape-monitor'" ;;
		library) mounted "mount --bind '$work/libm' '$libm'" ;;
		processor) mounted "mount --bind '$work/cpuinfo' /proc/cpuinfo" ;;
		program) mounted "mount --bind /dev/null '$work/run/what'" ;;
		another) mounted "mount --bind '$work/what' '$work/run/what'" ;;
		directory) mounted "mount -t tmpfs none '$work'" ;;
		room) mounted "mount -t tmpfs -o size=100k none /dev/shm" ;;
		orted) exec "\$real" node2 "PATH='$work/tools'; \${*:2}" ;;
		version) exec "\$real" node2 "PATH='$work/other':\\\$PATH; \${*:2}" ;;
		files) ulimit -n 40 ;;
		addresses) ulimit -v 100000000 ;;
		processors) exec taskset -c "\$(taskset -cp \$\$ | grep -oE '[0-9]+' | tail -n 1)" \\
			"\$real" "\$@" ;;
		esac
		exec "\$real" "\$@"
	END
	chmod +x "$work/agent"
}

# check_with FAULT OPTION...
check_with() {
	run "$cluster" --name "$cluster_name" run env FAULT="$1" MALLOC_PERTURB_=90 \
		OMPI_MCA_plm_rsh_agent="$agent" PRTE_MCA_plm_ssh_agent="$agent" \
		cape-run --check "${@:2}"
}

# is_found FAULT TEXT MEND: node2, and no other machine, has that fault and that mend.
is_found() {
	check_with "$1" -np 3 ./what
	check "$1: it is found on node2, and nowhere else" awk -v text="$2" -v mend="$3" '
		/^[^ ]/ { machine = $1 }
		/^  fault: / { faults += machine == "node2:" && $0 ~ text; wrong += machine != "node2:" }
		/^    mend: / { mends += machine == "node2:" && $0 ~ mend }
		END { exit !(faults == 1 && mends >= 1 && !wrong) }' "$work/stdout"
	is_status 1 "... and that is the status"
}

run cape-run --check --protect driver
if [ -e /dev/cape ]; then
	skip 2 "the driver is loaded here"
else
	is_status 1 "a driver that is asked for and missing is a fault"
	stdout_has 'fault: cape.ko does not serve here: /dev/cape: No such file' "by name"
fi
run bash -c 'ulimit -n 40; cape-run --check'
stdout_has 'fault: the limit ulimit -n is 40 here' "a limit of this machine is found"
run env SLURM_JOB_ID=1 SLURM_TASKS_PER_NODE=2 SLURM_JOB_NODELIST=a SLURM_NNODES=1 cape-run --check
stderr_has 'does not print the machines of Slurm.s job 1' "in a job of Slurm it asks Slurm"
run cape-run --check "$work/missing"
is_status 127 "a program that is missing here is refused"

# A name that ssh would take as an option.
printf 'localhost slots=1\n-oProxyCommand=touch$IFS%s\n' "$work/option" >"$work/hosts"
run cape-run --check --hostfile "$work/hosts"
is_status 1 "a host file with an option as a name is refused"
stderr_has "^cape-run: $work/hosts:2: this is not the name of a machine" "... with its line"
run cape-run --check -H 'localhost,-oProxyCommand=x'
stderr_has '^cape-run: -H: a machine.s name does not begin with a dash' "a list with one is, too"

echo 'localhost max_slots=9 slots=2' >"$work/hosts"
run cape-run --check --hostfile "$work/hosts"
stdout_has '^localhost: 2 nodes;' "slots are not the most slots"

echo localhost >"$work/hosts"
run env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	mpirun --hostfile "$work/hosts" echo a node
slots=$(grep -c 'a node' "$work/stdout")
run cape-run --check --hostfile "$work/hosts"
stdout_has "^localhost: $slots nodes?;" "without slots it is as many as mpirun starts"
: >"$work/hosts"
run cape-run --check --hostfile "$work/hosts"
refused 1 'names no machine$' "an empty host file is refused"
run cape-run --check --hostfile "$work"
refused 1 'Is a directory$' "a folder is, too"

printf '%s\n' '#!/bin/sh' "sleep 100 & echo \$! >'$work/began'" 'wait' >"$work/slow"
chmod +x "$work/slow"
env OMPI_MCA_plm_rsh_agent="$work/slow" PRTE_MCA_plm_ssh_agent="$work/slow" \
	cape-run --check -H 192.0.2.1 >/dev/null 2>&1 &
command_text='cape-run --check, and SIGTERM'
check "a machine is asked" soon test -s "$work/began"
kill -TERM $!
wait $!
check "a signal ends the check" is $? 143
is_gone() {
	! kill -0 "$(cat "$work/began")" 2>/dev/null
}
check "... and what the agent had started" soon is_gone

# What is checked is not run, by no shell and not for its libraries.
echo 'int main(void) { return 0; }' >"$work/name.c"
cape-cc "$work/name.c" -o "$work/p'; touch \$INJECTED; echo '"
run env INJECTED="$work/injected" cape-run --check "$work/p'; touch \$INJECTED; echo '"
is_status 0 "a program may have any name"
check "... which no shell reads" test ! -e "$work/injected"
printf '%s\n' '#include <stdio.h>' 'int main(void) { fclose(fopen("'"$work/ran"'", "w")); }' \
	>"$work/static.c"
objcopy --dump-section .note.cape="$work/note" "$work"/p* "$work/copy"
if gcc -static "$work/static.c" -o "$work/static" 2>"$work/why"; then
	objcopy --add-section .note.cape="$work/note" "$work/static"
	run cape-run --check "$work/static"
	is_status 0 "a static program is looked at"
	check "... and not run" test ! -e "$work/ran"
else
	skip 2 "no static program can be built here"
fi

if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	skip 32 "needs root, and ip and tc (package iproute2)"
	exit
fi
trap '"$cluster" --name "$cluster_name" down; finish' EXIT
make_folders
make_agent
cd "$work/run" || exit
"$cluster" --name "$cluster_name" up 3
while read -r fault text; do
	is_found "$fault" "${text%%|*}" "${text#*|}"
done <<END
password agent does not reach it: .*Permission denied|ssh-copy-id node2
name Could not resolve hostname|/etc/hosts
cape CAPE is not installed at $build/bin|same path
monitor CAPE is another one than on node1|scp .*node2:
orted daemon .orted. is not in PATH|openmpi-bin
program the program ./what: |scp -p ./what node2:./what
another the program is another file than on node1|scp -p ./what node2:./what
directory the working directory .*: No such file|mkdir -p
library the library libm.so.6 is another one than on node1|apt-get
processor another type than on node1: it has no sse2|-H
room /dev/shm, where a run's files are, has no room|remount
files ulimit -n is 40|ulimit -n 1024
END
check_with program --copy -np 3 ./what
is_status 0 "a program that is copied need not be there"
check_with version -np 3 ./what
stdout_has 'fault: Open MPI is another version than on node1: 9.9.9, there' "another Open MPI is found"
check_with processors -np 12 ./what
stdout_has 'note: 4 nodes share 1 processor' "a processor that is shared is noted"
ip netns exec "$cluster_name-switch" bridge link set dev port2 isolated on
ip netns exec "$cluster_name-switch" bridge link set dev port3 isolated on
check_with none -np 3 ./what
stdout_has 'fault: nodes 1 and 2 do not reach each other' "a cut between two machines is found"
ip netns exec "$cluster_name-switch" bridge link set dev port2 isolated off
check_with none -np 3 ./what
is_status 0 "with nothing wrong there is no fault"
stdout_has '^  every machine reaches every other one$' "... and all nodes meet"
agent="no-such-agent -x : $work/agent"
check_with none -np 3 ./what
is_status 0 "of a list of agents the first is used that is there"
# shellcheck disable=SC2016 # for the shell there
run "$cluster" --name "$cluster_name" run bash -c 'cape-run --check -np 3 ./what || exit 2
	for ((i = 0; i < 1000; i++)); do
		[ -n "$(ls /dev/shm)" ] || exit 0
		sleep 0.1
	done
	ls /dev/shm >&2
	exit 1'
is_status 0 "nothing is left of it"
mkdir "$work/half"
cp -r "$build/bin" "$build/lib" "$work/half"
printf '#!/bin/sh\necho cape-monitor 0.0.9\n' >"$work/half/bin/cape-monitor"
run "$work/half/bin/cape-run" --check "$work/run/what"
check "with half of another CAPE there is a fault" [ "$status" -ne 0 ]
stdout_has 'fault: the monitor is cape-monitor 0.0.9, and cape-run is of version' "... which is named"
