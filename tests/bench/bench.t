#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-bench: what it measures is right or called failed, and nothing measured is lost.
. "$(dirname "$0")/../tap.sh"

plan 64
test_limit=300
out=$work/out

# bench COMMAND...: one run of cape-bench.
bench() {
	run "${PREFIX:-$build}/bin/cape-bench" "$@"
}

# same_prefix FOLDER: a copy of the build in which single programs can be replaced.
same_prefix() {
	PREFIX=$work/$1
	mkdir -p "$PREFIX/bin" "$PREFIX/lib"
	ln -s "$build/bin/"* "$PREFIX/bin"
	cp -r "$build/lib/cape" "$PREFIX/lib"
}

lines() {
	cat "$1" 2>/dev/null | wc -l
}

# wait_for_lines FILE COUNT: at most 100 seconds.
wait_for_lines() {
	local tries
	for ((tries = 0; tries < 1000; tries++)); do
		[ "$(lines "$1")" -ge "$2" ] && return
		sleep 0.1
	done
	return 1
}

is_gone() {
	! ip netns list | grep -q "^bench-$1-" && ! pgrep -f "bench-$1 " >/dev/null &&
		[ ! -e "/run/cape-cluster/bench-$1" ]
}

# nothing_left PROCESS: soon neither the cluster nor the runs of that cape-bench.
nothing_left() {
	soon is_gone "$1"
}

# holds EXPRESSION FILE: what jq finds is true.
holds() {
	jq -e "$@" >/dev/null
}

# measured_once FOLDER: every case and repetition is there once.
measured_once() {
	jq -c '[.experiment, .key, .repetition]' "$1/runs.jsonl" >"$work/steps" &&
		is "$(sort -u "$work/steps" | wc -l)" "$(lines "$work/steps")"
}

test_words() {
	bench list
	is_status 0 "list succeeds"
	stdout_has '^table3\.3 +thesis Table 3\.3' "it names an experiment and its source"
	check "it has every experiment" is "$(lines "$work/stdout")" 23
	bench run table9.9 --out "$out"
	is_status 2 "an unknown experiment is refused"
	stderr_has 'no experiment "table9\.9"; there are: all structures table3\.3 ' "with the known"
	check "and no folder is made" test ! -e "$out"
	for words in '--reps 0' '--np 1' '--np 4,x' '--net 10mbit'; do
		# shellcheck disable=SC2086 # an option and its argument
		bench run structures --out "$out" $words
		is_status 2 "$words is refused"
	done
	bench report "$work"
	is_status 2 "report refuses a folder without a run"
	stderr_has 'holds no run' "and says so"
}

test_numbers() {
	run env PYTHONPATH="$build/lib/cape" python3 -B -c '
from cape_bench.estimate import estimate, ratio
from cape_bench.labels import number
for count in (1, 5, 6, 8, 9):
    found = estimate(range(1, count + 1))
    print(found.median, found.low, found.high, round(found.confidence, 4))
print(ratio([2, 9, 4], [1, 3, 4]).median, number(0.034567), number(1234.56), number(408))'
	stdout_is "1 1 1 0.0
3 1 5 0.9375
3.5 1 6 0.9688
4.5 1 8 0.9922
5 2 8 0.9609
2.0 0.03457 1235 408" "medians, intervals, ratios and their writing"
}

# A verdict is about what it tests, and no better than what was measured.
test_verdicts() {
	run env PYTHONPATH="$build/lib/cape" python3 -B "$root/tests/bench/verdicts.py"
	stdout_is "holds|> 1|better|1.2 to 1.25; better: < 1.2
holds|> 1|does not hold|> 3.9
holds|> 1|does not hold: smaller|2.84 to 3.471
too few repetitions|> 1|too few repetitions|1.2 to 1.25; better: < 1.2
too few repetitions|> 1|too few repetitions|> 3.9
too few repetitions|> 1|too few repetitions|2.84 to 3.471
not shown does not hold
better holds not shown
1.500 [1 to 2] 1.500 (1 to 2)
True False
False True
[False, True]" "verdicts by interval, brackets, error bars, and a loaded machine"
}

# The published results are what the tool makes of their CSV files.
test_published() {
	cp -r "$root/bench/results" "$work/results"
	rm "$work/results/"*.md
	bench report "$work/results"
	is_status 0 "published results are reported anew"
	stdout_has '^table3\.4: time of dickpt over that without.*direction holds, magnitude does not hold' \
		"with what does not hold"
	check "the same as are published" diff -r "$root/bench/results" "$work/results"
	sed -i 's/"load": "0.74"/"load": "5.5"/' "$work/results/run.json"
	bench report "$work/results"
	check "a loaded machine is in the report" \
		grep -q '^Measured on a loaded machine: its load was 5.5 on 2' "$work/results/table3.4.md"
}

