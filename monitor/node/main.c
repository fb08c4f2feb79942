/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - cape-monitor: one on each node, started by cape-run.
 *
 * Starts the program, then serves it: exchanges at its sync points, passes on what it prints and
 * reads, and sees to it that all programs end together.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "common/exchanges.h"
#include "common/folder.h"
#include "conflict.h"
#include "copy.h"
#include "death_line.h"
#include "common/limits.h"
#include "common/signals.h"
#include "common/user_signals.h"
#include "exchange.h"
#include "fetch/fetch.h"
#include "guard.h"
#include "stream/input.h"
#include "launch.h"
#include "life.h"
#include "meet.h"
#include "base/node.h"
#include "placement.h"
#include "stream/output.h"
#include "stream/relay.h"
#include "service/service.h"
#include "capture/checkpointer.h"
#include "profile/report.h"
#include "save/restore.h"
#include "save/saving.h"
#include "capture/protect.h"
#include "capture/trace.h"
#include "wire/wire.h"
#include "wrap.h"

#define CHECKPOINTER(name, model) &checkpointer_##name,
#define PROTECTION(name)	  &protect_##name,

/* cape-run has checked them. */
static void read_choice(struct node_options *options, int option, const char *text)
{
	static const struct checkpointer *const checkpointer[] = {CAPE_METHODS(CHECKPOINTER)};
	static const struct protection *const protection[] = {PROTECTIONS(PROTECTION)};

	if (option == 'm') {
		options->method = atoi(text);
		options->checkpointer = checkpointer[options->method];
	} else if (option == 'o') {
		options->model = atoi(text);
	} else if (option == 'x') {
		options->exchange = atoi(text);
	} else {
		options->protection = protection[atoi(text)];
	}
}

static enum node_statistics form_of(const char *text)
{
	return strcmp(text, "json") == 0 ? NODE_STATISTICS_JSON : NODE_STATISTICS_TABLE;
}

static bool read_options(struct node_options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{"method", required_argument, NULL, 'm'},
		{"model", required_argument, NULL, 'o'},
		{"exchange", required_argument, NULL, 'x'},
		{"protect", required_argument, NULL, 'p'},
		{"verify", no_argument, NULL, 'v'},
		{"races", no_argument, NULL, 'r'},
		{"stats", required_argument, NULL, 's'},
		{"profile", required_argument, NULL, 'P'},
		{"trace", no_argument, NULL, 'T'},
		{"threads", required_argument, NULL, 'H'},
		{"placement", no_argument, NULL, 'w'},
		{"sharing-limit", required_argument, NULL, 'S'},
		{"stdin-file", no_argument, NULL, 'f'},
		{"terminal", no_argument, NULL, 't'},
		{"here", no_argument, NULL, 'h'},
		{"lost-after", required_argument, NULL, 'l'},
		{"one-output", no_argument, NULL, '1'},
		{"folder", required_argument, NULL, 'd'},
		{"save-checkpoints", required_argument, NULL, 'k'},
		{"umask", required_argument, NULL, 'u'},
		{"file-size", required_argument, NULL, 'z'},
		{"ignored", required_argument, NULL, 'i'},
		{"blocked", required_argument, NULL, 'b'},
		{"wrap", required_argument, NULL, 'W'},
		{"attach", required_argument, NULL, 'A'},
		{"copy", no_argument, NULL, 'c'},
		{"checkpoint", required_argument, NULL, 'C'},
		{"seconds", required_argument, NULL, 'E'},
		{"ends", required_argument, NULL, 'N'},
		{"points", required_argument, NULL, 'O'},
		{"keep", required_argument, NULL, 'n'},
		{"partner", no_argument, NULL, 'e'},
		{"trust-folder", no_argument, NULL, 'F'},
		{"restore", required_argument, NULL, 'R'},
		{"apart", required_argument, NULL, 'a'},
		{NULL, 0, NULL, 0},
	};
	bool copy = false;
	int option;

	while ((option = getopt_long(argc, argv, "+", known, NULL)) >= 0) {
		if (option == 'v')
			options->verify = true;
		else if (option == 'r')
			options->races = true;
		else if (option == 'm' || option == 'o' || option == 'x' || option == 'p')
			read_choice(options, option, optarg);
		else if (option == 't')
			options->terminal = true;
		else if (option == 'l')
			options->lost_after = atoi(optarg);
		else if (option == 'u')
			options->mask = (mode_t)atoi(optarg);
		else if (option == 'z')
			options->file_size = (rlim_t)atoll(optarg);
		else if (option == 'i')
			options->signals.ignored = (uint64_t)atoll(optarg);
		else if (option == 'b')
			options->signals.blocked = (uint64_t)atoll(optarg);
		else if (option == 'd')
			options->folder = optarg;
		else if (option == 'k')
			options->kept = optarg;
		else if (option == '1')
			options->one_output = true;
		else if (option == 'f')
			options->input_is_file = true;
		else if (option == 's')
			options->statistics = form_of(optarg);
		else if (option == 'P')
			options->profile = form_of(optarg);
		else if (option == 'T')
			options->trace = true;
		else if (option == 'H')
			options->threads = atoi(optarg);
		else if (option == 'w')
			options->placement = true;
		else if (option == 'W')
			options->wrap = optarg;
		else if (option == 'A')
			options->attach = optarg;
		else if (option == 'c')
			copy = true;
		else if (option == 'S')
			options->sharing_limit = atoi(optarg);
		else if (option == 'C')
			options->save_folder = optarg;
		else if (option == 'E')
			options->save_seconds = atoi(optarg);
		else if (option == 'N')
			options->save_ends = atoi(optarg);
		else if (option == 'O')
			options->save_points = atoi(optarg);
		else if (option == 'n')
			options->save_keep = atoi(optarg);
		else if (option == 'e')
			options->save_partner = true;
		else if (option == 'h')
			options->here = true;
		else if (option == 'F')
			options->trust = true;
		else if (option == 'R')
			options->restore = optarg;
		else if (option == 'a')
			options->restore_run = (uint64_t)atoll(optarg);
		else
			return false;
	}
	if (!options->checkpointer)
		return false;
	options->program = argv[optind];
	if (options->program && options->folder && copy) {
		options->source = options->program;
		options->program = copy_path(options->folder, options->source);
	}
	return options->program && options->folder;
}

