/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parsing cape-run's command line.
 *
 * Everything before the program that is not cape-run's own is mpirun's.  To find the program one
 * must know how many arguments each of mpirun's options takes.
 */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "allocation.h"
#include "channel/methods.h"
#include "common/exchanges.h"
#include "common/nodes.h"
#include "common/protections.h"
#include "help.h"
#include "restart.h"
#include "sockets.h"
#include "threads.h"

#define SECONDS_LIMIT  86400
#define EVERY_LIMIT    1000000000
#define KEEP_LIMIT     1000000
#define RESTARTS_LIMIT 1000000

/* Options of mpirun (Open MPI 4.1 and 5.0) and how many arguments follow each. */
static const struct {
	const char *name;
	int arguments;
} mpirun_option[] = {
	{"H", 1},
	{"host", 1},
	{"hostfile", 1},
	{"machinefile", 1},
	{"default-hostfile", 1},
	{"mca", 2},
	{"gmca", 2},
	{"am", 1},
	{"tune", 1},
	{"x", 1},
	{"wdir", 1},
	{"wd", 1},
	{"path", 1},
	{"prefix", 1},
	{"noprefix", 0},
	{"map-by", 1},
	{"bind-to", 1},
	{"rank-by", 1},
	{"rf", 1},
	{"rankfile", 1},
	{"cpu-set", 1},
	{"cpu-list", 1},
	{"npernode", 1},
	{"N", 1},
	{"npersocket", 1},
	{"ppr", 1},
	{"pernode", 0},
	{"bynode", 0},
	{"byslot", 0},
	{"bycore", 0},
	{"nolocal", 0},
	{"nooversubscribe", 0},
	{"oversubscribe", 0},
	{"use-hwthread-cpus", 0},
	{"report-bindings", 0},
	{"display-map", 0},
	{"display-allocation", 0},
	{"display-devel-map", 0},
	{"tag-output", 0},
	{"timestamp-output", 0},
	{"output-filename", 1},
	{"merge-stderr-to-stdout", 0},
	{"allow-run-as-root", 0},
	{"enable-recovery", 0},
	{"disable-recovery", 0},
	{"launch-agent", 1},
	{"personality", 1},
	{"timeout", 1},
	{"report-pid", 1},
	{"report-uri", 1},
	{"debug-daemons", 0},
	{"leave-session-attached", 0},
	{"no-ssh-tree-spawn", 0},
	{"v", 0},
	{"prtemca", 2},
	{"pmixmca", 2},
	{"omca", 2},
	{"gomca", 2},
	{"display", 1},
	{"output", 1},
	{"runtime-options", 1},
};

/* How many arguments the mpirun option ARGUMENT takes, or -1 if it is none. */
static int mpirun_arguments(const char *argument)
{
	const char *name = argument + 1 + (argument[1] == '-');

	for (size_t i = 0; i < sizeof(mpirun_option) / sizeof(mpirun_option[0]); i++)
		if (strcmp(name, mpirun_option[i].name) == 0)
			return mpirun_option[i].arguments;
	return -1;
}

/* WHAT the option gives is a number from LEAST to MOST. */
static bool parse_number(int *number, const char *option, const char *text, const char *what,
			 int least, int most)
{
	char *end;
	long value;

	if (!text) {
		fprintf(stderr, "cape-run: %s needs the %s\n", option, what);
		return false;
	}
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most) {
		fprintf(stderr, "cape-run: %s %s: the %s must be %d to %d\n", option, text, what,
			least, most);
		return false;
	}
	*number = (int)value;
	return true;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The options that take one of a few values. */
static const struct choice {
	const char *option;
	const char *(*name)(int number);
	int count;
	size_t member; /* of struct run_options: the number */
} choices[] = {
	{"--method", cape_method_name, CAPE_METHODS_COUNT, offsetof(struct run_options, method)},
	{"--model", cape_model_name, CAPE_MODELS_COUNT, offsetof(struct run_options, model)},
	{"--exchange", exchange_name, EXCHANGES_COUNT, offsetof(struct run_options, exchange)},
	{"--protect", protection_name, PROTECTIONS_COUNT, offsetof(struct run_options, protection)},
};

