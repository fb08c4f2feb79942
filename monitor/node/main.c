/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - cape-monitor: one on each node, started by cape-run.
 *
 * Starts the program, then serves it: exchanges at its sync points, passes on what it prints and
 * reads, and sees to it that all programs end together.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "common/complain.h"
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
#include "fetch/peers.h"
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
static bool read_options(struct node_options *options, char **words)
{
	static const struct checkpointer *const checkpointer[] = {CAPE_METHODS(CHECKPOINTER)};
	static const struct protection *const protection[] = {NULL, PROTECTIONS(PROTECTION)};
	char **program = monitor_options_read(&options->monitor, words);

	if (!program || !options->folder)
		return false;
	options->checkpointer = checkpointer[options->method];
	options->protection = protection[options->protect];
	options->program = *program;
	if (*program && options->copy) {
		options->source = *program;
		options->program = copy_path(options->folder, options->source);
	}
	return options->program;
}

/* They come as events; SIGCHLD means that the program has stopped or ended. */
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
		node_fail(node, 1,
			  "node %d: the program makes a request that this monitor does not know",
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
	peers_prepare(node);
	if (!error)
		error = launch_prepare(node, launch);
	if (!error)
		error = guard_start(node);
	if (!error)
		error = loop_start(&node->loop);
	block_signals(signals);
	return error;
}

/* Before monitors can inform each other: once on each machine, and cape-run says no more. */
static void tell_start(const struct node *node, const char *why)
{
	const struct fault none = {.kind = FAULT_NONE};
	int folder = node->options.folder ? folder_hold(node->options.folder) : -1;
	char host[HOST_NAME_MAX + 1] = "", reason[1280];

	gethostname(host, sizeof(host) - 1);
	snprintf(reason, sizeof(reason), "cannot start a monitor on %s: %s", host, why);
	if (folder < 0 || folder_note_failure(folder, &none, 1, reason))
		complain("%s", reason);
	if (folder >= 0)
		close(folder);
}

/* Whether WORDS are options of this version: a machine may have another one installed. */
static bool take_options(struct node *node, char **words)
{
	bool read = read_options(&node->options, words);
	const char *version = node->options.version;
	char why[256];

	if (version && strcmp(version, CAPE_VERSION) != 0) {
		snprintf(why, sizeof(why),
			 "CAPE is version " CAPE_VERSION " there, and version %.64s where cape-run "
			 "was started; install the same version on all machines",
			 version);
		tell_start(node, why);
		return false;
	}
	if (!read || !version)
		fprintf(stderr,
			"cape-monitor: cape-run starts this program; do not start it by hand\n");
	return read && version;
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
		.flags =
			(exchange_flags(node->options.exchange) &
			 ~(node->options.shares_all ? CAPE_CHANNEL_REPLICATE : 0u)) |
			(node->options.statistics ? CAPE_CHANNEL_STATISTICS : 0) |
			(node->options.profile || node->options.trace ? CAPE_CHANNEL_PROFILING
								      : 0) |
			(node->options.trace ? CAPE_CHANNEL_TRACE : 0) |
			(node->size == 1 && node->options.threads >= 0 ? CAPE_CHANNEL_THREADS : 0) |
			(node->options.kept ? CAPE_CHANNEL_KEEP : 0) |
			(node->options.verify ? CAPE_CHANNEL_VERIFY : 0) |
			(node->options.races ? CAPE_CHANNEL_RACES : 0) |
			(node->options.terminal ? CAPE_CHANNEL_TERMINAL : 0),
	};
	return 0;
}

/* To cape-run and to the other monitors, which know each other now.  0, or a message was printed.
 */
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
	if (!error)
		error = peers_start(node);
	/* After the above, which knows whether messages are packed. */
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
	peers_stop(node);
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
	struct node node = {.processor = UINT32_MAX, .board_file = -1};
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
	if (!take_options(&node, argv + 1))
		return 2;
	if (!limits_raise(0, 1, false, why, sizeof(why))) {
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
