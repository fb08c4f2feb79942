// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * again.c - which save a run that has died goes on from, on which machines, and when no more; and
 * what else there is when a save is damaged.
 */
#include "again.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/user_signals.h"
#include "hosts.h"
#include "save/whole.h"

/* Until a run that could not even be started is started again. */
#define PATIENCE_SECONDS 10

void again_prepare(struct again *again, const struct run_options *options)
{
	memset(again, 0, sizeof(*again));
	again->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (options->restart)
		snprintf(again->first, sizeof(again->first), "%s", options->restart);
	if (options->save_folder)
		again->own = set_next(options->save_folder);
}

/* Of the run's own saves, or what the user named.  Empty: there is none. */
static void find_newest(const struct again *again, const struct run_options *options,
			char set[SET_PATH_SIZE])
{
	if (set_find(options->save_folder, set) < 0 || set_number(set) < again->own)
		snprintf(set, SET_PATH_SIZE, "%s", again->first);
}

/* What the run can go on from instead of SET: its path BEFORE. */
static bool find_older(const struct again *again, const char *set, char before[SET_PATH_SIZE])
{
	bool is_first = strcmp(set, again->first) == 0;

	if (set_before(set, before) && (is_first || set_number(before) >= again->own))
		return true;
	return !is_first && set_find(again->first, before) == 0;
}

/* SET, if there is one before it, becomes that.  Only sets in the run's own folder are marked. */
static bool give_up(struct again *again, const struct run_options *options, char set[SET_PATH_SIZE])
{
	bool is_first = strcmp(set, again->first) == 0;
	char before[SET_PATH_SIZE];
	int error = 0;

	if (!*set || !find_older(again, set, before))
		return false;
	if (set_is_in(set, options->save_folder))
		error = set_give_up(set);
	if (error < 0)
		return complain("%s cannot be given up: %s", set, strerror(-error));
	if (is_first)
		strcpy(again->first, before);
	strcpy(set, before);
	return true;
}

bool damage_pass(char set[SET_PATH_SIZE], uint64_t least, struct damage *damage)
{
	char path[SET_PATH_SIZE], before[SET_PATH_SIZE];
	struct whole whole = {0};
	bool found = false;

	damage->least = least;
	damage->given_up = false;
	strcpy(damage->newest, set);
	strcpy(path, set);
	for (damage->others = 0; !found && set_before(path, before) && set_number(before) >= least;
	     damage->others += !found) {
		found = whole_is(&whole, before);
		strcpy(path, before);
	}
	whole_free(&whole);
	if (found)
		strcpy(set, path);
	return found;
}

/* Whether no file of SET is damaged. */
static bool damage_is_none(const char *set)
{
	struct whole whole = {0};
	bool is = whole_is(&whole, set);

	whole_free(&whole);
	return is;
}

bool damage_mark(struct damage *damage, const char *set, const char *folder)
{
	char path[SET_PATH_SIZE], before[SET_PATH_SIZE];
	bool more = true;
	int error;

	strcpy(path, damage->newest);
	if (!folder || !set_is_in(path, folder))
		return true;
	damage->given_up = true;
	while (more && strcmp(path, set) != 0) {
		more = set_before(path, before) && set_number(before) >= damage->least;
		error = set_give_up(path);
		if (error < 0)
			return complain("%s cannot be given up: %s", path, strerror(-error));
		if (more)
			strcpy(path, before);
	}
	return true;
}

void damage_say(const struct damage *damage, char *text, size_t size)
{
	if (damage->others)
		snprintf(text, size, "for %s and %d before it%s are damaged", damage->newest,
			 damage->others, damage->given_up ? ", which are given up," : "");
	else
		snprintf(text, size, "for %s%s is damaged", damage->newest,
			 damage->given_up ? ", which is given up," : "");
}

void damage_advise(const char *set)
{
	struct damage damage;
	char older[SET_PATH_SIZE];

	strcpy(older, set);
	if (damage_pass(older, 1, &damage))
		inform("the newest sound save before it: cape-run --restart %s", older);
	else
		inform("there is no older save that is sound");
}

/*
 * SET, which is damaged, becomes the newest whole one before it: of the run's own, or of what the
 * user has let it go on from.
 */
static bool pass(struct again *again, char set[SET_PATH_SIZE], struct damage *damage)
{
	bool is_first = strcmp(set, again->first) == 0;
	bool found = damage_pass(set, is_first ? 1 : again->own, damage);
	struct damage older;

	if (!found && !is_first && *again->first) {
		is_first = true;
		strcpy(set, again->first);
		found = damage_is_none(set) || damage_pass(set, 1, &older);
	}
	if (found && is_first)
		strcpy(again->first, set);
	return found;
}

/* A node could not read SET.  WHY the run goes on from another; false: a message was printed. */
static bool choose_whole(struct again *again, const struct run_options *options,
			 char set[SET_PATH_SIZE], char *why, size_t size)
{
	struct damage damage;
	uint64_t run;
	bool apart = set_is_apart(set, &run);

	/* What machines have on disks of their own, their monitors have looked at. */
	if (!apart && damage_is_none(set)) {
		if (!options->restarts)
			complain("no file of %s is damaged when read on this machine: can all "
				 "machines read them?",
				 set);
		return options->restarts;
	}
	if (!options->restarts && !options->newest) {
		if (!apart)
			damage_advise(set);
		return false;
	}
	if (!pass(again, set, &damage))
		return complain("the run is not restarted: %s is damaged, and there is no older "
				"save to continue from",
				options->restart);
	if (!damage_mark(&damage, set, options->save_folder))
		return false;
	damage_say(&damage, why, size);
	return true;
}

