#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run: its command line, standard streams, exit statuses, and how runs end that fail.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/background.bash"

plan 156

echo_program=$folder/echo-$$

build_programs() {
	mkdir "$folder"
	cape-cc -O2 -g "$root/tests/run/cli/echo.c" -o "$echo_program" &&
		cape-cc -O2 -g "$root/tests/run/cli/end.c" -o "$end_program"
}

test_command_line() {
	run cape-run --help
	is_status 0 "--help succeeds"
	stdout_has '^Usage: cape-run \[-np N\]' "--help says how to use it"
	for option in -np --method --verify --stats --version; do
		stdout_has "^ .*$option" "--help names $option"
	done
	run cape-run --version
	is_status 0 "--version succeeds"
	stdout_has '^cape-run [0-9]+\.[0-9]+\.[0-9]+$' "--version prints the version"

	for count in 0 -1 abc 3x 1000000 99999999999999999999 ''; do
		run cape-run -np "$count" "$echo_program"
		refused 2 '^cape-run: -np .*number of nodes must be 1 to' "-np '$count' is refused"
	done
	for count in 0 -1 abc 1000000 ''; do
		run cape-run --threads "$count" "$echo_program"
		refused 2 '^cape-run: --threads .*number of threads must be 1 to' \
			"--threads '$count' is refused"
	done
	for option in --threads=0 --lost-after=0 --start-within=x --keep=0 --every=never --max-restarts=x \
		--method=none --np=0; do
		run cape-run "$option" "$echo_program"
		refused 2 "^cape-run: ${option%=*} .*(number of|must be|a time such as)" \
			"$option is refused for its value"
	done
	for option in --checkpoint= --restart= --save-checkpoints= --wrap= --attach= --threads= --stats=x; do
		run cape-run "$option" "$echo_program"
		refused 2 "^cape-run: ${option%=*}.*(needs a|number of|--stats=json)" "so is $option"
	done
	run cape-run --profile --profile=x.json "$echo_program"
	refused 2 '^cape-run: --profile=x.json: ' "a wrong --profile behind a right one is refused"
	run cape-run --threads 2 --races "$echo_program"
	refused 2 '--threads 2 cannot be combined with --races.*use -np 2' "--threads 2 --races is refused"
	echo localhost >"$work/hosts"
	run cape-run --hostfile "$work/hosts" "$echo_program"
	refused 2 'number of nodes is missing' "a missing -np is refused, where slots of machines are not"
	run cape-run -np
	refused 2 'needs the number of nodes' "-np without a number is refused"
	run cape-run -np 2
	refused 2 'no program is named' "a missing program is refused"
	run cape-run -np 2 --no-such-option "$echo_program"
	refused 2 '^cape-run: --no-such-option .*--help' "an unknown option is refused, by name"
	run cape-run -np 2 --method nonsense "$echo_program"
	refused 2 'method nonsense' "an unknown method is refused, by name"
	run cape-run -np 2 --method
	refused 2 'method needs a value: complete, .* or tickpt2' "--method without one is refused"
	for way in driver notify; do
		run cape-run -np 2 --protect $way "$echo_program"
		refused 2 "protect $way: the method tickpt2 protects no pages" "--protect $way is"
	done
	for option in --help --version; do
		run bash -c "cape-run $option >/dev/full"
		refused 1 'cape-run: cannot write to standard output: No space' "$option to a full disk"
	done
	run cape-run -np 2 --stats=xml "$echo_program"
	refused 2 'stats=xml.*json' "--stats=xml is refused"
	run cape-run -np 2 --hostfile
	refused 2 'hostfile needs 1 argument' "--hostfile without a file is refused"
}

# make_other_version FILE NUMBER: a program whose library says that it has that version.
make_other_version() {
	local number
	printf -v number '\\x%02x\\x%02x\\x%02x\\x%02x' $(($2 & 255)) $(($2 >> 8 & 255)) \
		$(($2 >> 16 & 255)) $(($2 >> 24 & 255))
	objcopy --dump-section .note.cape="$work/note" "$echo_program" /dev/null
	# The version is the last word.
	{
		head -c -4 "$work/note"
		printf '%b' "$number"
	} >"$work/note.other"
	objcopy --update-section .note.cape="$work/note.other" "$echo_program" "$1"
}

