#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-run --profile: what it counts of constructs whose cost is known, and how it is told.
. "$(dirname "$0")/../tap.sh"

plan 67

cape_run+=(--no-replicate)
folder=$root/tests/run/profile
shapes=$work/shapes

# looks FILE EXPRESSION NAME: one test.
looks() {
	check "$3" "$folder/look" "$1" "$2"
}

test_counts() {
	run "${cape_run[@]}" -np 2 --profile=json "$shapes"
	is_status 0 "the program runs as it does without"
	stdout_has '^[0-9]+ 2$' "and prints what it does"
	cp "$work/stderr" "$work/need"
	looks "$work/need" 'all["nodes"] == 2 and not all["failed"]' "the JSON can be read"
	looks "$work/need" 'at("write")["sync_points"] == 3 and at("write")["times"] == 3' \
		"a loop has as many sync points as it was run"
	looks "$work/need" 'at("barrier")["sync_points"] == 5' "so has a barrier"
	looks "$work/need" 'at("region")["sync_points"] == 1' "they are not those of their region"
	looks "$work/need" 'at("orphan")["sync_points"] == 2' \
		"a construct in a function that is called twice is one"
	looks "$work/need" 'at("orphan")["construct"] == "for" and
		at("write")["construct"] == "parallel for"' "constructs are called what they are"
	looks "$work/need" 'outside["sync_points"] == 0' "sequential code has no sync points"
	looks "$work/need" 'every(adds_up(one) for one in all["constructs"] + [outside])' \
		"the phases add up to the total"
	looks "$work/need" 'at("critical")["wait_seconds"]["max"] > 0' "a critical construct waits"
}

# Node 0 reads what node 1 wrote of 512 KB, and the other way round.
test_traffic() {
	looks "$work/need" '400000 < at("turn")["fetched_bytes"] < 600000' \
		"what another node wrote is fetched once"
	looks "$work/need" 'memory("turn", "written")["fetched_bytes"] > 400000 and
		memory("turn", "written")["bytes"] == 524288' "of which variable is told"
	looks "$work/need" '"all nodes fetch all of `written`" in why("turn")' "and in words"
	looks "$work/need" 'memory("backwards", "from")["fetched_bytes"] > 400000' \
		"memory of the heap is called by its pointer"
	looks "$work/need" 'memory("members", "pair->second")["fetched_bytes"] > 400000' \
		"or by the member that points to it"
	looks "$work/need" 'at("write")["fetched_bytes"] == 0' "nothing is fetched to write all"
	looks "$work/need" 'at("write")["sent_bytes"] < 100000' "nor sent, for nobody reads it yet"
	looks "$work/need" '"all nodes write to pages of `between`" in why("interleaved")' \
		"nodes that write to the same pages are told"
	looks "$work/need" 'memory("interleaved", "between")["contested_bytes"] > 500000' \
		"and how much of it is sent"
	looks "$work/need" '"sequential code needs" in "\n".join(outside["why"])' \
		"so is what sequential code makes common"
	run "${cape_run[@]}" -np 2 --profile=json "$work/plain"
	looks "$work/stderr" 'memory("backwards", "from")["fetched_bytes"] > 400000' \
		"without debug information, too"
	looks "$work/stderr" '"fetch all of a block of 512 KB" in why("members")' \
		"a pointer that may be another variable's is not named"
	run "${cape_run[@]}" -np 2 --exchange eager --profile=json "$shapes"
	looks "$work/stderr" 'memory("write", "written")["sent_to_all_bytes"] >= 3 * 500000' \
		"eagerly all that changes is sent"
	looks "$work/stderr" '"send to all what changed of `written`" in why("write")' "in words, too"
	looks "$work/stderr" 'every(one["fetched_bytes"] == 0 for one in all["constructs"])' \
		"and nothing is fetched"
}

test_forms() {
	run "${cape_run[@]}" -np 2 --profile "$shapes"
	stderr_has '^profile of 2 nodes' "a table is printed"
	stderr_has 'shapes.c:[0-9]+ parallel for +3 +[0-9.]+' "a construct's line has its sync points"
	stderr_has '^outside of constructs +0 ' "what is outside of constructs comes, too"
	run "${cape_run[@]}" -np 1 --profile=table "$shapes"
	stderr_has '^profile of 1 node$' "one node has a profile"
}

