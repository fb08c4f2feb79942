// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * settings.c - the OMP_* environment variables, and what of the settings is saved.
 *
 * Every node has the same environment and runs this alike; the master alone has a stderr to print
 * to.  Written with dprintf(), which leaves nothing after in the C library's buffers.
 */
#include "openmp/settings.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "system/libc.h"
#include "omp.h"
#include "base/saved.h"
#include "openmp/affinity.h"
#include "openmp/constructs.h"

#define PLACE_TEXT  1024   /* of the numbers of a place's processors */
#define LEAST_STACK 16384u /* the C library's, too */

static const char *const schedule_names[] = {NULL, "STATIC", "DYNAMIC", "GUIDED", "AUTO"};

/* Skips blanks; whether that was all. */
static bool at_end(const char **text)
{
	*text += strspn(*text, " \t");
	return !**text;
}

/* Reads a number of at least LEAST at *TEXT and moves *TEXT after it. */
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

/* Whether TEXT is YES or NO; which. */
static bool read_choice(const char *text, const char *yes, const char *no, bool *is_yes)
{
	*is_yes = read_word(&text, yes);
	return (*is_yes || read_word(&text, no)) && at_end(&text);
}

static bool read_schedule(struct cape_runtime *runtime, const char *text)
{
	unsigned kind = omp_sched_static;
	bool monotonic = read_word(&text, "monotonic");
	int chunk;

	if ((monotonic || read_word(&text, "nonmonotonic")) && (at_end(&text) || *text++ != ':'))
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
	bool yes;

	if (!read_choice(text, "true", "false", &yes))
		return false;
	runtime->openmp->settings.dynamic = yes;
	return true;
}

/* Regions inside regions are one thread's, whatever is asked for. */
static bool read_nested(struct cape_runtime *runtime, const char *text)
{
	bool yes;

	if (!read_choice(text, "true", "false", &yes))
		return false;
	if (yes && runtime->node == 0)
		dprintf(STDERR_FILENO,
			"cape: OMP_NESTED is ignored: a region inside another has one thread\n");
	return true;
}

/* Of gcc's own. */
static bool read_cpu_affinity(struct cape_runtime *runtime, const char *text)
{
	(void)text;
	if (runtime->node == 0)
		dprintf(STDERR_FILENO, "cape: GOMP_CPU_AFFINITY is ignored: OMP_PLACES={0},{1} "
				       "binds threads to processors 0 and 1\n");
	return true;
}

static bool read_wait_policy(struct cape_runtime *runtime, const char *text)
{
	bool active;

	if (!read_choice(text, "active", "passive", &active))
		return false;
	runtime->openmp->wait_policy = active ? CAPE_WAIT_ACTIVE : CAPE_WAIT_PASSIVE;
	return true;
}

/* In kilobytes, if no letter says what in. */
static bool read_stack_size(struct cape_runtime *runtime, const char *text)
{
	static const char units[] = "BKMG";
	const char *unit;
	unsigned shift = 10;
	int number;

	if (!read_number(&text, 1, &number))
		return false;
	if (!at_end(&text)) {
		unit = strchr(units, *text & ~0x20);
		if (!unit)
			return false;
		shift = 10 * (unsigned)(unit - units);
		text++;
	}
	if (!at_end(&text))
		return false;
	if ((size_t)number << shift < LEAST_STACK)
		return false;
	runtime->openmp->stack_size = (size_t)number << shift;
	return true;
}

static bool read_affinity_format(struct cape_runtime *runtime, const char *text)
{
	size_t length = strlen(text);

	if (!length || length >= CAPE_AFFINITY_FORMAT)
		return false;
	memcpy(runtime->openmp->affinity_format, text, length + 1);
	return true;
}

