# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cape_cc.bash - what the translator's tests share: sources that are refused, accepted, translated.
#
# Tests run in $work, with a TMPDIR of their own; what a command said goes to its file stdout.

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"

# shellcheck disable=SC2034 # for the tests
inputs=$root/tests/translator
cd "$work" || exit
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# ok NAME: after a command, whose status it judges
ok() {
	status=$?
	check "$1" [ $status -eq 0 ]
}

# refused NAME LINE:COLUMN WORDS < program: the only error is there and holds the words
refused() {
	cat > case.c
	cape-cc -c case.c -o case.o > stdout 2>&1
	status=$?
	[ $status -eq 1 ] && [ ! -e case.o ] && [ "$(grep -c 'error:' stdout)" -eq 1 ] &&
		grep -qF "case.c:$2: error: " stdout && grep -qF -- "$3" stdout
	ok "$1 is refused at $2"
	rm -f case.o
}

# accepted NAME < program
accepted() {
	cat > case.c
	cape-cc -Wall -Wextra -Werror -c case.c -o case.o > stdout 2>&1
	ok "$1 is accepted without a warning"
	rm -f case.o
}

# emits COUNT WORDS NAME: these words come so often in what case.c becomes
emits() {
	cape-cc --emit-c case.c > emitted.c || cat case.c
	check "$3" is "$(grep -cF "$2" emitted.c)" "$1"
}