test_trace() {
	local trace=$work/a.trace.json
	run "${cape_run[@]}" -np 2 "--profile=$trace" "$shapes"
	is_status 0 "a trace is written"
	looks "$trace" 'len(events(0)) > 20 and len(events(1)) > 20' "it is JSON with events of all"
	looks "$trace" 'nest(events(0)) and nest(events(1))' "which lie in each other, or apart"
	looks "$trace" 'len(events(0, "parallel for")) == len(events(1, "parallel for")) == 11' \
		"each time that a construct was run is one"
	looks "$trace" 'len(events(0, "fetch")) > 0 and len(events(1, "exchange")) > 20' \
		"and what it did"
	looks "$trace" 'all["otherData"]["lost_events"] == 0' "none is lost"
}

test_refusals() {
	run "${cape_run[@]}" -np 2 --profile=xml "$shapes"
	refused 2 'profile=xml: .*json or --profile=FILE.trace.json' "an unknown form is refused"
	run "${cape_run[@]}" -np 2 "--profile=$work/none/a.trace.json" "$shapes"
	refused 1 'none/a.trace.json: No such file.*name a file' "a file that cannot be, before the run"
	mkdir "$work/folder.trace.json"
	run "${cape_run[@]}" -np 2 "--profile=$work/folder.trace.json" "$shapes"
	refused 1 'folder.trace.json: is a directory' "a folder, too"
	run "${cape_run[@]}" -np 2 "--profile=$work/b.trace.json" "$work/missing"
	check "a run that does not begin leaves no file" test ! -e "$work/b.trace.json"
}

test_ends() {
	run "${cape_run[@]}" -np 2 --profile "$shapes" die
	is_status 137 "a program that is killed"
	stderr_has '^profile of node 0 alone, until the run failed$' "what is known is told"
	stderr_has 'shapes.c:[0-9]+ parallel for +3 ' "with its counts"
	run "${cape_run[@]}" -np 1 --profile "$shapes" die alone
	stderr_has '^profile of node 0 alone, until the run failed$' "so it is of one node"
}

# More barriers than there is room for; on one node, for on a busy machine each takes its time.
test_many() {
	{
		echo 'int main(void) {'
		echo '#pragma omp parallel'
		echo '{'
		yes '_Pragma("omp barrier") ;' | head -n 5000
		echo '}'
		echo '}'
	} >"$work/many.c"
	cape-cc -O0 "$work/many.c" -o "$work/many"
	run "${cape_run[@]}" -np 1 --profile=json "$work/many"
	looks "$work/stderr" 'all["lost_constructs"] > 800 and len(all["constructs"]) == 4095 and
		sum(one["sync_points"] for one in all["constructs"]) == 5001' \
		"thousands of constructs: the last ones are put together"
}

