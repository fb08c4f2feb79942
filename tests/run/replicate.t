#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Regions that every node runs in whole, where it takes longer to share them out; and loops whose
# description takes long.
. "$(dirname "$0")/../tap.sh"

folder=$root/tests/run/replicate

# looks EXPRESSION NAME: one test of the profile; REGION is the construct at the line that is marked.
looks() {
	check "$2" python3 - "$work/stderr" "$(grep -n "/\* marked" "$source" | cut -d : -f 1)" "$1" <<- 'END'
		import json, sys
		text = open(sys.argv[1]).read()
		every = json.loads(text[text.index("{"):])["constructs"]
		region = [one for one in every if one["line"] == int(sys.argv[2]) - 1][0]
		sys.exit(0 if eval(sys.argv[3]) else "it has " + str(region["replicated"]))
	END
}

# build NAME FLAGS...: the program of that name
build() {
	source=$folder/$1.c
	cc -O1 -fopenmp "${@:2}" -o "$work/threads" "$source" -lm
	expected=$("$work/threads")
	cape-cc -O1 "${@:2}" -o "$work/program" "$source" -lm
}

# profile WORDS...: the program, with these words for cape-run.
profile() {
	run "${cape_run[@]}" -np 3 --profile=json "$@" "$work/program"
	stdout_is "$expected" "the result is right: $*"
}

build diagonals
profile
looks 'region["replicated"] > 50' "a loop that costs more when it is shared out is run by every node"
looks 'region["times"] == 598' "each time it comes"
profile --no-replicate
looks 'region["replicated"] == 0' "--no-replicate: never"
profile --exchange eager
looks 'region["replicated"] == 0' "nor where eager exchange is asked for"
profile --exchange stress
looks '50 < region["replicated"] < 400' "for tests, now and then"
profile --threads 2
looks 'region["replicated"] == 0' "nodes of several threads share all out"
profile --wire test:1
looks 'region["replicated"] > 50' "nodes that share no memory run it in whole, too"
profile --races
looks 'region["replicated"] == 0' "so do runs in which races are looked for"
mkdir "$work/saves"
profile --checkpoint "$work/saves"
looks 'region["replicated"] == 0' "so do runs that are saved"

build atomic
profile
looks 'region["replicated"] > 5' "so is one of atomic updates, whose program exchanges all"

build lasting
profile
looks 'region["replicated"] > 300' "what a region that lasts comes to is run by every node, too"
looks 'abs(region["replicated"] - [one for one in every if one["line"] == region["line"] + 3][0]["replicated"]) < 3' \
	"a barrier counts as its loop does, which has none"
looks 'region["times"] == 800' "each time it comes"
profile --no-replicate
looks 'region["replicated"] == 0' "--no-replicate: never"
profile --exchange stress
looks '50 < region["replicated"] < 800' "for tests, now and then"

build sums
profile
looks 'region["replicated"] > 20' "sums of floating numbers are put together by every node, too"
run "${cape_run[@]}" -np 3 --no-replicate "$work/program" bits
expected=$(cat "$work/stdout")
for way in "" "--exchange stress" "--wire test:1" "--wire test:3 --exchange stress"; do
	# shellcheck disable=SC2086 # words
	run "${cape_run[@]}" -np 3 $way "$work/program" bits
	stdout_is "$expected" "with the same bits as if they were shared out: $way"
done

build heavy
profile --no-replicate
looks 'region["planned"] == 0' "what takes long to describe is not planned the first times"
build heavy -DROW=70
profile --no-replicate
looks 'region["planned"] == 3' "but what takes longer to look for is"
plan_done
