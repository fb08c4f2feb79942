#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run in surroundings that are not as they should be: umask, variables, limits, working directory.
# It runs, or says what is in the way, and leaves nothing behind.
. "$(dirname "$0")/../tap.sh"

plan 37

# A user without a name, so that root's rights make nothing good.
user=$((60000 + $$ % 5000))
as_user=()
if [ "$(id -u)" -eq 0 ]; then
	as_user=("$(command -v setpriv)" "--reuid=$user" "--regid=$user" --clear-groups)
	chmod 755 "$work"
else
	user=$(id -u)
fi
mkdir -m 1777 "$work/home" "$work/tmp"
export HOME=$work/home TMPDIR=$work/tmp
cd "$work" || exit

cat >what.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

int main(int count, char **arguments)
{
	struct rlimit limit;
	int i, s = 0;

#pragma omp parallel for reduction(+ : s)
	for (i = 0; i < 10; i++)
		s += i;
	getrlimit(RLIMIT_FSIZE, &limit);
	printf("%d %03o %d", s, (unsigned)umask(0), limit.rlim_cur == 1024 * 1000);
	for (i = 1; i < count; i++)
		printf(" %s=%s", arguments[i], getenv(arguments[i]) ? getenv(arguments[i]) : "?");
	printf("\n");
	return system("env | grep CAPE_KEPT") == 0;
}
END
cape-cc what.c -o what

# under SETTING ARGUMENT...: the program as that user, after the shell's command SETTING.
under() {
	local setting=$1
	shift
	run bash -c "$setting; "'exec "$@"' - "${as_user[@]}" "$(command -v cape-run)" -np 2 \
		"$work/what" "$@" </dev/null
}

# no_folders: keepers may need a moment
no_folders() {
	soon bash -c "! compgen -G '/dev/shm/cape-run-$user-*' && [ -z \"\$(ls '$TMPDIR')\" ]"
}

for mask in 777 577 707 177 277 377 027; do
	under "umask $mask"
	stdout_is "45 $mask 0" "umask $mask is the program's alone"
done
check "no folder is left" no_folders

under : TMPDIR
stdout_is "45 $(umask | tail -c 4) 0 TMPDIR=$TMPDIR" "TMPDIR is the user's"
under 'unset TMPDIR' TMPDIR HOME
stdout_is "45 $(umask | tail -c 4) 0 TMPDIR=? HOME=$HOME" "none is none"
under 'unset HOME' HOME
stdout_is "45 $(umask | tail -c 4) 0 HOME=?" "no HOME, and no entry in passwd"
under 'unset PATH' PATH
refused 127 'mpirun is not installed, or not in PATH, which is not set' "no PATH"

while read -r limit value need; do
	under "ulimit -$limit $value"
	refused 1 "cape-run: the limit ulimit -$limit is $value .*$need.*; (raise|lift) it" \
		"ulimit -$limit $value is named"
done <<'END'
n 40 1024 open files
s 64 512 kB of stack
f 1000 file of 3 TB
d 10000 34 TB
v 1000000 34 TB
END
under 'ulimit -S -s 64'
is_status 0 "a limit that can be raised is raised"
under 'ulimit -S -f 1000'
stdout_is "45 $(umask | tail -c 4) 1" "... and the program has its own"

cat >signals.c <<'END'
#include <signal.h>
#include <stdio.h>
int main(void)
{
	struct sigaction action;
	sigset_t blocked;
	int s = 0;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < 10; i++)
		s += i;
	printf("%d", s);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigaction(i, NULL, &action) == 0)
			printf(" %d%s%s", i, action.sa_handler == SIG_IGN ? "i" : "",
			       sigismember(&blocked, i) ? "b" : "");
	printf("\n");
	return 0;
}
END
cape-cc signals.c -o signals && gcc -fopenmp signals.c -o signals-threads
for setting in --default-signal \
	'--ignore-signal=HUP,INT,QUIT,TERM,CHLD,PIPE,XFSZ,USR1,RTMAX --block-signal=CHLD,SEGV,USR2,RTMIN'; do
	# shellcheck disable=SC2086
	run env $setting cape-run -np 2 "$work/signals" </dev/null
	# shellcheck disable=SC2086
	stdout_is "$(env $setting ./signals-threads)" "the program has signals by ${setting%% *}"
