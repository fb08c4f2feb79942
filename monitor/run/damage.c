// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * damage.c - passes over damaged saves.
 */
#include "damage.h"

#include <stdio.h>
#include <string.h>
#include "save/whole.h"

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

bool damage_is_none(const char *set)
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
		if (error < 0) {
			fprintf(stderr, "cape-run: %s cannot be given up: %s\n", path,
				strerror(-error));
			return false;
		}
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
		fprintf(stderr,
			"cape-run: the newest save before it that is whole: cape-run --restart "
			"%s\n",
			older);
	else
		fprintf(stderr, "cape-run: there is no older save beside it that is whole\n");
}
