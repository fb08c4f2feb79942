#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# increments.t - saves that hold what changed since the one before: they take little, go on as any
# other, and what they need stays.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

run cape-cc -O2 "$root/tests/run/restart/tenth.c" -o "$work/tenth"
check "a program is built" [ "$status" = 0 ]
run "${cape_run[@]}" -np 1 "$work/tenth" 14
cp "$work/stdout" "$work/whole"

# kinds SET: of the files of its nodes.
kinds() {
	cape-ckpt info --json "$1"/node-* | jq -r '.[].kind' | sort -u | xargs
}

# bytes SET: of the files of its nodes.
bytes() {
	cat "$1"/node-* | wc -c
}

saved=$work/saved
run "${cape_run[@]}" -np 3 --checkpoint "$saved" --every 1 --keep 100 "$work/tenth" 14 0 "$saved"
check "it prints the same when it is saved" cmp "$work/stdout" "$work/whole"
check "the first save has all memory" is "$(kinds "$saved/000001")" state
check "the second what changed" is "$(kinds "$saved/000002")" increment
# A tenth of 8 MB; beside it stack, heap and what the run time keeps.
for set in 000003 000005; do
	check "set $set takes little more" [ "$(bytes "$saved/$set")" -le $((838861 * 105 / 100 + 40960)) ]
done
check "when they take as much as all memory, all is saved again" \
	is "$(for set in "$saved"/0*; do kinds "$set"; done | grep -c state)" 2
run cape-ckpt verify -q "$saved"/*/*
is_status 0 "all files are sound"
nodes=0
for set in 000002 000003 000004 000010 000014; do
	nodes=$((nodes % 4 + 1))
	run "${cape_run[@]}" -np "$nodes" --verify --restart "$saved/$set"
	check "it goes on from $set on $nodes nodes" same_end "$work/stdout" "$work/whole"
done

# A set as one file: what cape-ckpt makes of the chain is what a restart takes.
mkdir "$work/full" "$work/full/000004"
cp "$saved/000004/run" "$work/full/000004"
for node in 0 1 2; do
	run cape-ckpt merge "$saved"/00000[1-4]/node-$node -o "$work/full/000004/node-$node"
	is_status 0 "node $node's files are merged"
done
check "into files of all memory" is "$(kinds "$work/full/000004")" state
# What is left of a file is not all memory, whatever else it has of that file.
cp -r "$work/full" "$work/rest"
run cape-ckpt exclude "$work/full/000004/node-1" "$saved/000001/node-1" -o \
	"$work/rest/000004/node-1"
is_status 0 "one file is taken out of another"
run "${cape_run[@]}" -np 3 --restart "$work/rest/000004"
is_status 1 "no run goes on from what is left"
stderr_has '/rest/000004/node-1: .*what cape-ckpt exclude has left, not all memory of a program$' \
	"which is told"
run cape-ckpt merge "$saved"/00000{1,3}/node-1 -o "$work/none"
is_status 2 "one that is left out"
stderr_has 'saved/000001/node-1: .*not the file that .*000003/node-1 depends on' "is told"
# The first file's is not the name of anything that the merged file has.
cp "$saved/000001/node-1" "$work/damaged"
printf '\377\376' | dd of="$work/damaged" bs=1 conv=notrunc status=none seek=161
run cape-ckpt merge "$work/damaged" "$saved/000002/node-1" -o "$work/none"
refused 2 'damaged: at byte 160: a section.s contents' "damage where nothing is read is told"
run cape-ckpt exclude "$saved"/00000{2,1}/node-1 -o "$work/none"
is_status 2 "arithmetic on an increment alone"
stderr_has 'saved/000002/node-1: it is an increment: merge it' "is refused"

# What it goes on from is gone: it is no complete set.
rm -r "$saved/000013"
run "${cape_run[@]}" -np 2 --restart "$saved"
check "the newest whose chain is there is found" same_end "$work/stdout" "$work/whole"
check "which is the one before" is "$(wc -l <"$work/stdout")" 3

run "${cape_run[@]}" -np 2 --checkpoint "$work/few" --every 1 --keep 1 "$work/tenth" 6 0 "$work/few"
check "a run that keeps one save" cmp -s <(head -n 6 "$work/whole") "$work/stdout"
check "keeps what that goes on from" is "$(cd "$work/few" && echo *)" \
	"000001 000002 000003 000004 000005 000006"
run "${cape_run[@]}" -np 3 --restart "$work/few/000006"
check "so that it can go on" is "$(cat "$work/stdout")" "$(sed -n 6p "$work/whole")"
run "${cape_run[@]}" -np 2 --checkpoint "$work/less" --every 1 --keep 1 "$work/tenth" 13 0 "$work/less"
check "but none of a chain that is over" is "$(kinds "$work/less/$(cd "$work/less" && echo * | cut -c1-6)")" state
check "which are all of it" [ "$(cd "$work/less" && echo * | wc -w)" -lt 4 ]

# Removed while the run goes on: the next save needs none of it.
"${cape_run[@]}" -np 2 --checkpoint "$work/gone" --every 1 --keep 9 "$work/tenth" 14 200000 "$work/gone" \
	>"$work/stdout" 2>"$work/stderr" </dev/null &
process=$!
soon test -e "$work/gone/000003/run"
rm -r "$work/gone/000001"
wait "$process"
check "a run whose first save is removed goes on" [ $? = 0 ]
check "and prints the same" cmp "$work/stdout" "$work/whole"
check "it says so, once" is "$(grep -c 'has been removed: the next save is of all' "$work/stderr")" 1
newest=$(cd "$work/gone" && printf '%s\n' 0* | tail -n 1)
run cape-ckpt info "$work/gone/$newest"
stdout_has "/gone/$newest: complete" "and saves what is whole again"
first=$(for set in "$work"/gone/00000[4-9]; do kinds "$set"; done | head -n 3)
check "the next, or the one that was begun before" grep -q state <<<"$first"

# Who saves what all hold is known to all nodes alike, though one alone refuses a save between.
run cape-cc -O2 "$root/tests/run/restart/swapped.c" -o "$work/swapped"
check "a program is built that changes owners in a save that is refused" [ "$status" = 0 ]
run "${cape_run[@]}" -np 2 --verify --checkpoint "$work/swaps" --every 1 --keep 9 "$work/swapped" 1300000 \
	"$work/swaps"
is_status 0 "it is saved before and behind"
stderr_has 'has a pipe open' "and not there"
tail -n 2 "$work/stdout" >"$work/swapped.end"
run "${cape_run[@]}" -np 2 --verify --restart "$work/swaps/000003"
check "behind it nothing is lost" cmp "$work/stdout" "$work/swapped.end"
plan_done
