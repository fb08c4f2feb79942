# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tap.sh - TAP for the tests in the guest that are scripts of busybox's sh; they source it.
number=0
said=/tmp/said

# check NAME COMMAND...: passed if the command succeeds.
check() {
	number=$((number + 1))
	title=$1
	shift
	if "$@"; then
		echo "ok $number - $title"
	else
		echo "not ok $number - $title"
		sed 's/^/# /' "$said"
	fi
}

# run COMMAND...: what it says is kept for has().
run() {
	"$@" >"$said" 2>&1
}

# as_user TEXT: has it carried out by an ordinary user, who may open /dev/cape meanwhile.
as_user() {
	mkdir -p /etc
	grep -qs '^user:' /etc/passwd || echo 'user:x:1000:1000::/tmp:/bin/sh' >>/etc/passwd
	chmod 666 /dev/cape
	run su user -c "$1"
	set -- $?
	chmod 600 /dev/cape
	return "$1"
}

# has PATTERN: does what was said last have a line like that?
has() {
	grep -qE -e "$1" "$said"
}

# not COMMAND...: does it fail?
not() {
	! "$@"
}

# becomes_true SECONDS COMMAND...: waits for it.
becomes_true() {
	tries=$(($1 * 5))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		usleep 200000
	done
}

finish() {
	echo "1..$number"
}