/* The options that take a number. */
static const struct number {
	const char *option;
	const char *what;
	int most;      /* at least 1 */
	size_t member; /* of struct run_options */
} numbers[] = {
	{"-np", "number of nodes", CAPE_NODES_LIMIT, offsetof(struct run_options, nodes)},
	{"-n", "number of nodes", CAPE_NODES_LIMIT, offsetof(struct run_options, nodes)},
	{"--np", "number of nodes", CAPE_NODES_LIMIT, offsetof(struct run_options, nodes)},
	{"-c", "number of nodes", CAPE_NODES_LIMIT, offsetof(struct run_options, nodes)},
	{"--threads", "number of threads", THREADS_LIMIT, offsetof(struct run_options, threads)},
	{"--lost-after", "number of seconds", SECONDS_LIMIT,
	 offsetof(struct run_options, lost_after)},
	{"--start-within", "number of seconds", SECONDS_LIMIT,
	 offsetof(struct run_options, start_within)},
};

/* Whether ARGV[*AT] is one of these; then *GOOD says whether its value is one. */
static bool is_number(struct run_options *options, char **argv, int *at, bool *good)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const char *text = argv[*at + 1];

		if (strcmp(argv[*at], numbers[i].option) != 0)
			continue;
		*good = parse_number((int *)((char *)options + numbers[i].member), argv[*at], text,
				     numbers[i].what, 1, numbers[i].most);
		*at += text != NULL;
		return true;
	}
	return false;
}

static void list_values(const struct choice *choice)
{
	for (int i = 0; i < choice->count; i++)
		fprintf(stderr, "%s%s",
			i == 0			? ""
			: i + 1 < choice->count ? ", "
						: " or ",
			choice->name(i));
	fprintf(stderr, "\n");
}

static bool parse_choice(struct run_options *options, const struct choice *choice, const char *text)
{
	for (int i = 0; text && i < choice->count; i++) {
		if (strcmp(text, choice->name(i)) == 0) {
			*(int *)((char *)options + choice->member) = i;
			return true;
		}
	}
	if (text)
		fprintf(stderr, "cape-run: %s %s: must be ", choice->option, text);
	else
		fprintf(stderr, "cape-run: %s needs a value: ", choice->option);
	list_values(choice);
	return false;
}

/* Whether ARGV[*AT] is the option of a choice; then *GOOD says whether its value is one. */
static bool is_choice(struct run_options *options, char **argv, int *at, bool *good)
{
	for (size_t i = 0; i < COUNT(choices); i++) {
		size_t length = strlen(choices[i].option);

		if (strncmp(argv[*at], choices[i].option, length) != 0)
			continue;
		if (argv[*at][length] == '=') {
			*good = parse_choice(options, &choices[i], argv[*at] + length + 1);
			return true;
		}
		if (argv[*at][length] == '\0') {
			const char *text = argv[*at + 1];

			*at += text != NULL;
			*good = parse_choice(options, &choices[i], text);
			return true;
		}
	}
	return false;
}

#define MODEL_OF(name, model) CAPE_MODEL_##model,

/* What the papers combine. */
static void choose_defaults(struct run_options *options)
{
	static const int model[] = {CAPE_METHODS(MODEL_OF)};

	if (options->method < 0)
		options->method = CAPE_METHOD_tickpt2;
	if (options->model < 0)
		options->model = model[options->method];
	/* The papers' programs send all that was changed to all. */
	if (options->exchange < 0)
		options->exchange = options->method == CAPE_METHOD_tickpt2 &&
						    options->model == CAPE_MODEL_spmd &&
						    !options->kept
					    ? EXCHANGE_need
					    : EXCHANGE_eager;
}

/* Whether all nodes that WISH, "[NODES:]COMMAND" or NULL, is for are some of the run's. */
static bool check_nodes(const char *option, const char *wish, int nodes)
{
	const char *command = wish ? nodes_command(wish) : NULL, *at = wish;
	long first, last;

	while (at < command) {
		if (nodes_next(&at, &first, &last) && first < nodes)
			continue;
		fprintf(stderr,
			"cape-run: %s %s: the nodes must be some of 0 to %d, such as 0 or 0,2-3\n",
			option, wish, nodes - 1);
		return false;
	}
	return true;
}

