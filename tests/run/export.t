#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# export.t - cape-ckpt export: what a program had, as h5dump reads it.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$work" || exit 1

if ! command -v h5dump >/dev/null || ! command -v h5diff >/dev/null; then
	echo "1..0 # SKIP h5dump or h5diff is missing (package hdf5-tools)" >&3
	exit
fi
run cape-cc -g -I "$root/tests/run/restart" "$root/tests/run/export/variables.c" -o variables
check "a program with variables of many types is built" [ "$status" = 0 ]
run "${cape_run[@]}" -np 3 --checkpoint saved --every 1 --keep 9 ./variables saved
is_status 0 "it is saved"

run cape-ckpt export --hdf5 state.h5 saved/000001/*
if grep -q 'built without HDF5' stderr; then
	skip 45 "cape-ckpt was built without HDF5"
	plan_done
	exit
fi
is_status 0 "what was saved is exported"
stdout_is "state.h5: 12 variables, 0 of them in part" "all of it"

# values NAME: as h5dump shows them.
values() {
	h5dump -y -w 1 -d "$1" -o values state.h5 >/dev/null
	tr -d ',\n' <values | xargs
}

# shape NAME: its type and dimensions.
shape() {
	h5dump -H -d "$1" state.h5 | sed -nE '/^ {3}(DATATYPE|DATASPACE) /{s/^ *[A-Z]* *//;p}' | xargs
}
check "an array has its shape" is "$(shape grid)" "H5T_IEEE_F64LE SIMPLE { ( 3, 4 ) / ( 3, 4 ) }"
check "and the values of the save" is "$(values grid)" "0 1.5 3 4.5 6 7.5 9 10.5 12 13.5 15 16.5"
check "one of bytes" is "$(shape small)" "H5T_STD_U8LE SIMPLE { ( 2, 3, 2 ) / ( 2, 3, 2 ) }"
check "and its values" is "$(values small)" "1 2 3 4 5 6 7 8 9 10 11 12"
check "an integer" is "$(shape count) $(values count)" "H5T_STD_I32LE SCALAR 42"
check "an enumeration" is "$(values colour)" 1
check "a truth value" is "$(shape flag) $(values flag)" "H5T_STD_U8LE SCALAR 1"
check "long double" is "$(values precise)" 1.5
check "what was never written is 0" is "$(values never | tr ' ' '\n' | sort -u)" 0
check "one of two static variables of a name" is "$(values calls@variables.c:41)" 3
check "and the other" is "$(values calls@variables.c:48)" 30
run h5dump -y -a text/declared state.h5
stdout_has '^ *"variables.c:34"$' "where it is declared"
run h5dump -y -d points state.h5
check "a structure" is "$(sed -n '/DATATYPE/,/DATASPACE/p' stdout | sed '/ATTR/,$d' |
	grep -o '"[a-z]*"' | xargs)" \
	"x y name a in u next"
stdout_has '^ *2\.5,$' "and its members"
stdout_has '^ *\[ 97, 0, 0, 0 \],$' "arrays in it"

run "${cape_run[@]}" -np 2 --save-checkpoints kept ./variables
run cape-ckpt export --json --hdf5 part.h5 kept/000000-node*.ckpt
check "a sync point's checkpoints: what changed" jq -e \
	'[.variables[] | [.name, .missing == 0]] == [["grid", false], ["small", true]]' stdout

