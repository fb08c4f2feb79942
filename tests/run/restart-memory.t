#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart-memory.t - of a program that goes on: memory that it never wrote takes none, and pages that
# one node had that node has again.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

cat >"$work/large.c" <<'END'
#include <stdio.h>
#include <string.h>
#include "pause.h"

static char large[256 << 20];
static double values[4096];

/* Kilobytes of memory behind the program. */
static long resident(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[200];
	long size = -1;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmRSS: %ld", &size);
	if (file)
		fclose(file);
	return size;
}

int main(int argc, char **argv)
{
	large[argc] = 1;
	for (int step = 0; step < 3; step++) {
#pragma omp parallel for
		for (int i = 0; i < 4096; i++)
			values[i] += i;
		pause_at(step, argv + 1);
	}
	printf("%g %d: %s\n", values[5], large[argc + (1 << 20)],
	       resident() < 128 << 10 ? "little memory" : "much memory");
	return 0;
}
END
run cape-cc -O2 -I "$root/tests/run/restart" "$work/large.c" -o "$work/large"
check "a program with much memory is built" [ "$status" = 0 ]
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved" --every 1 --keep 9 "$work/large" 0 "$work/saved"
check "it is saved, and takes little" is "$(cat "$work/stdout")" "15 0: little memory"
run "${cape_run[@]}" -np 3 --restart "$work/saved/000001"
check "and takes little when it goes on" is "$(cat "$work/stdout")" "15 0: little memory"

cat >"$work/parts.c" <<'END'
#include <stdio.h>
#include "pause.h"

#define SIZE (2 << 20)

static double values[SIZE];

int main(int argc, char **argv)
{
	double sum = 0;

	for (int step = 0; step < 4; step++) {
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			values[i] += i + step;
		pause_at(step, argv + 1);
	}
	for (int i = 0; i < SIZE; i++)
		sum = sum / 2 + values[i];
	printf("%.17g\n", sum);
	return 0;
}
END
run cape-cc -O2 -I "$root/tests/run/restart" "$work/parts.c" -o "$work/parts"
check "a program of which each node has a part is built" [ "$status" = 0 ]
run "${cape_run[@]}" -np 2 --checkpoint "$work/saved.parts" --every 1 --keep 9 \
	"$work/parts" 0 "$work/saved.parts"
cp "$work/stdout" "$work/whole"
check "it is saved" [ -e "$work/saved.parts/000002/run" ]
# compared: the bytes that all nodes compared with a twin.
compared() {
	python3 -c 'import json, sys
print(sum(node["compared_bytes"] for node in json.load(sys.stdin)["nodes"]))' <"$work/stderr"
}
for nodes in 2 1 3 5; do
	run "${cape_run[@]}" -np "$nodes" --verify --restart "$work/saved.parts/000002"
	check "it goes on on $nodes nodes" cmp "$work/stdout" "$work/whole"
done
run "${cape_run[@]}" -np 2 --stats=json --restart "$work/saved.parts/000002"
check "each node has its part again, and compares none of it" [ "$(compared)" -lt $((2 << 20)) ]
run "${cape_run[@]}" -np 2 --exchange eager --restart "$work/saved.parts/000002"
check "it goes on where nodes exchange all" cmp "$work/stdout" "$work/whole"

plan_done