bool run_options_are_papers(const struct run_options *options)
{
	return options->method != CAPE_METHOD_tickpt2 || options->model != CAPE_MODEL_spmd;
}

/* What does not go together. */
static bool check_combination(const struct run_options *options)
{
	const char *exchange = exchange_name(options->exchange);
	bool papers = run_options_are_papers(options);

	if (!check_nodes("--wrap", options->wrap, options->nodes) ||
	    !check_nodes("--attach", options->attach, options->nodes))
		return false;
	if (options->spaced && !options->checkpoint) {
		fprintf(stderr,
			"cape-run: %s says how a run is saved, which --checkpoint FOLDER "
			"asks for\n",
			options->spaced);
		return false;
	}
	if (options->restarts && options->kept) {
		fprintf(stderr, "cape-run: --max-restarts goes not with --save-checkpoints: both "
				"runs would write the same files\n");
		return false;
	}
	if (options->kept && options->nodes == 1) {
		fprintf(stderr, "cape-run: --save-checkpoints needs -np 2 or more: one node sends "
				"no checkpoint\n");
		return false;
	}
	if ((options->checkpoint || options->restart) &&
	    (papers || options->races || options->copy)) {
		fprintf(stderr,
			"cape-run: %s needs --method tickpt2 and --model spmd, and goes not with "
			"--races or --copy\n",
			options->checkpoint ? "--checkpoint" : "--restart");
		return false;
	}
	if (options->exchange == EXCHANGE_eager)
		return true;
	if (options->kept) {
		fprintf(stderr,
			"cape-run: --save-checkpoints needs --exchange eager, not %s: by need, a "
			"checkpoint does not hold all that a node changed\n",
			exchange);
		return false;
	}
	if (papers)
		fprintf(stderr,
			"cape-run: --exchange %s needs --method tickpt2 and --model spmd, not %s "
			"and "
			"%s\n",
			exchange, cape_method_name(options->method),
			cape_model_name(options->model));
	return !papers;
}

static bool parse_statistics(struct run_options *options, const char *text)
{
	if (*text && strcmp(text, "=json") != 0 && strcmp(text, "=table") != 0) {
		fprintf(stderr, "cape-run: --stats%s: --stats, --stats=table or --stats=json\n",
			text);
		return false;
	}
	options->statistics = strcmp(text, "=json") == 0 ? "json" : "table";
	return true;
}

/* Both a print and a trace may be asked for, one behind the other. */
static bool parse_profile(struct run_options *options, const char *text)
{
	static const char ending[] = "trace.json";
	size_t length = strlen(text), end = sizeof(ending) - 1;

	if (*text == '=' && length > end && strcmp(text + length - end, ending) == 0)
		options->trace = text + 1;
	else if (strcmp(text, "=json") == 0)
		options->profile = "json";
	else if (!*text || strcmp(text, "=table") == 0)
		options->profile = "table";
	else
		fprintf(stderr,
			"cape-run: --profile%s: --profile, --profile=table, --profile=json or "
			"--profile=FILE.trace.json\n",
			text);
	return options->profile || options->trace;
}

static bool pass_on(struct run_options *options, char **argv, int *at)
{
	int arguments = mpirun_arguments(argv[*at]);

	if (arguments < 0) {
		fprintf(stderr,
			"cape-run: %s is neither an option of cape-run nor one of mpirun that it "
			"knows; see cape-run --help\n",
			argv[*at]);
		return false;
	}
	for (int i = 0; i <= arguments; i++) {
		if (!argv[*at + i]) {
			fprintf(stderr, "cape-run: %s needs %d argument%s\n", argv[*at], arguments,
				arguments == 1 ? "" : "s");
			return false;
		}
		if (strcmp(argv[*at + i], ":") == 0) {
			fprintf(stderr,
				"cape-run: %s :: mpirun would take the \":\" for the end of one "
				"program's options; cape-run runs one program\n",
				argv[*at]);
			return false;
		}
		options->mpirun[options->mpirun_count++] = argv[*at + i];
	}
	if (strstr(argv[*at], "hostfile") && access(argv[*at + 1], R_OK) < 0) {
		fprintf(stderr, "cape-run: hostfile %s: %s\n", argv[*at + 1], strerror(errno));
		return false;
	}
	options->hosts |= strstr(argv[*at], "host") || strcmp(argv[*at], "-H") == 0 ||
			  strstr(argv[*at], "machinefile");
	if (strcmp(argv[*at] + strspn(argv[*at], "-"), "wdir") == 0 ||
	    strcmp(argv[*at] + strspn(argv[*at], "-"), "wd") == 0)
		options->directory = argv[*at + 1];
	*at += arguments;
	return true;
}

