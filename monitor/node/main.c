/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - cape-monitor: one on each node, started by cape-run through mpirun.
 *
 * Starts the program, then serves it: exchanges at its sync points, passes on what it prints and
 * reads, and sees to it that all programs end together.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "common/command.h"
#include "common/folder.h"
#include "conflict.h"
#include "common/limits.h"
#include "exchange.h"
#include "guard.h"
#include "stream/input.h"
#include "launch.h"
#include "life.h"
#include "base/clock.h"
#include "base/node.h"
#include "stream/output.h"
#include "patience.h"
#include "stream/relay.h"
#include "service/service.h"
#include "capture/checkpointer.h"
#include "capture/protect.h"
#include "capture/trace.h"

/*
 * How long a monitor sleeps before it looks for messages of others, in milliseconds: the longer
 * nothing happens, the longer, so that it takes next to nothing from a program that computes.
 */
#define SHORTEST_LOOK 1
#define LONGEST_LOOK  25

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
	} else {
		options->protection = protection[atoi(text)];
	}
}

static bool read_options(struct node_options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{"method", required_argument, NULL, 'm'},
		{"model", required_argument, NULL, 'o'},
		{"protect", required_argument, NULL, 'p'},
		{"verify", no_argument, NULL, 'v'},
		{"races", no_argument, NULL, 'r'},
		{"stats", required_argument, NULL, 's'},
		{"stdin-file", no_argument, NULL, 'f'},
		{"terminal", no_argument, NULL, 't'},
		{"lost-after", required_argument, NULL, 'l'},
		{"one-output", no_argument, NULL, '1'},
		{"folder", required_argument, NULL, 'd'},
		{"umask", required_argument, NULL, 'u'},
		{"file-size", required_argument, NULL, 'z'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "+", known, NULL)) >= 0) {
		if (option == 'v')
			options->verify = true;
		else if (option == 'r')
			options->races = true;
		else if (option == 'm' || option == 'o' || option == 'p')
			read_choice(options, option, optarg);
		else if (option == 't')
			options->terminal = true;
		else if (option == 'l')
			options->lost_after = atoi(optarg);
		else if (option == 'u')
			options->mask = (mode_t)atoi(optarg);
		else if (option == 'z')
			options->file_size = (rlim_t)atoll(optarg);
		else if (option == 'd')
			options->folder = optarg;
		else if (option == '1')
			options->one_output = true;
		else if (option == 'f')
			options->input_is_file = true;
		else if (option == 's')
			options->statistics = strcmp(optarg, "json") == 0 ? NODE_STATISTICS_JSON
									  : NODE_STATISTICS_TABLE;
		else
			return false;
	}
	if (!options->checkpointer)
		return false;
	options->program = argv + optind;
	for (char **word = options->program; *word; word++)
		if (*(*word)++ != CAPE_WORD_VEIL)
			return false;
	return optind < argc && options->folder;
}

/* Signals come as events; SIGCHLD wakes the monitor when its program has ended. */
static int start_events(struct node *node)
{
	int descriptor[2];
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	node->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	node->events = epoll_create1(EPOLL_CLOEXEC);
	if (node->signals < 0 || node->events < 0)
		return -errno;
	descriptor[0] = node->signals;
	descriptor[1] = node->bell;
	for (int i = 0; i < 2; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor[i]};

		if (epoll_ctl(node->events, EPOLL_CTL_ADD, descriptor[i], &event) < 0)
			return -errno;
	}
	return 0;
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
	default:
		node_fail(node, 1, "node %d: the program asks for what this monitor does not know",
			  node->rank);
	}
}

/* Whether something moved that no event tells of. */
static bool look_around(struct node *node)
{
	bool moved = output_look(node);

	moved |= input_look(node);
	life_look(node);
	service_look(node);
	return moved;
}

/* The request itself is in the channel. */
static void silence_bell(const struct node *node)
{
	uint64_t rings;

	if (read(node->bell, &rings, sizeof(rings)) < 0)
		return;
}