/* They come as events; SIGCHLD tells that the program has stopped or ended. */
static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	/* mpirun's way to stop the run. */
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	user_signals_add(signals);
	/* By which mpirun begins to stop the run, a second before. */
	sigaddset(signals, SIGCONT);
	sigprocmask(SIG_BLOCK, signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signals_ignore_talk();
}

static void serve(struct node *node, enum cape_channel_request request)
{
	node_follow_program(node);
	node->requests++;
	switch (request) {
	case CAPE_REQUEST_EXCHANGE:
	case CAPE_REQUEST_GATHER:
	case CAPE_REQUEST_BROADCAST:
	case CAPE_REQUEST_SCATTER:
		exchange_serve(node, request);
		break;
	case CAPE_REQUEST_SERVICE:
		service_request(node);
		break;
	case CAPE_REQUEST_CONFLICT:
		output_drain(node);
		conflict_end(node);
		break;
	case CAPE_REQUEST_RACE:
		output_drain(node);
		conflict_race(node);
		cape_channel_reply(node->channel);
		break;
	case CAPE_REQUEST_FAIL:
		output_drain(node);
		life_fail_by_request(node);
		break;
	case CAPE_REQUEST_PUSH:
		exchange_push(node);
		break;
	case CAPE_REQUEST_FETCH:
		fetch_request(node);
		break;
	case CAPE_REQUEST_SNAPSHOT:
		save_request(node);
		break;
	case CAPE_REQUEST_RESTORE:
		restore_request(node);
		break;
	default:
		node_fail(node, 1, "node %d: the program asks for what this monitor does not know",
			  node->rank);
	}
}

/* A request is in the channel, and nobody counts the rings. */
static void bell_rang(void *context)
{
	fetch_look_at_version(context);
}

/* Sync points come fast; the rest of the world is looked at between them, now and then. */
static void run(struct node *node)
{
	struct watcher bell = {.ready = bell_rang, .context = node};
	uint32_t replies = 0;

	loop_wake_quickly();
	if (loop_watch(&node->loop, &bell, node->bell, EPOLLIN | EPOLLET) < 0)
		node_fail(node, 1, "node %d: out of memory", node->rank);
	while (!life_over(node)) {
		enum cape_channel_request request = cape_channel_take(node->channel, true);

		if (request)
			serve(node, request);
		/* An exchange keeps all nodes in step; of other requests a program may make any
		 * number while another node waits to be heard. */
		if (request == CAPE_REQUEST_EXCHANGE)
			loop_pass(&node->loop);
		else
			loop_turn(&node->loop, request == CAPE_REQUEST_NONE);
		/* The program, which may ask again at once, is to run before this sleeps. */
		if (node->channel->reply != replies)
			loop_yield(&node->loop);
		replies = node->channel->reply;
	}
}

/* Before there is a wire; the signals that are blocked from then on are SIGNALS.  0 or -errno. */
static int start(struct node *node, struct launch *launch, sigset_t *signals)
{
	int error = input_start(node);

	if (!error)
		error = output_start(node);
	if (!error)
		error = launch_prepare(node, launch);
	if (!error)
		error = guard_start(node);
	if (!error)
		error = loop_start(&node->loop);
	block_signals(signals);
	return error;
}

