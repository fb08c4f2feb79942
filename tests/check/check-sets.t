#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check-sets.t - cape-cc --check-sets: each access of a loop is one that cape-cc found in the source.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091,SC2154
. "$(dirname "$0")/../tap.sh"

# described WHAT: runs the program whose sets are described by hand, so that it does WHAT.
described() {
	run "$(compiled check/sets/wrong --check-sets)" "$@"
}

plan 81
right="6246.04 36 9"
for threads in 1 2 3 5; do
	OMP_NUM_THREADS=$threads run "$(compiled check/sets/exact --check-sets)"
	is_status 0 "$threads threads access what was found"
	stdout_is "$right" "and compute the same"
done
run "${cape_run[@]}" -np 2 "$(compiled check/sets/exact --check-sets)"
is_status 0 "2 nodes, too"
stdout_is "$right" "and compute the same"
run "${cape_run[@]}" --threads 2 --stats=json "$(compiled check/sets/exact --check-sets)"
is_status 0 "and threads that a monitor looks at"
for nodes in 2 3; do
	run "${cape_run[@]}" -np $nodes "$(compiled check/sets/outside --check-sets)"
	is_status 0 "$nodes nodes, in regions and without a team"
	stdout_is "7938 62" "and compute the same"
done
run "${cape_run[@]}" -np 3 "$(compiled check/sets/pipeline --check-sets)"
stdout_is c82678e9e07e1989 "3 nodes that hand data on to each other"
check "access what was found, and are not held against each other" eval '[ ! -s "$work/stderr" ]'
run "${cape_run[@]}" -np 2 --threads 2 "$(compiled check/sets/exact --check-sets)"
stdout_is "$right" "nodes of two threads, too"
check "access what was found" eval '[ ! -s "$work/stderr" ]'

described
is_status 0 "what was described is what is done"
described writes
is_status 134 "a write that was not described ends the program"
stderr_has "the loop at .*wrong.c:10 writes 4 bytes, .* at 0x.*'a.2 . i.' in line 11" \
	"with the loop, and what was described nearest"
stderr_has "addr2line -e PROGRAM 0x" "and how to find the line"
described reads
is_status 134 "so does a read"
stderr_has "reads 4 bytes, .* at 0x.*'b.i.' in line 12, which ends 40 bytes before that" "and how far it is"
described open
is_status 0 "but not where reads are not known"
described less
is_status 134 "and a write that was described, but not done"
stderr_has "does not write all .* the byte at 0x.*'a.2 . i.' in line 11" "with what was described"
described early
is_status 134 "a write between those that were described"
described uneven
is_status 0 "addresses that do not grow evenly are no sets"
described index
is_status 0 "nor are those that the loop itself decides on while it runs"
run "${cape_run[@]}" -np 2 "$(compiled check/sets/wrong --check-sets)" writes
stderr_has "cape-run: --check-sets: the loop at .*wrong.c:10 writes 4 bytes" "nodes end the run"

# mistaken MISTAKE: runs the stencil, whose sets are described as MISTAKE says.
mistaken() {
	rm -f "$work/mistaken"
	MISTAKE=$1 CAPE_CC=$root/tests/check/sets/mistake cape-cc --check-sets -o "$work/mistaken" \
		"$root/tests/check/sets/mistaken.c"
	run "${cape_run[@]}" -np 2 "$work/mistaken"
}

mistaken ''
stdout_is "45 31" "a loop whose sets are right"
is_status 0 "accesses what they say"
mapfile -t mistakes << 'END'
a write is left out|/"more.i."/d|writes 8 bytes of variable 'more'
a read is left out|/"from.i - 1/d|reads 8 bytes of variable 'from'
a write is a read|/"to.i..j."/s/CAPE_SET_WRITE/CAPE_SET_READ/|writes 8 bytes of variable 'to'
another row is read|/"from.i - 1/s/ - 1\]/ - 0]/g|reads 8 bytes of variable 'from'
another row is written|/"to.i..j."/s/to\[/(to-1)[/g|writes 8 bytes of variable 'to'
a column more is written|s/cape_limit_1 = 24 - 1/cape_limit_1 = 24/|does not write all
a column less|s/cape_limit_1 = 24 - 1/cape_limit_1 = 24 - 2/|s 8 bytes of variable '
columns from another on|s/cape_first_1 = .int..2./cape_first_1 = 3/|s 8 bytes of variable '
each second column|s/cape_step_1 = .1./cape_step_1 = (2)/|s 8 bytes of variable '
half of each value|/"more/s/sizeof.more.i../4/|writes 8 bytes of variable 'more'
two values in place of one|/"more/s/sizeof.more.i../16/|does not write all
one row alone|/"to.i..j."/s/, 2, cape_count_0.*cape_last..cape_i1./, 1/|writes 8 bytes of variable 'to'
END
for line in "${mistakes[@]}"; do
	IFS='|' read -r what change words <<< "$line"
	mistaken "$change"
	is_status 1 "$what: the run ends"
	stderr_has "mistaken.c:14 [a-z ]*$words.*cape-cc has read the source wrongly" "and says why"
done

# said CLAUSES NODES: runs a program with this #pragma cape.
said() {
	local program
	program=$(compiled check/sets/said --check-sets "-DSAID=$1")
	if [ "$2" = 1 ]; then
		run "$program"
	else
		run "${cape_run[@]}" -np "$2" "$program"
	fi
}

sum=1023008.5625
for nodes in 1 2 3; do
	said 'reads(a[i:2]) writes(b[i])' $nodes
	stdout_is $sum "$nodes nodes: a pragma that is right"
	said 'reads(a[i-1:9]) writes(b[i:2])' $nodes
	stdout_is $sum "and one that says more than is done"
done
mapfile -t lines << 'END'
reads(a[i:2]) writes()|writes 8 bytes of variable 'b' .*said.c:10., which nothing says, .*'a.i:2.' in line 31
reads(a[i]) writes(b[i])|reads 8 bytes of variable 'a' .*'a.i.' in line 31, which ends 0 bytes before
reads() writes(b[i])|reads 8 bytes of variable 'a' .*'b.i.' in line 31
reads(a[i:2]) writes(b[i+1])|writes 8 bytes of variable 'b' .*'b.i.1.' in line 31, which begins 8 bytes after
reads(a[i:2]) writes(all[i])|writes 8 bytes of variable 'b'
reads(a[i:2]) writes(b[i:low])|writes 8 bytes of variable 'b'
reads(all[n*n*n*n*n]) writes(b[i])|reads 8 bytes of variable 'a'
END
for line in "${lines[@]}"; do
	IFS='|' read -r clauses words <<< "$line"
	said "$clauses" 2
	is_status 1 "$clauses ends the run"
	stderr_has "said.c:32 $words.*addr2line.*The loop's '#pragma cape' says too little" "and is named"
done
for clauses in 'reads(all[0:n*n*n*n]) writes(b)' 'reads(a[i:2], all[i:n<<58]) writes(b, all[0:n<<48])' \
	'reads(*(char *)i) writes(*(long *)(i * n * n * n * n + 1))'; do
	said "$clauses" 2
	check "nothing hangs or crashes: $clauses" eval '[ $status -eq 0 ] || grep -q "nothing says" "$work/stderr"'
done
