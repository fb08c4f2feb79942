/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meet.c - sends a message to each other node, and waits for theirs, with a limit.
 */
#include "meet.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "common/answer.h"
#include "common/folder.h"
#include "common/keeper.h"
#include "wire/wire.h"

#define PATIENCE_SECONDS 15
/* So that all have spoken when mpirun ends them because of one. */
#define LAST_WORDS_SECONDS 3

static void tell(int own, int other)
{
	char text[128];

	snprintf(text, sizeof(text), "nodes %d and %d do not reach each other",
		 own < other ? own : other, own < other ? other : own);
	answer_say(
		ANSWER_FAULT, text,
		"let TCP pass between their machines, or name the network that joins them: --mca "
		"btl_tcp_if_include eth0");
}

int meet_all(const char *folder)
{
	int rank, size = 0, missing = 0;
	bool *met;

	/* It is this process's until that ends. */
	if (folder_hold(folder) >= 0)
		keeper_start(folder, NULL, NULL);
	met = wire_meet(PATIENCE_SECONDS, &rank, &size);

	for (int i = 0; i < size; i++) {
		if (met[i])
			continue;
		tell(rank, i);
		missing++;
	}
	fflush(stdout);
	if (!missing)
		wire_part();
	/* MPI's end would wait for those who are missing. */
	if (missing)
		sleep(LAST_WORDS_SECONDS);
	free(met);
	_exit(missing || !size);
}