static bool missing_folder(const char *option)
{
	fprintf(stderr, "cape-run: %s needs a folder\n", option);
	return false;
}

/* "[NODES:]COMMAND" */
static bool parse_command(const char **command, char **argv, int *at)
{
	const char *option = argv[*at], *text = argv[*at + 1];

	*at += text != NULL;
	*command = text;
	if (text)
		text = nodes_command(text);
	if (!text || !text[strspn(text, " ")])
		fprintf(stderr, "cape-run: %s needs a command: %s '0:%s'\n", option, option,
			strcmp(option, "--wrap") == 0 ? "taskset -c 0" : "gdb -p");
	return text && text[strspn(text, " ")];
}

/* A time with its unit, or a number of regions, or of sync points. */
static bool parse_every(struct run_options *options, const char *text)
{
	static const struct {
		char name;
		int seconds;
		const char *what;
	} unit[] = {{'s', 1, "number of seconds"},
		    {'m', 60, "number of minutes"},
		    {'h', 3600, "number of hours"}};
	char number[16];
	size_t digits = text ? strspn(text, "0123456789") : 0;

	options->seconds = options->ends = options->points = 0;
	for (size_t i = 0; digits && digits < sizeof(number) && i < COUNT(unit); i++) {
		snprintf(number, sizeof(number), "%.*s", (int)digits, text);
		if (text[digits] != unit[i].name || text[digits + 1])
			continue;
		if (!parse_number(&options->seconds, "--every", number, unit[i].what, 1,
				  EVERY_LIMIT / unit[i].seconds))
			return false;
		options->seconds *= unit[i].seconds;
		return true;
	}
	snprintf(number, sizeof(number), "%.*s", (int)digits, text ? text : "");
	if (digits && digits < sizeof(number) && strcmp(text + digits, "p") == 0)
		return parse_number(&options->points, "--every", number, "number of sync points", 1,
				    EVERY_LIMIT);
	if (digits && !text[digits])
		return parse_number(&options->ends, "--every", text, "number of regions", 1,
				    EVERY_LIMIT);
	fprintf(stderr,
		"cape-run: --every %s: a time such as 30s, 10m or 1h, a number of parallel "
		"regions, or of sync points, such as 100p\n",
		text ? text : "");
	return false;
}

/* Whether ARGV[*AT] is an option about saving; then *GOOD says whether its value is one. */
static bool is_saving(struct run_options *options, char **argv, int *at, bool *good)
{
	bool partner = strcmp(argv[*at], "--partner") == 0;
	const char *option = argv[*at], *text = partner ? NULL : argv[*at + 1];
	bool checkpoint = strcmp(option, "--checkpoint") == 0;
	bool folder = checkpoint || strcmp(option, "--restart") == 0;

	*good = true;
	if (folder && text && *text)
		*(checkpoint ? &options->checkpoint : &options->restart) = text;
	else if (folder)
		*good = missing_folder(option);
	else if (partner)
		options->partner = true;
	else if (strcmp(option, "--every") == 0)
		*good = parse_every(options, text);
	else if (strcmp(option, "--keep") == 0)
		*good = parse_number(&options->keep, option, text, "number of saves", 1,
				     KEEP_LIMIT);
	else if (strcmp(option, "--max-restarts") == 0)
		*good = parse_number(&options->restarts, option, text, "number of restarts", 0,
				     RESTARTS_LIMIT);
	else
		return false;
	if (!folder)
		options->spaced = option;
	*at += text != NULL;
	return true;
}

