#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# capectl.sh - in the guest: capectl with the driver, on a process that writes now and then.
. tap.sh

# busybox's sh changes its memory with every round.
sh -c 'while :; do i=$((i + 1)); usleep 20000; done' &
process=$!
usleep 200000

check "status without locks" run capectl status
check "lock" run capectl lock $process
check "lock says how many pages" has "^process $process is locked \(snapshot\): [1-9][0-9]* pages$"
run capectl lock $process
check "a second lock is refused" has "process $process is locked already"
run capectl watch $process
check "watching a locked process is refused" has "capectl unlock $process first"
usleep 300000
check "dirty" run capectl dirty $process
check "dirty names the mapping" has '^0x[0-9a-f]{12} page .*\[(heap|stack)\]$'
check "dirty in JSON" run capectl --json dirty $process
check "dirty in JSON: pages" \
	has "^\{\"pid\": $process, \"pages\": \[\{\"address\": [0-9]+, \"twin\": \"(page|zero)\""
check "status of a process" run capectl status $process
check "status counts" has 'pages_collected +[1-9]'
check "status lists it in JSON" run capectl --json status
check "status in JSON: the process" \
	has "\"processes\": \[\{\"pid\": $process, \"mode\": \"snapshot\""

address=0x$(sed -n 's/^\([0-9a-f]*\)-.*\[stack\]$/\1/p' /proc/$process/maps)
printf 'written by hand' >/tmp/bytes
check "write" sh -c "capectl write $process $address </tmp/bytes"
capectl read $process "$address" 15 >/tmp/back
check "read gives it back" cmp -s /tmp/bytes /tmp/back
text=$(sed -n 's/^\([0-9a-f]*\)-.* r-xp .*/0x\1/p' /proc/$process/maps | head -n 1)
run sh -c "capectl write $process $text </tmp/bytes"
check "write to the program's text is refused" has 'memory is shared, or not writable'
run capectl read $process 8 16
check "read of what is not mapped is refused" has 'at 0x8: Bad address, after 0 bytes'

# The bytes of before are what the twin has of them.
run capectl diff $process
check "diff: what was written by hand, and what was there" \
	has "^$address [0-9a-f]{30} -> 7772697474656e2062792068616e64 \[stack\]$"
run capectl --json diff $process
check "diff in JSON" has "\"before\": \"[0-9a-f]*\", \"after\": \"7772697474656e2062792068616e64\""

# A core file of a locked process is of when it was locked; of another one, of now.
core_says() {
	strings /tmp/core | grep -q 'written by hand'
}
check "core of a locked process" run capectl core $process -o /tmp/core
head -c 18 /tmp/core | od -An -tx1 | tr -d '\n' >"$said"
check "it is an ELF core file" has '^ 7f 45 4c 46 02 01 01( 00){9} 04 00$'
check "of when it was locked" not core_says
check "for its owner only" [ "$(stat -c %a /tmp/core)" = 600 ]
check "the process is locked still" run capectl dirty $process

# So are bytes that are read of then, whatever is there now; the process does not stop for it.
run capectl --json diff $process
before=$(sed -n "s/.*{\"address\": $((address)), \"before\": \"\([0-9a-f]*\)\".*/\1/p" "$said")
check "read of then" run capectl --json read $process "$address" 15 --then
check "it is what diff tells of before" has "\"bytes\": \"${before:-none}"
run capectl read $process 8 16 --then
check "read of then where nothing was mapped is refused" has 'at 0x8: Bad address, after 0 bytes'
run capectl freeze $process
check "a locked process cannot be frozen" has "process $process is locked already"

# Rolled back, it counts the same once more.
counts_back() {
	awk -v times="$1" '$1 <= last { found++ } { last = $1 } END { exit found < times }' \
		/tmp/counts
}
# The file is opened once: descriptors are not rolled back, and a shell that is in the middle of a
# redirection would then write elsewhere.
sh -c 'exec >>/tmp/counts 2>&1; while :; do i=$((i + 1)); echo $i; usleep 20000; done' &
counter=$!
becomes_true 60 [ -s /tmp/counts ]
run capectl rollback $counter
check "rollback without lock is refused" has "process $counter is not locked"
capectl lock $counter >/dev/null
usleep 500000
check "rollback" run capectl rollback $counter
check "rollback says how many pages" has "^process $counter is as it was .*: [1-9][0-9]* pages$"
check "the process goes on from where it was" becomes_true 60 counts_back 1
check "rollback once more, in JSON" run capectl --json rollback $counter
check "rollback in JSON" has "^\{\"pid\": $counter, \"pages\": [1-9][0-9]*, \"new_bytes\": 0\}$"
check "it goes on from there again" becomes_true 60 counts_back 2

