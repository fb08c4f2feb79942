#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What checkpoints hold, by method: Table 3.3 of the thesis byte for byte, the ratio of its Fig. 3.7,
# the pages captured, and the registers.
. "$(dirname "$0")/../tap.sh"

plan 32

# measure METHOD ARGUMENT...: MATSUM's counts on one node are then in $work/stderr.
measure() {
	local method=$1
	shift
	run cape-run -np 1 --method "$method" --model spmd --protect mprotect --stats=json \
		"$work/matsum" "$@" </dev/null
}

# count NAME: of the run that was measured last.
count() {
	grep -oE "\"$1\": [0-9]+" "$work/stderr" | grep -oE '[0-9]+$'
}

# Half a page is an offset that gives all of the table's lines; some depend on it.
table_3_3() {
	local n first second
	while read -r n first second; do
		measure tickpt1 "$n" 1 2048
		check "tickpt1, N $n: $first bytes" is "$(count paper_bytes)" "$first"
		measure tickpt2 "$n" 1 2048
		check "tickpt2, N $n: $second bytes" is "$(count paper_bytes)" "$second"
	done <<-END
		10 408 408
		100 40088 40008
		1000 4007824 4000008
		2000 16031256 16000008
		3000 36070320 36000008
		4000 64125008 64000008
	END
}

aligned() {
	measure tickpt1 2000 1 0
	check "tickpt1, N 2000 from a page's begin: 16031256 bytes" \
		is "$(count paper_bytes)" 16031256
	measure tickpt2 2000 1 0
	check "tickpt2, N 2000 from a page's begin: 16000008 bytes" \
		is "$(count paper_bytes)" 16000008
}

# A, B and C against C.
figure_3_7() {
	local n whole part
	for n in 1000 2000; do
		measure tickpt1 "$n"
		part=$(count paper_bytes)
		measure dickpt "$n"
		whole=$(count paper_bytes)
		check "N $n: dickpt's $whole bytes are 2.9 to 3.1 times tickpt1's $part" \
			test $((whole * 10)) -ge $((part * 29)) -a $((whole * 10)) -le $((part * 31))
	done
}

# rows METHOD PAGES: how many pages of tests/methods/capture/rows.c are captured.
rows() {
	run cape-run -np 1 --method "$1" --model spmd --protect mprotect --stats=json "$work/rows" "$2"
}

# Two arrays of 16 rows: what is captured ahead and not written is given back.
pages_in_rows() {
	local method pages none
	for method in dickpt tickpt1; do
		rows "$method" 0
		none=$(count pages_captured)
		for pages in 1 9 64; do
			rows "$method" "$pages"
			check "$method: rows of $pages pages: exactly those are captured" \
				is $(($(count pages_captured) - none)) $((2 * 16 * pages))
		done
	done
}

# 27 general registers, and at least the x87 and SSE state, the AVX state where there is one.
registers() {
	local method least=$((27 * 8 + 512 + 64)) bytes
	grep -qw avx /proc/cpuinfo && least=$((least + 256))
	for method in complete dickpt tickpt1; do
		measure "$method" 100
		bytes=$(count registers_bytes)
		check "$method: $bytes bytes of registers are all of them" test "$bytes" -ge "$least"
		measure "$method" 100 3
		check "$method: each checkpoint has them" is "$(count registers_bytes)" $((3 * bytes))
	done
	measure tickpt2 100
	check "tickpt2 looks at no registers" is "$(count registers_bytes)" 0
}

# All that is writable is in a complete image: A, B and C, and more.
images() {
	measure complete 500
	check "complete: an image holds more than A, B and C" \
		test "$(count complete_bytes)" -gt $((3 * 4 * 500 * 500))
	check "complete: of it what changed is sent" \
		test "$(count paper_bytes)" -lt $((13 * 500 * 500))
	measure tickpt1 500
	check "tickpt1: no image" is "$(count complete_bytes)" 0
}

if ! cape-cc -O2 "$root/bench/omp/matsum.c" -o "$work/matsum" ||
	! cape-cc -O2 "$root/tests/methods/capture/rows.c" -o "$work/rows"; then
	echo "Bail out! cape-cc does not build matsum.c or rows.c" >&3
	exit 1
fi
table_3_3
aligned
figure_3_7
pages_in_rows
registers
images
