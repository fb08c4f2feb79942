#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# gdb reads a core file that capectl has written, in a guest, of a process that runs on: its threads,
# their frames with arguments, its variables, and the libraries.  LONG=1: on each kernel.
. "$(dirname "$0")/../tap.sh"

for command in gdb qemu-system-x86_64 busybox cpio make; do
	if ! command -v $command >/dev/null; then
		echo "1..0 # SKIP no $command here; see scripts/install-deps --check"
		exit 0
	fi
done
cat >"$work/counting.c" <<'EOT'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static volatile int counter, started, known = 0x11223344;
static void count(int depth)
{
	if (depth)
		count(depth - 1);
	for (counter = 1, creat("/tmp/ready", 0600);;)
		counter += 2;
}
static void *other(void *argument)
{
	for (started = 1;;)
		pause();
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	while (!started)
		;
	count(3);
}
EOT
gcc -g -O0 -pthread -o "$work/counting" "$work/counting.c" || exit 1

# fetch_core KERNEL: by a disk.
fetch_core() {
	local size
	rm -f "$work/core"
	truncate -s 256M "$work/core"
	CAPE_BUILD=$build "$root/scripts/guest" --file "$work/counting" --disk "$work/core" "$1" \
		'counting & until [ -e /tmp/ready ]; do usleep 50000; done; capectl core $! -o /tmp/core
		capectl --json read $! known 4; capectl --json read $! optopt 4 | sed "s/.*bytes/other/"
		echo "core: $(stat -c %s /tmp/core)"; dd if=/tmp/core of=/dev/nvme0n1 bs=1M conv=fsync' \
		>"$work/console" 2>&1
	size=$(sed -n 's/^core: //p' "$work/console")
	truncate -s "${size:-0}" "$work/core"
}

console_has() {
	grep -q "$1" "$work/console"
}

mapfile -t kernels < <("$root/scripts/guest-kernel" --list)
[ -n "${LONG-}" ] || kernels=("${kernels[@]: -1}")
for kernel in "${kernels[@]}"; do
	fetch_core "$kernel"
	check "Linux $kernel: capectl finds the program's variable" console_has '"bytes": "44332211"'
	check "Linux $kernel: and a library's" console_has '^other": "3f000000"'
	run gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'print counter' \
		-ex 'info sharedlibrary' -ex 'thread apply all bt' "$work/counting" "$work/core" </dev/null
	stdout_has '^\$1 = [1-9]' "Linux $kernel: a variable"
	stdout_has '^0x[0-9a-f]+ .* /.*/libc\.so\.6$' "Linux $kernel: the libraries"
	stdout_has '^#[0-9].* count \(depth=3\) at .*counting\.c:' "Linux $kernel: frames of a thread"
	stdout_has '^#[0-9].* other \(argument=0x0\) at ' "Linux $kernel: and those of another"
done
plan_done
