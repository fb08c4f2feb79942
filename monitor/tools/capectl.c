/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capectl.c - drives /dev/cape by hand: parses the command line, and has it carried out.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attached.h"
#include "tools/time/bytes.h"
#include "tools/time/keeper.h"
#include "output.h"
#include "pidfd.h"
#include "place.h"
#include "tools/time/record.h"
#include "tools/time/report.h"
#include "watch.h"
#include "uapi/cape_stack.h"

#define PIDFD "pidfd:" /* before a descriptor, where a process id may stand */

static const char usage[] =
	"Usage: capectl [--json] COMMAND\n"
	"\n"
	"Locks the memory of a process through " CAPE_DEVICE " and reports what it writes.\n"
	"\n"
	"  lock PID [--notify] [--check | --no-twins] [--range START-END]...\n"
	"                          lock all memory that it can write, or these ranges; stays\n"
	"                          in the background until unlock or the end of the process;\n"
	"                          --no-twins: only to know which pages it writes\n"
	"  freeze PID [--range START-END]...\n"
	"                          the same, and print for how long it was stopped\n"
	"  unlock PID              remove the lock\n"
	"  dirty PID               the pages it has written since it was locked\n"
	"  diff PID                the bytes that it has changed since then, old and new\n"
	"  epoch PID               keep this instant, too: another epoch begins\n"
	"  diff PID EPOCH [EPOCH]  the bytes that differ between two instants, or one and now\n"
	"  drop PID EPOCH          remove an epoch\n"
	"  rollback PID [EPOCH]    restore its memory and registers as they were then\n"
	"  check PID               the pages that a device or the kernel changed since lock\n"
	"                          --check without a page fault; exit status 3 if there are any\n"
	"  core PID [--epoch N] [-o FILE]\n"
	"                          a core file of that instant, or of now; it runs on\n"
	"  read PID ADDRESS LENGTH [--then | --epoch N]\n"
	"                          bytes of its memory, to standard output; with --then or\n"
	"                          --epoch as they were at the lock or epoch; it runs on\n"
	"  write PID ADDRESS       bytes from standard input to its memory\n"
	"  watch PID [--range START-END]...\n"
	"                          lock it, and print each page at its first write, until Ctrl-C\n"
	"  record PID [--every TIME] [--seconds N] [-o FILE]\n"
	"                          lock it, and record the first write to each page, until\n"
	"                          Ctrl-C, the end of the process, or for N seconds; with\n"
	"                          --every (10ms, 1s) the first in each such time\n"
	"                          --dwarf[=BYTES]: with registers and the stack (8192 bytes),\n"
	"                          for callers in code without frame pointers\n"
	"  record PID --of VARIABLE | --at ADDRESS+LENGTH\n"
	"                          record every write to a variable, or to these bytes, at\n"
	"                          most 32\n"
	"  report [FILE] [--stacks] [--each | --script | --trace]\n"
	"                          print a recording: which instructions wrote, and to what;\n"
	"                          with the callers; --each: write by write; --script: as\n"
	"                          perf script does, for flame graphs; --trace: in the\n"
	"                          Trace Event Format, for ui.perfetto.dev\n"
	"  status [PID]            the driver, the locked processes, or one in detail\n"
	"  --json                  print JSON\n"
	"  -o FILE                 write to FILE instead of standard output\n"
	"  --help, --version\n"
	"\n"
	"PID may be pidfd:N, a pidfd that capectl was started with as descriptor N.\n"
	"Addresses are decimal, hexadecimal after 0x, or a symbol, such as counter+8; ranges\n"
	"are whole pages, in numbers.\n"
	"capectl traces the process (ptrace) during a command, so nothing else may trace it.\n";