# Several instants of it.
check "epoch" run capectl epoch $counter
check "epoch says how many pages" \
	has "^process $counter: epoch 2 begins, [1-9][0-9]* pages were written in the one before$"
check "epoch says how long the process stood" has "^process $counter was stopped for [0-9.]+ ms$"
usleep 200000
check "epoch in JSON" run capectl --json epoch $counter
check "epoch in JSON: the number" has "^\{\"pid\": $counter, \"epoch\": 3, \"pages\": [1-9]"
check "status" run capectl status $counter
check "status lists them" has '^  epoch 2  +[1-9][0-9]*$'
check "diff of two epochs" run capectl diff $counter 1 2
check "it tells bytes" has '^0x[0-9a-f]{12} [0-9a-f]+ -> [0-9a-f]+'
run capectl --json diff $counter 2 3
cp "$said" /tmp/diff
check "in JSON, with their size" \
	has '\{"address": [0-9]+, "before": "[0-9a-f]+", "after": "[0-9a-f]+", "size": [0-9]+'
# first FIELD: of the first difference
first() {
	sed -n "s/^[^[]*\[{[^}]*\"$1\": \"*\([0-9a-f]*\).*/\1/p" /tmp/diff
}
usleep 200000
run capectl --json read $counter "$(first address)" "$(first size)" --epoch 2
check "read of the first of them" has "\"bytes\": \"$(first before)\""
run capectl --json read $counter "$(first address)" "$(first size)" --epoch 3
check "and of the second" has "\"bytes\": \"$(first after)\""
check "core of an epoch" run capectl core $counter --epoch 2 -o /tmp/core
check "it has memory" [ "$(stat -c %s /tmp/core)" -gt 8192 ]
check "diff to now" run capectl --json diff $counter 3
check "it has no other epoch" not capectl drop $counter 4
run capectl diff $counter 3 2
check "diff the other way is refused" has 'the second epoch must be younger'
check "drop" run capectl drop $counter 2
run capectl diff $counter 2
check "what was dropped is no more" has "process $counter has no such epoch; capectl status"
check "rollback to the first" run capectl rollback $counter 1
check "it says to which" has "^process $counter is as it was when epoch 1 began: [1-9]"
run capectl rollback $counter 3
check "later epochs are no more" has 'no such epoch'
: >/tmp/counts
check "the process goes on from there" becomes_true 60 [ -s /tmp/counts ]
run capectl drop $counter 1
check "the only epoch is not dropped" has 'the only epoch'
kill -9 $counter
rm -f /tmp/go /tmp/done
writers /tmp/go /tmp/done &
writer=$!
usleep 500000
capectl lock $writer >/dev/null
touch /tmp/go
becomes_true 60 [ -e /tmp/done ]
check "diff of what a program writes" run capectl diff $writer 1
check "it names the variable" has '^0x[0-9a-f]{12} 00 -> 01 first_table(\+[0-9]+)?( |$)'
run capectl diff $writer
check "so does diff without a number" has '^0x[0-9a-f]{12} 00 -> 01 first_table(\+[0-9]+)?( |$)'
run capectl dirty $writer
check "dirty names the variable of each page" \
	[ "$(grep -cE '^0x[0-9a-f]{12} zero first_table(\+[0-9]+)?( |$)' "$said")" -eq 40 ]
check "also where it begins before the page" has ' second_table\+4096( |$)'
run capectl --json dirty $writer
check "dirty in JSON names it, too" \
	has '"pinned": false, "mapping": "[^"]*", "variables": \["first_table\+4096"\]\}'
kill -9 $writer

