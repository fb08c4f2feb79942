#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cape-run does for a run of one node whose regions are run by threads.
. "$(dirname "$0")/../tap.sh"

folder=$root/tests/threads
services=$work/services

# looks EXPRESSION NAME: one test of the profile that the last run has printed.
looks()
{
	check "$2" "$root/tests/run/profile/look" "$work/stderr" "$1" "$folder/services.c"
}

near='(lambda value, seconds: seconds * 0.95 <= value <= seconds + 0.5)'

test_profile()
{
	local at_ease
	at_ease="$near(at('uneven')['work_seconds']['max'], 0.18) and
		$near(at('uneven')['wait_seconds']['max'], 0.18) and
		$near(at('loop')['wait_seconds']['max'], 0.04) and
		$near(at('barrier')['wait_seconds']['max'], 0.07) and
		$near(at('critical')['wait_seconds']['max'], 0.08) and
		$near(at('critical')['work_seconds']['mean'], 0.08) and
		$near(at('ordered')['wait_seconds']['max'], 0.05) and
		$near(at('lock')['wait_seconds']['max'], 0.1) and
		$near(outside['work_seconds']['max'], 0.05) and
		$near(outside['wait_seconds']['max'], 0.05)"
	# A thread that gets no processor for a while waits longer, or shorter.
	for _ in 1 2 3 4 5; do
		run cape-run --threads 2 --profile=json "$services"
		"$root/tests/run/profile/look" "$work/stderr" "$at_ease" "$folder/services.c" \
			>/dev/null 2>&1 && break
	done
	is_status 0 "the program runs as it does without"
	stdout_is "3 by 2" "and prints what it does"
	looks 'all["nodes"] == 1 and all["threads"] == 2 and not all["failed"]' "threads are counted"
	looks 'at("uneven")["times"] == 3 and at("uneven")["sync_points"] == 3' \
		"a region ends as often as it runs"
	looks "$near(at('uneven')['work_seconds']['max'], 0.18) and
		$near(at('uneven')['wait_seconds']['max'], 0.18)" \
		"who has less to do waits at the end of the region"
	looks '"thread 1 works longest" in why("uneven")' "and is told who works longest"
	looks "at('loop')['sync_points'] == 1 and $near(at('loop')['wait_seconds']['max'], 0.04)" \
		"the wait at the end of a loop is the loop's"
	looks "at('barrier')['sync_points'] == 1 and at('barrier')['construct'] == 'barrier' and
		$near(at('barrier')['wait_seconds']['max'], 0.07)" "that at a barrier the barrier's"
	looks "at('critical')['sync_points'] == 0 and
		$near(at('critical')['wait_seconds']['max'], 0.08) and
		$near(at('critical')['work_seconds']['mean'], 0.08)" "critical makes wait, and works"
	looks "$near(at('ordered')['wait_seconds']['max'], 0.05)" "so do turns"
	looks "$near(at('lock')['wait_seconds']['max'], 0.1)" "and locks"
	looks "$near(outside['work_seconds']['max'], 0.05) and
		$near(outside['wait_seconds']['max'], 0.05)" \
		"while sequential code works the other threads wait"
	looks 'every(adds_up(one) for one in all["constructs"] + [outside])' "all of the time is told"
	looks 'every(one["sent_bytes"] == one["fetched_bytes"] == 0 and not one["memory"]
		for one in all["constructs"])' "nothing moves"
}

test_forms()
{
	local trace=$work/a.trace.json
	run cape-run --threads 3 --profile "--profile=$trace" "$services"
	stderr_has '^profile of 3 threads' "a table is printed"
	stderr_has 'services.c:[0-9]+ parallel for +3 +[0-9.]+ +[0-9.]+ +[0-9.]+$' \
		"with work and waiting"
	cp "$trace" "$work/stderr"
	looks 'all["otherData"]["threads"] == 3 and len(events(0, "parallel for")) == 6' \
		"a trace has each thread's part of a region"
	looks 'every(nest([one for one in events(0) if one["tid"] == thread])
		for thread in range(0, 3))' "of a thread events lie in each other, or apart"
	run env OMP_NUM_THREADS=2 cape-run --profile=json "$services"
	looks 'all["threads"] == 2' "without --threads as the environment says"
	run cape-run --threads 1 --profile=json "$services"
	looks 'all["threads"] == 1 and all["nodes"] == 1' "one thread is a node"
}

test_statistics()
{
	run cape-run --threads 3 --stats "$services"
	stdout_is "3 by 3" "--stats: the program runs as it does without"
	stderr_has '^node +regions +most threads +sync points +compute s$' "a table is printed"
	# Three regions and one, with its end, two loops and two barriers; one; and one with a barrier.
	stderr_has '^ +0 +6 +3 +10 +[0-9]+\.[0-9]+$' "with regions, threads, barriers and time"
	run cape-run --threads 3 --stats=json "$services"
	stderr_has '"regions": 6, "threads": 3, "sync_points": 10, "changed_bytes": 0' "in JSON, too"
	run cape-run -np 1 --stats=json "$services"
	stderr_has '"regions": 6, "threads": 1, "sync_points": 10' "a node counts as much"
}

