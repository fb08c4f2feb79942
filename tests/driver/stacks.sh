#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# stacks.sh - in the guest: capectl finds the callers of a write in code without frame pointers, and
# writes a trace that other tools read.
. tap.sh

# record_of PROGRAM [OPTION...]: /tmp/recording has what it writes, and $said what record says.
record_of() {
	program=$1
	shift
	rm -f /tmp/go /tmp/done
	"$program" /tmp/go /tmp/done &
	writer=$!
	becomes_true 60 grep -q "$program" /proc/$writer/comm
	capectl record $writer -o /tmp/recording "$@" 2>"$said" &
	recorder=$!
	becomes_true 60 has "^process $writer( is locked|: 1 bytes at)"
	touch /tmp/go
	becomes_true 60 [ -e /tmp/done ]
	kill -INT $recorder
	wait $recorder
	kill -9 $writer
}


record_of nested
run capectl report --stacks /tmp/recording
check "without frame pointers there are no callers" \
	has '^ +1 +[0-9.]+%  innermost \(nested.c:[0-9]+\) /bin/nested$'

record_of nested --dwarf
check "recording with stacks" has "^process $writer: [1-9][0-9]* first writes, 0 lost$"
check "report of that" run capectl report --stacks /tmp/recording
file='\(nested.c:[0-9]+\) /bin/nested'
check "has the callers, through the C library" \
	has "innermost $file < [^(]* < middle $file < outer $file < main $file"
check "report without --stacks" run capectl report /tmp/recording
check "counts as ever" has '^ +1 +[0-9.]+%  innermost \(nested.c:[0-9]+\) /bin/nested$'
run capectl report --script /tmp/recording
check "as a script, a line for each caller" \
	[ "$(sed -n '/ innermost+/,/^$/p' "$said" | grep -cE ' (innermost|middle|outer)\+')" -eq 3 ]
run capectl report --trace /tmp/recording
check "and as a trace" has '"middle [^"]*", "outer [^"]*", "main '
size=$(stat -c %s /tmp/recording)
for kept in $((size - 17)) $((size - 4000)) 12; do
	head -c "$kept" /tmp/recording >/tmp/bad
	run capectl report --stacks /tmp/bad
	check "cut short to $kept bytes it is refused" has '^capectl: /tmp/bad: it is cut short'
done
maps=$(od -An -t u8 -j 24 -N 8 /tmp/recording | tr -d ' ')
# spoil OFFSET NAME: the recording with four bytes of ones is refused.
spoil() {
	cp /tmp/recording /tmp/bad
	printf '\377\377\377\377' | dd of=/tmp/bad bs=1 seek="$1" conv=notrunc 2>/dev/null
	run capectl report --stacks /tmp/bad
	check "$2 is refused" has '^capectl: /tmp/bad: it is damaged: an impossible'
}
spoil 12 "a size of records that cannot be"
spoil 32 "a stack that is not within its record"
spoil 36 "a stack larger than records"
spoil $((40 + maps + 16 + 256 + 17 * 8)) "a stack longer than its record"

record_of nested --dwarf=100
check "a hundred bytes of the stack" run capectl report --stacks /tmp/recording
check "are not enough for all callers" not has 'innermost .*< main '
record_of nested --dwarf --at target+4096+1
run capectl report --stacks /tmp/recording
check "every write to bytes, with callers" \
	has '^ +[12] +100.0%  innermost .* < middle [^<]* < outer [^<]* < main '
as_user "nested /tmp/none /tmp/none & own=\$!; usleep 300000
	capectl record \$own --dwarf --seconds 1 >/tmp/users; kill \$own"
check "an ordinary user has room for stacks, too" has "first writes, 0 lost$"

record_of writers
check "a trace of first writes" run capectl report --trace /tmp/recording
event='"ph": "i", "s": "t", "cat": "first write", "pid": [0-9]+, "tid": [0-9]+, "ts": [0-9.]+'
name='"name": "write_first \(writers.c:[0-9]+\) /bin/writers", "args": \{"place": "first_table '
check "it has an event for each" [ "$(grep -cE "$event, $name" "$said")" -eq 40 ]
check "with the callers" has '"callers": \["main [^"]*/bin/writers"'
check "and the system call" has '"system_call": "read", "callers": \['
check "it begins with the process" has '"process_name", .*"args": \{"name": "/bin/writers"\}'
check "and ends" has '^\], "otherData": \{"records": [0-9]+, "lost": 0\}\}$'
rm -f /tmp/recording /tmp/bad
finish