check "unlock" run capectl unlock $process
run capectl read $process "$address" 15 --then
check "read of then without a lock is refused" has "process $process is not locked"
check "freeze" run capectl freeze $process
check "freeze tells how long the process stood" has "^process $process was stopped for [0-9.]+ ms$"
capectl read $process "$address" 15 --then >/tmp/back
check "read of then: what had been written by hand" cmp -s /tmp/bytes /tmp/back
printf 'and once again.' >/tmp/again
capectl write $process "$address" </tmp/again
capectl read $process "$address" 15 --then >/tmp/back
check "it stays" cmp -s /tmp/bytes /tmp/back
capectl write $process "$address" </tmp/bytes
check "unlock what was frozen" run capectl unlock $process
run sh -c "capectl core $process >/tmp/core"
check "core of a process that is not locked: of now" core_says
run capectl unlock $process
check "a second unlock is refused" has "process $process is not locked"
check "the process has gone on" kill -0 $process

# Only which pages it writes.
check "lock without twins" run capectl lock $process --no-twins
check "it says so" has "^process $process is locked \(snapshot, no twins\): [1-9][0-9]* pages$"
usleep 200000
check "dirty tells pages" run capectl dirty $process
check "they have no twins" has '^0x[0-9a-f]{12} none .*\[(heap|stack)\]$'
check "epoch" run capectl epoch $process
usleep 200000
run capectl dirty $process
check "dirty tells pages again" has '^0x[0-9a-f]{12} none '
for command in "diff $process" "diff $process 1 2" "rollback $process" \
	"core $process -o /tmp/none" "read $process $address 15 --then" "check $process"; do
	# shellcheck disable=SC2086 # it has arguments
	run capectl $command
	check "$command is refused" has "process $process is locked with(out)? --"
done
check "and no file is made" [ ! -e /tmp/none ]
capectl unlock $process

# record_until_done FILE: the process waits until it is locked, writes from two functions, and has
# read(2) write.
record_until_done() {
	rm -f /tmp/go /tmp/done
	writers /tmp/go /tmp/done &
	writer=$!
	capectl record $writer -o "$1" 2>"$said" &
	recorder=$!
	becomes_true 60 has "^process $writer is locked \(record, no twins\)"
	touch /tmp/go
	becomes_true 60 [ -e /tmp/done ]
}
record_until_done /tmp/recording
check "recording: the process has written" [ -e /tmp/done ]
check "the recording has no name before it ends" [ ! -e /tmp/recording ]
kill -INT $recorder
wait $recorder
check "Ctrl-C ends the recording" has "^process $writer: [1-9][0-9]* first writes, 0 lost$"
check "the process is not locked any more" not capectl dirty $writer
check "a recording is for its owner only" [ "$(stat -c %a /tmp/recording)" = 600 ]
kill -9 $writer
check "report, when the process has ended" run capectl report /tmp/recording
check "report: how many" has "^process $writer: [1-9][0-9]* first writes, 0 lost$"
check "the first function, with its line" \
	has '^ +40 +[0-9.]+%  write_first \(writers.c:[0-9]+\) /bin/writers$'
check "the second" \
	has '^ +7 +[0-9.]+%  write_second \(writers.c:[0-9]+\) /bin/writers$'
check "what the kernel wrote for it" has '^ +3 +[0-9.]+%  read < .*read.* /bin/writers$'
check "the first variable" has '^ +40 +[0-9.]+%  first_table /bin/writers$'
check "the second variable" has '^ +7 +[0-9.]+%  second_table /bin/writers$'
check "the third variable" has '^ +3 +[0-9.]+%  read_table /bin/writers$'
check "report with stacks, from standard input" \
	run sh -c 'capectl report --stacks </tmp/recording'
check "the functions that called" has '^ +40 .*write_first [^<]* < main '
check "report as a script" run capectl report --script /tmp/recording
sample='^writers [0-9]+/[0-9]+ \[00[01]\] [0-9]+\.[0-9]{6}: 1 cape:first_write:$'
check "it has a line for each record" [ "$(grep -cE "$sample" "$said")" -ge 50 ]
grep -A 2 'first_write:$' "$said" | tr -d '\n' >/tmp/stacks
frames=':	 +[0-9a-f]+ write_first\+0x[0-9a-f]+ \(/bin/writers\)	 +[0-9a-f]+ main\+'
check "and one for each function" [ "$(grep -oE "$frames" /tmp/stacks | wc -l)" -eq 40 ]
check "and one for the system call" has '^	 *[0-9a-f]+ sys_read \(\[kernel\.kallsyms\]\)$'
check "report in JSON" run capectl --json report /tmp/recording
check "report in JSON: the counts" \
	has '^\{"pid": [0-9]+, "records": .*\{"count": 40, "name": "first_table /bin/writers"\}'

