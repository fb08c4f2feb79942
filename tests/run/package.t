#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Packages: built without lintian's complaint, installed on a clean system, used by an ordinary user
# there, removed without a trace.
. "$(dirname "$0")/../tap.sh"

tests=19
test_limit=1800
chroot=$root/tests/run/package/chroot

# What the host lacks, or nothing.
lacks() {
	local name
	for name in mmdebstrap dpkg-buildpackage dh dh_dkms lintian; do
		command -v "$name" >/dev/null || echo "$name is missing"
	done
	git -C "$root" rev-parse --git-dir >/dev/null 2>&1 || echo "this is no repository"
	# shellcheck disable=SC1091 # part of the system
	. /etc/os-release
	is "$ID" debian || echo "this is $ID, not Debian"
	timeout 60 /usr/lib/apt/apt-helper download-file \
		"http://deb.debian.org/debian/dists/$VERSION_CODENAME/InRelease" "$work/release" \
		>/dev/null 2>&1 || echo "Debian's archive of ${VERSION_CODENAME-no name} cannot be reached"
}

clean_up() {
	rm -rf --one-file-system "${system:?}"
	finish
}

there() {
	run "$chroot" run "$system" "$@"
}

# as_user COMMAND...: in the home of somebody who is not root.
as_user() {
	there setpriv --reuid=1234 --regid=1234 --clear-groups env HOME=/home/user \
		sh -c 'cd && exec "$@"' as_user "$@" </dev/null
}

all_files() {
	"$chroot" run "$system" find / -xdev \( -path /home -o -path /srv -o -path /tmp \) -prune -o -print |
		sort
}

apt_get() {
	there apt-get -q -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "$@"
}

test_build() {
	local packager='A & B/C'
	mkdir -p "$work/packages/cape"
	touch "$work/packages/other.deb"
	cd "$work" || return
	run env DEBFULLNAME="$packager" "$root/scripts/package" --check packages
	is_status 0 "scripts/package builds packages, and lintian finds nothing"
	check "what was in the folder before is still there" \
		eval 'rm "$work/packages/other.deb" && rmdir "$work/packages/cape"'
	check "the packager's name is as it was given" is \
		"$(dpkg-deb --field packages/cape_*.deb Maintainer)" "$packager <cape@localhost>"
	check "there are four" is \
		"$(cd "$work/packages" && printf '%s\n' *.deb | sed 's/_.*//' | sort | paste -sd ' ')" \
		"cape cape-bench cape-dkms libcape-dev"
}

test_install() {
	local paths
	cp -r "$work/packages" "$system/srv/packages"
	all_files >"$work/before"
	apt_get update
	is_status 0 "a clean system knows Debian's packages"
	(cd "$system" && printf '/%s\n' srv/packages/*.deb) >"$work/paths"
	mapfile -t paths <"$work/paths"
	apt_get install "${paths[@]}"
	is_status 0 "the packages are installed with what they depend on"
	there dpkg --audit
	stdout_is "" "completely"
	for file in /usr/share/bash-completion/completions/cape-run /usr/lib/udev/rules.d/60-cape.rules \
		/usr/share/man/man1/cape-cc.1.gz /usr/src/cape-*/dkms.conf; do
		there sh -c "test -s $file"
		is_status 0 "$file is there"
	done
	there dkms status
	stdout_has '^cape/[0-9.]+' "DKMS knows the module"
}

test_use() {
	install -d -o 1234 -g 1234 "$system/home/user"
	cp "$root/tests/programs/matrix.c" "$system/home/user"
	as_user cape-cc -O2 matrix.c -o prog -lm
	is_status 0 "cape-cc compiles an ordinary user's program"
	as_user gcc -O2 -fopenmp matrix.c -o threads -lm
	as_user ./threads
	cp "$work/stdout" "$work/expected"
	as_user cape-run -np 2 --verify ./prog
	is_status 0 "cape-run runs it"
	stdout_is "$(cat "$work/expected")" "and prints what it prints with threads"
	# As root, for whom Python writes files, too.
	there cape-bench list
	is_status 0 "cape-bench knows its experiments"
}

test_removal() {
	apt_get purge cape libcape-dev cape-bench cape-dkms
	is_status 0 "the packages are removed"
	all_files | comm -13 "$work/before" - | grep -E '/[^/]*\bcape' >"$work/left"
	run cat "$work/left"
	stdout_is "" "and nothing of CAPE's is left"
}

plan "$tests"
missing=$([ "$(id -u)" -eq 0 ] && lacks | head -n 1)
if [ "$(id -u)" -ne 0 ]; then
	skip "$tests" "only root can make a system to install packages in"
elif [ -n "$missing" ]; then
	skip "$tests" "$missing"
else
	system=$work/system
	trap clean_up EXIT
	"$chroot" make "$system" >"$work/bootstrap" 2>&1 </dev/null &
	test_build
	wait $!
	check "a clean system is made" test -d "$system/srv"
	test_install
	test_use
	test_removal
fi
