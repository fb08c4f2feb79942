// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * settings.c - the OMP_* environment variables, and what of the settings is saved.
 *
 * Every node has the same environment and runs this alike; the master alone has a stderr to print
 * to.  Written with dprintf(), which leaves nothing behind in the C library's buffers.
 */
#include "openmp/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "system/libc.h"
#include "omp.h"
#include "base/saved.h"
#include "openmp/openmp.h"

static const char *const schedule_names[] = {NULL, "STATIC", "DYNAMIC", "GUIDED", "AUTO"};

/* Skips blanks; whether that was all. */
static bool at_end(const char **text)
{
	*text += strspn(*text, " \t");
	return !**text;
}

/* Reads a number of at least LEAST at *TEXT and moves *TEXT behind it. */
static bool read_number(const char **text, int least, int *number)
{
	char *end;
	long value;

	*text += strspn(*text, " \t");
	if (**text < '0' || **text > '9')
		return false;
	value = strtol(*text, &end, 10);
	if (value < least || value > INT_MAX)
		return false;
	*number = (int)value;
	*text = end;
	return true;
}

static bool read_one_number(const char *text, int least, int *number)
{
	int got;

	if (!read_number(&text, least, &got) || !at_end(&text))
		return false;
	*number = got;
	return true;
}

/* One for each level of nesting; nested teams have one member here. */
static bool read_num_threads(struct cape_runtime *runtime, const char *text)
{
	int first, other;

	if (!read_number(&text, 1, &first))
		return false;
	while (!at_end(&text))
		if (*text++ != ',' || !read_number(&text, 1, &other))
			return false;
	runtime->openmp->settings.wanted_nodes = first;
	runtime->openmp->settings.wanted_by_environment = true;
	return true;
}

static bool read_thread_limit(struct cape_runtime *runtime, const char *text)
{
	return read_one_number(text, 1, &runtime->openmp->thread_limit);
}

static bool read_max_active_levels(struct cape_runtime *runtime, const char *text)
{
	return read_one_number(text, 0, &runtime->openmp->settings.max_active_levels);
}

static bool read_max_task_priority(struct cape_runtime *runtime, const char *text)
{
	return read_one_number(text, 0, &runtime->openmp->max_task_priority);
}

/* Whether WORD is all of what is at *TEXT up to a blank, a comma, a colon or the end. */
static bool read_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	*text += strspn(*text, " \t");
	if (strncasecmp(*text, word, length) != 0 || !strchr(" \t,:", (*text)[length]))
		return false;
	*text += length;
	return true;
}

static bool read_schedule(struct cape_runtime *runtime, const char *text)
{
	unsigned kind = omp_sched_static;
	bool monotonic = read_word(&text, "monotonic");
	int chunk;

	if ((monotonic || read_word(&text, "nonmonotonic")) && *text++ != ':')
		return false;
	while (kind <= omp_sched_auto && !read_word(&text, schedule_names[kind]))
		kind++;
	if (kind > omp_sched_auto)
		return false;
	chunk = kind == omp_sched_static ? 0 : 1;
	if (!at_end(&text) && (*text++ != ',' || !read_number(&text, 1, &chunk) || !at_end(&text)))
		return false;
	runtime->openmp->settings.schedule_kind = kind | (monotonic ? omp_sched_monotonic : 0u);
	runtime->openmp->settings.schedule_chunk = chunk;
	return true;
}

static bool read_dynamic(struct cape_runtime *runtime, const char *text)
{
	bool yes = read_word(&text, "true");

	if ((!yes && !read_word(&text, "false")) || !at_end(&text))
		return false;
	runtime->openmp->settings.dynamic = yes;
	return true;
}

static void show_number(const char *name, int number)
{
	dprintf(STDERR_FILENO, "  %s = '%d'\n", name, number);
}