# The file may be anything.
bad_file() {
	run capectl report /tmp/bad
	[ $? -eq 1 ] && has "^capectl: /tmp/bad: $1" && [ "$(wc -l <"$said")" -eq 1 ]
}
size=$(stat -c %s /tmp/recording)
lacks=0
for kept in 12 40 100 $((size / 2)) $((size - 16)) $((size - 1)); do
	head -c "$kept" /tmp/recording >/tmp/bad
	bad_file 'it is cut short' || lacks=$((lacks + 1))
done
check "a recording that is cut short is refused, wherever" [ $lacks -eq 0 ]
: >/tmp/bad
check "an empty file is refused" bad_file 'it is not a recording'
head -c 5000 /bin/writers >/tmp/bad
check "another file is refused" bad_file 'it is not a recording'
# spoil OFFSET: the recording with four bytes of ones.
spoil() {
	cp /tmp/recording /tmp/bad
	printf '\377\377\377\377' | dd of=/tmp/bad bs=1 seek="$1" conv=notrunc 2>/dev/null
}
spoil 8
check "another version is refused" bad_file 'it is a recording of another version'
spoil 12
check "another size of records is refused" bad_file 'it is damaged: an impossible size'
spoil 28
check "mappings of a size that cannot be are refused" bad_file 'it is damaged: an impossible size'
spoil 32
check "mappings that cannot be are refused" bad_file 'it is damaged: impossible mappings'
maps=$(od -An -t u8 -j 24 -N 8 /tmp/recording | tr -d ' ')
spoil $((32 + maps + 4))
check "more records than there can be are refused" bad_file 'it is damaged: an impossible size'
spoil $((32 + maps + 16 + 56))
check "a record with a longer stack than there can be is refused" \
	bad_file 'it is damaged: an impossible record'
cp /tmp/recording /tmp/bad
echo more >>/tmp/bad
check "more behind the end is refused" bad_file 'it is damaged: more'
run capectl report /tmp/none
check "a file that is not there is refused" has '^capectl: /tmp/none: No such file'

record_until_done /tmp/recording
kill -9 $writer
wait $recorder
check "a recording ends with the process" has "^process $writer: [1-9][0-9]* first writes, 0 lost$"
run capectl report /tmp/recording
check "and is whole" has '^ +40 +[0-9.]+%  write_first '
check "recording for a second" run capectl record $process --seconds 1 -o /tmp/recording
check "it is whole" run capectl report /tmp/recording
capectl lock $process >/dev/null
run capectl record $process -o /tmp/recording
check "recording a locked process is refused" has "record: process $process is locked; capectl"
capectl unlock $process
# Every write to a variable, which has a neighbour a thousand times as busy.
# count_until_done ARGUMENT...: of record
count_until_done() {
	rm -f /tmp/go /tmp/done
	counting /tmp/go /tmp/done &
	writer=$!
	becomes_true 60 grep -q counting /proc/$writer/comm
	capectl record $writer -o /tmp/recording "$@" 2>"$said" &
	recorder=$!
	becomes_true 60 has "^process $writer(: 4 bytes at| is locked)"
	cp "$said" /tmp/began
	touch /tmp/go
	becomes_true 60 [ -e /tmp/done ]
	kill -INT $recorder
	wait $recorder
}
count_until_done --of counter
check "every write to a variable is recorded" has "^process $writer: 1000 writes, 0 lost$"
check "by one breakpoint" grep -q 'are watched (breakpoints: 1, threads: 1)' /tmp/began
check "report of them" run capectl report /tmp/recording
check "it counts writes" has "^process $writer: 1000 writes, 0 lost$"
check "they are all of one line" has '^ +1000 100.0%  count \(counting.c:[0-9]+\) /bin/counting$'
check "to the variable" has '^ +1000 100.0%  (counter|page\+400) /bin/counting$'
check "write by write" run capectl report --each /tmp/recording
check "with the value" has "thread $writer cpu [01]  count .*  (counter|page\+400) .* = 0x3e8$"
check "the first" [ "$(grep -c ' = 0x' "$said")" -eq 1000 ]
check "write by write in JSON" run capectl --json report --each /tmp/recording
check "the last has its value" has '"value": 1000}\], "pid": [0-9]+, "records": 1000, "lost": 0}$'
run capectl record $writer --of page -o /tmp/none
check "a variable that is too large is refused" has '^capectl: --of page: it is larger than the 32'
run capectl record $writer --of nothing -o /tmp/none
check "one that there is not is refused" has 'no variable of that name'
run capectl record $writer --at 0x8+4 -o /tmp/none
check "bytes that are not mapped are refused" has '4 bytes at 0x8: nothing is mapped there'
run capectl record $writer --at counter+1+32 -o /tmp/none
check "bytes that take too many breakpoints are refused" has 'so badly aligned'
check "and no file is made" [ ! -e /tmp/none ]
as_user "capectl record $writer --at counter+4 -o /tmp/none"
check "another user's process is refused" has '^capectl: '
check "a part of a variable" run capectl record $writer --at page+8+4 --seconds 1 -o /tmp/recording
check "nobody writes to it now" has "^process $writer: 0 writes, 0 lost$"
kill -9 $writer
count_until_done --at counter+4
check "the same by its place" has "^process $writer: 1000 writes, 0 lost$"
kill -9 $writer
count_until_done
check "without that a page has one first write" run capectl report /tmp/recording
check "be it whose it may" has '^ +1 .*  (counter|page).* /bin/counting$'
kill -9 $writer
run capectl record $process --every 10ms --seconds 2 -o /tmp/recording
check "again and again the first write to each page" \
	has "^process $process: [0-9]{2,} first writes, 0 lost, in [0-9]{2,} rounds$"
