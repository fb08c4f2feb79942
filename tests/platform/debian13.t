#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 13, with its gcc 14, LLVM 19, glibc 2.41 and Open MPI 5.0: the demo from scratch, then the
# tests of what hangs on these most.  Costs minutes: all is built there that has changed.  LONG=1: all
# tests, but for those of left_out, with all that scripts/check installs.
. "$(dirname "$0")/../tap.sh"

release=trixie
some=(tests/run/{cli,death,exec,restart}.t tests/translator/compiler.t tests/programs/files.t)
# What apt says when the mirror is gone, or has what its lists name no more.
unreachable='Could not (connect|resolve)|Temporary failure resolving|Failed to fetch'
# The driver is built for the kernel of the machine, not of a chroot; layout is Debian 12's.
left_out='tests/driver tests/style.t tests/platform'

missing() {
	[ "$(id -u)" -eq 0 ] || { echo "root" && return; }
	command -v mmdebstrap >/dev/null || { echo "mmdebstrap" && return; }
	unshare --mount --pid --fork mount -t tmpfs none /mnt 2>/dev/null ||
		{ echo "unshare --mount --pid, and to mount there" && return; }
	timeout 30 /usr/lib/apt/apt-helper download-file \
		"${DEBIAN_MIRROR-http://deb.debian.org/debian}/dists/$release/Release" "$work/Release" \
		>/dev/null 2>&1 || echo "the network, and Debian's archive there"
}

skip_all() {
	echo "1..0 # SKIP Debian 13 is not tested: $*" >&3
	exit 0
}

there() {
	run "$root/scripts/debian" "$release" "$@" </dev/null
}

missing=$(missing)
[ -z "$missing" ] || skip_all "it needs $missing"
test_limit=3600 # of the packages, most of it, from a slow mirror
there true
if [ "$status" -eq 125 ] && grep -qE "$unreachable" "$work/stderr"; then
	skip_all "$(tail -n 1 "$work/stderr")"
fi

plan 5
is_status 0 "a new Debian 13"
if [ "$status" -ne 0 ]; then
	skip 4 "there is none"
	exit 1
fi
there scripts/demo 256
is_status 0 "scripts/demo in it"
stdout_has '^Both printed the same\.$' "... with the right result"
check "... and no word but the program's own" eval \
	'! grep -vE "^(Installing:|mamult2d: (init|run) time)" "$work/stderr"'

if [ -z "${LONG-}" ]; then
	test_limit=3600
	there scripts/test --jobs="$(nproc)" "${some[@]}"
else
	test_limit=14400
	there bash -c "scripts/install-deps --check && make -j$(nproc) all unit-tests &&
		scripts/test --jobs=$(nproc) \$(find build/tests/unit -type f -executable) \
			\$(ls -d tests/*/*.t | grep -vE '^(${left_out// /|})')"
fi
note "left out: $left_out, and without LONG=1 all but ${some[*]}"
is_status 0 "its tests"
