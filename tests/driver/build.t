#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver builds for each kernel without a warning of gcc (W=1) or sparse, installs, and is as
# the kernel's own style wants it.  LONG=1: dkms builds it for each.
. "$(dirname "$0")/../tap.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the driver is for x86-64"
	exit 0
fi
mapfile -t kernels < <("$root/scripts/guest-kernel" --list)
dkms_kernels=("${kernels[0]}")
[ -z "${LONG-}" ] || dkms_kernels=("${kernels[@]}")
plan $((3 * ${#kernels[@]} + 2 * ${#dkms_kernels[@]} + 3))
test_limit=600
cache=${CAPE_GUEST_CACHE-$root/build/guest}

for kernel in "${kernels[@]}"; do
	run "$root/scripts/guest-kernel" "$kernel"
	is_status 0 "Linux $kernel: there are headers, and the driver builds"
	module=$cache/$kernel/kmod
	if command -v sparse >/dev/null; then
		check "Linux $kernel: no warning of gcc or sparse" \
			eval '[ -e "$module/cape.ko" ] && ! grep -iE "(warning|error):" "$module.log"'
	else
		skip 1 "no sparse here"
	fi
	run make -C "$module" KDIR="$cache/$kernel/tree" modules_install INSTALL_MOD_PATH="$work/root"
	release=$(cut -d' ' -f1 "$cache/$kernel/release")
	check "Linux $kernel: make modules_install" \
		is "$(find "$work/root/lib/modules/$release" -name 'cape.ko*' | wc -l)" 1
done

cp -r "$root/kmod" "$work/cape-0.1.0"
for kernel in "${dkms_kernels[@]}"; do
	if ! command -v dkms >/dev/null; then
		skip 2 "no dkms here"
		continue
	fi
	release=$(cut -d' ' -f1 "$cache/$kernel/release")
	mkdir "$work/dkms-$kernel"
	run dkms build -m cape -v 0.1.0 -k "$release" --kernelsourcedir "$cache/$kernel/tree" \
		--sourcetree "$work" --dkmstree "$work/dkms-$kernel"
	is_status 0 "Linux $kernel: dkms builds it"
	check "Linux $kernel: and has it" \
		test -s "$work/dkms-$kernel/cape/0.1.0/$release/x86_64/module/cape.ko"
done

run make -C "$root/kmod" udev_install DESTDIR="$work/root"
check "make udev_install" grep -q '^KERNEL=="cape"' "$work/root/etc/udev/rules.d/60-cape.rules"
run make -C "$root/kmod" -n modules
stdout_has "/lib/modules/$(uname -r)/build M=" "the kernel that runs is the one that is built for"

kernel_source=/usr/src/linux-source-6.1.tar.xz
if [ -e $kernel_source ]; then
	tar -C "$work" -xf $kernel_source --strip-components=2 --occurrence=1 \
		linux-source-6.1/scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch}
	run perl "$work/checkpatch.pl" --no-tree --strict --terse --no-summary -f \
		"$root"/kmod/{.,*}/*.[ch] "$root"/tests/driver/toy/*.c
	check "checkpatch.pl --strict finds nothing" is "$status$(cat "$work/stdout")" 0
else
	skip 1 "no $kernel_source here (package linux-source-6.1), which has checkpatch.pl"
fi
