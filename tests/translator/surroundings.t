#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-cc in surroundings that are not as they should be: it never fails without a word.
. "$(dirname "$0")/../tap.sh"

plan 12

cat >"$work/sum.c" <<'END'
#include <stdio.h>
int main(void)
{
	int i, s = 0;
#pragma omp parallel for reduction(+ : s)
	for (i = 0; i < 10; i++)
		s += i;
	printf("%d\n", s);
	return 0;
}
END
mkdir "$work/small"

# full SIZE: cape-cc with SIZE bytes of room for temporary files
full() {
	run unshare --mount bash -c "mount -t tmpfs -o size=$1 none '$work/small' &&
		TMPDIR='$work/small' cape-cc '$work/sum.c' -o '$work/sum'"
}

if unshare --mount true 2>/dev/null; then
	full 4k
	is_status 1 "no room for temporary files"
	stderr_has "^cape-cc: there is no room left for temporary files in $work/small; set TMPDIR" \
		"the folder is named, and what to do"
	stderr_has 'No space left on device' "what the compiler says of it is shown"
else
	skip 3 "unshare --mount is not allowed here"
fi

# killed-cc: a compiler that somebody kills
printf '#!/bin/sh\nkill -KILL $$\n' >"$work/killed-cc"
chmod +x "$work/killed-cc"
run env CAPE_CC="$work/killed-cc" cape-cc "$work/sum.c" -o "$work/sum"
refused 137 "cape-cc: the compiler '.*killed-cc' was killed by signal 9" "a compiler that is killed"

for option in --help --version; do
	run bash -c "cape-cc $option >/dev/full"
	refused 1 'cape-cc: cannot write to standard output: No space left' "$option to a full disk"
done
run bash -c "cape-cc --emit-c '$work/sum.c' >&-"
refused 1 'cape-cc: cannot write to standard output' "--emit-c with standard output closed"
run bash -c "cape-cc '$work/sum.c' -o '$work/sum' <&- >&- 2>&-"
is_status 0 "all descriptors closed"

# Arguments in files, which the compiler would read without cape-cc.
cd "$work" || exit
cp sum.c "two 'words.c"
cat >arguments <<'END'
-S "two 'words.c"
	@rest
END
printf '%s' "-o two\\ words.s" >rest
echo @round >round
run cape-cc @arguments
is_status 0 "arguments in a file"
check "... and the source that it names is translated" grep -q cape_begin "two words.s"
run cape-cc @round
refused 1 'too many files of arguments refer to each other' "a file that names itself"
run cape-cc @missing
stderr_has '@missing' "one that is missing"
