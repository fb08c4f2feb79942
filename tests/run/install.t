#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What make install copies works from there, and make uninstall removes it; completion completes.
. "$(dirname "$0")/../tap.sh"

plan 33

prefix="$work/a root/opt/cape"
# make_into TARGET: make install or uninstall.
make_into() {
	run make -C "$root" B="$(realpath --relative-to="$root" "$build")" PREFIX=/opt/cape \
		DESTDIR="$work/a root" "$1"
}

make_into install
is_status 0 "make install succeeds"
run find "$prefix" -type f ! -perm -044
stdout_is "" "everybody may read what it installs"
run env PATH="$prefix/bin:/usr/bin:/bin" cape-cc -O2 "$root/tests/run/cli/echo.c" -o "$work/echo"
is_status 0 "the installed cape-cc builds a program"
run env PATH="$prefix/bin:/usr/bin:/bin" cape-run -np 2 "$work/echo" word </dev/null
stdout_has 'of 2$' "the installed cape-run runs it"
for command in cape-cc cape-run cape-ckpt capectl cape-bench; do
	check "the manual page of $command is installed" \
		test -s "$prefix/share/man/man1/$command.1"
	check "and its completion" test -s "$prefix/share/bash-completion/completions/$command"
done

# pkg-config knows what a compiler needs for the text that cape-cc writes.
ln -s "a root" "$work/root"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
run pkg-config --modversion cape
check "pkg-config knows the version" is "cape-run $(cat "$work/stdout")" "$(cape-run --version)"
cape-cc --emit-c "$root/tests/run/cli/echo.c" >"$work/emitted.c"
cape_flags() {
	PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config --cflags --libs cape
}
# shellcheck disable=SC2046 # one word per flag
run gcc -O2 "$work/emitted.c" -o "$work/emitted" $(cape_flags)
is_status 0 "and what a compiler needs"
run cape-run -np 2 "$work/emitted" word </dev/null
stdout_has 'of 2$' "for a program that runs"

mkdir "$work/pkgconfig"
sed "s|^prefix=.*|prefix=$prefix|" "$PKG_CONFIG_PATH/cape.pc" >"$work/pkgconfig/cape.pc"
flags=$(PKG_CONFIG_PATH=$work/pkgconfig pkg-config --cflags --libs cape)
run bash -c "gcc -O2 '$work/emitted.c' -o '$work/emitted' $flags"
is_status 0 "a path with a blank is quoted for the shell"

# What libcape calls must not be what a program happens to call by that name.  ISO C's names are
# nobody's to use; these of POSIX and Linux have prefixes of their own.
iso="abort|aligned_alloc|atexit|at_quick_exit|calloc|fclose|fflush|fputc|free|fseek|getenv|mem(chr|cmp|cpy|move|set)|qsort|raise"
iso+="|realloc|setlocale|setvbuf|malloc(_usable_size)?|snprintf|std(in|out)|str(chr|cmp|cspn|error|len|ncmp|ncpy|rchr|spn|tol)"
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
complete_line cape-ckpt enc
stdout_is "encode" "cape-ckpt's commands complete"
complete_line cape-cc --em
stdout_is "--emit-c" "cape-cc's options complete"
complete_line cape-run -np 2 --stats = j
stdout_is "json" "and values behind a ="

# own_options COMMAND: those that its --help has a line for.
own_options() {
	"$1" --help | grep -oE '^  --[a-z]+[a-z-]*' | tr -d ' ' | sort -u
}

for command in cape-run cape-cc cape-ckpt capectl; do
	complete_line "$command" --
	check "completion offers each option of $command's --help" is \
		"$(own_options "$command" | comm -23 - <(sort -u "$work/stdout"))" ""
done

# Options of mpirun behind which, and the words that belong to each, the program is not found.
run bash -c '. "$1/scripts/completion/cape-run"
	words=(a b)
	while read -r option count; do
		for name in "-$option" "--$option"; do
			COMP_WORDS=(cape-run -np 2 "$name" "${words[@]:0:count}" ./LIC)
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_cape_run
			[ "${COMPREPLY[*]}" = ./LICENSE ] || echo "$name"
		done
	done < <(sed -nE "s/^\t\{\"(.+)\", ([012])\},$/\1 \2/p" "$1/monitor/run/options.c")
	' mpirun_options "$root"
stdout_is "" "completion finds the program behind each option of mpirun"

make_into uninstall
is_status 0 "make uninstall succeeds"
run find "$work/a root" ! -type d
stdout_is "" "and leaves no file"
run find "$work/a root" -name cape ! -path "$prefix"
stdout_is "" "nor a folder of CAPE's own"
rm -r "${work:?}/a root"
make_into uninstall
is_status 0 "where there is nothing it has nothing to do"
