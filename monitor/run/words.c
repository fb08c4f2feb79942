/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - reads the files in which Open MPI keeps its messages, and takes out of stderr those
 * that it writes there.
 */
#include "words.h"

#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/folder.h"

/* Open MPI's name of such a file ends so, and ours does. */
#define FILE_NAMES "*output-*output.txt"
#define OWN_NAME   "output-mpirun-output.txt"
#define MOST	   16384
#define FULL	   (1u << 20) /* with fewer bytes left; a place without a limit has no blocks */

#define ASIDE_MOST    65536 /* bytes in the file */
#define RULE_AT_LEAST 41
#define COUNT	      " total process"

/*
 * -- on stderr: what stands between two rules, lines of many dashes, goes into a file, and so do
 * the last words of a process that Open MPI ends, "[node1:00042] *** ...", or that cannot start,
 * and how many there were.
 *
 * Open MPI 5 has no option to write its messages elsewhere than to stderr, to which the monitors
 * write, too.
 */

/* After a process's name. */
static const char *const last_words[] = {"] *** ",
					 "] PMIX ERROR: ", "] OPAL ERROR: ", "] ORTE_ERROR_LOG: "};

enum match { MATCH_NOT, MATCH_YET, MATCH }; /* YET: with more of the line it may */

/* Where the bytes of one aside_take() go. */
struct outlet {
	char *left;
	size_t left_size;
	char kept[4096];
	size_t kept_size;
};

struct aside aside_open(int file)
{
	return (struct aside){.file = file, .room = ASIDE_MOST};
}

static void flush(struct aside *aside, struct outlet *to)
{
	size_t size = to->kept_size < aside->room ? to->kept_size : aside->room;
	ssize_t written = size ? write(aside->file, to->kept, size) : 0;

	aside->room -= written > 0 ? (size_t)written : size;
	to->kept_size = 0;
}

static void put(struct aside *aside, struct outlet *to, char byte)
{
	if (!aside->inside && !aside->last_word) {
		to->left[to->left_size++] = byte;
		return;
	}
	if (to->kept_size == sizeof(to->kept))
		flush(aside, to);
	to->kept[to->kept_size++] = byte;
}

static bool begins_with_reason(const struct aside *aside)
{
	size_t length = sizeof(ASIDE_REASON) - 1;

	return memcmp(aside->held, ASIDE_REASON, aside->count < length ? aside->count : length) ==
	       0;
}

/* So much of it may be a rule, which Open MPI indents at times. */
static size_t rule_length(const struct aside *aside)
{
	size_t count = 0;

	while (count < aside->count && aside->held[count] == ' ')
		count++;
	while (count < aside->count && aside->held[count] == '-')
		count++;
	return count;
}

static enum match begins(const char *text, size_t size, const char *with)
{
	size_t length = strlen(with);

	if (memcmp(text, with, size < length ? size : length) != 0)
		return MATCH_NOT;
	return size < length ? MATCH_YET : MATCH;
}

/* "[node1:00042] *** ..." and its like. */
static enum match is_named(const struct aside *aside)
{
	const char *at = memchr(aside->held, ']', aside->count);
	size_t size = at ? (size_t)(aside->held + aside->count - at) : 0;
	enum match match = at ? MATCH_NOT : MATCH_YET;

	for (size_t i = 0; at && i < sizeof(last_words) / sizeof(last_words[0]); i++) {
		enum match one = begins(at, size, last_words[i]);

		match = one > match ? one : match;
	}
	return match;
}

/* "2 total processes failed to start" */
static enum match is_count(const struct aside *aside)
{
	size_t digits = 0;

	while (digits < aside->count && isdigit((unsigned char)aside->held[digits]))
		digits++;
	return begins(aside->held + digits, aside->count - digits, COUNT);
}

static enum match is_last_word(const struct aside *aside)
{
	if (!aside->count)
		return MATCH_NOT;
	if (aside->held[0] == '[')
		return is_named(aside);
	if (isdigit((unsigned char)aside->held[0]))
		return is_count(aside);
	return begins(aside->held, aside->count, "*** ");
}

/* Whether the line may yet turn out to be a rule, a reason or a last word. */
static bool is_open(const struct aside *aside)
{
	return aside->count < sizeof(aside->held) &&
	       (rule_length(aside) == aside->count || is_last_word(aside) == MATCH_YET ||
		(aside->count < sizeof(ASIDE_REASON) - 1 && begins_with_reason(aside)));
}

static void release(struct aside *aside, struct outlet *to)
{
	for (size_t i = 0; i < aside->count; i++)
		put(aside, to, aside->held[i]);
	aside->count = 0;
}

/* BYTE is the last that is held of the line. */
static void decide(struct aside *aside, struct outlet *to, char byte)
{
	bool rule = byte == '\n' && aside->count > RULE_AT_LEAST &&
		    rule_length(aside) == aside->count - 1;

	if (aside->count >= sizeof(ASIDE_REASON) - 1 && begins_with_reason(aside))
		aside->inside = false;
	aside->last_word = is_last_word(aside) == MATCH;
	/* Both rules are the message's. */
	if (rule && !aside->inside) {
		aside->inside = true;
		release(aside, to);
	} else {
		release(aside, to);
		aside->inside &= !rule;
	}
	aside->known = byte != '\n';
	aside->last_word &= aside->known;
}