static bool parse_one(struct run_options *options, char **argv, int *at)
{
	const char *option = argv[*at];
	bool good;

	if (is_number(options, argv, at, &good))
		return good;
	if (is_choice(options, argv, at, &good))
		return good;
	if (strcmp(option, "--save-checkpoints") == 0) {
		*at += argv[*at + 1] != NULL;
		options->kept = argv[*at];
		return (options->kept != option && *options->kept) || missing_folder(option);
	}
	if (is_saving(options, argv, at, &good))
		return good;
	if (strcmp(option, "--trust-folder") == 0)
		return options->trust = true;
	if (strcmp(option, "--wire") == 0)
		return sockets_parse(options, argv[*at + 1] ? argv[++*at] : NULL);
	if (strcmp(option, "--verbose") == 0)
		return options->verbose = true;
	if (strcmp(option, "--wrap") == 0)
		return parse_command(&options->wrap, argv, at);
	if (strcmp(option, "--attach") == 0)
		return parse_command(&options->attach, argv, at);
	if (strcmp(option, "--copy") == 0)
		return options->copy = true;
	if (strcmp(option, "--check") == 0)
		return options->check = true;
	if (strcmp(option, "--verify") == 0)
		return options->verify = true;
	if (strcmp(option, "--races") == 0)
		return options->races = true;
	if (strncmp(option, "--profile", 9) == 0)
		return parse_profile(options, option + 9);
	if (strncmp(option, "--stats", 7) == 0)
		return parse_statistics(options, option + 7);
	return pass_on(options, argv, at);
}

/* What a batch system has given is used, unless the user names other machines, or a number. */
static bool use_allocation(struct run_options *options)
{
	struct allocation allocation;

	if (options->hosts)
		return true;
	if (!allocation_find(&allocation))
		return false;
	if (!allocation.manager)
		return true;
	options->hosts = true;
	if (allocation.hostfile) {
		options->mpirun[options->mpirun_count++] = "--hostfile";
		options->mpirun[options->mpirun_count++] = (char *)allocation.hostfile;
	}
	if (options->nodes)
		return true;
	if (allocation.slots > CAPE_NODES_LIMIT) {
		fprintf(stderr,
			"cape-run: %s's job %s has %d slots, and there can be %d nodes; say how "
			"many: -np N\n",
			allocation.manager, allocation.job, allocation.slots, CAPE_NODES_LIMIT);
		return false;
	}
	options->nodes = allocation.slots;
	fprintf(stderr, "cape-run: %d node%s: the slots of %s's job %s on %s\n", options->nodes,
		options->nodes == 1 ? "" : "s", allocation.manager, allocation.job,
		allocation.machines);
	return true;
}

static enum run_parse answer(const char *text)
{
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return RUN_HELPED;
	fprintf(stderr, "cape-run: cannot write to standard output: %s\n", strerror(errno));
	return RUN_FAILED;
}

enum run_parse run_options_parse(struct run_options *options, int argc, char **argv)
{
	int at;

	/* Two more for use_allocation(), and two for hosts_leave_out(). */
	options->mpirun = calloc((size_t)argc + 5, sizeof(*options->mpirun));
	if (!options->mpirun) {
		fprintf(stderr, "cape-run: out of memory\n");
		return RUN_WRONG;
	}
	for (at = 1; at < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "--") == 0) {
			at++;
			break;
		}
		if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0)
			return answer(help_text);
		if (strcmp(argv[at], "--version") == 0)
			return answer("cape-run " CAPE_VERSION "\n");
		if (!parse_one(options, argv, &at))
			return RUN_WRONG;
	}
	options->program = argv + at;
	if (options->restart && !restart_find(options))
		return RUN_WRONG;
	if (!use_allocation(options))
		return RUN_WRONG;
	if (options->checkpoint && !(options->checkpoint = absolute_path(options->checkpoint)))
		return RUN_WRONG;
	choose_defaults(options);
	if (options->check)
		return RUN_PARSED;
	if (!options->program[0]) {
		fprintf(stderr, "cape-run: the program is missing: cape-run [-np N] program\n");
		return RUN_WRONG;
	}
	if (!threads_settle(options))
		return RUN_WRONG;
	if (options->nodes == 1)
		options->exchange = EXCHANGE_eager;
	return check_combination(options) && sockets_go(options) ? RUN_PARSED : RUN_WRONG;
}
