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
#include "common/complain.h"
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

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Options of mpirun (Open MPI 4.1 and 5.0), by how many arguments follow them. */
static const char *const mpirun_option[] = {
	"noprefix pernode bynode byslot bycore nolocal nooversubscribe oversubscribe "
	"use-hwthread-cpus report-bindings display-map display-allocation display-devel-map "
	"tag-output timestamp-output merge-stderr-to-stdout allow-run-as-root enable-recovery "
	"disable-recovery debug-daemons leave-session-attached no-ssh-tree-spawn v ",
	"H host hostfile machinefile default-hostfile am tune x wdir wd path prefix map-by "
	"bind-to rank-by rf rankfile cpu-set cpu-list npernode N npersocket ppr "
	"output-filename launch-agent personality timeout report-pid report-uri display "
	"output runtime-options ",
	"mca gmca prtemca pmixmca omca gomca ",
};

/* How many arguments the mpirun option ARGUMENT takes, or -1 if it is none. */
static int mpirun_arguments(const char *argument)
{
	const char *name = argument + 1 + (argument[1] == '-');
	size_t length = strlen(name);

	for (int i = 0; i < (int)COUNT(mpirun_option); i++)
		for (const char *at = mpirun_option[i]; *at; at += strcspn(at, " ") + 1)
			if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
				return i;
	return -1;
}

/* WHAT the option gives is a number from LEAST to MOST. */
static bool parse_number(int *number, const char *option, const char *text, const char *what,
			 int least, int most)
{
	char *end;
	long value;

	if (!text)
		return complain("%s needs the %s", option, what);
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most)
		return complain("%s %s: the %s must be %d to %d", option, text, what, least, most);
	*number = (int)value;
	return true;
}

/* An option of cape-run's own. */
struct option {
	const char *name;
	/* TEXT: its value, the next word or what follows "=", or NULL if there is none. */
	bool (*take)(struct run_options *options, const struct option *option, const char *text);
	size_t member;			  /* of struct run_options */
	const char *what;		  /* it takes, or an example */
	int least, most;		  /* of a number */
	const char *(*value)(int number); /* of a choice among MOST */
	bool joined;			  /* TEXT is the rest of the same word */
	bool saves;			  /* it says how a run is saved */
};

static void *member_of(struct run_options *options, const struct option *option)
{
	return (char *)options + option->member;
}

static bool take_flag(struct run_options *options, const struct option *option, const char *text)
{
	(void)text;
	return *(bool *)member_of(options, option) = true;
}

static bool take_number(struct run_options *options, const struct option *option, const char *text)
{
	return parse_number(member_of(options, option), option->name, text, option->what,
			    option->least, option->most);
}

static void list_values(const struct option *choice)
{
	for (int i = 0; i < choice->most; i++)
		fprintf(stderr, "%s%s",
			i == 0		       ? ""
			: i + 1 < choice->most ? ", "
					       : " or ",
			choice->value(i));
	fprintf(stderr, "\n");
}

static bool take_choice(struct run_options *options, const struct option *choice, const char *text)
{
	for (int i = 0; text && i < choice->most; i++) {
		if (strcmp(text, choice->value(i)) == 0) {
			*(int *)member_of(options, choice) = i;
			return true;
		}
	}
	if (text)
		fprintf(stderr, "cape-run: %s %s: must be ", choice->name, text);
	else
		fprintf(stderr, "cape-run: %s needs a value: ", choice->name);
	list_values(choice);
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
		return complain("%s %s: the nodes must be some of 0 to %d, such as 0 or 0,2-3",
				option, wish, nodes - 1);
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
	if (options->spaced && !options->save_folder)
		return complain("%s needs --checkpoint FOLDER: it says how a run is saved",
				options->spaced);
	if (options->restarts && options->kept)
		return complain("--max-restarts cannot be combined with --save-checkpoints: both "
				"runs would write the same files");
	if (options->kept && options->nodes == 1)
		return complain(
			"--save-checkpoints needs -np 2 or more: one node sends no checkpoint");
	if ((options->save_folder || options->restart) &&
	    (papers || options->races || options->copy))
		return complain("%s needs --method tickpt2 and --model spmd, and cannot be "
				"combined with --races or --copy",
				options->save_folder ? "--checkpoint" : "--restart");
	if (options->exchange == EXCHANGE_eager)
		return true;
	if (options->kept)
		return complain("--save-checkpoints needs --exchange eager, not %s: by need, a "
				"checkpoint does not hold all that a node changed",
				exchange);
	if (papers)
		complain("--exchange %s needs --method tickpt2 and --model spmd, not %s and %s",
			 exchange, cape_method_name(options->method),
			 cape_model_name(options->model));
	return !papers;
}

