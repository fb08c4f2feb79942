#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libcape/replica/classes says of each function of the C library what it is in sequential code: of
# none too little, and what it says is libcape's is there.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

classes=$root/libcape/replica/classes
plan 5

# functions FILE...: the names, each once, with what the table wants behind those that no program can use.
functions() {
	nm -D --defined-only "$@" | awk '
		$2 ~ /^[TWi]$/ {
			name = $3
			sub(/@.*/, "", name)
			kind = $3 ~ /@GLIBC_PRIVATE/ ? "@private" : $3 ~ /@@/ ? "" : "@old"
			if (!(name in kinds) || kind == "")
				kinds[name] = kind
		}
		END {
			for (name in kinds)
				print name kinds[name]
		}'
}

# classify NAMES: a line for each of them: its class, or "none" or "several", and the name.
classify() {
	awk '
		FNR == 1 { file++ }
		file == 2 { names[$0]; next }
		/^(#|$)/ { next }
		/^[a-z]/ {
			class[++count] = $0
			sub(/[:(].*/, "", class[count])
			ending[count] = /^[a-z]*\(/ ? substr($0, index($0, "("), index($0, ":") - index($0, "(")) : ""
			next
		}
		{
			for (i = 1; i <= NF; i++)
				pattern[count] = pattern[count] (pattern[count] == "" ? "" : "|") $i
		}
		END {
			for (i = 1; i <= count; i++)
				pattern[i] = "^(" pattern[i] ")" ending[i] "$"
			for (name in names) {
				found = "none"
				for (i = 1; i <= count; i++)
					if (name ~ pattern[i])
						found = found == "none" ? class[i] : "several"
				print found, name
			}
		}' "$classes" "$1"
}

# of CLASSES: the names that are in one of them, sorted.
of() {
	awk -v classes="^($1)$" '$1 ~ classes { print $2 }' "$work/classified" | sort
}

functions "$(gcc -print-file-name=libc.so.6)" "$(gcc -print-file-name=libm.so.6)" >"$work/functions"
nm -g --defined-only "$build/lib/libcape.a" | awk 'NF == 3 { print $3 }' | sort -u >"$work/cape"
check "the C library has functions" test "$(wc -l <"$work/functions")" -gt 3000

{
	cat "$work/functions"
	echo no_function_of_today
} >"$work/names"
classify "$work/names" >"$work/classified"
check "each has one class, and one that is new has none" is "$(of 'none|several')" no_function_of_today
check "there are no classes but these" is "$(of '.*' | wc -l)" \
	"$(of 'same|truth|once|alike|own|private|none|several' | wc -l)"
check "libcape has what it has to stand in for" is \
	"$(comm -23 <(of 'truth|once|alike') "$work/cape")" ""
check "libcape stands in for nothing that is not said" is \
	"$(comm -12 <(of 'same|private') "$work/cape")" ""
