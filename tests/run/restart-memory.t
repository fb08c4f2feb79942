#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# restart-memory.t - memory that a saved program never wrote takes none when it goes on.

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
run cape-run -np 2 --checkpoint "$work/saved" --every 1 --keep 9 "$work/large" 0 "$work/saved"
check "it is saved, and takes little" is "$(cat "$work/stdout")" "15 0: little memory"
run cape-run -np 3 --restart "$work/saved/000001"
check "and takes little when it goes on" is "$(cat "$work/stdout")" "15 0: little memory"

plan_done