# Loops of which the compiler knows what they access.
test_plans() {
	cat >"$work/plans.c" <<-'END'
		static double a[4096], b[4096];
		int main(void)
		{
			for (int k = 0; k < 5; k++) {
		#pragma omp parallel for
				for (int i = 0; i < 4096; i++)
					a[i] = b[i] + k;
		#pragma omp parallel for schedule(static, 64)
				for (int i = 0; i < 4096; i++)
					b[i] = a[4095 - i];
		#pragma omp parallel for num_threads(2)
				for (int i = 0; i < 4096; i++)
					b[i] += 1;
			}
			return b[7] > 1e9;
		}
	END
	cape-cc -O2 "$work/plans.c" -o "$work/plans"
	run "${cape_run[@]}" -np 3 --profile "$work/plans"
	stderr_has 'planned 5 times, [1-4] as before, 5 with nothing before the next sync point' "a loop that was planned"
	stderr_has 'not planned, 5 times: the team is smaller than the run' "one that was not, and why"
	cape-cc -O2 --no-plan "$work/plans.c" -o "$work/unplanned"
	run "${cape_run[@]}" -np 3 --profile "$work/unplanned"
	stderr_has 'not planned: cape-cc --explain says what stops that' "loops of which nothing is said"
	run "${cape_run[@]}" -np 3 --profile=json "$work/plans"
	looks "$work/stderr" 'sum(one["planned"] for one in all["constructs"]) == 10' \
		"and in JSON"
	# It declares what it calls of OpenMP by itself.
	sed -e '1i int omp_get_num_procs(void);' -e 's/^{$/{ if (omp_get_num_procs() < 1) return 2;/' \
		"$work/plans.c" > "$work/declares.c"
	cape-cc -O2 "$work/declares.c" -o "$work/declares"
	run "${cape_run[@]}" -np 3 --profile "$work/declares"
	stderr_has 'planned 5 times' "a program without omp.h"
	# Its handlers may write to what loops write.
	sed -e '1i #include <signal.h>\nstatic void handle(int number) { (void)number; }' \
		-e 's/^{$/{ signal(SIGUSR1, handle);/' "$work/plans.c" >"$work/handles.c"
	cape-cc -O2 "$work/handles.c" -o "$work/handles"
	run "${cape_run[@]}" -np 3 --profile "$work/handles"
	stderr_has 'not planned, 5 times:.* or the program handles signals' "a program with handlers"
	# A variable that is shared, and used as if it were not.
	cat >"$work/scratch.c" <<-'END'
		static struct {
			double a[4096], before[600], scratch, after[600], b[4096];
		} all;
		int main(void)
		{
		#pragma omp parallel
			for (int k = 0; k < 20; k++) {
		#pragma omp for
				for (int i = 0; i < 4096; i++) {
					all.scratch = 1.5;
					all.a[i] = all.scratch * i + all.b[i];
				}
		#pragma omp for
				for (int i = 0; i < 4096; i++)
					all.b[i] = all.a[4095 - i];
		#pragma omp for
				for (int i = 0; i < 4096; i++)
					all.b[i] += all.a[i];
			}
			return all.b[7] < 0;
		}
	END
	cape-cc -O2 "$work/scratch.c" -o "$work/scratch"
	run "${cape_run[@]}" -np 3 --profile "$work/scratch"
	stderr_has 'planned 20 times, 1[0-9] as before, 20 with nothing before the next sync point, 0 without' \
		"a loop that all nodes write the same variable in is planned from the first time on"
	stderr_has 'planned 20 times, 1[0-9] as before, 20 with nothing before the next sync point, [12][0-9] without' \
		"nodes do not meet after other loops"
	cat > "$work/columns.c" <<-'END'
		static int a[64][1024];

		int main(void)
		{
			for (int r = 0; r < 30; r++) {
		#pragma omp parallel for schedule(static, 3)
				for (int j = 0; j < 512; j++)
					for (int i = 0; i < 64; i++)
						a[i][j] += j;
		#pragma omp parallel for schedule(dynamic)
				for (int i = 0; i < 64; i++)
					a[i][511] += a[63 - i][512 + r];
			}
			return a[7][9] < 0;
		}
	END
	cape-cc -O2 "$work/columns.c" -o "$work/columns"
	run "${cape_run[@]}" -np 2 --profile "$work/columns"
	stderr_has 'not planned, [0-9]+ times: it writes many small pieces' \
		"a loop whose small pieces must be put together at once is not planned for long"
}

