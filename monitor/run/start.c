// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - says what a start waits for, and when it has waited too long.
 *
 * After it, monitors see by themselves what does not answer; what is still to come may take any
 * time: a save that is read, a program that is copied, a debugger.
 */
#include "start.h"

#include <unistd.h>
#include "common/complain.h"
#include "common/folder.h"
#include "stop.h"

/* Of the time that it may take, when it is said what takes it. */
#define TELL_AFTER 4

/* Seconds of a start; of each node that a processor has, where others wait for it. */
#define LIMIT	      60
#define LIMIT_OF_NODE 2

int start_limit(int given, int nodes, bool here)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int share = here && processors > 0 ? nodes / (int)processors : 0;

	if (given)
		return given;
	return share > LIMIT / LIMIT_OF_NODE ? LIMIT_OF_NODE * share : LIMIT;
}

/* What the start waits for now, and what to do. */
static const char *awaited(const struct start *start, const struct relay *relay)
{
	if (relay_begun(relay))
		return "node 0's monitor waits for connections of the others: let TCP pass between "
		       "the machines";
	if (folder_is_noted(start->folder, FOLDER_BEGUN))
		return start->launcher->joining;
	return start->launcher->awaited;
}

bool start_look(struct start *start, const struct relay *relay, int look)
{
	uint64_t now = stop_now(), since = start->looked ? now - start->looked : 0;
	uint64_t most = 1000 * (uint64_t)start->within;

	/* cape-run may have been stopped meanwhile. */
	start->passed += since < 2 * (uint64_t)look ? since : 0;
	start->looked = now;
	if (start->late || relay_stage(relay) >= START_JOINED)
		return false;
	if (!start->reported && start->passed >= most / TELL_AFTER && start->passed < most) {
		inform("the run has not started after %d s: %s; it is ended after %d s "
		       "(--start-within)",
		       (int)(start->passed / 1000), awaited(start, relay), start->within);
		start->reported = true;
	}
	if (start->passed < most)
		return false;
	complain("the run has not started within %d s (--start-within): %s", start->within,
		 awaited(start, relay));
	return start->late = true;
}