static const char *const allocator_names[] = {
	[omp_default_mem_alloc] = "omp_default_mem_alloc",
	[omp_large_cap_mem_alloc] = "omp_large_cap_mem_alloc",
	[omp_const_mem_alloc] = "omp_const_mem_alloc",
	[omp_high_bw_mem_alloc] = "omp_high_bw_mem_alloc",
	[omp_low_lat_mem_alloc] = "omp_low_lat_mem_alloc",
	[omp_cgroup_mem_alloc] = "omp_cgroup_mem_alloc",
	[omp_pteam_mem_alloc] = "omp_pteam_mem_alloc",
	[omp_thread_mem_alloc] = "omp_thread_mem_alloc",
};

static bool read_allocator(struct cape_runtime *runtime, const char *text)
{
	omp_allocator_handle_t allocator = omp_default_mem_alloc;

	while (allocator <= omp_thread_mem_alloc && !read_word(&text, allocator_names[allocator]))
		allocator++;
	if (allocator > omp_thread_mem_alloc || !at_end(&text))
		return false;
	runtime->openmp->settings.allocator = allocator;
	return true;
}

static bool read_display_affinity(struct cape_runtime *runtime, const char *text)
{
	bool yes = read_word(&text, "true") || read_word(&text, "1");

	if ((!yes && !read_word(&text, "false") && !read_word(&text, "0")) || !at_end(&text))
		return false;
	runtime->openmp->display_affinity =
		yes && runtime->by_threads ? omp_display_affinity : NULL;
	return true;
}

static void show(const char *name, const char *value)
{
	dprintf(STDERR_FILENO, "  %s = '%s'\n", name, value);
}

static void show_number(const char *name, int number)
{
	dprintf(STDERR_FILENO, "  %s = '%d'\n", name, number);
}

static void show_schedule(const struct cape_settings *settings)
{
	char chunk[16] = "";

	if (settings->schedule_chunk)
		snprintf(chunk, sizeof(chunk), ",%d", settings->schedule_chunk);
	dprintf(STDERR_FILENO, "  OMP_SCHEDULE = '%s%s%s'\n",
		settings->schedule_kind & omp_sched_monotonic ? "MONOTONIC:" : "",
		schedule_names[settings->schedule_kind & ~omp_sched_monotonic], chunk);
}

static void show_bind(const struct cape_openmp *openmp)
{
	static const char *const names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};

	dprintf(STDERR_FILENO, "  OMP_PROC_BIND = '%s",
		names[openmp->binds ? openmp->bind[0] : omp_proc_bind_false]);
	for (unsigned i = 1; i < openmp->binds; i++)
		dprintf(STDERR_FILENO, ",%s", names[openmp->bind[i]]);
	dprintf(STDERR_FILENO, "'\n");
}

static void show_places(const struct cape_spots *spots)
{
	char text[PLACE_TEXT];

	dprintf(STDERR_FILENO, "  OMP_PLACES = '");
	for (unsigned i = 0; i < spots->count; i++) {
		cape_places_text(cape_places_set(spots, i), spots->words, true, text, sizeof(text));
		dprintf(STDERR_FILENO, "%s{%s}", i ? "," : "", text);
	}
	dprintf(STDERR_FILENO, "'\n");
}

/* Of the threads but the first: what was asked for, or what the C library takes. */
static void show_stack_size(const struct cape_openmp *openmp)
{
	size_t size = openmp->stack_size;
	pthread_attr_t attributes;

	if (!size) {
		pthread_attr_init(&attributes);
		pthread_attr_getstacksize(&attributes, &size);
		pthread_attr_destroy(&attributes);
	}
	dprintf(STDERR_FILENO, "  OMP_STACKSIZE = '%zu'\n", size);
}

static void show_allocator(void)
{
	omp_allocator_handle_t allocator = omp_get_default_allocator();

	show("OMP_ALLOCATOR",
	     allocator <= omp_thread_mem_alloc ? allocator_names[allocator] : "of the program");
}

/* In sequential code to node 0's stderr: that of the others leads nowhere, once it leads anywhere.
 */
