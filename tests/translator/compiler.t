#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# compiler.t - cape-cc as a compiler: standards, spellings, files' names, its own temporary files,
# sources that are nested deeply.
. "$(dirname "$0")/../tap.sh"

cape_cc=$build/bin/cape-cc
program=$root/tests/translator/standards.c
plan 48
cd "$work" || exit
mkdir tmp
export TMPDIR=$work/tmp

# nothing_left: the folder goes in a moment when cape-cc could not remove it itself
nothing_left() {
	local _
	for _ in {1..100}; do
		[ -z "$(ls "$TMPDIR")" ] && return
		sleep 0.1
	done
	ls "$TMPDIR"
	return 1
}

for standard in -ansi -std=c89 -std=iso9899:199409 -std=gnu89 -std=c99 -std=c11 -std=gnu2x; do
	for pedantic in -Wall -pedantic-errors; do
		run "$cape_cc" $standard $pedantic -Werror "$program" -o standard
		is_status 0 "$standard $pedantic"
	done
done
if command -v clang >/dev/null; then
	run env CAPE_CC=clang "$cape_cc" -std=c99 -pedantic-errors -Werror "$program" -o standard-clang
	is_status 0 "clang finds no extension either"
else
	skip 1 "clang is missing"
fi
run "$build/bin/cape-run" -np 2 ./standard
stdout_is "5050 50 3" "what was compiled runs"

cat >version.c <<'END'
#if _OPENMP < 201511
#error "OpenMP 4.5 is needed"
#endif
int main(void)
{
	return 0;
}
END
run "$cape_cc" version.c -o version
stderr_has '^cape-cc: _OPENMP is 201107 .*-U_OPENMP -D_OPENMP=201511$' \
	"a source that asks for a later OpenMP: it is said what there is"
run "$cape_cc" -U_OPENMP -D_OPENMP=201511 version.c -o version
is_status 0 "and as what it asks for it is compiled"
check "without a word" [ ! -s stderr ]
printf '#error "no"\nint main(void) { return 0; }\n' >error.c
run "$cape_cc" error.c -o error
check "another #error stands alone" eval '! grep -q cape-cc stderr'

cat >plain.cpp <<'END'
#include <stdio.h>
int main(void)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	printf("%d\n", sum);
	return 0;
}
END
run "$cape_cc" plain.cpp -o plain
stderr_has "^cape-cc: 'plain.cpp' is C\+\+; .*cape-cc -x c plain.cpp" "C++ is refused, with a way for C"
run "$cape_cc" -x c plain.cpp -o plain
is_status 0 "C in a file with C++'s name is compiled as C"
run "$build/bin/cape-run" -np 2 ./plain
stdout_is 45 "and runs"

cat >digraphs.c <<'END'
%:include <stdio.h>
int main(void)
<%
	int a<:10:> = <%0%>, s = 0, i;
%:pragma omp parallel for reduction(+ : s) reduction(+ : a<:0:10:>)
	for (i = 0; i < 10; i++) <% a<:i:> += i; s += i; %>
	printf("%d %d <:\n", s, a<:9:>);
	return 0;
%>
END
cat >trigraphs.c <<'END'
??=include <stdio.h>
int main(void)
??<
	int a??(10??) = ??<0??>, s = 0, i;
