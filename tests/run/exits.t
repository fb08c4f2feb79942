#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exits.t - a node that ends right after a region waits for those who still copy what it wrote there.
. "$(dirname "$0")/../tap.sh"

cape-cc -O1 "$root/tests/run/exits/divided.c" -o "$work/divided" || exit 1

for way in return exit quick_exit _exit _Exit execl; do
	for nodes in 2 3; do
		run cape-run --wire test -np "$nodes" --threads 2 "$work/divided" "$way" </dev/null
		is_status 3 "$way on $nodes nodes of 2 threads"
	done
done
plan_done