static void show_all(const struct cape_runtime *runtime, bool verbose)
{
	/* Who looks for a while and then sleeps is passive, as under gcc. */
	static const char *const policy[] = {
		[CAPE_WAIT_UNSAID] = "PASSIVE",
		[CAPE_WAIT_ACTIVE] = "ACTIVE",
		[CAPE_WAIT_PASSIVE] = "PASSIVE",
	};
	const struct cape_settings *settings = cape_constructs->settings();

	dprintf(STDERR_FILENO, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n");
	show("_OPENMP", "201107");
	show("OMP_DYNAMIC", settings->dynamic ? "TRUE" : "FALSE");
	show("OMP_NESTED", "FALSE");
	show_number("OMP_NUM_THREADS", omp_get_max_threads());
	show_schedule(settings);
	show_bind(runtime->openmp);
	show_places(&runtime->openmp->spots);
	show_stack_size(runtime->openmp);
	show("OMP_WAIT_POLICY", policy[runtime->openmp->wait_policy]);
	show_number("OMP_THREAD_LIMIT", omp_get_thread_limit());
	show_number("OMP_MAX_ACTIVE_LEVELS", settings->max_active_levels);
	show_number("OMP_NUM_TEAMS", settings->teams);
	show_number("OMP_TEAMS_THREAD_LIMIT", settings->teams_thread_limit);
	show("OMP_CANCELLATION", "FALSE");
	show_number("OMP_DEFAULT_DEVICE", omp_get_default_device());
	show_number("OMP_MAX_TASK_PRIORITY", runtime->openmp->max_task_priority);
	show("OMP_DISPLAY_AFFINITY", runtime->openmp->display_affinity ? "TRUE" : "FALSE");
	show("OMP_AFFINITY_FORMAT", cape_affinity_format(runtime));
	show_allocator();
	show("OMP_TARGET_OFFLOAD", "DEFAULT");
	if (verbose) {
		show("CAPE_VERSION", CAPE_VERSION);
		show_number("CAPE_NODES", (int)runtime->nodes);
	}
	dprintf(STDERR_FILENO, "OPENMP DISPLAY ENVIRONMENT END\n");
}

CAPE_EXPORT void omp_display_env(int verbose)
{
	show_all(cape_runtime_get(), verbose);
}

static bool read_display(struct cape_runtime *runtime, const char *text)
{
	bool verbose = read_word(&text, "verbose");
	bool yes = verbose || read_word(&text, "true") || read_word(&text, "1");

	if ((!yes && !read_word(&text, "false") && !read_word(&text, "0")) || !at_end(&text))
		return false;
	if (yes && runtime->node == 0)
		show_all(runtime, verbose);
	return true;
}

/* As many threads as cape-run was asked for, of one node, come before what the environment says. */
static bool take_asked_for(struct cape_runtime *runtime)
{
	if (runtime->nodes > 1 || !runtime->channel || !runtime->channel->threads)
		return false;
	runtime->openmp->settings.wanted_nodes = (int)runtime->channel->threads;
	runtime->openmp->settings.wanted_by_environment = true;
	return true;
}

struct variable {
	const char *name, *form;
	bool (*read)(struct cape_runtime *runtime, const char *text);
	size_t number; /* without READ: of struct cape_openmp, at least LEAST */
	int least;
};

static bool take_text(struct cape_runtime *runtime, const struct variable *variable,
		      const char *text)
{
	return variable->read
		       ? variable->read(runtime, text)
		       : read_one_number(text, variable->least,
					 (int *)((char *)runtime->openmp + variable->number));
}

static void read_variable(struct cape_runtime *runtime, const struct variable *variable)
{
	const char *text = getenv(variable->name);

	if (text && !take_text(runtime, variable, text) && runtime->node == 0)
		dprintf(STDERR_FILENO, "cape: %s='%s' is ignored: it must be %s\n", variable->name,
			text, variable->form);
}

#define NUMBER(of, from) .number = offsetof(struct cape_openmp, of), .least = from

void cape_settings_start(struct cape_runtime *runtime)
{
	static const char form_of_stack[] =
		"a number, then perhaps B, K, M or G, of 16 kilobytes at least";
	static const struct variable variable[] = {
		{"OMP_NUM_THREADS", "positive numbers with commas between",
		 .read = read_num_threads},
		{"OMP_THREAD_LIMIT", "a positive number", NUMBER(settings.thread_limit, 1)},
		{"OMP_MAX_ACTIVE_LEVELS", "a number", NUMBER(settings.max_active_levels, 0)},
		{"OMP_MAX_TASK_PRIORITY", "a number", NUMBER(max_task_priority, 0)},
		{"OMP_SCHEDULE",
		 "static, dynamic, guided or auto, then perhaps a comma and a chunk size",
		 .read = read_schedule},
		{"OMP_DYNAMIC", "true or false", .read = read_dynamic},
		{"OMP_NESTED", "true or false", .read = read_nested},
		{"GOMP_CPU_AFFINITY", "", .read = read_cpu_affinity},
		{"OMP_WAIT_POLICY", "active or passive", .read = read_wait_policy},
		{"GOMP_STACKSIZE", form_of_stack, .read = read_stack_size},
		{"OMP_STACKSIZE", form_of_stack,
		 .read = read_stack_size}, /* of both the one that counts */
		{"OMP_NUM_TEAMS", "a positive number", NUMBER(settings.teams, 1)},
		{"OMP_TEAMS_THREAD_LIMIT", "a positive number",
		 NUMBER(settings.teams_thread_limit, 1)},
		{"OMP_ALLOCATOR", "one of the allocators that OpenMP names",
		 .read = read_allocator},
		{"OMP_AFFINITY_FORMAT", "a format of fewer than 512 characters",
		 .read = read_affinity_format},
		{"OMP_DISPLAY_AFFINITY", "true or false", .read = read_display_affinity},
		{"OMP_PROC_BIND", "true or false, or primary, close and spread with commas between",
		 .read = cape_places_read_bind},
		{"OMP_PLACES",
		 "threads, cores, sockets, ll_caches or numa_domains, then perhaps a number in "
		 "parentheses; or places as {0,1},{4:2},{8:2}:3:2",
		 .read = cape_places_read}, /* after OMP_PROC_BIND */
	};
	static const struct variable display = {"OMP_DISPLAY_ENV", "true, false or verbose",
						.read = read_display};

	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++)
		if (i > 0 || !take_asked_for(runtime))
			read_variable(runtime, &variable[i]);
	cape_places_start(runtime);
	read_variable(runtime, &display);
}

/* What the program has set: alike on all nodes in sequential code alone. */
struct set {
	struct cape_settings settings;
	int max_task_priority;
};

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_openmp *openmp = runtime->openmp;
	struct set set = {*cape_constructs->settings(), openmp->max_task_priority};

	if (to)
		memcpy(to, &set, sizeof(set));
	return sizeof(set);
}

static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_openmp *openmp = runtime->openmp;
	struct set set;

	if (size != sizeof(set))
		return;
	memcpy(&set, from, sizeof(set));
	/* How many there are is for whoever goes on to say, where the program has not. */
	if (!set.settings.wanted_nodes || set.settings.wanted_by_environment) {
		set.settings.wanted_nodes = openmp->settings.wanted_nodes;
		set.settings.wanted_by_environment = openmp->settings.wanted_by_environment;
	}
	openmp->settings = set.settings;
	openmp->max_task_priority = set.max_task_priority;
}

CAPE_SAVED(settings, .by_place = true, .put = put, .take = take);
CAPE_SAVED(own_settings, .by_place = true, .of_node = true, .put = put, .take = take);