test_program_file() {
	run cape-run -np 2 "$work/missing"
	refused 127 'cape-run: .*/missing: No such file' "a program that is missing"
	run cape-run -np 2 missing-from-path
	refused 127 'missing-from-path: not found in PATH' "a program that PATH does not hold"
	printf 'text\n' >"$work/text"
	run cape-run -np 2 "$work/text"
	refused 126 'text: not an executable file; .* chmod \+x /.*text' "a program that is not executable"
	run cape-run -np 2 "$work"
	refused 126 'not an executable file, but a directory' "a directory"
	printf '#!/bin/sh\n' >"$work/script"
	chmod +x "$work/script"
	run cape-run -np 2 "$work/script"
	refused 126 'script is a script, .*; write cape-run into it' "a script"
	run cape-run -np 2 /bin/true
	refused 126 '/bin/true was not built by cape-cc' "a program that cape-cc did not build"
	chmod +x "$work/text"
	run cape-run -np 2 "$work/text"
	refused 126 'not built by cape-cc' "a text file"
	head -c 3000 "$echo_program" >"$work/cut"
	chmod +x "$work/cut"
	run cape-run -np 2 "$work/cut"
	refused 126 'not built by cape-cc' "half a program"
	make_other_version "$work/older" 1
	run cape-run -np 2 "$work/older"
	refused 126 'older was built by another version of CAPE \(1, this is [0-9]+\); build it again' \
		"a program of another version"
	make_other_version "$work/newer" 4000000000
	run cape-run -np 2 "$work/newer"
	refused 126 'newer was built by another version of CAPE \(4000000000,' "a later version, too"
	run env PATH="$folder:$PATH" cape-run -np 2 "echo-$$" </dev/null
	is_status 0 "a program is found through PATH"
	run env -C "$folder" cape-run -np 2 "./echo-$$" </dev/null
	is_status 0 "a program is found by a relative path"
}

test_no_mpirun() {
	run env PATH="$folder" "$(command -v cape-run)" -np 2 "$echo_program"
	refused 127 'mpirun is not installed.*openmpi-bin' "without mpirun, the package is named"
	run env PATH="$folder" "$(command -v cape-run)" -np 1 "$echo_program" </dev/null
	is_status 0 "one node on this machine needs none"
	stdout_has 'on 0 of 1$' "and runs"
	run env PATH="$folder" "$(command -v cape-run)" -np 1 --map-by core "$echo_program"
	refused 127 'mpirun is not installed' "but for an option of mpirun's"
}

test_streams() {
	local bytes long i
	head -c 300000 /dev/urandom >"$work/data"
	run cape-run -np 1 "$echo_program" <"$work/data"
	bytes=$(grep '^input:' "$work/stdout")
	check "a file on stdin is read" is "${bytes%,*}" "input: 300000 bytes"
	run cape-run -np 1 "$echo_program" < <(cat "$work/data")
	check "so is a pipe" is "$(grep '^input:' "$work/stdout")" "$bytes"
	run cape-run -np 3 "$echo_program" <"$work/data"
	check "it is the same on 3 nodes" is "$(grep '^input:' "$work/stdout")" "$bytes"
	run cape-run -np 3 "$echo_program" < <(head -c 1000 "$work/data"; sleep 0.3
		tail -c +1001 "$work/data")
	check "a pipe that halts in between too" is "$(grep '^input:' "$work/stdout")" "$bytes"
	run cape-run -np 3 "$echo_program" < <(:)
	stdout_has '^input: 0 bytes' "an empty pipe"
	run cape-run -np 3 "$echo_program" </dev/null
	stdout_has '^input: 0 bytes' "/dev/null"
	run cape-run -np 3 "$echo_program" <&-
	is_status 0 "closed stdin does no harm"
	stdout_has '^input: 0 bytes' "and is empty"

	run cape-run -np 3 "$echo_program" "two words" "" '*' $'new\nline' "quote'\"" --np -np 7 \
		</dev/null
	stdout_is "argument 1: <two words>
argument 2: <>
argument 3: <*>
argument 4: <new
line>
argument 5: <quote'\">
argument 6: <--np>
argument 7: <-np>
argument 8: <7>
input: 0 bytes, sum 0
CAPE_TEST: <> on 0 of 3" "arguments arrive as they are, stdout comes once and on stdout"
	# More, and longer, than one variable of mpirun's could hold.
	long=$(head -c 131071 /dev/zero | tr '\0' x)
	# shellcheck disable=SC2046 # many words
	run cape-run -np 3 "$echo_program" $(seq 30000) "$long" </dev/null
	check "many and long ones, too" cmp -s "$work/stdout" <(
		for i in {1..30000}; do echo "argument $i: <$i>"; done
		echo "argument 30001: <$long>"
		echo 'input: 0 bytes, sum 0'
		echo 'CAPE_TEST: <> on 0 of 3')
	run cape-run -np 3 "$echo_program" </dev/null
	check "stderr comes once and on stderr" is "$(cat "$work/stderr")" "a line on stderr"
	run env CAPE_TEST="some value" cape-run -np 3 "$echo_program" </dev/null
	stdout_has '^CAPE_TEST: <some value> on 3 of 3$' "the environment arrives on all nodes"
}