test_ends()
{
	local thread
	for thread in 0 1; do
		run cape-run --threads 3 --profile "$services" fork "$thread"
		is_status 0 "a child of thread $thread: the run goes on"
		stdout_has "^the child's team: 3$" "the child has a team of its own"
		stderr_has '^profile of 3 threads$' "and counts nothing"
		run cape-run --threads 3 --profile "$services" exit "$thread"
		is_status 5 "thread $thread ends the program: its status"
		stderr_has '^profile of 3 threads, until the run failed$' "what was counted is told"
		run cape-run --threads 3 --profile --stats "$services" fault "$thread"
		is_status 139 "a fault of thread $thread: the program's death"
		stderr_has "killed by signal 11 .*in a parallel region, at or after the construct" \
			"is told, with the region"
		stderr_has '^profile of 3 threads, until the run failed$' "and what was counted"
	done
}

test_verify()
{
	run cape-run --threads 2 --verify "$services"
	stdout_is "3 by 2" "--verify: threads run the program"
	stderr_has '^cape-run: --verify compares nodes with each other, and finds nothing with one node' \
		"a line says that there is nothing to compare"
}


# Saves STEP of the program saved.c, which has six, by what cape-run is told.
test_saves()
{
	local from to set number=0

	run cape-cc -O2 "$folder/saved.c" -o "$work/program"
	is_status 0 "a program with state of all kinds is built"
	run env OMP_NUM_THREADS=4 "$work/program" 6 0 "$work/file"
	sed 's/ by .*//' "$work/stdout" >"$work/expected"
	for from in "--threads 4" "--threads 2" "-np 4" "-np 1" "-np 2 --threads 2" "-np 3 --threads 2"; do
		set=$work/set$((++number))
		# shellcheck disable=SC2086
		run cape-run $from --checkpoint "$set" --every 1 --keep 99 "$work/program" 6 20 \
			"$work/file" "$set/000001/run"
		check "$from: a run that is saved prints what it prints without" \
			cmp "$work/expected" <(sed 's/ by .*//' "$work/stdout")
		for to in "--threads 4" "-np 4" "--threads 3" "-np 3" "--threads 1" "-np 2 --threads 3"; do
			goes_on "$(saves_of "$set" | head -n 1)" "$from" "$to"
		done
		goes_on "$(saves_of "$set" | tail -n 1)" "$from" "--threads 2"
	done
}

saves_of()
{
	local file
	for file in "$1"/*/run; do
		[[ ! -e $file ]] || dirname "$file"
	done
}

# goes_on SET FROM TO: one test.  What is printed is an end of what is printed without.
goes_on()
{
	# shellcheck disable=SC2086
	run cape-run $3 --restart "$1"
	sed -i 's/ by .*//' "$work/stdout"
	check "saved by $2, it goes on by $3 (${1##*/})" goes_on_well
}

goes_on_well()
{
	((status == 0)) && [[ -s $work/stdout ]] &&
		cmp "$work/stdout" <(tail -n "$(wc -l <"$work/stdout")" "$work/expected")
}

test_shapes()
{
	run cape-run --restart "$work/set1"
	stdout_has ' by 4$' "a run of threads goes on by as many"
	run cape-run --threads 7 --restart "$work/set1"
	stdout_has ' by 7$' "or by as many as --threads says"
	run cape-run --restart "$work/set3"
	stdout_has ' by 4$' "a run of nodes by nodes"
	run cape-run --threads 5 --restart "$work/set3"
	stdout_has ' by 5$' "or by threads, when asked for"
	run cape-run --restart "$work/set6"
	stdout_has ' by 6$' "a run of nodes of threads by as many"
	run cape-run -np 2 --threads 4 --restart "$work/set6"
	stdout_has ' by 8$' "or by other nodes of other threads"
	run cape-run -np 2 --restart "$work/set1" --checkpoint "$work/set1" --every 1 --keep 99
	is_status 0 "by nodes it is saved in turn"
	run cape-run --threads 4 --profile --restart "$(saves_of "$work/set1" | head -n 1)"
	is_status 0 "and goes on by threads again"
	stderr_has '^profile of 4 threads$' "with a profile"
}

test_refusals()
{
	local what

	run cape-cc -O2 "$folder/refused.c" -o "$work/refused"
	is_status 0 "a program is built that does what is not saved"
	for what in "pipe:has a pipe open" "thread:makes threads itself" "mapping:MAP_SHARED"; do
		run cape-run --threads 3 --checkpoint "$work/no.${what%%:*}" --every 1 \
			"$work/refused" "${what%%:*}" "$work/mapped"
		check "${what%%:*}: the run goes on" is "$status $(cat "$work/stdout")" "0 4950"
		stderr_has "${what#*:}" "and it is told why it is not saved"
		check "there is no save" is "$(saves_of "$work/no.${what%%:*}")" ""
	done
	run cape-run --threads 3 --checkpoint "$work/maps" --every 1 --keep 9 "$work/refused" map \
		"$work/maps/000001/run"
	stdout_is 4956 "threads map memory at once"
	run cape-run -np 2 --restart "$(saves_of "$work/maps" | head -n 1)"
	stdout_is 4956 "and have it again in a run that goes on"
	run cape-run --threads 2 --checkpoint "$work/points" --every 5p "$services"
	stderr_has '^cape-run: --every 5p: a run by threads is saved at ends of regions only' \
		"inside regions a run by threads is not saved, which is told"
}

run cape-cc -O2 -g "$folder/services.c" -o "$services"
is_status 0 "it is built"
test_profile
test_forms
test_statistics
test_ends
test_verify
test_saves
test_shapes
test_refusals
plan_done
