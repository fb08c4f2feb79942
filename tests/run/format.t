#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The format of checkpoints as files: what a second reader, made from the description alone, says of
# a file is what cape-ckpt says; files of each version, which never change, are read for ever.
. "$(dirname "$0")/../tap.sh"

reader=$root/tests/run/format/reader.py
frozen=$root/tests/run/format/frozen

# same FILE: both readers find the same memory.
same() {
	python3 "$reader" "$1" | awk '$1 == "memory" { print $2, $3, $4, $5 }' >stretches
	python3 "$reader" "$1" | awk '$1 == "memory" { printf "%s", $6 }' >bytes
	cape-ckpt show -q --json "$1" |
		jq -r '.memory[] | "\(.address) \(.size) \(.time) \(.node)"' | diff stretches - &&
		cape-ckpt show --json "$1" | jq -j '.memory[].a.bytes' | diff bytes -
}

cd "$work" || exit 1
for file in "$frozen"/*.ckpt; do
	name=${file##*/}
	run python3 "$reader" "$file"
	check "$name: the second reader reads what was written" diff stdout "${file%.ckpt}.txt"
	check "$name: so does cape-ckpt" same "$file"
	[[ $name != increment* ]] || continue
	run cape-ckpt merge "$file" "$file" -o again
	check "$name: and what it writes" same again
	run cape-ckpt diff --json "$file" again
	check "$name: which is the same" jq -e '.differences == []' stdout
done

# memory FILE...: what the second reader says it is, of increments the last.
memory() {
	python3 "$reader" "$@" | grep '^memory'
}
chain=("$frozen"/{base,increment,increment2}.ckpt)
for last in 2 3; do
	run cape-ckpt merge "${chain[@]:0:last}" -o full
	is_status 0 "$last files are merged"
	check "$last files: to what the second reader finds in them" \
		diff <(memory full) <(memory "${chain[@]:0:last}")
	check "$last files: and what is written is read" same full
done
run cape-ckpt info --json "${chain[1]}"
check "what is as before is told" jq -e '.[0].same_bytes == 12488 and .[0].kind == "increment"' stdout

# Without their program, addresses have no names, and all bytes are shown alike.
cape-cc -O1 "$root/tests/run/checkpoints/changes.c" -o changes
cape-run -np 3 --save-checkpoints kept ./changes </dev/null >/dev/null
cape-ckpt merge kept/000000-* -o kept/merged.ckpt
rm changes
for file in kept/*.ckpt; do
	check "$file: both readers find the same" same "$file"
done
# make fuzz-file does so for longer.
echo 'int LLVMFuzzerTestOneInput(const void *bytes, long size) { return !bytes && size; }' >try.c
if clang -fsanitize=fuzzer,address,undefined try.c -o try 2>/dev/null; then
	test_limit=180
	run make -C "$root" B="$(realpath --relative-to="$root" "$build")" \
		"$(realpath --relative-to="$root" "$build")/fuzz/file"
	is_status 0 "the fuzzer is built"
	mkdir corpus
	run "$build/fuzz/file" -seed=1 -runs=20000 -artifact_prefix="$PWD/" corpus "$frozen"
	is_status 0 "no bytes break the reader"
else
	skip 2 "clang has no libFuzzer here"
fi
plan_done