# A grid on many levels in rows, on one page of which nodes write to something else, too: each level's plan is new
# once, and that page is left out of one of them.
test_levels() {
	cat > "$work/levels.c" <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <omp.h>
		#define LEVELS 8
		static double **grid[LEVELS];
		static int *sums;
		static void one_more(int *n)
		{
			*n += 1;
		}

		static void (*volatile add)(int *n) = one_more;

		int main(void)
		{
			double total = 0;
			int rows = 1500;

			for (int l = 0; l < LEVELS; l++) {
				grid[l] = malloc((size_t)rows * sizeof(*grid[l]));
				for (int i = 0; i < rows; i++) {
					grid[l][i] = calloc(8, sizeof(double));
					/* Beside rows. */
					if (l == 0 && i == rows / 2)
						sums = calloc(8, sizeof(*sums));
				}
			}
			for (int turn = 0; turn < 12; turn++) {
				/* Which both nodes write to. */
		#pragma omp parallel
				add(&sums[omp_get_thread_num()]);
				for (int l = 0; l < LEVELS; l++) {
					double **g = grid[l];
		#pragma omp parallel for
					for (int i = 1; i < rows - 1; i++)
						for (int j = 1; j < 7; j++)
							g[i][j] += g[i][j - 1] + g[i][j + 1] + 1;
				}
			}
			for (int l = 0; l < LEVELS; l++)
				for (int i = 0; i < rows; i++)
					total += grid[l][i][3] + grid[l][i][6];
			printf("%g %d\n", total, sums[0] == sums[1]);
			return 0;
		}
	END
	cape-cc -O2 "$work/levels.c" -o "$work/levels"
	run "${cape_run[@]}" -np 2 --profile "$work/levels"
	stderr_has 'planned 96 times, 8[0-9] as before' "a loop that has many plans in turn is planned each time"
}

# What threads hand on is published by flushes; nothing more is at the sync points after that.
test_pipelines() {
	local threads

	cape-cc -O2 "$root/tests/programs/pipeline-frame.c" -o "$work/pipelines"
	for threads in 1 2; do
		run "${cape_run[@]}" -np 2 --threads "$threads" --profile "$work/pipelines"
		stderr_has 'planned [12]0 times, [1-9]+ as before' \
			"pipelines are planned, $threads threads a node"
	done
	run "${cape_run[@]}" -np 2 --profile=json "$work/pipelines"
	looks "$work/stderr" 'sum(one["sent_bytes"] < 8192 for one in all["constructs"]
		if one["construct"] == "barrier") == 1' \
		"nothing but flags goes to others after one"
}

# What is read by lists all nodes know, where they have to: in a matrix in rows without zeros, the vector's
# elements beside a node's own, and nothing more.
test_lists() {
	cat > "$work/lists.c" <<- 'END'
		#include <stdlib.h>
		#define N 40000
		static int start[N + 1], column[3 * N];
		static double *p, *q;
		int main(void)
		{
			p = calloc(N, sizeof(*p));
			q = calloc(N, sizeof(*q));
			for (int i = 0; i <= N; i++)
				start[i] = 3 * i;
			for (int i = 0; i < 3 * N; i++)
				column[i] = (i / 3 + N + i % 3 - 1) % N;
			for (int r = 0; r < 10; r++) {
		#pragma omp parallel for
				for (int i = 0; i < N; i++)
					for (int k = start[i]; k < start[i + 1]; k++)
						q[i] += p[column[k]];
		#pragma omp parallel for
				for (int i = 0; i < N; i++)
					p[i] = q[i] + r;
			}
			return p[7] < 0;
		}
	END
	cape-cc -O2 "$work/lists.c" -o "$work/lists"
	# With this seed nodes share no memory.
	run "${cape_run[@]}" -np 4 --wire test:1 --profile=json "$work/lists"
	looks "$work/stderr" '[one["planned"] for one in all["constructs"] if one["line"] == 14] == [9]' \
		"a loop that reads by lists is planned when it comes again"
	looks "$work/stderr" 'sum(one["fetched_bytes"] for one in all["constructs"]) < 100000' \
		"and nodes get what they read, and no more"
	looks "$work/stderr" 'sum(one["planned_skipped"] for one in all["constructs"] if one["line"] == 18) == 10' \
		"at the end of a region after which only the next one comes nodes do not meet"
	run "${cape_run[@]}" -np 2 --threads 2 --profile=json "$work/lists"
	looks "$work/stderr" '[one["planned"] for one in all["constructs"] if one["line"] == 14] == [9]' \
		"the same where nodes have several threads"

	# What is looked up ends where what is written begins.
	cat > "$work/beside.c" <<- 'END'
		#include <stdlib.h>
		#define N 40000
		static struct { int column[N]; double q[N]; } all;
		int main(void)
		{
			double *p = calloc(N, sizeof(*p));
			for (int r = 0; r < 5; r++) {
		#pragma omp parallel for
				for (int i = 0; i < N; i++)
					all.q[i] += p[all.column[i]];
			}
			return p[7] < 0;
		}
	END
	cape-cc -O2 "$work/beside.c" -o "$work/beside"
	run "${cape_run[@]}" -np 4 --wire test:1 --profile=json "$work/beside"
	looks "$work/stderr" '[one["planned"] for one in all["constructs"] if one["line"] == 8] == [4]' \
		"indices beside what is written"
}