size_t aside_take(struct aside *aside, const char *bytes, size_t size, char *left)
{
	struct outlet to = {.left = left};

	if (aside->file < 0) {
		memcpy(left, bytes, size);
		return size;
	}
	for (size_t i = 0; i < size; i++) {
		/* Open MPI 5 writes the end of a string, too. */
		if (!bytes[i])
			continue;
		if (aside->known) {
			put(aside, &to, bytes[i]);
			aside->known = bytes[i] != '\n';
			aside->last_word &= aside->known;
			continue;
		}
		aside->held[aside->count++] = bytes[i];
		if (bytes[i] == '\n' || !is_open(aside))
			decide(aside, &to, bytes[i]);
	}
	if (size == 0)
		release(aside, &to);
	flush(aside, &to);
	return to.left_size;
}

/* -- in files ------------------------------------------------------------------------------- */

/* nftw() knows no context. */
static char text[MOST];
static size_t length;

int words_redirect(const char *folder)
{
	char *path;
	int own;

	setenv("OPAL_OUTPUT_REDIRECT", "file", 1);
	setenv("PMIX_OUTPUT_REDIRECT", "file", 1);
	/* How many more have said the same would be written over what they said. */
	setenv("OMPI_MCA_orte_base_help_aggregate", "0", 0);
	if (asprintf(&path, "%s/" OWN_NAME, folder) < 0)
		return -1;
	own = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	free(path);
	return own;
}

static int take_file(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	FILE *file;

	(void)status;
	if (kind != FTW_F || fnmatch(FILE_NAMES, path + at->base, 0) != 0)
		return 0;
	file = fopen(path, "re");
	if (!file)
		return 0;
	length += fread(text + length, 1, sizeof(text) - 1 - length, file);
	fclose(file);
	return 0;
}

static bool is_rule(const char *line)
{
	return strspn(line, "-") > 40;
}

/* Of a process that Open MPI ends, beside the reason: that it does. */
static bool is_end(const char *line)
{
	return *line == '[' && strstr(line, "] *** ");
}

/* TEXT becomes what they have written. */
static void read_files(const char *folder)
{
	length = 0;
	nftw(folder, take_file, 16, FTW_PHYS);
	text[length] = '\0';
	/* Processes that write to one file leave holes. */
	for (size_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = '\n';
}

/* Whether LINE, in TEXT, stands there before: each node says the same. */
static bool is_reported(const char *line)
{
	const char *before = text;

	while (before < line && strcmp(before, line) != 0)
		before += strlen(before) + 1;
	return before < line;
}

/* Cuts TEXT into lines. */
static void tell_lines(const char *what)
{
	char *line, *rest = text;

	complain("%s; mpirun says:", what);
	while ((line = strsep(&rest, "\n")))
		if (*line && !is_rule(line) && !is_end(line) && !is_reported(line))
			fprintf(stderr, "  %s\n", line);
}

void words_tell(const char *folder, const char *launcher, int status, bool begun, bool over)
{
	bool folderless;

	read_files(folder);
	folderless = strstr(text, "system limit exceeded on number of files");
	/* A status is the program's own, and its monitor has reported everything. */
	if (strspn(text, "\n") < length && !strstr(text, "non-zero status")) {
		tell_lines("the run has failed before a node could say why");
		if (folderless)
			inform("Open MPI 5 says so, too, of a folder of --wdir that is not on "
			       "that machine");
	} else if (begun || folder_is_noted(folder, FOLDER_BEGUN)) {
		if (!over)
			complain("%s ended with status %d before the run had ended; cape-run "
				 "--verbose shows its messages",
				 launcher, status);
	} else {
		complain("%s has started nothing and ended with status %d; cape-run --verbose "
			 "shows its messages",
			 launcher, status);
	}
}

/* Whether ENTRY of an environment tells Open MPI something. */
static bool is_for_open_mpi(const char *entry)
{
	return strncmp(entry, "OMPI_MCA_", 9) == 0 || strncmp(entry, "PMIX_MCA_", 9) == 0 ||
	       strncmp(entry, "PRTE_MCA_", 9) == 0 || strncmp(entry, "OPAL_PREFIX=", 12) == 0;
}

/* What cape-run was started with, which it has added to since. */
static void tell_environment(void)
{
	FILE *file = fopen("/proc/self/environ", "re");
	char *entry = NULL;
	size_t room = 0;

	while (file && getdelim(&entry, &room, '\0', file) > 0)
		if (is_for_open_mpi(entry))
			inform("Open MPI has this from the environment: %s; if that is wrong: "
			       "unset %.*s",
			       entry, (int)strcspn(entry, "="), entry);
	free(entry);
	if (file)
		fclose(file);
}

void words_tell_start(const char *folder)
{
	read_files(folder);
	if (!strstr(text, "MPI_INIT") && !strstr(text, "component was not found"))
		return;
	tell_lines("Open MPI could not start");
	tell_environment();
}

void words_tell_loss(const char *folder)
{
	read_files(folder);
	if (strstr(text, "lost communication with a remote daemon"))
		tell_lines("a machine has failed, or mpirun's daemon there");
}

void words_tell_full(const char *folder)
{
	struct statvfs place;

	if (statvfs(folder, &place) == 0 && place.f_blocks &&
	    place.f_bavail * place.f_frsize < FULL)
		inform("%.*s is full, through which the nodes and Open MPI share memory: make room "
		       "there and run again",
		       (int)(strrchr(folder, '/') - folder), folder);
}
