#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each method, model, way to exchange and protection that cape-run takes is told of to users: by
# --help, the manual page and the completion.
. "$(dirname "$0")/../tap.sh"

plan 4

# values OPTION: those that cape-run lists when it refuses one, a word each.
values()
{
	cape-run -np 1 "$1" nonsense /bin/true 2>&1 | sed -n 's/.*must be //p' | sed 's/,\| or / /g'
}

# told OPTION: whether they are in all three places, and there are some.
told()
{
	local value all

	all=$(values "$1")
	note "$1: $all"
	for value in $all; do
		cape-run --help | grep -qw -- "$value" || return
		sed 's/\\-/-/g' "$root/monitor/run/cape-run.1" | grep -qx -- "\.B $value" || return
		grep -F -A 1 -- "$1)" "$root/scripts/completion/cape-run" |
			grep -qw -- "$value" || return
	done
	[[ $all ]]
}

for option in --method --model --exchange --protect; do
	check "users are told of all values of $option" told $option
done