/* While saves are read, a signal of the user's ends this as any other command. */
static bool choose_after_damage(struct again *again, const struct run_options *options,
				char set[SET_PATH_SIZE], char *why, size_t size)
{
	sigset_t ours, before;
	bool chosen;

	snprintf(set, SET_PATH_SIZE, "%s", options->restart);
	sigemptyset(&ours);
	user_signals_add(&ours);
	sigprocmask(SIG_UNBLOCK, &ours, &before);
	chosen = choose_whole(again, options, set, why, size);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return chosen;
}

/* Where the run goes on, and WHY not from its newest save.  False: nowhere; a message was printed.
 */
static bool choose(struct again *again, const struct run_options *options,
		   const struct ending *ending, char set[SET_PATH_SIZE], char *why, size_t size)
{
	char newest[SET_PATH_SIZE];
	bool twice;

	why[0] = '\0';
	if (ending->fault.kind == FAULT_SET || ending->fault.kind == FAULT_AWAY) {
		if (!choose_after_damage(again, options, set, why, size))
			return false;
	} else {
		find_newest(again, options, set);
		/* A start that dies has not come to what is saved. */
		twice = again->died && ending->fault.kind == FAULT_DIED &&
			ending->stage == START_BEGUN && strcmp(again->place, set) == 0;
		strcpy(newest, set);
		if (twice && give_up(again, options, set))
			snprintf(why, size, "for %s, which is given up, is where it died twice",
				 newest);
	}
	again->died = true;
	strcpy(again->place, set);
	return true;
}

/* A signal that came to cape-run meanwhile, waiting SECONDS for one; or 0. */
static int await_signal(int seconds)
{
	const struct timespec patience = {.tv_sec = seconds};
	sigset_t set;
	int number;

	sigemptyset(&set);
	user_signals_add(&set);
	do
		number = sigtimedwait(&set, NULL, &patience);
	while (number < 0 && errno == EINTR);
	return number > 0 ? number : 0;
}

/* How the user can go on, if anything is saved: LEAD, and the command.  Whether that is so. */
static bool tell_command(const struct again *again, const struct run_options *options,
			 const char *lead)
{
	char set[SET_PATH_SIZE];

	find_newest(again, options, set);
	if (*set)
		fprintf(stderr, "%scape-run --restart %s --checkpoint %s", lead, set,
			options->save_folder);
	return *set;
}

/* The run has died, and is not restarted by itself. */
static void advise(const struct again *again, const struct run_options *options,
		   const struct ending *ending)
{
	bool died = ending->fault.kind == FAULT_DIED || ending->fault.kind == FAULT_LOST;

	if (died && options->save_folder &&
	    tell_command(again, options, "cape-run: the run can go on from its newest save: "))
		fputc('\n', stderr);
}

/* Whether it may be tried once more. */
static bool may(const struct again *again, const struct run_options *options,
		const struct ending *ending)
{
	if (!ending->has_read && again->restarts < options->restarts)
		return true;
	if (ending->has_read)
		fprintf(stderr, "cape-run: the run is not restarted: it has read standard input "
				"that is not a file and cannot be read again");
	else
		fprintf(stderr,
			"cape-run: the run has died again, and is not restarted any more "
			"(--max-restarts %d)",
			options->restarts);
	tell_command(again, options, "; by hand: ");
	fputc('\n', stderr);
	return false;
}

/* The run goes on from SET, or, if that is empty, from its beginning; HOST is left out. */
static void tell(const struct again *again, const struct run_options *options, const char *set,
		 const char *why, const char *host)
{
	fprintf(stderr, "cape-run: the run %s%s%s%s%s%s",
		*set ? "goes on from " : "starts again at the beginning, because there is no save",
		set, *why ? ", " : "", why, *host ? ", without " : "", host);
	if (options->restarts)
		fprintf(stderr, " (restart %d of %d)", again->restarts, options->restarts);
	fputc('\n', stderr);
}

static void rewind_input(const struct again *again)
{
	if (again->input >= 0)
		lseek(STDIN_FILENO, again->input, SEEK_SET);
}

/* Whatever the user has asked for: what kept it may be over, and nothing of it has begun. */
static bool start_anew(struct again *again)
{
	again->late = true;
	rewind_input(again);
	inform("the run is started again");
	return true;
}

bool again_try(struct again *again, struct run_options *options, struct ending *ending, int status)
{
	char set[SET_PATH_SIZE], why[SET_PATH_SIZE + 64];
	const char *host = ending->fault.host;
	bool unable = ending->stage < START_JOINED && again->restarts > 0 && status && !ending->by;
	bool damaged = ending->fault.kind == FAULT_SET;
	bool anew = ending->fault.kind == FAULT_LATE && !again->late;

	if (!anew && !options->restarts && !damaged) {
		advise(again, options, ending);
		return false;
	}
	if (!anew && ending->fault.kind == FAULT_NONE && !unable)
		return false;
	if (!anew && options->restarts && !may(again, options, ending))
		return false;
	ending->by =
		await_signal(unable && ending->fault.kind == FAULT_NONE ? PATIENCE_SECONDS : 0);
	if (ending->by)
		return complain("the run was ended by signal %d (%s)", ending->by,
				strsignal(ending->by));
	if (anew)
		return start_anew(again);
	if (!choose(again, options, ending, set, why, sizeof(why)))
		return false;
	if (ending->fault.kind != FAULT_LOST || !hosts_leave_out(options, host))
		host = "";
	options->restart = *set ? strdup(set) : NULL;
	if (*set && !options->restart)
		return complain("out of memory");
	/* There was the one. */
	options->cut = false;
	again->restarts += options->restarts > 0;
	rewind_input(again);
	tell(again, options, set, why, host);
	return true;
}