# Regions whose last loop's end is their own.
test_region_ends() {
	cat > "$work/inner.c" <<- 'END'
		#define N 40000
		static double a[N], b[N];
		int main(void)
		{
			for (int r = 0; r < 20; r++) {
		#pragma omp parallel
				{
		#pragma omp for
					for (int i = 0; i < N; i++)
						a[i] = b[i] + r;
		#pragma omp for
					for (int i = 0; i < N; i++)
						b[i] = a[N - 1 - i];
				}
			}
			return b[0] != 190;
		}
	END
	cape-cc -O2 "$work/inner.c" -o "$work/inner"
	run "${cape_run[@]}" -np 3 --profile=json "$work/inner"
	looks "$work/stderr" 'sum(one["sync_points"] for one in all["constructs"]) < 5' \
		"nodes do not meet where the last loop's end is the region's, too"

	# Node 1 comes to the second region when node 0 has long been there.
	cat > "$work/early.c" <<- 'END'
		#include <math.h>
		#include <stdio.h>
		#define N 4000
		static double x[512], slow[N], read[N];
		int main(void)
		{
			for (int r = 0; r < 4; r++) {
		#pragma omp parallel
				{
		#pragma omp for
					for (int i = 0; i < 1; i++)
						x[i] = r;
		#pragma omp for
					for (int i = 0; i < N; i++) {
						slow[i] = 0;
						for (int k = 0; i == N - 1 && k < 10000000; k++)
							slow[i] += sqrt(k + slow[i]);
					}
				}
		#pragma omp parallel
				{
					double first = x[0];
		#pragma omp barrier
		#pragma omp for
					for (int i = 0; i < 1; i++)
						x[i] += 100;
		#pragma omp for
					for (int i = 0; i < N; i++)
						read[i] = first;
				}
				printf("%g %g;", read[0], read[N - 1]);
			}
			return 0;
		}
	END
	cape-cc -O2 "$work/early.c" -o "$work/early" -lm
	run "${cape_run[@]}" -np 2 "$work/early"
	check "what a region reads first nobody overwrites before its barrier" \
		is "$(cat "$work/stdout")" "0 0;1 1;2 2;3 3;"
}

# Pointers that a loop has just written are with those who wrote them, and come to who reads them.
test_pointers() {
	cat > "$work/pointers.c" <<- 'END'
		#define N 600
		static double *row[N], a[N];
		int main(void)
		{
			for (int r = 0; r < 5; r++) {
		#pragma omp parallel for
				for (int i = 0; i < N; i++)
					if (!row[i])
						row[i] = &a[N - 1 - i];
		#pragma omp parallel for
				for (int i = 0; i < N; i++)
					row[i][0] += i + r;
			}
			return a[7] < 0;
		}
	END
	cape-cc -O2 "$work/pointers.c" -o "$work/pointers"
	run "${cape_run[@]}" -np 3 --wire test:1 --verify --profile=json "$work/pointers"
	looks "$work/stderr" '[one["planned"] for one in all["constructs"] if one["line"] == 10] == [5]' \
		"a loop whose pointers come to all nodes, which share no memory"
	run "${cape_run[@]}" -np 3 --wire test:1 --verify --profile=json \
		"$(compiled programs/pipeline-nested)"
	looks "$work/stderr" '[one["planned"] for one in all["constructs"] if one["line"] == 77] == [4]' \
		"a pipeline whose bounds come so"
}

cape-cc -O2 -g --no-plan "$folder/shapes.c" -o "$shapes"
cape-cc -O2 --no-plan "$folder/shapes.c" -o "$work/plain"
test_counts
test_traffic
test_forms
test_trace
test_refusals
test_ends
test_many
test_plans
test_levels
test_pipelines
test_lists
test_region_ends
test_pointers
