// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - cape-ckpt: reads the command line, and has it carried out.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "checkpoint/reduction.h"
#include "command.h"
#include "content.h"
#include "save/set.h"

static const char usage[] =
	"Usage: cape-ckpt COMMAND [options] FILE...\n"
	"\n"
	"Reads files of checkpoints, and does arithmetic on them.\n"
	"\n"
	"  info FILE...            what they are and contain; for a folder of saves: which are\n"
	"                          complete\n"
	"  verify FILE...          read all of them; 1 if one is damaged\n"
	"  show FILE               the memory it holds, by variable\n"
	"  diff A B                where their memory differs; 1 if it does\n"
	"  equal A B               whether they are the same, time-stamps too; 1 if not\n"
	"  merge A B... -o C       takes the later of two values at one address;\n"
	"    --op ADDRESS:TYPE:OP  combines the values at ADDRESS: 0x4040:double:+\n"
	"  exclude A B -o C        what A has and B does not have\n"
	"  encode FILE [--as STRUCTURE [-o C]]\n"
	"                          its length as sd, ssd, md, ep and cape; write one of them to C\n"
	"  export --hdf5 C FILE... variables, as data sets, to the HDF5 file C\n"
	"\n"
	"  --json                  print JSON (not merge and exclude)\n"
	"  -q, --brief             show, diff: no values; verify, equal: nothing but the status\n"
	"  --help, --version\n"
	"\n"
	"The exit status is 0, 1 for a difference, damage that verify finds, or a node's file "
	"that\n"
	"is missing for export, 2 for trouble.\n";

static const struct {
	const char *name;
	int (*carry_out)(const struct order *order);
	int least, most; /* files */
	bool output;	 /* it needs -o */
} commands[] = {
	{"info", command_info, 1, INT_MAX, false},
	{"verify", command_verify, 1, INT_MAX, false},
	{"show", command_show, 1, 1, false},
	{"diff", command_diff, 2, 2, false},
	{"equal", command_equal, 2, 2, false},
	{"merge", command_merge, 2, INT_MAX, true},
	{"exclude", command_exclude, 2, 2, true},
	{"encode", command_encode, 1, 1, false},
	{"export", command_export, 1, INT_MAX, false},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static bool refuse(const char *what, const char *text)
{
	return content_wrong("%s%s; try: cape-ckpt --help", text, what);
}

static bool parse_target(const char *text, struct target *target)
{
	char *copy = strdup(text), *type, *op = NULL, *end;
	bool good = false;

	if (!copy)
		return content_wrong("%s", strerror(ENOMEM));
	type = strchr(copy, ':');
	if (type) {
		*type++ = '\0';
		op = strchr(type, ':');
	}
	if (op) {
		*op++ = '\0';
		errno = 0;
		target->address = strtoull(copy, &end, 0);
		good = *copy >= '0' && *copy <= '9' && !errno && !*end &&
		       command_type(type, &target->type) && command_operator(op, &target->op) &&
		       cape_reduction_valid(target->op, target->type) &&
		       target->address <= UINT64_MAX - cape_type_size(target->type);
	}
	free(copy);
	return good || refuse(": must be ADDRESS:TYPE:OPERATOR, such as 0x4040:double:+", text);
}

/* Of an address there is one result. */
static bool is_alone(const struct order *order, const struct target *target, const char *text)
{
	for (size_t i = 0; i < order->targets; i++) {
		const struct target *other = &order->target[i];
		bool same = other->address == target->address && other->op == target->op &&
			    other->type == target->type;

		if (!same && other->address < target->address + cape_type_size(target->type) &&
		    target->address < other->address + cape_type_size(other->type))
			return content_wrong("--op %s: another --op is given for the value at "
					     "%#" PRIx64,
					     text, other->address);
	}
	return true;
}

/* The exit status, if STATUS is what it was until all was written. */
static int end(int status)
{
	if (fflush(stdout) == 0 || status == STATUS_TROUBLE)
		return status;
	content_wrong("standard output: %s", strerror(errno));
	return STATUS_TROUBLE;
}

static bool parse_options(struct order *order, int argc, char **argv)
{
	static const struct option known[] = {
		{"json", no_argument, NULL, 'j'},
		{"brief", no_argument, NULL, 'q'},
		{"output", required_argument, NULL, 'o'},
		{"op", required_argument, NULL, 'p'},
		{"as", required_argument, NULL, 'a'},
		{"hdf5", required_argument, NULL, '5'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "qo:", known, NULL)) >= 0) {
		switch (option) {
		case 'j':
			order->json = true;
			break;
		case 'q':
			order->brief = true;
			break;
		case 'o':
			order->output = optarg;
			break;
		case 'a':
			order->structure = optarg;
			break;
		case '5':
			order->hdf5 = optarg;
			break;
		case 'p':
			if (!parse_target(optarg, &order->target[order->targets]) ||
			    !is_alone(order, &order->target[order->targets], optarg))
				return false;
			order->targets++;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(end(STATUS_SAME));
		case 'V':
			puts("cape-ckpt " CAPE_VERSION);
			exit(end(STATUS_SAME));
		default:
			fputs("Try: cape-ckpt --help\n", stderr);
			return false;
		}
	}
	return true;
}

/* What a command does not take is not ignored. */
static bool check(const struct order *order, size_t command)
{
	const char *name = commands[command].name;

	if (order->files < commands[command].least || order->files > commands[command].most)
		return refuse(": wrong number of files", name);
	if (commands[command].output && !order->output)
		return refuse(": needs -o FILE for its result", name);
	if (!commands[command].output && order->output &&
	    commands[command].carry_out != command_encode)
		return refuse(": takes no -o", name);
	if (order->output && !commands[command].output && !order->structure)
		return refuse(": -o needs --as STRUCTURE", name);
	if (order->targets && commands[command].carry_out != command_merge)
		return refuse(": takes no --op", name);
	if (order->structure && commands[command].carry_out != command_encode)
		return refuse(": takes no --as", name);
	if (order->hdf5 && commands[command].carry_out != command_export)
		return refuse(": takes no --hdf5", name);
	if (!order->hdf5 && commands[command].carry_out == command_export)
		return refuse(": needs --hdf5 FILE for its result", name);
	return true;
}

/* That of a set, or of several: only info describes them. */
static bool are_no_folders(const struct order *order, const char *command)
{
	struct stat status;

	for (int i = 0; i < order->files; i++) {
		const char *path = order->file[i];

		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
			return content_wrong("%s: it is a folder; %s takes files: %s%s", path,
					     command, path,
					     set_state(path) == SET_NONE ? "/*/*" : "/*");
	}
	return true;
}

int main(int argc, char **argv)
{
	struct order order = {.target = calloc((size_t)argc, sizeof(*order.target))};
	int status = STATUS_TROUBLE;
	size_t i = 0;

	/* A file that becomes too large is reported like any other error. */
	signal(SIGXFSZ, SIG_IGN);
	if (!order.target || !parse_options(&order, argc, argv))
		goto free_targets;
	if (optind == argc) {
		fputs(usage, stderr);
		goto free_targets;
	}
	while (i < COMMANDS && strcmp(argv[optind], commands[i].name) != 0)
		i++;
	order.file = argv + optind + 1;
	order.files = argc - optind - 1;
	if (i == COMMANDS)
		refuse(": no such command", argv[optind]);
	else if (check(&order, i) && (commands[i].carry_out == command_info ||
				      are_no_folders(&order, commands[i].name)))
		status = commands[i].carry_out(&order);
free_targets:
	free(order.target);
	return end(status);
}