/* Before monitors can tell each other: once on each machine, and cape-run says no more. */
static void tell_start(const struct node *node, const char *why)
{
	const struct fault none = {.kind = FAULT_NONE};
	int folder = folder_hold(node->options.folder);
	char host[HOST_NAME_MAX + 1] = "", reason[1280];

	gethostname(host, sizeof(host) - 1);
	snprintf(reason, sizeof(reason), "cannot start a monitor on %s: %s", host, why);
	if (folder < 0 || folder_note_failure(folder, &none, 1, reason))
		fprintf(stderr, "cape-run: %s\n", reason);
	if (folder >= 0)
		close(folder);
}

/* 0 or -ENOMEM. */
static int start_wire(struct node *node)
{
	node->wire = wire_open(&node->loop);
	if (!node->wire)
		return -ENOMEM;
	node->rank = node->wire->rank;
	node->size = node->wire->size;
	*node->channel = (struct cape_channel){
		.magic = CAPE_CHANNEL_MAGIC,
		.version = CAPE_CHANNEL_VERSION,
		.node = (uint32_t)node->rank,
		.nodes = (uint32_t)node->size,
		.method = (uint32_t)node->options.method,
		.model = (uint32_t)node->options.model,
		.threads = node->options.threads > 0 ? (uint32_t)node->options.threads : 0,
		.flags = exchange_flags(node->options.exchange) |
			 (node->options.statistics ? CAPE_CHANNEL_STATISTICS : 0) |
			 (node->options.profile || node->options.trace ? CAPE_CHANNEL_PROFILING
								       : 0) |
			 (node->options.trace ? CAPE_CHANNEL_TRACE : 0) |
			 (node->options.threads >= 0 ? CAPE_CHANNEL_THREADS : 0) |
			 (node->options.kept ? CAPE_CHANNEL_KEEP : 0) |
			 (node->options.verify ? CAPE_CHANNEL_VERIFY : 0) |
			 (node->options.races ? CAPE_CHANNEL_RACES : 0) |
			 (node->options.terminal ? CAPE_CHANNEL_TERMINAL : 0),
	};
	return 0;
}

/* To cape-run and to the other monitors, which know each other now.  0, or the user was told. */
static int join(struct node *node, const sigset_t *signals)
{
	char why[1024];
	int error = relay_start(node, why, sizeof(why));

	if (error) {
		tell_start(node, why[0] ? why : limits_why(-error, why, sizeof(why)));
		return error;
	}
	error = output_start_receiving(node);
	if (!error)
		error = life_start(node, signals);
	if (!error)
		error = service_start(node);
	if (!error)
		error = fetch_start(node);
	/* Behind the above, which knows whether messages are packed. */
	if (!error)
		error = exchange_start(node);
	if (error)
		tell_start(node, limits_why(-error, why, sizeof(why)));
	return error;
}

static void leave(struct node *node)
{
	save_stop(node);
	restore_stop(node);
	node->wire->ops->close(node->wire);
	trace_stop(node);
	service_stop(node);
	fetch_stop(node);
	exchange_stop(node);
	output_stop(node);
	input_stop(node);
	relay_stop(node);
	life_stop(node);
	loop_stop(&node->loop);
}

static void find_launcher(struct node *node)
{
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", node->parent);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%15s", node->launcher) != 1)
		strcpy(node->launcher, "its launcher");
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	struct node node = {.processor = UINT32_MAX, .board_file = -1, .options.threads = -1};
	struct launch launch;
	sigset_t signals;
	char why[1024];
	int error;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return printf("cape-monitor " CAPE_VERSION "\n") < 0;
	if (argc == 3 && strcmp(argv[1], "--meet") == 0)
		return meet_all(argv[2]);
	if (argc == 3 && strcmp(argv[1], "--become") == 0)
		return wrap_end(argv[2]);
	if (argc == 5 && strcmp(argv[1], "--death") == 0)
		return death_line(argv[2], argv[3], argv[4]);
	node.parent = getppid();
	find_launcher(&node);
	if (!read_options(&node.options, argc, argv)) {
		fprintf(stderr, "cape-monitor: started by cape-run, not by hand\n");
		return 2;
	}
	if (!limits_raise(0, false, why, sizeof(why))) {
		tell_start(&node, why);
		return 1;
	}
	error = start(&node, &launch, &signals);
	if (!error)
		error = start_wire(&node);
	if (error)
		tell_start(&node, limits_why(-error, why, sizeof(why)));
	else
		error = join(&node, &signals);
	if (error) {
		guard_leave(&node);
		return 1;
	}
	relay_stage(&node, START_JOINED);
	profile_prepare(&node);
	placement_tell(&node);
	error = restore_start(&node);
	if (!error)
		error = save_start(&node);
	if (error == -ENOMEM)
		node_fail(&node, 1, "node %d: out of memory", node.rank);
	/* Else it begins nothing with the others, and hears of the end. */
	if (!error)
		launch_program(&node, &launch);
	run(&node);
	error = life_end(&node);
	leave(&node);
	return error;
}
