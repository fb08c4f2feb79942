#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands beside the program: --wrap, --attach and --copy.
. "$(dirname "$0")/../tap.sh"

plan 28

cat >"$work/what.c" <<'END'
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
	int numbers[100], sum = 0;

#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		numbers[i] = i;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += numbers[i];
	printf("%d %s %s\n", sum, count > 1 ? arguments[1] : "-", getenv("WRAPPED") ? "!" : "clean");
#pragma omp parallel
	{
		int priority = sched_getscheduler(0);

#pragma omp critical
		printf("%d of %d: %d\n", omp_get_thread_num(), omp_get_num_threads(), priority);
	}
	return 3;
}
END
cape-cc -O1 -g "$work/what.c" -o "$work/what"
whole="4950 a b'c clean"

# 3 is SCHED_BATCH
run "${cape_run[@]}" -np 3 --verify --wrap '0,2-3:env WRAPPED=1 chrt --batch 0' "$work/what" "a b'c" </dev/null
is_status 3 "--wrap: the status is the program's"
stdout_has "^$whole\$" "... its arguments and environment are its own, its memory is alike"
check "... and the command was in front of the nodes that were chosen" \
	is "$(grep ' of ' "$work/stdout" | sort | tr '\n' ' ')" "0 of 3: 3 1 of 3: 0 2 of 3: 3 "

# Where node 0 alone fails, all know why.
cat >"$work/where.c" <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>

int main(void)
{
	int result, error, known = 0;
	struct statfs system;
	char *name = tempnam("where", NULL);

	errno = 0;
	result = statfs("where.c", &system);
	error = errno;
#pragma omp parallel reduction(+ : known)
	known += error == ENOENT;
	printf("%d, known to %d, %.9s\n", result, known, name);
	return 0;
}
END
cape-cc "$work/where.c" -o "$work/where"
mkdir "$work/a-long-name-of-a-folder"
run bash -c 'cd "$1" && TMPDIR=a-long-name-of-a-folder cape-run -np 3 --verify --wrap "0:env -C /" "$1/where"' - "$work"
stdout_is "-1, known to 3, /tmp/file" "errno of a call, and a temporary name, are node 0's on all nodes"

for command in 'true' 'no-such-command' 'gdb -batch -ex run --args'; do
	run "${cape_run[@]}" -np 2 --wrap "1:$command" "$work/what" </dev/null
	is_status 126 "--wrap $command is refused"
	stderr_has "^cape-run: node 1: --wrap ${command%% *}.* instead of becoming it" "... and told"
done
run "${cape_run[@]}" -np 2 --wrap 'no-such-command' "$work/what" </dev/null
stderr_has '^cape-run: --wrap: .*no-such-command: not found' "... a command that is missing by name"
for option in --wrap --attach; do
	run "${cape_run[@]}" -np 2 $option '1:' "$work/what"
	refused 2 "cape-run: $option needs a command" "$option without one is refused"
done
for nodes in 9 1-0 0-1-2 - "0,"; do
	run "${cape_run[@]}" -np 2 --wrap "$nodes:true" "$work/what"
	refused 2 "^cape-run: --wrap $nodes:true: the nodes must be some of 0 to 1, such as" \
		"nodes $nodes of 2 are refused"
done
run "${cape_run[@]}" -np 2 --method dickpt --attach 'gdb -p' "$work/what" </dev/null
is_status 2 "--attach with a method that traces is refused"
stderr_has 'attach: the method dickpt traces the program itself' "... and told"
if command -v gdb >/dev/null; then
	line=$(grep -n 'i < 100' "$work/what.c" | tail -n 1)
	run "${cape_run[@]}" -np 2 --verify --attach "1:gdb -batch -ex 'handle SIGSEGV nostop noprint pass' \
		-ex 'break what.c:${line%%:*}' -ex c -ex bt -ex 'print sum' -ex c -p" "$work/what" "a b'c" </dev/null
	is_status 3 "--attach: a debugger follows the program"
	stdout_has '^#2 .*in main .count=2' "... from its start on, in a region"
	# What gdb prints meanwhile may stand before it.
	stdout_has "$whole\$" "... and it is right"
else
	skip 3 "gdb is missing"
fi
run "${cape_run[@]}" -np 2 --attach true "$work/what" </dev/null
is_status 3 "a command that does not attach does not hold the program up"
stderr_has '^cape-run: node 1: --attach true: it ended without tracing the program, which continues$' \
	"... and is told"
mkdir "$work/away"
mv "$work/what" "$work/away/what"
run "${cape_run[@]}" -np 2 --verify --copy "$work/away/what" "a b'c" </dev/null
stdout_has "^$whole\$" "--copy runs a copy"

cluster=$root/scripts/cluster
cluster_name=wrap$$
if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
	skip 2 "needs root, and ip and tc (package iproute2)"
	exit
fi
cat >"$work/agent" <<-END
	#!/bin/bash
	exec unshare --mount bash -c 'mount -t tmpfs none "$work/away"; exec "\$@"' - \\
		/run/cape-cluster/$cluster_name/rsh "\$@"
END
chmod +x "$work/agent"
trap '"$cluster" --name "$cluster_name" down; finish' EXIT
"$cluster" --name "$cluster_name" up 3
for option in '' --copy; do
	run "$cluster" --name "$cluster_name" run env OMPI_MCA_plm_rsh_agent="$work/agent" \
		PRTE_MCA_plm_ssh_agent="$work/agent" \
		cape-run -np 3 $option "$work/away/what" "a b'c" </dev/null
	if [ -n "$option" ]; then
		stdout_has "^$whole\$" "--copy brings the program to machines that have it not"
	else
		is_status 127 "without --copy they miss it"
	fi
done