test_turns() {
	run env PYTHONPATH="$build/lib/cape" python3 -B -c '
from cape_bench.experiment import Case, Settings
from cape_bench.runner import plan
cases = [
    Case("counted", None, None, counted=True),
    Case("timed", None, None),
    Case("narrow", None, None, narrow=True),
]
for scale in "quick", "default":
    steps = plan("turns", cases, Settings(scale, 2, (4,), "shm"))
    print(scale, *(f"{step.case.key[0]}{step.repetition}" for step in steps))'
	stdout_is "quick t0 n0 t1 n1 c1 t2 n2
default t0 n0 t1 n1 c1 t2 n2 n3 n4 n5 n6" \
		"warm-up, turns, and more of them where a claim is narrow"
}

test_sizes() {
	bench run --quick structures --out "$out"
	is_status 0 "an experiment runs"
	stderr_has '^structures, repetition 1/1, about [0-9:]+ min left$' "it shows its progress"
	stdout_has "^Report: $out/report.html$" "and where the report is"
	check "CSV: SD takes 8 bytes a word, SSD 8 and 4 a word, MD 132 and 4" grep -q \
		'^34,good,1,1.0000,272.0,272.0,272.0,272,144.0,.*,268.0,268.0,268.0,268,' \
		"$out/structures.csv"
	for file in structures.csv structures.json structures.md report.html; do
		check "$file says which machine it was" grep -q "$(uname -r)" "$out/$file"
	done
	check "JSON: all claims hold" \
		holds '[.claims[] | .direction // .magnitude | .word] | unique == ["holds"]' \
		"$out/structures.json"
	check "report.html has the plot" grep -q '<svg.*' "$out/report.html"
	bench run --full structures --out "$out"
	is_status 2 "a folder that holds another run is refused"
	stderr_has 'holds another run: its settings are .*quick.* name a new folder' "with it"
	mkdir "$work/full" && touch "$work/full/letter"
	bench run --quick structures --out "$work/full"
	stderr_has 'holds something else; name a new folder' "so is one with something else"
}

test_no_gnuplot() {
	mkdir "$work/path"
	ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$work/path/python3"
	run env PATH="$work/path" "$build/bin/cape-bench" report "$out"
	stderr_has 'no plots: gnuplot is missing \(apt-get install gnuplot-nox\)' "no gnuplot is told"
	check "and the report is without plots" is "$(grep -c '<svg' "$out/report.html")" 0
}

test_readme() {
	printf '%s\n' before '<!-- results: begin -->' old '<!-- results: end -->' after >"$work/readme"
	mkdir "$work/published" && touch "$work/published/letter.md"
	bench report "$out" --publish "$work/published" --readme "$work/readme"
	is_status 0 "results are published"
	check "tables only, and other files stay" is "$(ls "$work/published")" "letter.md
run.json
structures.csv
structures.md
summary.md"
	check "the text around the markers stays" \
		is "$(sed -n '1p;$p' "$work/readme" | tr '\n' ' ')" "before after "
	check "the results stand between" \
		grep -qF '| [structures](published/structures.md)' "$work/readme"
	bench report "$work/published" --readme "$root/LICENSE"
	stderr_has 'has no lines "<!-- results: begin' "a file without markers is left alone"
}

test_interrupt() {
	local whole
	"$build/bin/cape-bench" run --full structures --out "$work/stop" >/dev/null 2>"$work/stderr" &
	wait_for_lines "$work/stop/runs.jsonl" 5
	kill -TERM $!
	wait $!
	check "an interrupted run ends with status 130" is $? 130
	stderr_has 'interrupted; to go on: cape-bench run --full structures' "and says how to go on"
	whole=$(lines "$work/stop/runs.jsonl")
	cp "$work/stop/runs.jsonl" "$work/before"
	printf '{"experiment": "struc' >>"$work/stop/runs.jsonl"
	bench run --full structures --out "$work/stop"
	is_status 0 "it goes on, even behind half a line"
	check "what was measured stays" \
		cmp -s "$work/before" <(head -n "$whole" "$work/stop/runs.jsonl")
	check "and is not measured again" measured_once "$work/stop"
	check "all rows are there" holds '[.rows[].status] | unique == ["good"]' \
		"$work/stop/structures.json"
}