test_statistics() {
	run cape-run -np 3 --stats "$echo_program" </dev/null
	is_status 0 "--stats succeeds"
	stderr_has '^ *node +own checkpoint +bytes sent' "--stats prints a table"
	stdout_has 'of 3$' "and leaves stdout alone"
	run cape-run -np 3 --stats=json "$echo_program" </dev/null
	sed -i '/^a line on stderr$/d' "$work/stderr"
	check "--stats=json prints JSON with all counts of each node" is_statistics
	run cape-run -np 3 --verify "$echo_program" </dev/null
	is_status 0 "--verify succeeds"
	check "and adds no output" is "$(cat "$work/stderr")" "a line on stderr"
}

is_statistics() {
	jq --exit-status '[.nodes[].node] == [0, 1, 2] and all(.nodes[];
		.sync_points > 0 and (.changed_bytes | type) == "number" and .runs >= 0 and
		.compute_seconds >= 0 and .diff_seconds >= 0 and
		.exchange_seconds >= 0 and .inject_seconds >= 0)' "$work/stderr" >"$work/stdout"
}

test_mpirun_options() {
	run cape-run -np 2 --mca btl tcp,self -H localhost:2 --map-by slot --bind-to none \
		"$echo_program" </dev/null
	stdout_has 'of 2$' "--mca, -H, --map-by and --bind-to are passed on"
	echo 'localhost slots=4' >"$work/hosts"
	run cape-run --hostfile "$work/hosts" -np 4 "$echo_program" </dev/null
	stdout_has 'of 4$' "--hostfile is passed on"
	run cape-run -np 2 --hostfile "$work/missing" "$echo_program" </dev/null
	check "a hostfile that is missing is named" is_refused "$status" "$work/missing"
	run cape-run -np 2 -x CAPE_TEST=by-x "$echo_program" </dev/null
	stdout_has '<by-x> on 2 of 2' "-x is passed on"
	run cape-run -n 2 -- "$echo_program" </dev/null
	stdout_has 'of 2$' "-n and -- are understood"
}

test_exit_status() {
	for code in 0 1 3 255; do
		run cape-run -np 3 "$end_program" exit "$code"
		is_status "$code" "exit status $code is the program's"
		check "no word of it" eval '[ ! -s "$work/stderr" ]'
	done
}

# failing NAME STATUS PATTERN ARGUMENT...: a run of end.c that ends with one line, soon.
failing() {
	local name=$1 code=$2 pattern=$3
	shift 3
	run cape-run -np 3 "$end_program" "$@"
	check "$name: one line says so" is_one_line "$pattern"
	is_status "$code" "$name: exit status $code"
	check "$name: nothing is left" nothing_left
}

is_one_line() {
	is "$(wc -l <"$work/stderr")" 1 && grep -qE -e "$1" "$work/stderr"
}

test_failures() {
	failing "divide by zero on node 1" 136 'node 1.*killed by signal 8 .*end\.c:[0-9]+' divide 1
	failing "divide by zero on node 0" 136 'node 0.*killed by signal 8 .*end\.c:[0-9]+' divide 0
	stdout_is begun "what was printed before is not lost"
	failing "abort on node 2" 134 'node 2.*killed by signal 6 .*end\.c:[0-9]+' abort 2
	failing "abort in sequential code" 134 'node [0-2].*killed by signal 6' abort-all
}

test_ends_in_regions() {
	for end in 'exit-in-region 1 3' 'exit-in-region 0 0' 'exit-all 4'; do
		# shellcheck disable=SC2086 # words
		run cape-run -np 3 "$end_program" $end
		is_status "${end##* }" "$end: the exit status is the program's"
		stdout_is $'begun\nover' "what is called at the end is called once"
		check "no word of it, and nothing is left" eval '[ ! -s "$work/stderr" ] && nothing_left'
	done
}