??=pragma omp parallel for reduction(+ : s) reduction(??' : a??(0 : 10??))
	for (i = 0; i < 10; i++) ??< a??(i??) ??'= i; s += i; ??>
	printf("%d %d <:\n", s, a??(9??));
	return 0;
??>
END
run "$cape_cc" digraphs.c -o digraphs && run "$build/bin/cape-run" -np 2 ./digraphs
stdout_is "45 9 <:" "digraphs"
run "$cape_cc" -std=c99 trigraphs.c -o trigraphs && run "$build/bin/cape-run" -np 2 ./trigraphs
stdout_is "45 9 <:" "trigraphs"

for name in 'a"b' 'a\b' $'a\nb' 'a %s#b' $'\u00e9\u6f22'; do
	cp "$program" "$name.c"
	run "$cape_cc" -g -MD -c "$name.c" -o named.o
	is_status 0 "a source of the name ${name@Q}"
done
sed 's/omp single/omp nonsense/' "$program" >'c"d.c'
run "$cape_cc" -c 'c"d.c'
stderr_has '^c"d\.c:[0-9]+:[0-9]+: error: ' "a message names such a source"

cp "$program" source.c
ln -s source.c link.c
ln source.c hard.c
for options in "-o source.c" "-c -o ./link.c" "--emit-c -o hard.c"; do
	# shellcheck disable=SC2086
	run "$cape_cc" $options source.c
	check "$options is refused for its own source" \
		eval 'grep -q "is the same as the output" "$work/stderr" && cmp source.c "$program"'
done

# More text than a pipe holds.
{
	cat "$program"
	for i in {1..4000}; do echo "int variable_$i = $i; /* no directive here */"; done
} >long.c
run bash -c "'$cape_cc' --emit-c long.c | head -n 1; exit \${PIPESTATUS[0]}"
is_status 141 "--emit-c ends by SIGPIPE"
check "... and leaves nothing behind" nothing_left
for delay in 0.02 0.05 0.1 0.2; do
	for signal in KILL QUIT USR1; do
		setsid "$cape_cc" long.c -o long >/dev/null 2>&1 &
		sleep $delay
		kill -$signal $!
		wait $!
	done
done 2>/dev/null
check "nor does any signal" nothing_left
# What a compiler leaves running writes on, while the folder is removed and for a moment behind it.
cat >late <<'END'
#!/bin/bash
(
	end=$((${EPOCHREALTIME/./} + 1000000))
	while ((${EPOCHREALTIME/./} < end)) && : >"$TMPDIR/$((++i))"; do :; done
) >/dev/null 2>&1 &
exec gcc "$@"
END
chmod +x late
run env CAPE_CC="$PWD/late" "$cape_cc" source.c -o late.out
is_status 0 "a compiler that leaves something running does"
check "... and nothing is left when that has ended" nothing_left

# nested COUNT TEXT: it, COUNT times
nested() {
	printf "%.0s$2" $(seq "$1")
}
{
	echo 'int f(void) { int x = 1, s = 0, i;'
	echo '#pragma omp parallel for reduction(+ : s)'
	echo 'for (i = 0; i < 4; i++) {'
	echo "int $(nested 20000 '*') p = 0; s += ($(nested 5000 '(')x$(nested 5000 ')')) + (p == 0);"
	echo "$(nested 5000 '{') s++; $(nested 5000 '}')"
	echo '} return s; }'
} >deep.c
run "$cape_cc" -c deep.c
is_status 0 "20,000 stars, 5,000 brackets, 5,000 blocks"
{
	echo 'int f(int s) {'
	echo '#pragma omp parallel'
	echo "s += $(nested 300000 '(')1$(nested 300000 ')'); return s; }"
} >deeper.c
run "$cape_cc" -c deeper.c
stderr_has 'deeper\.c: .* nested too deeply' "what is too deep is refused"
check "... and leaves nothing behind" nothing_left

cat >wide.c <<'END'
#include <stdio.h>
#pragma omp declare reduction(sum : __int128 : omp_out += omp_in) initializer(omp_priv = 0)
int main(void)
{
	__int128 s = 0;
#pragma omp parallel for reduction(OPERATOR : s)
	for (int i = 0; i < 10; i++)
		s += (__int128)i << 80;
	printf("%d\n", (int)(s >> 80));
	return 0;
}
END
run "$cape_cc" -DOPERATOR=+ wide.c -o wide && run "$build/bin/cape-run" -np 2 ./wide
stdout_is 45 "a reduction of __int128 works"
run "$cape_cc" -DOPERATOR=sum wide.c -o wide && run "$build/bin/cape-run" -np 2 ./wide
stdout_is 45 "... and one of one's own works"

names() { # names COMPILER...: what omp.h of it declares
	echo '#include <omp.h>' | "$@" -E -P -dD -x c - | grep -oE '\bomp_[a-z0-9_]+' | sort -u
}
names gcc -fopenmp >theirs
names "$cape_cc" >ours
run comm -23 theirs ours
stdout_is "" "all that gcc's omp.h has is in CAPE's"

cat >later.c <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
	int from = 7, to = 0, in = -1;
	#pragma omp parallel
	#pragma omp single
	#pragma omp task shared(in)
	in = omp_in_explicit_task();
	printf("%d %d %d ", in, omp_in_explicit_task(), omp_get_mapped_ptr(&to, omp_invalid_device) != NULL);
	printf("%d %d ", omp_get_mapped_ptr(&to, omp_initial_device) == &to,
	       omp_target_is_accessible(&to, sizeof(to), omp_initial_device));
	printf("%d ", omp_target_memcpy_async(&to, &from, sizeof(to), 0, 0, omp_initial_device,
		omp_initial_device, 0, NULL));
	printf("%d\n", to);
}
END
run "$cape_cc" later.c -o later && run "$build/bin/cape-run" -np 2 --verify ./later
stdout_is "1 0 0 1 1 0 7" "routines that gcc 12's does not have work, too"

cat >threads.c <<'END'
#include <stdio.h>
int omp_get_num_threads(void);
double d[1024];
__attribute__((noinline)) static double sum(void)
{
	double s = 0;
	for (int i = 0; i < 1024; i++)
		s += d[i];
	return s;
}
int main(void)
{
	int threads = 0;
	for (int i = 0; i < 1024; i++)
		d[i] = i;
#ifdef OWN
#pragma omp parallel
	threads = omp_get_num_threads();
#endif
	printf("%d %g\n", threads, sum());
	return 0;
}
END
run "$cape_cc" -O2 -ffast-math -ftree-parallelize-loops=4 threads.c -o threads
run "$build/bin/cape-run" -np 2 ./threads
stdout_is "0 523776" "gcc's own threads have gcc's own run time"
run "$cape_cc" -O2 -DOWN threads.c -o threads && run "$build/bin/cape-run" -np 2 ./threads
stdout_is "2 523776" "a routine that the program declares itself is CAPE's"