test_full_disk() {
	if [ "$(id -u)" -ne 0 ]; then
		skip 4 "only root can mount a small disk"
		return
	fi
	mkdir "$work/disk"
	mount -t tmpfs -o size=24k cape-test "$work/disk"
	bench run --full structures --out "$work/disk/run"
	is_status 1 "a full disk ends the run"
	stderr_has 'cannot write .*runs\.jsonl: No space left.*is kept: make room' "which says what to do"
	mount -o remount,size=16m "$work/disk"
	bench run --full structures --out "$work/disk/run"
	is_status 0 "with more room it goes on"
	check "nothing is lost or doubled" measured_once "$work/disk/run"
	umount "$work/disk"
}

test_wrong_result() {
	same_prefix wrong
	printf '%s\n' '#!/bin/sh' '[ "$1" != 34 ] || { echo "is WRONG" >&2; exit 1; }' \
		"exec '$build/lib/cape/bench/micro/structures' \"\$@\"" \
		>"$PREFIX/lib/cape/bench/micro/structures"
	bench run --quick structures --out "$work/bad"
	is_status 1 "a wrong result fails the run"
	stdout_has '^structures: updates 34: failed: in repetition 1 of 1: status 1: is WRONG' "by name"
	check "the row has no number" grep -qE '^34,failed,,,,,,272,' "$work/bad/structures.csv"
	check "the other rows have" is "$(grep -c ',good,' "$work/bad/structures.csv")" 5
	bench run --quick structures --out "$out"
	stderr_has 'holds another run: its binaries are' "other programs do not continue a run"
	PREFIX=
}

# In the eighth run of cape-run, the warm-up being the first, a rank aborts.
test_dead_rank() {
	same_prefix dead
	cape-cc -O2 "$root/tests/run/cli/end.c" -o "$work/end"
	rm "$PREFIX/bin/cape-run"
	printf '%s\n' '#!/bin/sh' "echo >>'$work/count'" \
		"[ \$(wc -l <'$work/count') -ne 8 ] ||" \
		"	exec '$build/bin/cape-run' -np 2 '$work/end' abort 1" \
		"exec '$build/bin/cape-run' \"\$@\"" >"$PREFIX/bin/cape-run"
	chmod +x "$PREFIX/bin/cape-run"
	bench run --quick --np 2 --net shm --reps 10 fig4.22 --out "$work/dead-rank"
	is_status 1 "a rank that dies fails the run"
	stdout_has 'nodes 2, method tickpt2: failed: in repetition 7 of 10: status 134' "by repetition"
	check "the other cases have all 10" is \
		"$(grep -cE '^2,(mpi|openmp),good,10,' "$work/dead-rank/fig4.22.csv")" 2
	check "each case ran 11 times" is "$(lines "$work/dead-rank/runs.jsonl")" 33
	PREFIX=
}

# Whatever cases failed or never ran, there is a report of the others.
test_partial() {
	run env PYTHONPATH="$build/lib/cape" python3 -B "$root/tests/bench/partial.py" "$build"
	stdout_is all "tables, claims and plots are made of what there is"
}

test_network() {
	# Not in a chroot, for one.
	if unshare --user true 2>/dev/null; then
		run unshare --user "$build/bin/cape-bench" run --quick comm --net 100mbit --out "$work/net"
		is_status 2 "--net without root is refused"
		stderr_has '^cape-bench: --net 100mbit: network namespaces need root' "and says so"
	else
		skip 2 "unshare --user is not allowed here"
	fi
	if [ "$(id -u)" -ne 0 ] || ! command -v tc >/dev/null; then
		skip 3 "a network needs root and tc (package iproute2)"
		return
	fi
	bench run --quick comm --np 2 --reps 1 --net 100mbit --out "$work/net"
	check "a byte takes 80 ns, or more, on a line of 100 Mbit/s" holds \
		'.rows[0].values.byte_ns.median | . > 70' "$work/net/comm.json"
	check "the cluster is gone" test -z "$(ip netns list | grep '^bench-')"
	"$build/bin/cape-bench" run comm --np 2 --net 100mbit --out "$work/kill" 2>/dev/null &
	wait_for_lines "$work/kill/runs.jsonl" 1
	kill -KILL $!
	check "kill -9 leaves neither cluster nor processes" nothing_left $!
}

test_words
test_numbers
test_verdicts
test_published
test_turns
test_sizes
test_no_gnuplot
test_readme
test_interrupt
test_full_disk
test_wrong_result
test_dead_rank
test_partial
test_network
