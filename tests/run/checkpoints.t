#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --save-checkpoints, and what cape-ckpt does with the files.
. "$(dirname "$0")/../tap.sh"

plan 67
cd "$work" || exit 1
cape-cc -g -O1 "$root/tests/run/checkpoints/changes.c" -o changes || exit 1

run "${cape_run[@]}" -np 3 --save-checkpoints kept ./changes </dev/null
is_status 0 "a run whose checkpoints are saved"
cp stdout printed
run ls kept
stdout_is "000000-node0.ckpt
000000-node1.ckpt
000000-node2.ckpt
000001-node0.ckpt
000001-node1.ckpt
000001-node2.ckpt" "a file for each node and sync point, and nothing else"
run cape-ckpt verify kept/*
is_status 0 "they are sound"
run cape-ckpt info --json kept/*
check "what they are" jq -e 'map([.kind, .node, .nodes, .number]) ==
	[["sync-point",0,3,0], ["sync-point",1,3,0], ["sync-point",2,3,0],
	 ["sync-point",0,3,1], ["sync-point",1,3,1], ["sync-point",2,3,1]]' stdout >answer
check "64-bit numbers as text" jq -e 'all(.identity | test("^[0-9a-f]{16}$"))' stdout
check "where in the program they were made" grep -q '"place": "[^"]*changes.c:24"' stdout

# values FILE: the named values that it holds, as the program prints them.
values() {
	cape-ckpt show "$1" | grep '^  .*(' | sed -E 's/^ *0x[0-9a-f]+  //; s/ \([^)]*\)//'
}
run cape-ckpt merge kept/000000-node*.ckpt -o all
is_status 0 "the nodes' checkpoints of a sync point are merged"
values all | sort >merged
sort printed >wanted
run diff wanted merged
stdout_is "" "what comes out is what memory became, neighbouring bytes, too"
cape-ckpt merge kept/000000-node{2,0,1}.ckpt -o other
run cape-ckpt diff all other
is_status 0 "in whatever order they come"
run cape-ckpt show --json kept/000000-node1.ckpt
check "a node's holds what that node changed" is "$(jq -r '.memory[].name' stdout | sort | xargs)" \
	"byte[4] byte[5] byte[6] byte[7] same word[4] word[5] word[6] word[7]"
check "with its time-stamps, which are numbers, as addresses are" jq -e '.memory |
	all(.node == 1 and (.time | type) == "number" and (.address | type) == "number")' stdout
check "and the reduction beside it" jq -e '.reductions | length == 1 and .[0].count == 1' stdout
check "with names, as memory has them, of variable, operator and type" jq -e '.reductions[0] |
	[.name, .operator, .type] == ["sum", "+", "long"] and (.declared | test("changes.c:18$"))' stdout
run cape-ckpt show -q kept/000000-node1.ckpt
stdout_has 'time-stamp [0-9]+ of node 1$' "-q leaves the values out"
stdout_has '^0x[0-9a-f]+  sum \(.*changes.c:18\)  reduction by \+ of 1 value of long$' \
	"but not a reduction's name"

run cape-ckpt equal all all
is_status 0 "a checkpoint is equal to itself"
stdout_is "all and all are equal" "which is told"
run cape-ckpt equal all other
is_status 0 "and to the same merge in another order"
run cape-ckpt equal all kept/000000-node1.ckpt
is_status 1 "another is not equal"
run cape-ckpt diff kept/000000-node1.ckpt kept/000001-node1.ckpt
is_status 1 "what the node wrote at the next sync point differs"
stdout_has 'word\[4\] \(.*changes.c:15\)  84215045  \|  168430090$' "by name, line and value"
run cape-ckpt diff --json kept/000000-node1.ckpt kept/000000-node2.ckpt
check "in JSON" jq -e '.only_a_bytes == 20 and .only_b_bytes == 20 and .different_bytes == 4' stdout
run cape-ckpt diff -q all kept/000000-node0.ckpt
stdout_is "all and kept/000000-node0.ckpt: 4 B differ, 40 B only in the first, 0 B only in the second
all and kept/000000-node0.ckpt: registers or reductions differ" "-q gives the sums"

run cape-ckpt exclude all kept/000000-node1.ckpt -o rest
is_status 0 "one checkpoint is taken out of another"
values rest | sort >left
grep -vE '^(word|byte)\[[4-7]\]|^same' wanted | diff - left >differences
check "what is left is what others wrote" test ! -s differences
# label FILE: what it is called, beside what it holds.
label() {
	cape-ckpt info --json "$1" | jq -c '.[0] | [.node, .time, .number, .place]'
}
first=kept/000000-node1.ckpt
later=kept/000001-node2.ckpt
run cape-ckpt exclude $first $later -o less
check "the later one that is taken out does not give it its number" is "$(label less)" "$(label $first)"
run cape-ckpt exclude $first less -o both
run cape-ckpt merge less both -o again
run cape-ckpt equal again $first
is_status 0 "so that with what it had in common it is the first again"

address=$(cape-ckpt show --json all | jq '.memory[] | select(.name == "same") | .address')
run cape-ckpt merge kept/000000-node*.ckpt -o added --op "$address:int:+"
is_status 0 "a value is added up"
check "its sum" is "$(values added | grep same)" "same  $((0x01010101 * (4 + 8 + 12)))"
run cape-ckpt merge kept/000000-node*.ckpt -o least --op "$address:int:min"
check "the least" is "$(values least | grep same)" "same  $((0x01010101 * 4))"
run cape-ckpt merge kept/000000-node*.ckpt -o no --op "$((address + 1)):double:+"
is_status 2 "a value of which there is a part only"
stderr_has 'node0.ckpt: of the value at 0x[0-9a-f]+ it holds a part only$' "is refused"
run cape-ckpt merge kept/000000-node*.ckpt -o no --op "$address:int:%"
stderr_has 'must be ADDRESS:TYPE:OPERATOR' "so is an unknown operator"
for second in "$address:int:max" "$((address + 2)):short:+"; do
	run cape-ckpt merge kept/000000-node*.ckpt -o no --op "$address:int:+" --op "$second"
	refused 2 "--op ${second/+/[+]}: another --op is given for the value at 0x" \
		"so is a second one, of ${second#*:}"
done
run cape-ckpt merge kept/000000-node*.ckpt -o again --op "$address:int:+" --op "$address:int:+"
check "the same once more is not" cape-ckpt equal -q again added

run cape-ckpt encode --json all
check "sizes in the papers' structures" jq -e '.bytes == 64 and .sd == 12 * 16 and .cape < .ssd' stdout
run cape-ckpt encode --as ep -o no all
is_status 2 "whole pages cannot be made of parts"
run cape-ckpt encode --as cape -o encoded all
check "the encoding is written" test "$(stat -c %s encoded)" = "$(awk '/^cape/ { print $2 }' stdout)"

head -c 300 all >short
run cape-ckpt verify all short
is_status 1 "a file that is cut"
stderr_has '^cape-ckpt: short: at byte [0-9]+: ' "is told, with the place"
run cape-ckpt show short
is_status 2 "and not shown"
run cape-ckpt info "$root/LICENSE"
stderr_has 'LICENSE: at byte 0: this is not a checkpoint of CAPE$' "nor is another file"

# Its variables are where the other's are.
cape-cc -g -O1 -DFACTOR=7 "$root/tests/run/checkpoints/changes.c" -o another
"${cape_run[@]}" -np 3 --save-checkpoints another-run ./another </dev/null >another.out
run cape-ckpt merge kept/000000-node1.ckpt another-run/000000-node1.ckpt -o no
is_status 2 "checkpoints of different runs"
stderr_has 'node1.ckpt: it has other bytes from 0x[0-9a-f]+ on than a file before it' "are not merged"

run "${cape_run[@]}" -np 2 --save-checkpoints kept ./changes </dev/null
stderr_has '--save-checkpoints kept: it holds checkpoints already' "a folder with checkpoints is refused"
run "${cape_run[@]}" -np 2 --save-checkpoints /proc/kept ./changes </dev/null
stderr_has '--save-checkpoints /proc/kept: No such file or directory; name a folder that you may write to' \
	"so is one that cannot be made"
run "${cape_run[@]}" -np 2 --checkpoint /proc/kept ./changes </dev/null
stderr_has '--checkpoint /proc/kept: No such file or directory; name a folder that you may write to' \
	"so is one for saves"
run "${cape_run[@]}" -np 2 --exchange need --save-checkpoints new ./changes </dev/null
stderr_has '--save-checkpoints needs --exchange eager' "so is exchange by need"
run "${cape_run[@]}" -np 1 --save-checkpoints new ./changes </dev/null
stderr_has '--save-checkpoints needs -np 2 or more' "and one node"
run "${cape_run[@]}" -np 2 --save-checkpoints lost ./changes "$PWD/lost" </dev/null
check "a run goes on when its checkpoints cannot be written" cmp stdout printed
stderr_has '^cape-run: node [01]: no more checkpoints are saved: .*lost/000001-node[01].ckpt: ' \
	"and says so"

chmod 600 rest
ln -s rest link
run cape-ckpt merge kept/000000-node*.ckpt -o link
is_status 0 "a file behind a link is replaced"
check "the link stays, and the file's mode" is "$(stat -c '%F %a' link rest)" \
	$'symbolic link 777\nregular file 600'
check "it is the file behind it" cmp all rest
mkfifo fifo
run cape-ckpt merge kept/000000-node*.ckpt -o fifo
refused 2 'fifo: at byte 0: it is not a regular file$' "a target that is not a regular file is refused"
check "and left alone" test -p fifo

mkdir elsewhere
cp another elsewhere/changes
cd elsewhere || exit 1
run cape-ckpt show ../kept/000000-node1.ckpt
stdout_has ' word\[4\] ' "the program is found from another folder"
cd .. || exit 1
cp elsewhere/changes changes
run cape-ckpt show kept/000000-node1.ckpt
refused_names() {
	grep -q 'changes is not the program that kept/.* is of: there are no names$' stderr &&
		! grep -q word stdout
}
check "another program at its path gives no names" refused_names
rm changes
mkfifo changes
run cape-ckpt show kept/000000-node1.ckpt
is_status 0 "a fifo there is not waited for"

run "${cape_run[@]}" -np 2 --save-checkpoints new ./no-such-program
check "no folder is made for a program that is not there" test ! -e new

run cape-ckpt info kept/000000-node1.ckpt
stdout_has '^  changed    encoded in [0-9]+ B, 1 section$' "what info says of the changed memory"

for option in --help --version; do
	run bash -c "cape-ckpt $option >/dev/full"
	refused 2 '^cape-ckpt: standard output: No space' "$option to a full disk"
done

# strict: whether it is JSON, whose texts are UTF-8; and what is in it.
strict() {
	python3 -c 'import json, sys; print(json.loads(sys.stdin.buffer.read().decode())[0]["file"])' \
		<stdout
}
name=$'n\xc3\xb6\xf0\x9f\x98\x80'
bad=$'\xff.\xc3.\xc0\xaf.\xed\xa0\x80.\xf5\x80\x80\x80.\xe2\x82'
cp kept/000000-node1.ckpt "$name"
cp kept/000000-node1.ckpt "$name$bad"
run cape-ckpt info --json "$name"
check "a name in UTF-8 is in JSON what it is" is "$(strict)" "$name"
run cape-ckpt info --json "$name$bad"
r=$'\xef\xbf\xbd'
check "and one that is not has a character for each byte that is none" \
	is "$(strict)" "$name$r.$r.$r$r.$r$r$r.$r$r$r$r.$r$r"
run cape-ckpt verify --json "$name$bad"
check "wherever it stands" strict >/dev/null