done
if [ "$user" -ge 60000 ]; then
	under 'ulimit -u 10'
	refused 1 'cape-run: the limit ulimit -u is 10 .*2 nodes need' "ulimit -u 10 is named"
	under 'sleep 9 & ulimit -u 18'
	refused 1 'ulimit -u is 18 .*, of which this user has [0-9]+ already, but 2 nodes need 20 more; raise' \
		"so is one that is enough for a part of the threads"
else
	skip 2 "this user may have other processes"
fi

mkdir gone
cd gone || exit
rmdir ../gone
under :
is_status 1 "no working directory"
stderr_has 'cape-run: the path of the working directory is not known: No such .*change to another' "is told as that"
cd "$work" || exit
mkdir -m 555 closed
cd closed || exit
under :
is_status 0 "a working directory that cannot be written"
cd "$work" || exit
mkdir shut
cd shut || exit
chmod 0 .
under :
refused 1 "^cape-run: the nodes cannot run in the working directory $work/shut: Permission denied; .*--wdir" \
	"a working directory that may not be entered is named"
run "${as_user[@]}" "$(command -v cape-ckpt)" info "$work/shut"
stderr_has "^cape-ckpt: $work/shut: Permission denied\$" "a folder of saves that may not be read, too"
cd "$work" || exit

if unshare --pid --fork true 2>/dev/null; then
	run unshare --pid --fork cape-run -np 2 "$work/what" </dev/null
	refused 1 '/proc here is that of another PID namespace.*unshare --mount-proc' "another's /proc is told as that"
else
	skip 1 "unshare --pid is not allowed here"
fi
if command -v strace >/dev/null; then
	run strace -f --seccomp-bpf -e trace=exit_group -o /dev/null cape-run -np 1 "$work/what" </dev/null
	refused 126 'process [0-9]+ traces it already, .* --attach' "a program that is traced is told as that"
else
	skip 1 "no strace"
fi

cat >full.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define N (1 << 20)
static double a[N];

int main(void)
{
	double s = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		a[i] = i;
	if (system("head -c 200m /dev/zero >/dev/shm/full 2>/dev/null") < 0)
		return 1;
	for (int r = 0; r < 30; r++)
#pragma omp parallel for reduction(+ : s)
		for (int i = 0; i < N; i++)
			s += a[N - 1 - i] += i;
	printf("%g\n", s);
	return 0;
}
END
cape-cc -O2 full.c -o full || exit

# Where Open MPI's own shared memory has no room.
if unshare --mount true 2>/dev/null; then
	for case in '1m 3' '8m 1'; do
		run unshare --mount bash -c "mount -t tmpfs -o size=${case% *} none /dev/shm &&
			mount -t tmpfs -o size=${case% *} none '$TMPDIR' &&
			exec cape-run -np ${case#* } '$work/what'" </dev/null
		stdout_has '^45 ' "files of a run in ${case% *}, for ${case#* } nodes"
	done
	run unshare --mount bash -c "mount -t tmpfs -o size=64m none /dev/shm &&
		exec cape-run -np 3 '$work/full'" </dev/null
	stderr_has '^cape-run: /dev/shm is full, .*: make room there and run again$' \
		"what fills while a run shares memory through it is named"
else
	skip 3 "unshare --mount is not allowed here"
fi

# What mpirun writes before it has a folder of its own.
under 'export OMPI_MCA_ess=nonsense PRTE_MCA_ess=nonsense'
check "mpirun fails at the start" test "$status" -ne 0
check "... and is heard" test -s "$work/stderr"
check "... and leaves nothing" no_folders

# What Open MPI says is lost now and then, when the process that says so is ended at once.
for _ in 1 2 3 4 5 6 7 8; do
	under 'export OMPI_MCA_pml=nonsense'
	! grep -q "^cape-run: Open MPI has this from the environment: OMPI_MCA_pml=nonsense; .* unset OMPI_MCA_pml" \
		"$work/stderr" || break
done
check "a run that Open MPI does not start names what it has from the environment" \
	grep -q 'unset OMPI_MCA_pml' "$work/stderr"
