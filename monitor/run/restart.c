// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * restart.c - finds the set that a run goes on from, and reads how that was started.
 */
#include "restart.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "again.h"
#include "common/complain.h"
#include "file/reader.h"
#include "save/lock.h"
#include "save/set.h"
#include "save/trust.h"

const char *absolute_path(const char *path)
{
	char own[PATH_MAX], *absolute;

	if (path[0] == '/')
		return path;
	if (!getcwd(own, sizeof(own)) || asprintf(&absolute, "%s/%s", own, path) < 0) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	return absolute;
}

/* A text of the set, with its 0; to be freed.  NULL: a message was printed. */
static char *get_text(struct file_reader *reader, const char *name)
{
	struct file_error error;
	uint64_t size;
	const unsigned char *bytes = file_read_named(reader, name, &size, &error);

	if (size && !bytes[size - 1])
		return strdup((const char *)bytes);
	complain("--restart: %s: %s", file_reader_path(reader),
		 error.number ? error.text : "it is incomplete");
	return NULL;
}

/* Whether the set is one, and not another run's file beside nodes' files.  Else a message was
 * printed.
 */
static bool is_of_one(const char *set, struct file_reader *reader)
{
	char other[SET_FILE_SIZE];

	if (set_is_of_one(set, reader, other))
		return true;
	return complain("--restart: %s and %s belong to different saves", file_reader_path(reader),
			other);
}

/* SET, saved inside a region at PLACE, needs NODES; is there an older one that does not? */
static void tell_nodes(const char *set, const char *place, unsigned nodes)
{
	char older[SET_PATH_SIZE], before[SET_PATH_SIZE], where[SET_PLACE_SIZE];
	bool found;

	fprintf(stderr,
		"cape-run: --restart %s: it was saved inside a parallel region, at %s, and needs "
		"as "
		"many nodes there: -np %u",
		set, place, nodes);
	snprintf(older, sizeof(older), "%s", set);
	while ((found = set_before(older, before)) && set_region_of(before, where))
		strcpy(older, before);
	if (found)
		fprintf(stderr,
			"; an older save, of sequential code, works with any number of nodes: "
			"--restart %s\n",
			before);
	else
		fprintf(stderr, "; there is no older save of sequential code, which would work "
				"with any number of nodes\n");
}

/* Whether the user has named no other number of nodes than SET needs, nor threads, which go on from
 * sequential code alone.  Else a message was printed. */
static bool has_nodes(const struct run_options *options, const char *set,
		      struct file_reader *reader)
{
	unsigned nodes = file_reader_head(reader)->nodes;
	char place[SET_PLACE_SIZE];

	if (((!options->nodes || options->nodes == (int)nodes) && options->threads < 2) ||
	    !set_region(reader, place))
		return true;
	tell_nodes(set, place, nodes);
	return false;
}

/* As the run was, where the user does not say: so many nodes of so many threads. */
static void choose_nodes(struct run_options *options, struct file_reader *reader)
{
	const unsigned char *bytes;
	struct file_error error;
	uint64_t size;

	if (options->nodes || options->threads > 1)
		return;
	bytes = file_read_named(reader, SET_THREADS, &size, &error);
	if (!options->threads && size == sizeof(options->threads))
		memcpy(&options->threads, bytes, sizeof(options->threads));
	if (file_reader_head(reader)->nodes > 1 || !size)
		options->nodes = (int)file_reader_head(reader)->nodes;
}

enum found { FOUND, DAMAGED, USELESS }; /* or a message was printed */

static enum found read_set(struct run_options *options, struct file_reader *reader)
{
	char **program = calloc(2, sizeof(*program));
	char *folder = get_text(reader, SET_FOLDER);
	enum found found = DAMAGED;

	if (program && folder)
		program[0] = get_text(reader, SET_PROGRAM);
	if (!program || !program[0])
		goto failed;
	/* The program's path is as it was: it lies on its stack. */
	if (chdir(folder) < 0) {
		complain("--restart: the run's folder %s: %s", folder, strerror(errno));
		found = USELESS;
		goto failed;
	}
	free(folder);
	options->program = program;
	choose_nodes(options, reader);
	return FOUND;
failed:
	free(folder);
	free(program);
	return found;
}

/*
 * Whether nobody else can have put there what the run would execute: the folder PATH, or the set
 * IS_SET.  Else a message was printed.
 */
static bool can_trust(const struct run_options *options, const char *path, bool is_set)
{
	char why[TRUST_WHY_SIZE];

	if (options->trust || (is_set ? trust_set(path, why) : trust_path(path, why)))
		return true;
	return complain("--restart %s: %s, and what is saved there would run with your rights; if "
			"you want that, add --trust-folder",
			path, why);
}

