#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What mpirun says itself on stderr, as Open MPI 5 does: it is kept aside until nobody else can say
# why a run has failed.
. "$(dirname "$0")/../tap.sh"

plan 11

rule=--------------------------------------------------------------------------
program=$work/echo
cape-cc -O2 "$root/tests/run/cli/echo.c" -o "$program" || exit 1
mkdir "$work/bin"

# mpirun_says TEXT COMMAND: an mpirun that writes TEXT to stderr, and then becomes COMMAND.
mpirun_says() {
	cat >"$work/bin/mpirun" <<-END
		#!/bin/bash
		printf %s $(printf %q "$1") >&2
		$2
	END
	chmod +x "$work/bin/mpirun"
}

run_it() {
	run env PATH="$work/bin:$PATH" cape-run -np 2 "$@" "$program" </dev/null
}

stderr_is() {
	check "$2" is "$(cat "$work/stderr")" "$1"
}

own="exec $(command -v mpirun) \"\$@\""
space=" "
framed="$rule
This is mpirun's.
--$space
$rule
"
mpirun_says "$framed" "$own"
run_it
is_status 0 "a run of which mpirun has something to say"
stderr_is "a line on stderr" "... and nobody hears it"
run_it --verbose
stderr_has "^This is mpirun's\.$" "... but who asks for it"

mpirun_says "before
 $rule
within
${rule}
after
$rule
cape-run: a node's
-last" "$own"
run_it
check "what stands before and behind it is the user's" is "$(head -n 4 "$work/stderr")" "before
after
cape-run: a node's
-lasta line on stderr"

mpirun_says "-----
cape-" "$own"
run_it
check "so are few dashes, and, at the end, a line that is not complete" is "$(cat "$work/stderr")" \
	"-----
a line on stderr
cape-"

mpirun_says "$framed" 'exit 9'
run_it
is_status 9 "mpirun's own status, if it started nothing"
stderr_has '^cape-run: the run has failed before a node could say why; mpirun says:$' "it is asked why"
stderr_has "^  This is mpirun's\.$" "... and answers"
check "... without its rules" eval '! grep -qe ------- "$work/stderr"'

mpirun_says "$rule
$(head -c 300000 /dev/zero | tr '\0' x)
$(for ((i = 0; i < 3000; i++)); do echo "line $i of many"; done)
$rule
cape-run: the end
" "$own"
run_it
is_status 0 "a long message"
check "... is no part of the output" is "$(head -c 100 "$work/stderr")" "cape-run: the end
a line on stderr"