static bool take_statistics(struct run_options *options, const struct option *option,
			    const char *text)
{
	if (*text && strcmp(text, "=json") != 0 && strcmp(text, "=table") != 0)
		return complain("%s%s: --stats, --stats=table or --stats=json", option->name, text);
	options->statistics = strcmp(text, "=json") == 0 ? STATISTICS_JSON : STATISTICS_TABLE;
	return true;
}

/* Both a print and a trace may be asked for, one after the other. */
static bool take_profile(struct run_options *options, const struct option *option, const char *text)
{
	static const char ending[] = "trace.json";
	size_t length = strlen(text), end = sizeof(ending) - 1;

	if (*text == '=' && length > end && strcmp(text + length - end, ending) == 0)
		options->trace_file = text + 1;
	else if (strcmp(text, "=json") == 0)
		options->profile = STATISTICS_JSON;
	else if (!*text || strcmp(text, "=table") == 0)
		options->profile = STATISTICS_TABLE;
	else {
		return complain("%s%s: --profile, --profile=table, --profile=json or "
				"--profile=FILE.trace.json",
				option->name, text);
	}
	return true;
}

static bool pass_on(struct run_options *options, char **argv, int *at)
{
	int arguments = mpirun_arguments(argv[*at]);

	if (arguments < 0)
		return complain("%s is neither an option of cape-run nor a known option of mpirun; "
				"see cape-run --help",
				argv[*at]);
	for (int i = 0; i <= arguments; i++) {
		if (!argv[*at + i])
			return complain("%s needs %d argument%s", argv[*at], arguments,
					arguments == 1 ? "" : "s");
		if (strcmp(argv[*at + i], ":") == 0)
			return complain("%s :: mpirun would take the \":\" as the start of another "
					"program; cape-run runs one program",
					argv[*at]);
		options->mpirun[options->mpirun_count++] = argv[*at + i];
	}
	if (strstr(argv[*at], "hostfile") && access(argv[*at + 1], R_OK) < 0)
		return complain("hostfile %s: %s", argv[*at + 1], strerror(errno));
	options->hosts |= strstr(argv[*at], "host") || strcmp(argv[*at], "-H") == 0 ||
			  strstr(argv[*at], "machinefile");
	if (strcmp(argv[*at] + strspn(argv[*at], "-"), "wdir") == 0 ||
	    strcmp(argv[*at] + strspn(argv[*at], "-"), "wd") == 0)
		options->directory = argv[*at + 1];
	*at += arguments;
	return true;
}

static bool take_folder(struct run_options *options, const struct option *option, const char *text)
{
	*(const char **)member_of(options, option) = text;
	if (!text || !*text)
		complain("%s needs a folder", option->name);
	return text && *text;
}

/* "[NODES:]COMMAND" */
static bool take_command(struct run_options *options, const struct option *option, const char *text)
{
	*(const char **)member_of(options, option) = text;
	if (text)
		text = nodes_command(text);
	if (!text || !text[strspn(text, " ")])
		complain("%s needs a command: %s '0:%s'", option->name, option->name, option->what);
	return text && text[strspn(text, " ")];
}

/* A time with its unit, or a number of regions, or of sync points. */
static bool take_every(struct run_options *options, const struct option *option, const char *text)
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

	options->save_seconds = options->save_ends = options->save_points = 0;
	for (size_t i = 0; digits && digits < sizeof(number) && i < COUNT(unit); i++) {
		snprintf(number, sizeof(number), "%.*s", (int)digits, text);
		if (text[digits] != unit[i].name || text[digits + 1])
			continue;
		if (!parse_number(&options->save_seconds, option->name, number, unit[i].what, 1,
				  EVERY_LIMIT / unit[i].seconds))
			return false;
		options->save_seconds *= unit[i].seconds;
		return true;
	}
	snprintf(number, sizeof(number), "%.*s", (int)digits, text ? text : "");
	if (digits && digits < sizeof(number) && strcmp(text + digits, "p") == 0)
		return parse_number(&options->save_points, option->name, number,
				    "number of sync points", 1, EVERY_LIMIT);
	if (digits && !text[digits])
		return parse_number(&options->save_ends, option->name, text, "number of regions", 1,
				    EVERY_LIMIT);
	return complain("%s %s: a time such as 30s, 10m or 1h, a number of parallel regions, or of "
			"sync points, such as 100p",
			option->name, text ? text : "");
}

static bool take_wire(struct run_options *options, const struct option *option, const char *text)
{
	(void)option;
	return sockets_parse(options, text);
}

#define AT(name) .member = offsetof(struct run_options, name)
#define NODES                                                                                      \
	.take = take_number, AT(nodes), .what = "number of nodes", .least = 1,                     \
	.most = CAPE_NODES_LIMIT
#define SECONDS(name)                                                                              \
	.take = take_number, AT(name), .what = "number of seconds", .least = 1,                    \
	.most = SECONDS_LIMIT