/* Sync points come fast; the rest of the world is looked at between them, now and then. */
static void run(struct node *node)
{
	int interval = SHORTEST_LOOK;
	uint32_t replies = 0;
	uint64_t looked = 0;

	while (!life_over(node)) {
		struct epoll_event event[8];
		enum cape_channel_request request = cape_channel_take(node->channel, true);
		bool other = false;
		int count = 0;

		if (request)
			serve(node, request);
		/* An exchange keeps all nodes in step; of other requests a program may make any
		 * number while another node waits to be heard. */
		if (request != CAPE_REQUEST_EXCHANGE)
			count = epoll_wait(node->events, event, 8, request ? 0 : interval);
		for (int i = 0; i < count; i++) {
			if (event[i].data.fd == node->bell)
				silence_bell(node);
			else if (event[i].data.fd == node->service_events)
				service_serve(node);
			else if (event[i].data.fd == node->signals && node->trace)
				life_look_at_program(node);
			else
				other = true;
		}
		/* The program, which may ask again at once, is to run before this sleeps. */
		if (node->channel->reply != replies)
			sched_yield();
		replies = node->channel->reply;
		if (count > 0 || request)
			interval = SHORTEST_LOOK;
		else if (interval < LONGEST_LOOK)
			interval = 2 * interval < LONGEST_LOOK ? 2 * interval : LONGEST_LOOK;
		other |= count == 0 && !request;
		if (other || clock_now() - looked > LONGEST_LOOK * 1000000ull) {
			if (look_around(node))
				interval = SHORTEST_LOOK;
			looked = clock_now();
		}
	}
}

static int start(struct node *node, struct launch *launch)
{
	int error = input_start(node);

	if (!error)
		error = output_start(node);
	if (!error)
		error = launch_prepare(node, launch);
	if (!error)
		error = guard_start(node);
	if (!error)
		error = start_events(node);
	return error;
}

/* Before MPI is there: once on each machine, and cape-run says no more. */
static void tell_start(const struct node *node, const char *why)
{
	int folder = folder_hold(node->options.folder);
	char host[HOST_NAME_MAX + 1] = "", reason[1280];

	gethostname(host, sizeof(host) - 1);
	snprintf(reason, sizeof(reason), "cannot start a monitor on %s: %s", host, why);
	if (folder < 0 || folder_note_status(folder, FOLDER_FAILED, 1, reason))
		fprintf(stderr, "cape-run: %s\n", reason);
	if (folder >= 0)
		close(folder);
}

/* 0 or -ENOMEM. */
static int start_wire(struct node *node)
{
	node->wire = wire_mpi_open(patience_idle, node);
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
		.flags = (node->options.statistics ? CAPE_CHANNEL_STATISTICS : 0) |
			 (node->options.verify ? CAPE_CHANNEL_VERIFY : 0) |
			 (node->options.races ? CAPE_CHANNEL_RACES : 0) |
			 (node->options.terminal ? CAPE_CHANNEL_TERMINAL : 0),
	};
	return 0;
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
	struct node node = {.processor = UINT32_MAX, .service_events = -1};
	struct launch launch;
	char why[1024];
	int error;

	node.parent = getppid();
	find_launcher(&node);
	if (!read_options(&node.options, argc, argv)) {
		fprintf(stderr, "cape-monitor: started by cape-run, not by hand\n");
		return 2;
	}
	if (!limits_raise(0, why, sizeof(why))) {
		tell_start(&node, why);
		return 1;
	}
	error = start(&node, &launch);
	if (!error)
		error = start_wire(&node);
	if (error) {
		tell_start(&node, limits_why(-error, why, sizeof(why)));
		guard_leave(&node);
		return 1;
	}
	error = relay_start(&node, why, sizeof(why));
	if (error) {
		fprintf(stderr, "cape-run: %s\n", why[0] ? why : strerror(-error));
		return 1;
	}
	if (life_start(&node) < 0 || exchange_start(&node) < 0 ||
	    output_start_receiving(&node) < 0) {
		fprintf(stderr, "cape-monitor: out of memory\n");
		guard_leave(&node);
		return 1;
	}
	error = service_start(&node);
	if (error) {
		fprintf(stderr, "cape-monitor: cannot serve other monitors: %s\n",
			strerror(-error));
		guard_leave(&node);
		return 1;
	}
	launch_program(&node, &launch);
	run(&node);
	error = life_end(&node);
	node.wire->ops->close(node.wire);
	trace_stop(&node);
	service_stop(&node);
	exchange_stop(&node);
	output_stop(&node);
	input_stop(&node);
	relay_stop(&node);
	life_stop(&node);
	return error;
}