# Starts end.c in the background and returns when it is in its region.
start_three() {
	start_run -np 3 "$end_program" "$@"
}

# The process of node $1: a program's name on its own, or below cape-monitor's.
programs() {
	pgrep -f "^$end_program "
}

monitors() {
	pgrep -f "^[^ ]*/cape-monitor .*$end_program\$"
}

# killed NAME SIGNAL PROCESSES: the run ends soon, without success, with nothing left.
killed() {
	local name=$1 signal=$2
	shift 2
	check "$name: there is one to kill" test -n "$*"
	kill -"$signal" "$@"
	await_end 2>/dev/null
	check "$name: not a success" test "$status" -ne 0
	check "$name: nothing is left" nothing_left
}

test_kills() {
	start_three wait-all
	killed "kill -9 of a program" KILL "$(programs | tail -n 1)"
	check "kill -9 of a program: one line names node, cause and place" \
		is_one_line 'node [0-2].*killed by signal 9 .*end\.c:[0-9]+'
	is_status 137 "kill -9 of a program: exit status 137"
	start_three wait 1
	killed "kill -9 of a waiting program" KILL "$(programs | head -n 1)"
	check "kill -9 of a waiting program: one line names node and cause" \
		is_one_line 'node [0-2].*killed by signal 9'
	start_three wait-all
	killed "kill -9 of a monitor" KILL "$(monitors | tail -n 1)"
	stderr_has 'node 2: its monitor has died' "kill -9 of a monitor: it is said which"
	start_three wait 1
	killed "kill -9 of a monitor that waits" KILL "$(monitors | head -n 1)"
	start_three wait-all
	killed "SIGHUP to a monitor" HUP "$(monitors | tail -n 1)"
	start_three wait-all
	killed "kill -9 of mpirun" KILL "$(pgrep -P "$runner" "mpirun|prterun")"
	stderr_has 'mpirun was killed by signal 9' "kill -9 of mpirun: cape-run says so"
	start_three wait-all
	killed "kill -9 of cape-run" KILL "$runner"
	start_three wait-all
	killed "SIGINT to cape-run" INT "$runner"
	start_three wait 1
	killed "SIGTERM to cape-run" TERM "$runner"
}

# An rsh agent for node names a and b; COMMAND makes the program's path show something else on b.
# Each has a temporary folder of its own, else the two daemons disturb each other.
make_two_nodes() {
	mkdir -p "$work/a" "$work/b"
	cat >"$work/agent" <<-END
		#!/bin/sh
		node=\$1
		shift
		command=\$(echo "\$*" | sed "s|orte_tmpdir_base [^ ]*|orte_tmpdir_base $work/\$node|")
		[ "\$node" = b ] || exec sh -c "\$command"
		exec unshare --mount sh -c "$1; \$command"
	END
	chmod +x "$work/agent"
}

run_on_two_nodes() {
	run cape-run -np 2 -H a,b --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 \
		--mca oob_tcp_if_include lo --mca btl tcp,self --mca btl_tcp_if_include lo \
		"$echo_program" </dev/null
}

test_two_nodes() {
	if ! unshare --mount true 2>/dev/null; then
		skip 5 "unshare --mount is not allowed here"
		return
	fi
	if mpirun --version | grep -q '(Open MPI) 5'; then
		skip 5 "Open MPI 5 does not take lo for two nodes where there is more than lo"
		return
	fi
	make_two_nodes true
	run_on_two_nodes
	stdout_has 'of 2$' "the same program on two nodes"
	cape-cc -O1 "$root/tests/run/cli/echo.c" -o "$work/other"
	make_two_nodes "mount --bind $work/other $echo_program"
	run_on_two_nodes
	stderr_has 'node 1: the program .*/echo-[0-9]+ is not the one that node 0 has' \
		"binaries that differ between nodes are refused, by node"
	is_status 126 "with exit status 126"
	make_two_nodes "mount -t tmpfs none $folder"
	run_on_two_nodes
	stderr_has 'node 1: cannot read the program .*every node needs it at the same path' \
		"so is a program that one node does not have"
	check "nothing is left" nothing_left
}

build_programs || {
	echo "Bail out! cape-cc does not build tests/run/cli/*.c" >&3
	exit 1
}
test_command_line
test_program_file
test_no_mpirun
test_streams
test_statistics
test_mpirun_options
test_exit_status
test_failures
test_ends_in_regions
test_kills
test_two_nodes
