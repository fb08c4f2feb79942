#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Atomic constructs between threads, and between nodes: every form on objects of every type.
. "$(dirname "$0")/../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)

compilers=(gcc)
if command -v clang > /dev/null; then
	compilers+=(clang)
fi
plan $((8 * 2))
for compiler in gcc clang; do
	if [[ " ${compilers[*]} " != *" $compiler "* ]]; then
		skip 8 "clang is missing"
		continue
	fi
	for options in -O2 "-O0 -std=gnu89"; do
		read -ra words <<< "$options"
		run env CAPE_CC="$compiler" cape-cc -Wall -Wextra -Werror -Wno-maybe-uninitialized -Wno-unknown-warning-option "${words[@]}" "$here/atomics.c" -o "$work/atomics"
		is_status 0 "$compiler $options compiles them without a warning"
		for threads in 2 8; do
			run env OMP_NUM_THREADS="$threads" "$work/atomics" 3000
			stdout_is "0 wrong" "$threads threads lose nothing"
		done
		run cape-run -np 3 "$work/atomics" 20
		stdout_is "0 wrong" "nor do nodes"
	done
done
