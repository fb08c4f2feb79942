#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Exchange by need, as the monitors see it: cape-run's option, what programs ask of their monitors.
. "$(dirname "$0")/../tap.sh"

plan 7

build() {
	cape-cc -O2 -g -I"$root/libcape" "$root/tests/run/need/$1.c" -o "$work/$1"
}

check "the program builds" build push
for count in 2 5; do
	run cape-run -np $count --exchange need "$work/push"
	is_status 0 "$count nodes push to each other"
	check "all that was pushed came as it was sent" is "$(cat "$work/stdout")" "0 wrong"
done
run cape-run -np 1 --exchange need "$work/push"
refused 2 'exchange need needs 2 nodes or more' "one node has nobody to exchange with"
run cape-run -np 2 --exchange stress --method dickpt "$work/push"
refused 2 'exchange stress needs --method tickpt2 .*, not dickpt and master-slave' \
	"by need goes with tickpt2 and spmd only"
