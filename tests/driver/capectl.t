#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# capectl's command line, as far as it needs no driver; with one: tests/driver.
. "$(dirname "$0")/../tap.sh"

plan 45

# wrong PATTERN NAME ARGUMENT...: a command line that is refused in one line.
wrong() {
	local pattern=$1 name=$2
	shift 2
	run capectl "$@" </dev/null
	refused 2 "$pattern" "$name"
}

run capectl --help
stdout_has '^Usage: capectl' "--help goes to standard output"
run capectl --version
stdout_has '^capectl [0-9.]+$' "--version"
for option in --help --version; do
	run bash -c "capectl $option >/dev/full"
	refused 1 '^capectl: cannot write to standard output: No space' "$option to a full disk"
done
run capectl
is_status 2 "no command"
stderr_has '^Usage: capectl' "no command: the usage"
run capectl --jsno status
is_status 2 "an unknown option"
wrong 'no command "lokc"; try: capectl --help' "an unknown command" lokc 1
wrong 'lock: wrong number of arguments' "no process id" lock
wrong '"x1" is not a process id' "a process id that is none" dirty x1
wrong '"[+]8" is neither an address nor a symbol' "an address that is none" read 1 +8 8
wrong '"99999999999999999999999" is not a length' "a length beyond 64 bits" \
	read 1 0 99999999999999999999999
wrong 'must be START-END' "a range that ends before it begins" lock 1 --range 0x2000-0x1000
wrong '--then is for read' "--then for another command" lock 1 --then
wrong '--stacks is for report' "--stacks for another command" lock 1 --stacks
wrong '--seconds is for record' "--seconds for another command" lock 1 --seconds 5
wrong '--seconds 0: must be a number from 1' "no second" record 1 --seconds 0
wrong '--no-twins is for lock' "--no-twins for another command" freeze 1 --no-twins
wrong '--no-twins excludes' "--no-twins with --check" lock 1 --no-twins --check
wrong '--of, --at and --every are for record' "--of for another command" lock 1 --of counter
wrong '--each is for report' "--each for another command" lock 1 --each
wrong '--script is for report' "--script for another command" lock 1 --script
wrong '--script excludes' "--script with --each" report --script --each
wrong '--trace is for report' "--trace for another command" lock 1 --trace
wrong '--trace excludes' "--trace with --each" report --trace --each
wrong '--script excludes --trace' "--trace with --script" report --trace --script
wrong '--dwarf is for record' "--dwarf for another command" lock 1 --dwarf
wrong '--dwarf=0: must be a number' "no bytes of the stack" record 1 --dwarf=0
wrong '--dwarf=40000: must be a number' "too many bytes of the stack" record 1 --dwarf=40000
wrong '"pidfd:x" is not a descriptor' "a pidfd that is none" lock pidfd:x
wrong 'descriptor 77 is not open' "a pidfd that is not open" lock pidfd:77
wrong 'descriptor 0 is not a pidfd' "another descriptor than a pidfd" lock pidfd:0
wrong 'exclude each other' "--of with --at" record 1 --of counter --at 0x1000+8
wrong 'exclude each other' "--of with --every" record 1 --of counter --every 10ms
wrong '--at 0x1000: must be ADDRESS' "--at without a length" record 1 --at 0x1000
wrong '--at 0x1000\+0: must be ADDRESS' "no bytes" record 1 --at 0x1000+0
wrong 'more than 32 bytes' "more bytes than can be watched" record 1 --at 0x1000+33
wrong 'no variable of that name' "--of in no process" record 4194304 --of counter
wrong '--every 10: must be a time' "--every without a unit" record 1 --every 10
wrong '--every 10us: must be a time' "--every of too short a time" record 1 --every 10us
mapfile -t ranges < <(for ((i = 0; i < 65; i++)); do
	printf -- '--range\n%d-%d\n' $((8192 * i)) $((8192 * i + 4096))
done)
wrong 'more than 64 ranges' "too many ranges" lock 1 "${ranges[@]}"

run capectl read 4194304 0 1
refused 1 '^capectl: there is no process 4194304$' "a process that does not exist"

run capectl report </dev/null
refused 1 '^capectl: standard input: it is not a recording' "a report of nothing"

# A recording of two writes: what is mapped has a name that JSON cannot have as it is.  Records are
# larger than those known here.
python3 -c '
import struct, sys
maps = b"00400000-00401000 r-xp 00000000 00:00 0   /tmp/\"a\\\x01\xff\n"
write = struct.pack("<QQQQQIIiIHHI24Q", 0, 1234567, 1, 0x400010, 0x400020, 7, 1, -1, 0, 2, 0, 0,
                    0x400020, 0x400030, *[0] * 22) + bytes(16)
sys.stdout.buffer.write(b"CAPEREC\0" + struct.pack("<IIQQ", 1, len(write), 7, len(maps)) + maps +
                        struct.pack("<QQ", 2, 0) + write * 2 + struct.pack("<QQ", 0, 3))
' >"$work/recording"
check "a trace is JSON, whatever is mapped" python3 -c '
import json, subprocess, sys
trace = json.loads(subprocess.check_output(["capectl", "report", "--trace", sys.argv[1]]))
first, second, third = trace["traceEvents"]
assert first["ph"] == "M" and second == third, trace
assert second["ph"] == "i" and second["ts"] == 1234.567 and second["tid"] == 7, second
assert second["args"]["callers"][0].startswith("0x2f /tmp/\"a\\"), second
assert trace["otherData"] == {"records": 2, "lost": 3}, trace
' "$work/recording"

if [ -e /dev/cape ]; then
	skip 1 "the driver is loaded here"
else
	run capectl --json status
	refused 1 'load the driver first' "no driver: what to do, and no output"
fi
