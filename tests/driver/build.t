#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver builds for each kernel without a warning of gcc (W=1) or sparse, installs, and is as
# the kernel's own style wants it.
. "$(dirname "$0")/../tap.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the driver is for x86-64"
	exit 0
fi
mapfile -t kernels < <("$root/scripts/guest-kernel" --list)
plan $((5 * ${#kernels[@]} + 3))
test_limit=300
source=$work/cape-0.1.0
cache=${CAPE_GUEST_CACHE-$root/build/guest}

# Every file was looked at, and nobody said anything about it.
built_without_complaint() {
	is "$status" 0 && [ ! -s "$work/stderr" ] && ! grep -iE '(warning|error):' "$work/stdout" &&
		is "$(grep -c '^  CHECK ' "$work/stdout")" "$(find "$source" -name '*.c' \
			! -name '*.mod.c' | wc -l)"
}

make_module() {
	run make -C "$source" KDIR="$cache/$kernel/tree" "$@"
}

for kernel in "${kernels[@]}"; do
	run "$root/scripts/guest-kernel" "$kernel"
	is_status 0 "Linux $kernel: there are headers, and the driver builds"
	release=$(cut -d' ' -f1 "$cache/$kernel/release")
	rm -rf "$source"
	cp -r "$root/kmod" "$source"
	if command -v sparse >/dev/null; then
		make_module W=1 C=2
		check "Linux $kernel: no warning of gcc or sparse" built_without_complaint
	else
		make_module
		skip 1 "no sparse here"
	fi
	make_module modules_install INSTALL_MOD_PATH="$work/root"
	check "Linux $kernel: make modules_install" \
		is "$(find "$work/root/lib/modules/$release" -name 'cape.ko*' | wc -l)" 1
	if ! command -v dkms >/dev/null; then
		skip 2 "no dkms here"
		continue
	fi
	make_module clean
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
		"$root"/kmod/*.[ch] "$root"/kmod/uapi/*.h "$root"/tests/driver/toy/*.c
	check "checkpatch.pl --strict finds nothing" is "$status$(cat "$work/stdout")" 0
else
	skip 1 "no $kernel_source here (package linux-source-6.1), which has checkpatch.pl"
fi
