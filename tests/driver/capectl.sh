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
check "write to the program's text is refused" has 'memory of others, or not writable'
run capectl read $process 8 16
check "read of what is not mapped is refused" has 'at 0x8: Bad address, behind 0 bytes'

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
check "read of then where nothing was mapped is refused" has 'at 0x8: Bad address, behind 0 bytes'
run capectl freeze $process
check "a locked process cannot be frozen" has "process $process is locked already"

# Rolled back, it counts the same once more.
counts_back() {
	awk -v times="$1" '$1 <= last { found++ } { last = $1 } END { exit found < times }' \
		/tmp/counts
}
sh -c 'while :; do i=$((i + 1)); echo $i >>/tmp/counts; usleep 20000; done' &
counter=$!
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
kill -9 $counter

check "unlock" run capectl unlock $process
run capectl read $process "$address" 15 --then
check "read of then without a lock is refused" has "process $process is not locked"
check "freeze" run capectl freeze $process
check "freeze tells how long the process stood" has "^process $process stood still for [0-9.]+ ms$"
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

# As an ordinary user, on a process of its own.
as_user 'sleep 1000 & own=$!; usleep 200000; ulimit -l 4; capectl lock $own; kill $own'
check "lock beyond an ordinary user's limit is refused" has 'more than ulimit -l'

capectl watch $process >"$said" 2>/dev/null &
watcher=$!
check "watch prints first writes" becomes_true 60 has '^0x[0-9a-f]{12}$'
kill -INT $watcher
wait $watcher
check "each page once" [ "$(cut -c1-11 "$said" | sort | uniq -d | wc -l)" -eq 0 ]

capectl lock $process --notify >/dev/null
kill -9 $process
sleep 1
run capectl dirty $process
check "the keeper ends with its process" has "there is no process $process"
run capectl --json status
check "and leaves nothing behind" has '"processes": \[\]'
finish