/* What the set says of the run. */
static enum found look_at(struct run_options *options, const char *set)
{
	char file[SET_FILE_SIZE];
	struct file_reader *reader;
	struct file_error error;
	enum found found = DAMAGED;

	if (!can_trust(options, set, true))
		return USELESS;
	set_file(file, set, -1);
	if (file_reader_open_sound(&reader, file, &error) < 0)
		complain("--restart: %s", error.text);
	else if (is_of_one(set, reader))
		found = has_nodes(options, set, reader) ? read_set(options, reader) : USELESS;
	file_reader_close(reader);
	return found;
}

/* SET, which is damaged, becomes the newest one before it that is not.  False: a message was
 * printed.
 */
static bool pass(const struct run_options *options, char set[SET_PATH_SIZE])
{
	struct damage damage;
	char why[SET_PATH_SIZE + 64];

	if (!options->newest || !damage_pass(set, 1, &damage)) {
		damage_advise(set);
		return false;
	}
	if (!damage_mark(&damage, set, options->save_folder))
		return false;
	damage_say(&damage, why, sizeof(why));
	inform("the run goes on from %s, %s", set, why);
	return true;
}

/* Names of files, as the user gave them, before the folder is another. */
static bool make_absolute(struct run_options *options)
{
	if (options->trace_file && !(options->trace_file = absolute_path(options->trace_file)))
		return false;
	if (options->kept && !(options->kept = absolute_path(options->kept)))
		return false;
	if (options->save_folder && !(options->save_folder = absolute_path(options->save_folder)))
		return false;
	for (int i = 0; i + 1 < options->mpirun_count; i++) {
		if (options->mpirun[i][0] != '-' || (!strstr(options->mpirun[i], "hostfile") &&
						     !strstr(options->mpirun[i], "machinefile")))
			continue;
		options->mpirun[i + 1] = (char *)absolute_path(options->mpirun[i + 1]);
		if (!options->mpirun[i + 1])
			return false;
	}
	return true;
}

/* Whether the run that saved SET has ended: else both would write to its files. */
static bool is_over(const char *set)
{
	char folder[SET_PATH_SIZE], holder[LOCK_HOLDER_SIZE];

	set_folder(folder, set);
	if (lock_look(folder, holder) == 0)
		return true;
	return complain("--restart %s: a run is still being saved to %s%s%s; end it first, or go "
			"on from a copy of the save",
			set, folder, *holder ? ": " : "", holder);
}

/* The newest set of FOLDER after SET, if what it goes on from is gone. */
static void tell_broken(const char *folder, const char *set)
{
	char path[SET_PATH_SIZE];

	for (uint64_t next = set_below(folder, UINT64_MAX); next > set_number(set);
	     next = set_below(folder, next)) {
		set_path(path, folder, next);
		if (set_state(path) != SET_BROKEN)
			continue;
		inform("the run goes on from %s, because a save that %s depends on is missing", set,
		       path);
		return;
	}
}

/* A link to a set has none beside it that the set goes on from. */
static void resolve(char set[SET_PATH_SIZE])
{
	char *path = realpath(set, NULL);

	if (path && strlen(path) < SET_PATH_SIZE)
		strcpy(set, path);
	free(path);
}

/* The set that FOLDER names.  False: a message was printed. */
static bool find(const char *folder, char set[SET_PATH_SIZE])
{
	int result = set_find(folder, set);

	if (result == -ENOENT)
		complain("--restart %s: no run is saved there", folder);
	else if (result < 0)
		complain("--restart %s: %s", folder, strerror(-result));
	return result == 0;
}

bool restart_find(struct run_options *options)
{
	const char *folder = absolute_path(options->restart);
	char set[SET_PATH_SIZE];
	enum found found;

	if (options->program[0])
		return complain("--restart continues the saved program with its arguments: do not "
				"name a program or arguments ('%s')",
				options->program[0]);
	if (!make_absolute(options))
		return false;
	/* A run that ends meanwhile has newer ones, and may have removed this one. */
	if (!folder || !can_trust(options, folder, false) || !find(folder, set) || !is_over(set) ||
	    !find(folder, set))
		return false;
	options->newest = strcmp(set, folder) != 0;
	if (options->newest)
		tell_broken(folder, set);
	else
		resolve(set);
	while ((found = look_at(options, set)) == DAMAGED)
		if (!pass(options, set))
			return false;
	options->restart = found == FOUND ? strdup(set) : NULL;
	return options->restart;
}
