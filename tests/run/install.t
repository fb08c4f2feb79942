#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What make install copies works from there; completion completes.
. "$(dirname "$0")/../tap.sh"

plan 11

prefix=$work/root/opt/cape
run make -C "$root" B="$(realpath --relative-to="$root" "$build")" PREFIX=/opt/cape DESTDIR="$work/root" install
is_status 0 "make install succeeds"
run find "$prefix" -type f ! -perm -044
stdout_is "" "everybody may read what it installs"
run env PATH="$prefix/bin:/usr/bin:/bin" cape-cc -O2 "$root/tests/run/cli/echo.c" -o "$work/echo"
is_status 0 "the installed cape-cc builds a program"
run env PATH="$prefix/bin:/usr/bin:/bin" cape-run -np 2 "$work/echo" word </dev/null
stdout_has 'of 2$' "the installed cape-run runs it"
for page in cape-cc cape-run capectl; do
	check "the manual page of $page is installed" \
		test -s "$prefix/share/man/man1/$page.1"
done

# What libcape calls must not be what a program happens to call by that name.  ISO C's names are
# nobody's to use; these of POSIX and Linux have prefixes of their own.
iso="abort|aligned_alloc|atexit|fclose|fflush|fputc|free|fseek|getenv|mem(chr|cmp|cpy|move|set)|qsort|raise"
iso+="|realloc|setvbuf|malloc|snprintf|std(in|out)|str(chr|cmp|cspn|error|len|ncmp|ncpy|rchr|spn|tol)"
iso+="|tolower|vsnprintf"
nm -u "$prefix/lib/libcape.a" | awk 'NF == 2 { print $2 }' | sort -u >"$work/names"
run grep -vxE "(_|cape_|omp_|dl|pthread_|sched_).*|$iso" "$work/names"
stdout_is "" "libcape calls nothing that a program may call otherwise"

# complete_line COMMAND WORD...: what bash offers for the last word.
complete_line() {
	run bash -c '. "$1/scripts/completion/$2"
		COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
		"_${2/-/_}"
		printf "%s\n" "${COMPREPLY[@]}"' complete_line "$root" "$@"
}

complete_line cape-run --ver
stdout_is "--verify
--verbose
--version" "cape-run's options complete"
cd "$root" || exit 1
complete_line cape-run -np 4 --mca a b ./LIC
stdout_is "./LICENSE" "so does the program"
complete_line cape-cc --em
stdout_is "--emit-c" "cape-cc's options complete"