#define CHOICE(name, list, value_of)                                                               \
	.take = take_choice, AT(name), .most = list##_COUNT, .value = value_of

static const struct option known[] = {
	{"-np", NODES},
	{"-n", NODES},
	{"--np", NODES},
	{"-c", NODES},
	{"--threads", take_number, AT(threads), "number of threads", 1, THREADS_LIMIT},
	{"--lost-after", SECONDS(lost_after)},
	{"--start-within", SECONDS(start_within)},
	{"--method", CHOICE(method, CAPE_METHODS, cape_method_name)},
	{"--model", CHOICE(model, CAPE_MODELS, cape_model_name)},
	{"--exchange", CHOICE(exchange, EXCHANGES, exchange_name)},
	{"--protect", CHOICE(protection, PROTECTIONS, protection_name)},
	{"--save-checkpoints", take_folder, AT(kept)},
	{"--checkpoint", take_folder, AT(save_folder)},
	{"--restart", take_folder, AT(restart)},
	{"--every", take_every, .saves = true},
	{"--keep", take_number, AT(save_keep), "number of saves", 1, KEEP_LIMIT, .saves = true},
	{"--partner", take_flag, AT(save_partner), .saves = true},
	{"--max-restarts", take_number, AT(restarts), "number of restarts", 0, RESTARTS_LIMIT,
	 .saves = true},
	{"--trust-folder", take_flag, AT(trust)},
	{"--wire", take_wire, .what = NULL},
	{"--verbose", take_flag, AT(verbose)},
	{"--wrap", take_command, AT(wrap), "taskset -c 0"},
	{"--attach", take_command, AT(attach), "gdb -p"},
	{"--copy", take_flag, AT(copy)},
	{"--check", take_flag, AT(check)},
	{"--no-replicate", take_flag, AT(shares_all)},
	{"--verify", take_flag, AT(verify)},
	{"--races", take_flag, AT(races)},
	{"--stats", take_statistics, .joined = true},
	{"--profile", take_profile, .joined = true},
};

/* What is known of the option that is WORD, or begins it; or NULL. */
static const struct option *find(const char *word)
{
	for (size_t i = 0; i < COUNT(known); i++) {
		size_t length = strlen(known[i].name);

		if (strncmp(word, known[i].name, length) == 0 &&
		    (!word[length] || known[i].joined ||
		     (word[length] == '=' && word[1] == '-' && known[i].take != take_flag)))
			return &known[i];
	}
	return NULL;
}

static bool parse_one(struct run_options *options, char **argv, int *at)
{
	const struct option *option = find(argv[*at]);
	const char *text;

	if (!option)
		return pass_on(options, argv, at);
	text = argv[*at] + strlen(option->name);
	if (option->saves)
		options->spaced = option->name;
	if (option->take == take_flag || option->joined)
		return option->take(options, option, text);
	if (*text)
		return option->take(options, option, text + 1);
	text = argv[*at + 1];
	*at += text != NULL;
	return option->take(options, option, text);
}

/* What a batch system has given is used, unless the user names other machines, or a number. */
static bool use_allocation(struct run_options *options)
{
	struct allocation allocation;

	if (options->hosts && !options->nodes)
		threads_by_hosts(options);
	if (options->hosts)
		return true;
	if (!allocation_find(&allocation))
		return false;
	if (!allocation.manager)
		return true;
	if (!options->nodes && !threads_by_job(options, &allocation))
		return false;
	/* On one machine, which is this one. */
	if (options->nodes == 1 && options->threads > 1)
		return true;
	options->hosts = true;
	if (allocation.hostfile) {
		options->mpirun[options->mpirun_count++] = "--hostfile";
		options->mpirun[options->mpirun_count++] = (char *)allocation.hostfile;
	}
	return true;
}

static enum run_parse answer(const char *text)
{
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return RUN_HELPED;
	complain("cannot write to standard output: %s", strerror(errno));
	return RUN_FAILED;
}

enum run_parse run_options_parse(struct run_options *options, int argc, char **argv)
{
	int at;

	/* Two more for use_allocation(), and two for hosts_leave_out(). */
	options->mpirun = calloc((size_t)argc + 5, sizeof(*options->mpirun));
	if (!options->mpirun) {
		complain("out of memory");
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
	if (options->save_folder && !(options->save_folder = absolute_path(options->save_folder)))
		return RUN_WRONG;
	choose_defaults(options);
	if (!use_allocation(options))
		return RUN_WRONG;
	if (options->check)
		return RUN_PARSED;
	if (!options->program[0]) {
		complain("no program is named: cape-run [-np N] program");
		return RUN_WRONG;
	}
	if (!threads_settle(options))
		return RUN_WRONG;
	if (options->nodes == 1)
		options->exchange = EXCHANGE_eager;
	return check_combination(options) && sockets_go(options) ? RUN_PARSED : RUN_WRONG;
}