static void show(const struct cape_runtime *runtime, bool all)
{
	char chunk[16] = "";

	unsigned kind = runtime->openmp->settings.schedule_kind;

	if (runtime->openmp->settings.schedule_chunk)
		snprintf(chunk, sizeof(chunk), ",%d", runtime->openmp->settings.schedule_chunk);
	dprintf(STDERR_FILENO, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201107'\n");
	dprintf(STDERR_FILENO, "  OMP_DYNAMIC = '%s'\n",
		runtime->openmp->settings.dynamic ? "TRUE" : "FALSE");
	dprintf(STDERR_FILENO, "  OMP_NESTED = 'FALSE'\n");
	show_number("OMP_NUM_THREADS", omp_get_max_threads());
	dprintf(STDERR_FILENO, "  OMP_SCHEDULE = '%s%s%s'\n",
		kind & omp_sched_monotonic ? "MONOTONIC:" : "",
		schedule_names[kind & ~omp_sched_monotonic], chunk);
	show_number("OMP_THREAD_LIMIT", omp_get_thread_limit());
	show_number("OMP_MAX_ACTIVE_LEVELS", runtime->openmp->settings.max_active_levels);
	show_number("OMP_MAX_TASK_PRIORITY", runtime->openmp->max_task_priority);
	if (all)
		dprintf(STDERR_FILENO, "  CAPE_VERSION = '" CAPE_VERSION "'\n  CAPE_NODES = '%u'\n",
			runtime->nodes);
	dprintf(STDERR_FILENO, "OPENMP DISPLAY ENVIRONMENT END\n");
}

static bool read_display(struct cape_runtime *runtime, const char *text)
{
	bool all = read_word(&text, "verbose"), yes = all || read_word(&text, "true");

	if ((!yes && !read_word(&text, "false")) || !at_end(&text))
		return false;
	if (yes && runtime->node == 0)
		show(runtime, all);
	return true;
}

void cape_settings_start(struct cape_runtime *runtime)
{
	static const struct {
		const char *name, *form;
		bool (*read)(struct cape_runtime *runtime, const char *text);
	} variable[] = {
		{"OMP_NUM_THREADS", "positive numbers with commas between", read_num_threads},
		{"OMP_THREAD_LIMIT", "a positive number", read_thread_limit},
		{"OMP_MAX_ACTIVE_LEVELS", "a number", read_max_active_levels},
		{"OMP_MAX_TASK_PRIORITY", "a number", read_max_task_priority},
		{"OMP_SCHEDULE",
		 "static, dynamic, guided or auto, then perhaps a comma and a chunk size",
		 read_schedule},
		{"OMP_DYNAMIC", "true or false", read_dynamic},
		{"OMP_DISPLAY_ENV", "true, false or verbose", read_display}, /* of all before it */
	};

	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
		const char *text = getenv(variable[i].name);

		if (text && !variable[i].read(runtime, text) && runtime->node == 0)
			dprintf(STDERR_FILENO, "cape: %s='%s' is ignored: it must be %s\n",
				variable[i].name, text, variable[i].form);
	}
}

/* What the program has set: alike on all nodes in sequential code alone. */
struct set {
	struct cape_settings settings;
	int thread_limit, max_task_priority;
};

static uint64_t put_if(bool wanted, const struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_openmp *openmp = runtime->openmp;
	struct set set = {openmp->settings, openmp->thread_limit, openmp->max_task_priority};

	if (wanted && to)
		memcpy(to, &set, sizeof(set));
	return wanted ? sizeof(set) : 0;
}

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	return put_if(!runtime->in_region, runtime, to);
}

static uint64_t put_own(struct cape_runtime *runtime, unsigned char *to)
{
	return put_if(runtime->in_region, runtime, to);
}

static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_openmp *openmp = runtime->openmp;
	struct set set;

	if (size != sizeof(set))
		return;
	memcpy(&set, from, sizeof(set));
	openmp->settings = set.settings;
	openmp->thread_limit = set.thread_limit;
	openmp->max_task_priority = set.max_task_priority;
}

CAPE_SAVED(settings, .put = put, .take = take);
CAPE_SAVED(own_settings, .of_node = true, .put = put_own, .take = take);