run cape-ckpt export --hdf5 none/state.h5 saved/000001/*
is_status 2 "a file that cannot be written"
stderr_has 'none/state.h5: .*No such file' "is told"
run cape-ckpt export --hdf5 none.h5 saved/000001/node-*
is_status 2 "nodes' files without the program"
stderr_has 'name the file "run", too' "are told what they lack"
check "and leave nothing" [ "$(echo none.h5*)" = "none.h5*" ]
run cape-ckpt export saved/000001/*
stderr_has 'export: needs --hdf5' "the result's name is needed"

run "${cape_run[@]}" -np 3 --checkpoint again --every 1 --keep 9 ./variables again
run cape-ckpt export --hdf5 none.h5 saved/000001/node-* again/000001/run
is_status 2 "files of two runs"
stderr_has '^cape-ckpt: again/000001/run: it is of another run than saved/000001/node-0$' "are told"
run cape-ckpt export --hdf5 none.h5 saved/000001/run kept/000000-node*.ckpt
is_status 2 "a saved run's file and a sync point's"
stderr_has 'node0.ckpt: of it and saved/000001/run only one is of a saved run$' "are told"
cat >steps.c <<'END'
#include "pause.h"
double grid[64];
int own = 100;
#pragma omp threadprivate(own)
int main(int argc, char **argv)
{
	(void)argc;
	for (int step = 0; step < 3; step++) {
#pragma omp parallel for
		for (int i = 0; i < 64; i++) {
			grid[i] += i;
			own += i;
		}
		pause_at(step, argv + 1);
	}
	return 0;
}
END
cape-cc -g -I "$root/tests/run/restart" steps.c -o steps
run "${cape_run[@]}" -np 2 --checkpoint sets --every 1 --keep 9 ./steps 0 sets
run cape-ckpt export --json --hdf5 state.h5 sets/000001/*
check "of a program with a threadprivate variable there is nothing of the run time's" \
	is "$(jq -r '.variables[].name' stdout | sort | xargs)" "grid own"
check "and that variable as sequential code sees it" is "$(values own)" $((100 + 31 * 32 / 2))
run "${cape_run[@]}" -np 2 --save-checkpoints kept.sets ./steps
run cape-ckpt export --hdf5 state.h5 kept.sets/000000-node1.ckpt
stdout_is "state.h5: 1 variable, 1 of them in part" "what the second node changed of it is one variable"
run cape-ckpt export --hdf5 none.h5 sets/000001/node-* sets/000002/run
is_status 2 "files of two sets"
stderr_has '^cape-ckpt: sets/000002/run: it is of set 2, and sets/000001/node-0 of set 1$' "are told"
run cape-ckpt merge sets/00000[12]/node-0 -o later
is_status 0 "what a node's increment goes on from is merged with it"
run cape-ckpt merge later sets/000002/run -o none
is_status 0 "and with a file of its set"
run cape-ckpt merge sets/000001/node-1 later -o none.h5
refused 2 '^cape-ckpt: later: it is of set 2, and sets/000001/node-1 of set 1$' "but not of another"
run cape-ckpt merge kept/000000-node0.ckpt sets/000001/node-0 -o none.h5
refused 2 'sets/000001/node-0: of it and kept/000000-node0.ckpt only one is of a saved run$' \
	"nor a sync point with a saved set"
run cape-ckpt merge kept/000000-node0.ckpt sets/00000[12]/node-0 -o none.h5
refused 2 'kept/000000-node0.ckpt: it is not a file that sets/000002/node-0 depends on' \
	"nor with an increment's chain"
check "and leave nothing" [ "$(echo none.h5*)" = "none.h5*" ]

mkfifo pipe
run cape-ckpt export --hdf5 pipe saved/000001/*
is_status 2 "a target that is a FIFO"
stderr_has 'pipe: at byte 0: it is not a regular file$' "is refused"
check "and left alone" test -p pipe
if mknod device c 1 3 2>/dev/null; then
	run cape-ckpt export --hdf5 device saved/000001/*
	stderr_has 'device: at byte 0: it is not a regular file$' "so is a device"
	check "and left alone, too" test -c device
else
	skip 2 "no device can be made here"
fi
echo old >behind
chmod 600 behind
ln -s behind link
echo mine >link.unfinished
run cape-ckpt export --hdf5 state.h5 saved/000001/*
run cape-ckpt export --hdf5 link saved/000001/*
is_status 0 "a file behind a link is replaced"
check "the link stays, and the file's mode" is "$(stat -c '%F %a' link behind)" \
	$'symbolic link 777\nregular file 600'
check "it is the file behind it" h5diff behind state.h5
check "nobody else's file is written over" is "$(cat link.unfinished)" mine
cp saved/000001/node-0 before
ln -s saved/000001/node-0 input
run cape-ckpt export --hdf5 input saved/000001/*
is_status 2 "a target that is read"
stderr_has '^cape-ckpt: --hdf5 input: it is one of the files that export reads' "is refused"
check "and left as it was" cmp before saved/000001/node-0

# limited BLOCKS ARGUMENT...: exports where files are no larger.
limited() {
	(
		trap - XFSZ
		ulimit -f "$1"
		shift
		run cape-ckpt export --hdf5 full.h5 "$@"
		echo "$status" >status
	)
	status=$(cat status)
}
size=$(($(stat -c %s state.h5) / 1024))
for blocks in 1 "$size"; do
	limited "$blocks" saved/000001/*
	is_status 2 "a file that becomes larger than $blocks KiB"
	stderr_has '^cape-ckpt: [^ ]*full.h5: cannot write .*: File too large$' "is told, with the cause"
	stdout_is "" "and not told to be there"
done
limited 1 --json saved/000001/*
stdout_is "" "nor in JSON"
check "and nothing is left" [ "$(echo full.h5*)" = "full.h5*" ]

# Saved inside a parallel region: each node's own is told from what all have.
run cape-cc -g "$root/tests/run/regions/loops.c" -o loops
check "a program that is one loop is built" [ "$status" = 0 ]
for ((i = 0; i < 5; i++)); do # where a node comes late the others have done all before
	rm -rf loop
	run "${cape_run[@]}" -np 3 --checkpoint loop --every 7p --keep 9 ./loops dynamic 90 40000
	[ -e loop/000001 ] && break
done
check "it is saved inside" grep -q 'inside one, at .*loops.c:' <(cape-ckpt info loop/000001)
check "its files are sound" cape-ckpt verify -q loop/000001/*
run cape-ckpt export --hdf5 state.h5 loop/000001/*
is_status 0 "it is exported"
stdout_has ' 0 of them in part$' "each variable whole"
check "with the iterations that were run" is "$(values runs | tr ' ' '\n' | grep -c 1)" \
	"$(values runs | tr ' ' '\n' | grep -vc 0)"
check "some, but not all" [ "$(values runs | tr ' ' '\n' | grep -c 1)" -lt 90 ]
own=$(values turns)
check "and the first node's own" [ "$own" -gt 0 ]
sum=$own
for node in 1 2; do
	run cape-ckpt export --hdf5 state.h5 loop/000001/node-$node loop/000001/run
	is_status 1 "node $node's file alone is exported, which is told by the status"
	stderr_has "^cape-ckpt: export: of set 1, .* there is no file node-0, node-$((3 - node)): " \
		"and the missing files by name"
	sum=$((sum + $(values turns)))
done
run cape-ckpt export --hdf5 state.h5 loop/000001/run
is_status 1 "and no node's file at all"
stderr_has 'there is no file node-0, node-1, node-2: ' "just so"
run cape-ckpt export --hdf5 state.h5 loop/000001/*
check "all nodes' own together" is "$sum" "$(values runs | tr ' ' '\n' | grep -c 1)"
run cape-ckpt merge loop/000001/node-* -o all
is_status 0 "its nodes' files are merged"
run cape-ckpt export --hdf5 state.h5 all loop/000001/run
is_status 0 "and exported together, none of them missing"
check "nor a word said" [ ! -s stderr ]
run cape-ckpt merge loop/000001/node-[02] -o two
run cape-ckpt export --hdf5 state.h5 loop/000001/run two
refused_part() {
	is "$status" 1 && grep -q 'there is no file node-1: ' stderr
}
check "but of some of them one is" refused_part
run cape-ckpt merge two loop/000001/node-1 -o three
run cape-ckpt export --hdf5 state.h5 loop/000001/run three
is_status 0 "until it is merged, too"
run cape-ckpt show all
is_status 0 "and shown"
run "${cape_run[@]}" -np 3 --checkpoint again.loop --every 7p --keep 9 ./loops dynamic 90 40000
run cape-ckpt merge loop/000001/node-0 again.loop/000001/node-1 -o none
is_status 2 "but not with another run's"
stderr_has '^cape-ckpt: again.loop/000001/node-1: it is of another run than loop/000001/node-0$' \
	"which is told"
for folder in loop/000001 loop; do
	run cape-ckpt verify "$folder"
	is_status 2 "a folder is trouble, not damage"
	stderr_has "^cape-ckpt: $folder: it is a folder; verify takes files: $folder(/\*)?/\*\$" \
		"and what is meant is told"
done
(
	ulimit -f 1
	run cape-ckpt merge loop/000001/node-* -o full
	echo "$status" >status
)
status=$(cat status)
is_status 2 "a merge that becomes too large"
stderr_has '^cape-ckpt: .*full: .*cannot write: File too large$' "is told, with the cause"
check "and nothing is left of it" [ "$(echo full*)" = "full*" ]

# Damage in what has but a name, which is read for nothing.
# flipped FILE NAME: a copy of it, damaged, with a bit of that section flipped; at which byte.
flipped() {
	local at byte
	at=$(cape-ckpt info --json "$1" | jq --arg name "$2" '.[0].sections |
		[.[0:(map(.name) | index($name))][] | .stored + 64] | add // 0 | . + 96 + 64')
	byte=$(od -An -tu1 -j "$at" -N 1 "$1")
	cp "$1" damaged
	printf '%b' "\\x$(printf %x $((byte ^ 1)))" |
		dd of=damaged bs=1 conv=notrunc status=none seek="$at"
	echo "$at"
}
node=saved/000001/node-0
at=$(flipped "$node" loaded)
run cape-ckpt verify damaged
is_status 1 "a damaged section that has a name"
for order in show "equal $node" "diff $node" encode "merge -o none.h5 $node" "exclude -o none.h5 $node" \
	"export --hdf5 none.h5 saved/000001/run"; do
	# shellcheck disable=SC2086 # words
	run cape-ckpt $order damaged
	refused 2 "damaged: at byte $at: a section's contents do not match" "is trouble to ${order%% *}"
done
for name in program launch; do
	at=$(flipped saved/000001/run $name)
	run cape-ckpt export --hdf5 none.h5 saved/000001/node-* damaged
	refused 2 "damaged: at byte $at: " "and in the file that tells the program: its $name"
	run cape-ckpt merge saved/000001/node-* damaged -o none.h5
	refused 2 "damaged: at byte $at: " "to merge, too"
done
flipped saved/000001/run program >/dev/null
run cape-ckpt info damaged
refused 2 'damaged: at byte [0-9]+: ' "info tells it if it is to show it"
check "and nothing is made" [ ! -e none.h5 ]

head -c 1000 saved/000001/node-0 >damaged
run cape-ckpt export --hdf5 none.h5 saved/000001/run damaged
is_status 2 "a damaged file is trouble"

cape-cc -I "$root/tests/run/restart" "$root/tests/run/export/variables.c" -o variables
run cape-ckpt export --hdf5 none.h5 saved/000001/*
stderr_has 'variables is not the program that' "another program has other variables"
plan_done
