#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# programs.sh - in the guest: cape-run on 4 nodes, which capture by the driver.
#
# Every program in /programs is there twice, as cape-cc has built it and, as NAME-openmp, as gcc
# has; /programs/list has their names and arguments.  The first is run in every way, each other in
# one of them; LONG=1: all in all.
#
# The first, and what is killed, go over Open MPI, whose start is most of what a run takes here; the
# others by the wire for tests.  LONG=1: all over Open MPI.
# shellcheck disable=SC2086 # $wire is no word or two
. tap.sh
export OMP_NUM_THREADS=4
cd /programs || exit 1

# same METHOD WAY NAME ARGUMENTS: the result is that of plain OpenMP, on every node.
same() {
	# shellcheck disable=SC2086 # one word per argument
	run timeout 300 cape-run -np 4 $wire --start-within 250 --method "$1" --protect "$2" \
		--verify "./$3" $4 || return
	sed -i '/: [a-z]* time /d; /the run has not started after/d' "$said"
	cmp -s "$said" "/tmp/$3"
}

# count PATTERN: lines like that in the driver's files, of which every attached process has one.
count() {
	cat /sys/kernel/debug/cape/* 2>/dev/null | grep -c "$1"
}

all_attached() {
	[ "$(count '^pid: ')" -eq 4 ] && [ "$(count "^mode: $mode")" -gt 0 ]
}

nothing_left() {
	[ "$(count '^pid: ')" -eq 0 ] &&
		! pidof matsum cape-monitor cape-run mpirun >/dev/null
}

# The first process that was started as $1; a keeper runs its monitor's file under another name.
first_of() {
	for process in /proc/[0-9]*; do
		case $(tr '\0' '\n' <"$process/cmdline" 2>/dev/null | head -n 1) in
		"$1" | */"$1") echo "${process#/proc/}" && return ;;
		esac
	done
}

# killed WHAT [WAY [OPTION...]]: kill -9 of one process of a run that would last for hours.
killed() {
	mode=${2-snapshot} what=$1 protection=${2-driver}
	shift $(($# > 1 ? 2 : 1))
	cape-run -np 4 "$@" --method dickpt --protect "$protection" ./matsum 60 1000000 \
		>"$said" 2>&1 &
	started=$!
	check "kill -9 of $what: four nodes are attached, and locked" becomes_true 60 all_attached
	kill -9 "$(first_of "$what")"
	check "kill -9 of $what: nothing is left behind within 10 s" becomes_true 10 nothing_left
	wait $started 2>/dev/null
}

program=0 wire=
while read -r name arguments; do
	# shellcheck disable=SC2086 # one word per argument
	"./$name-openmp" $arguments >"/tmp/$name" 2>/dev/null
	nth=0
	for way in 'tickpt1 driver' 'dickpt driver' 'dickpt notify'; do
		nth=$((nth + 1))
		[ -n "${LONG-}" ] || [ $program -eq 0 ] || [ $nth -eq $program ] || continue
		check "$name $arguments, ${way% *} by ${way#* }: as plain OpenMP" \
			same "${way% *}" "${way#* }" "$name" "$arguments" </dev/null
	done
	program=$((program + 1))
	[ -n "${LONG-}" ] || wire='--wire test'
done </programs/list

as_user 'ulimit -l 64; cape-run -np 2 --method dickpt --protect driver ./matsum 60'
check "beyond an ordinary user's limit: one line says what to do" \
	[ "$(grep -c "ulimit -l is 64 kB here.*--protect mprotect" "$said")" -eq 1 ]
as_user "ulimit -l 65536; cape-run -np 2 $wire --method dickpt --protect driver ./matsum 60"
status=$?
check "within it, the program runs" [ $status -eq 0 ]

killed matsum
killed matsum notify $wire
killed cape-monitor
killed cape-run

rmmod cape
run cape-run -np 2 $wire --method dickpt ./matsum 40
status=$?
check "without the module, the program runs" [ $status -eq 0 ]
check "one line says why" [ "$(grep -c 'no /dev/cape: .* from user space' "$said")" -eq 1 ]
run cape-run -np 2 $wire --method dickpt --protect driver ./matsum 40
status=$?
check "--protect driver: it does not run" [ $status -ne 0 ]
check "and says what to do" has 'cannot open /dev/cape; load the module'
check "the module is loaded again" insmod /cape.ko
run cape-run -np 2 $wire --method dickpt ./matsum 40
check "and chosen" [ "$(grep -c 'protected from user space' "$said")" -eq 0 ]
finish