check "report of that" run capectl report /tmp/recording
run capectl --json record $process --seconds 1 -o /tmp/recording
check "recording in JSON" has "^\{\"pid\": $process, \"records\": [0-9]+, \"lost\": 0\}$"

mkdir /tmp/small
mount -t tmpfs -o size=4k none /tmp/small
record_until_done /tmp/small/recording
wait $recorder
check "without room for it: an error" has 'No space left on device'
check "and no file" [ -z "$(ls /tmp/small)" ]
check "the process has gone on" [ -e /tmp/done ]
kill -9 $writer
umount /tmp/small

# As an ordinary user, on a process of its own.
as_user 'sleep 1000 & own=$!; usleep 200000; ulimit -l 4; capectl lock $own; kill $own'
check "lock beyond an ordinary user's limit is refused" has 'more than ulimit -l'

capectl watch $process >"$said" 2>/dev/null &
watcher=$!
check "watch prints first writes" becomes_true 60 has "^0x[0-9a-f]{12} thread $process  "
kill -INT $watcher
wait $watcher
check "each page once" [ "$(cut -c1-11 "$said" | sort | uniq -d | wc -l)" -eq 0 ]
# watch_until_done ARGUMENT...: of capectl
watch_until_done() {
	rm -f /tmp/go /tmp/done
	writers /tmp/go /tmp/done &
	writer=$!
	becomes_true 60 grep -q writers /proc/$writer/comm
	rm -f /tmp/began
	capectl "$@" watch $writer >"$said" 2>/tmp/began &
	watcher=$!
	becomes_true 60 grep -qsE 'is locked|"mode": "notify"' /tmp/began
	touch /tmp/go
	becomes_true 60 [ -e /tmp/done ]
	kill -INT $watcher
	wait $watcher
	kill -9 $writer
}
watch_until_done
line='write_first \(writers.c:[0-9]+\) /bin/writers'
check "watch names thread, function, line and variable" \
	has "^0x[0-9a-f]{12} thread $writer  $line  first_table /bin/writers$"
check "forty of them" [ "$(grep -c '  first_table /bin/writers$' "$said")" -eq 40 ]
watch_until_done --json
check "in JSON" has "\"thread\": $writer, \"instruction\": [0-9]+, \"code\": \"$line\", \"place\""

capectl lock $process --notify >/dev/null
kill -9 $process
sleep 1
run capectl dirty $process
check "the keeper ends with its process" has "there is no process $process"
run capectl --json status
check "and leaves nothing behind" has '"processes": \[\]'
finish
