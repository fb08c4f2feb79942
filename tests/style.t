#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every check of scripts/lint.
. "$(dirname "$0")/tap.sh"

test_limit=5000 # of clang-tidy, which takes minutes, on a loaded machine
mapfile -t checks < <("$root/scripts/lint" --list)
plan "${#checks[@]}"
for check in "${checks[@]}"; do
	run "$root/scripts/lint" "$check"
	is_status 0 "$check"
done