static const struct {
	const char *name;
	enum attached_command command;
	int least, most; /* arguments */
} commands[] = {
	{"lock", COMMAND_LOCK, 1, 1},	      {"unlock", COMMAND_UNLOCK, 1, 1},
	{"dirty", COMMAND_DIRTY, 1, 1},	      {"diff", COMMAND_DIFF, 1, 3},
	{"rollback", COMMAND_ROLLBACK, 1, 2}, {"check", COMMAND_CHECK, 1, 1},
	{"epoch", COMMAND_EPOCH, 1, 1},	      {"drop", COMMAND_DROP, 2, 2},
	{"core", COMMAND_CORE, 1, 1},	      {"read", COMMAND_READ, 3, 3},
	{"write", COMMAND_WRITE, 2, 2},	      {"watch", COMMAND_WATCH, 1, 1},
	{"status", COMMAND_STATUS, 0, 1},     {"freeze", COMMAND_FREEZE, 1, 1},
	{"record", COMMAND_RECORD, 1, 1},     {"report", COMMAND_REPORT, 0, 1},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct attached_streams *own_streams(void)
{
	static struct attached_streams streams;

	streams = (struct attached_streams){stdin, stdout, stderr};
	return &streams;
}

/* Says what is wrong with the command line; returns false. */
static __attribute__((format(printf, 1, 2))) bool wrong(const char *format, ...)
{
	va_list arguments;

	fputs("capectl: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs("; try: capectl --help\n", stderr);
	return false;
}

/* The exit status, if STATUS is what it was until all was written. */
static int end(int status)
{
	if (fflush(stdout) == 0 || status)
		return status;
	return attached_fail(own_streams(), "cannot write to standard output: %s", strerror(errno));
}

static bool number(const char *text, uint64_t *value, char end)
{
	char *stopped;

	errno = 0;
	*value = strtoull(text, &stopped, 0);
	return *text >= '0' && *text <= '9' && !errno && *stopped == end;
}

static bool parse_pid(const char *text, pid_t *pid)
{
	uint64_t value;

	if (!number(text, &value, '\0') || value == 0 || value > INT32_MAX)
		return wrong("\"%s\" is not a process id", text);
	*pid = (pid_t)value;
	return true;
}

/* Returns whether TEXT is that of a process that is there; says so if not. */
static bool parse_pidfd(const char *text, struct attached_order *order)
{
	uint64_t value;
	int error;

	if (!number(text, &value, '\0') || value > INT32_MAX)
		return wrong("\"%s%s\" is not a descriptor", PIDFD, text);
	order->by_pidfd = true;
	order->pidfd = (int)value;
	error = pidfd_number(order->pidfd, &order->pid);
	if (error == EBADF)
		return wrong("descriptor %d is not open", order->pidfd);
	if (error == EINVAL)
		return wrong("descriptor %d is not a pidfd", order->pidfd);
	if (!error)
		return true;
	if (error == EXDEV)
		attached_fail(own_streams(), "/proc is not of this pid namespace, so that it does "
					     "not tell whose pidfd it is; mount it again");
	else
		attached_fail(own_streams(), "there is no process of pidfd %d any more",
			      order->pidfd);
	exit(end(1));
}

static bool parse_process(const char *text, struct attached_order *order)
{
	const size_t length = strlen(PIDFD);

	return strncmp(text, PIDFD, length) == 0 ? parse_pidfd(text + length, order)
						 : parse_pid(text, &order->pid);
}

static bool parse_range(const char *text, struct attached_order *order)
{
	struct cape_extent *range = &order->range[order->range_count];
	const char *dash = strchr(text, '-');
	uint64_t start, end;

	if (order->range_count == ATTACHED_RANGES)
		return wrong("more than %d ranges", ATTACHED_RANGES);
	if (!dash || !number(text, &start, '-') || !number(dash + 1, &end, '\0') || end <= start)
		return wrong("--range %s: must be START-END", text);
	*range = (struct cape_extent){.start = start, .length = end - start};
	order->range_count++;
	return true;
}

static bool parse_epoch(const char *text, uint64_t *epoch)
{
	if (!number(text, epoch, '\0') || *epoch == 0)
		return wrong("\"%s\" is not the number of an epoch", text);
	return true;
}

/* A number of milliseconds and the like; at least one of them, and at most an hour. */
static bool parse_every(const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint64_t nanoseconds;
	} unit[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	const uint64_t least = 1000000, most = 3600 * 1000000000ull;
	const size_t digits = strspn(text, "0123456789");
	const uint64_t value = strtoull(text, NULL, 10);

	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		if (digits == 0 || digits > 10 || strcmp(text + digits, unit[i].name) != 0)
			continue;
		*nanoseconds = value * unit[i].nanoseconds;
		if (*nanoseconds >= least && *nanoseconds <= most)
			return true;
	}
	return wrong("--every %s: must be a time such as 10ms or 1s, from 1ms to 3600s", text);
}

/* Bytes of the stack, as the driver takes them. */
static bool parse_dwarf(const char *text, uint32_t *bytes)
{
	uint64_t value = 8192;

	if (text && (!number(text, &value, '\0') || value == 0 || value > CAPE_STACK_MOST))
		return wrong("--dwarf=%s: must be a number of bytes, from 1 to %d", text,
			     CAPE_STACK_MOST);
	*bytes = (uint32_t)(value + 7) / 8 * 8;
	return true;
}

/* What the command line has beside the order. */
struct options {
	const char *output;  /* the file for it, if one is named */
	const char *of, *at; /* what is to be recorded */
};

static bool parse_options(struct attached_order *order, struct options *options, int argc,
			  char **argv)
{
	static const struct option known[] = {
		{"json", no_argument, NULL, 'j'},
		{"notify", no_argument, NULL, 'n'},
		{"check", no_argument, NULL, 'c'},
		{"no-twins", no_argument, NULL, 'w'},
		{"range", required_argument, NULL, 'r'},
		{"then", no_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{"seconds", required_argument, NULL, 's'},
		{"of", required_argument, NULL, 'O'},
		{"at", required_argument, NULL, 'A'},
		{"every", required_argument, NULL, 'E'},
		{"each", no_argument, NULL, 'a'},
		{"stacks", no_argument, NULL, 'k'},
		{"epoch", required_argument, NULL, 'e'},
		{"script", no_argument, NULL, 'S'},
		{"trace", no_argument, NULL, 'T'},
		{"dwarf", optional_argument, NULL, 'D'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "o:", known, NULL)) >= 0) {
		switch (option) {
		case 'j':
			order->json = true;
			break;
		case 'n':
			order->mode = CAPE_MODE_NOTIFY;
			break;
		case 'c':
			order->flags |= CAPE_LOCK_CHECK;
			break;
		case 'w':
			order->flags |= CAPE_LOCK_NO_TWINS;
			break;
		case 't':
			order->then = true;
			break;
		case 'o':
			options->output = optarg;
			break;
		case 's':
			if (!number(optarg, &order->length, '\0') || order->length == 0 ||
			    order->length > INT32_MAX)
				return wrong("--seconds %s: must be a number from 1 on", optarg);
			break;
		case 'O':
			options->of = optarg;
			break;
		case 'A':
			options->at = optarg;
			break;
		case 'E':
			if (!parse_every(optarg, &order->every))
				return false;
			break;
		case 'a':
			order->each = true;
			break;
		case 'S':
			order->script = true;
			break;
		case 'T':
			order->trace = true;
			break;
		case 'D':
			if (!parse_dwarf(optarg, &order->stack_bytes))
				return false;
			break;
		case 'k':
			order->stacks = true;
			break;
		case 'e':
			if (!parse_epoch(optarg, &order->epoch))
				return false;
			order->then = true;
			break;
		case 'r':
			if (!parse_range(optarg, order))
				return false;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(end(0));
		case 'V':
			puts("capectl " CAPE_VERSION);
			exit(end(0));
		default:
			fputs("Try: capectl --help\n", stderr);
			return false;
		}
	}
	return true;
}

/* What "record" is to record. */
static bool parse_recording(struct attached_order *order, const struct options *options)
{
	const char *text = options->of ? options->of : options->at, *complaint;

	order->mode = CAPE_MODE_RECORD;
	/* Nobody asks for old contents. */
	order->flags = CAPE_LOCK_NO_TWINS;
	if (!text)
		return true;
	if ((options->of && options->at) || order->range_count || order->every)
		return wrong("record: --of, --at, and --range or --every exclude each other");
	complaint = bytes_parse(order, text, !options->of);
	if (!complaint)
		return true;
	return wrong("%s %s: %s", options->of ? "--of" : "--at", text, complaint);
}

/* Is each option for the command NAME? */
static bool check_options(const struct attached_order *order, const struct options *options,
			  const char *name)
{
	if (order->epoch && order->command != COMMAND_READ && order->command != COMMAND_CORE)
		return wrong("%s: --epoch is for read and core", name);
	if (order->then && !order->epoch && order->command != COMMAND_READ)
		return wrong("%s: --then is for read", name);
	if (order->stacks && order->command != COMMAND_REPORT)
		return wrong("%s: --stacks is for report", name);
	if (order->flags & CAPE_LOCK_NO_TWINS && order->command != COMMAND_LOCK)
		return wrong("%s: --no-twins is for lock", name);
	if (order->flags & CAPE_LOCK_NO_TWINS &&
	    (order->flags & CAPE_LOCK_CHECK || order->mode == CAPE_MODE_NOTIFY))
		return wrong("--no-twins excludes --check and --notify");
	if (order->each && order->command != COMMAND_REPORT)
		return wrong("%s: --each is for report", name);
	if (order->script && order->command != COMMAND_REPORT)
		return wrong("%s: --script is for report", name);
	if (order->trace && order->command != COMMAND_REPORT)
		return wrong("%s: --trace is for report", name);
	if ((order->script || order->trace) && (order->json || order->each || order->stacks))
		return wrong("%s excludes --json, --each and --stacks",
			     order->script ? "--script" : "--trace");
	if (order->script && order->trace)
		return wrong("--script excludes --trace");
	if (order->stack_bytes && order->command != COMMAND_RECORD)
		return wrong("%s: --dwarf is for record", name);
	if (order->length && order->command != COMMAND_RECORD)
		return wrong("%s: --seconds is for record", name);
	if ((options->of || options->at || order->every) && order->command != COMMAND_RECORD)
		return wrong("%s: --of, --at and --every are for record", name);
	return true;
}

static bool parse_command(struct attached_order *order, const struct options *options, int count,
			  char **argument)
{
	size_t i = 0;

	if (count == 0) {
		fputs(usage, stderr);
		return false;
	}
	while (i < COMMANDS && strcmp(argument[0], commands[i].name) != 0)
		i++;
	if (i == COMMANDS)
		return wrong("no command \"%s\"", argument[0]);
	order->command = commands[i].command;
	if (count - 1 < commands[i].least || count - 1 > commands[i].most)
		return wrong("%s: wrong number of arguments", argument[0]);
	if (!check_options(order, options, argument[0]))
		return false;
	if (order->command == COMMAND_REPORT)
		return true;
	if (order->command == COMMAND_WATCH)
		order->mode = CAPE_MODE_NOTIFY;
	if (count > 1 && !parse_process(argument[1], order))
		return false;
	if (order->command == COMMAND_RECORD)
		return parse_recording(order, options);
	if (order->command == COMMAND_DIFF || order->command == COMMAND_ROLLBACK ||
	    order->command == COMMAND_DROP)
		return (count < 3 || parse_epoch(argument[2], &order->epoch)) &&
		       (count < 4 || parse_epoch(argument[3], &order->other_epoch));
	if (count > 2 && !number(argument[2], &order->address, '\0') &&
	    place_find(order->pid, argument[2], &order->address, NULL) != 0)
		return wrong(
			"\"%s\" is neither an address nor a symbol that can be found in process %d",
			argument[2], order->pid);
	if (count > 3 && !number(argument[3], &order->length, '\0'))
		return wrong("\"%s\" is not a length", argument[3]);
	return true;
}

/* For a process that nobody keeps: traced only while the order is carried out. */
static int carry_out_alone(const struct attached_order *order)
{
	struct attached attached;
	int status = attached_open(&attached, order, own_streams());

	if (status)
		return status;
	status = attached_carry_out(&attached, order, own_streams());
	attached_close(&attached);
	return status;
}

struct listing {
	bool json;
	size_t count;
};

static void list_process(void *context, pid_t pid)
{
	struct listing *listing = context;
	struct attached_order order = {
		.command = COMMAND_STATUS,
		.pid = pid,
		.json = listing->json,
	};
	int status;

	if (listing->json && listing->count++)
		fputs(", ", stdout);
	fflush(stdout);
	keeper_ask(&order, own_streams(), &status);
}

static int show_all(bool json)
{
	struct listing listing = {.json = json};
	int status;

	status = attached_version(json, json ? "{\"driver\": " : "", own_streams());
	if (status)
		return status;
	fputs(json ? ", \"processes\": [" : "", stdout);
	keeper_each(list_process, &listing);
	fputs(json ? "]}\n" : "", stdout);
	return 0;
}

/* RECORDING: the file that is to be reported of, or NULL. */
static int carry_out(const struct attached_order *order, const char *recording)
{
	int status;

	if (order->command == COMMAND_REPORT)
		return report(recording, order, own_streams());
	if (order->command == COMMAND_STATUS && !order->pid)
		return show_all(order->json);
	if (keeper_ask(order, own_streams(), &status))
		return status;
	switch (order->command) {
	case COMMAND_LOCK:
	case COMMAND_FREEZE:
		return keeper_start(order, own_streams());
	case COMMAND_WATCH:
		return watch(order, own_streams());
	case COMMAND_RECORD:
		return record(order, own_streams());
	default:
		return carry_out_alone(order);
	}
}

/* What a process has in its memory is nobody else's business, and half of it is of no use. */
static int carry_out_to_file(const struct attached_order *order, const char *recording,
			     const char *name)
{
	int error = output_open(name), status;

	if (error)
		return attached_fail(own_streams(), "-o %s: %s", name, strerror(error));
	status = carry_out(order, recording);
	error = output_close(status == 0 || status == ATTACHED_FOUND);
	if (error)
		return attached_fail(own_streams(),
				     "-o %s: %s; an older file of that name is unchanged", name,
				     strerror(error));
	return status;
}

int main(int argc, char **argv)
{
	struct attached_order order = {.mode = CAPE_MODE_SNAPSHOT};
	struct options options = {0};
	const char *recording = NULL;

	if (!parse_options(&order, &options, argc, argv) ||
	    !parse_command(&order, &options, argc - optind, argv + optind))
		return 2;
	if (order.command == COMMAND_REPORT)
		recording = argv[optind + 1];
	return end(options.output ? carry_out_to_file(&order, recording, options.output)
				  : carry_out(&order, recording));
}
