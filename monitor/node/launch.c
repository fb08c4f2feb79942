/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c - from a forked child to a running program that is the same on every node.
 *
 * Same addresses need the same binary, no address randomisation, the same environment, arguments
 * and limits, and the same random bytes (they become stack guards): all of node 0's.
 */
#include "launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "channel/methods.h"
#include "common/command.h"
#include "common/complain.h"
#include "common/hash.h"
#include "common/parcel.h"
#include "common/process_state.h"
#include "common/signals.h"
#include "stream/input.h"
#include "stream/relay.h"
#include "capture/checkpointer.h"
#include "capture/protect_choose.h"
#include "capture/trace.h"
#include "save/restore.h"
#include "wire/collective.h"
#include "fetch/peers.h"
#include "copy.h"
#include "wrap.h"

extern char **environ;

/* The program never outlives its tracer, and stops where trace.c wants it to. */
#define TRACE_OPTIONS                                                                              \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE |    \
	 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE)

/*
 * What a program may use of stack, where the user's limit is not more: private arrays lie there,
 * and an endless recursion is to end before it has filled the machine's memory.
 */
#define STACK_SIZE (1ull << 30)
#define STACK_MOST (64ull << 30)

/* What node 0 decides for all. */
struct orders {
	uint64_t stack_size;
	uint64_t file_size;
	uint64_t outer_stack_size; /* in force before */
	uint32_t arguments_size;   /* strings, each with its 0 */
	uint32_t environment_size; /* of those after */
	uint32_t mask;		   /* umask */
	char directory[PATH_MAX];
};

static size_t size_of_strings(const struct orders *orders)
{
	return (size_t)orders->arguments_size + orders->environment_size;
}

/* Read from the monitor's own pipe, so short reads mean that it died. */
static bool read_all(int from, void *to, size_t size)
{
	while (size) {
		ssize_t got = read(from, to, size);

		if (got <= 0)
			return false;
		to = (char *)to + got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_all(int to, const void *from, size_t size)
{
	while (size) {
		ssize_t put = write(to, from, size);

		if (put <= 0)
			return false;
		from = (const char *)from + put;
		size -= (size_t)put;
	}
	return true;
}

/* Different on each rank, or meaningless to the program. */
static bool is_launchers_own(const char *variable)
{
	static const char *const prefix[] = {"OMPI_",
					     "PMIX_",
					     "PRTE_",
					     "ORTE_",
					     "OPAL_",
					     "PMI_",
					     "MPI_",
					     "HYDI_",
					     "_=",
					     "LD_BIND_NOW=",
					     CAPE_KEPT_VARIABLE,
					     CAPE_CHANNEL_VARIABLE "="};

	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (strncmp(variable, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

/* The COUNT strings of FIRST, then those in SIZE bytes, NULL-terminated; or NULL. */
static char **list_of(char *const *first, size_t count, char *strings, size_t size)
{
	size_t room = count + 1, at = 0;
	char **list;

	for (size_t i = 0; i < size; i++)
		room += strings[i] == '\0';
	list = calloc(room, sizeof(*list));
	if (!list)
		return NULL;
	memcpy(list, first, count * sizeof(*list));
	while (at < size) {
		list[count++] = strings + at;
		at += strlen(strings + at) + 1;
	}
	return list;
}

/* In one call, or, before Linux 5.11, in hundreds. */
static void close_at_exec(int first, int last)
{
	if (close_range((unsigned)first, (unsigned)last, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	for (int descriptor = first; descriptor <= last; descriptor++)
		fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/*
 * The sockets to the other programs; in the place of this one, too, something is open: the numbers
 * that the program gets are the same on all nodes.  0 or an errno.
 */
static int place_peers(const struct node *node)
{
	int own = CAPE_PEER_FD + (int)node->channel->node;
	bool any = false;

	for (int i = 0; i < (int)CAPE_PEERS_NODES; i++) {
		if (node->peer_file[i] >= 0 && dup2(node->peer_file[i], CAPE_PEER_FD + i) < 0)
			return errno;
		any |= node->peer_file[i] >= 0;
	}
	return any && dup2(CAPE_NULL_FD, own) < 0 ? errno : 0;
}

/* 0 or an errno. */
static int place_descriptors(const struct node *node, int input)
{
	const struct {
		int from, to;
	} place[] = {
		{node->channel_file, CAPE_CHANNEL_FD},
		{node->bell, CAPE_BELL_FD},
		{node->output[0].write_end, CAPE_STDOUT_FD},
		{node->output[1].write_end, CAPE_STDERR_FD},
		/* Opened as the pipes are: perror() looks, and allocates or not. */
		{open("/dev/null", O_WRONLY), CAPE_NULL_FD},
		{input, STDIN_FILENO},
		{node->channel->node == 0 ? CAPE_STDOUT_FD : CAPE_NULL_FD, STDOUT_FILENO},
		{node->channel->node == 0 ? CAPE_STDERR_FD : CAPE_NULL_FD, STDERR_FILENO},
	};

	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
		if (dup2(place[i].from, place[i].to) < 0)
			return errno;
	if (node->board_file >= 0 && dup2(node->board_file, CAPE_BOARD_FD) < 0)
		return errno;
	close_at_exec(STDERR_FILENO + 1, CAPE_FIRST_FD - 1);
	return place_peers(node);
}

/* What is in force: up to VALUE.  0 or an errno. */
static int set_limit(int resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return errno;
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	return setrlimit(resource, &limit) < 0 ? errno : 0;
}

/* In the child; returns only with an errno. */
static int become_program(const struct node *node, const struct orders *orders, char **arguments,
			  char **environment, int input)
{
	const char *command;
	int error;

	if (chdir(orders->directory) < 0)
		return errno;
	umask((mode_t)orders->mask);
	error = set_limit(RLIMIT_STACK, orders->stack_size);
	if (!error)
		error = set_limit(RLIMIT_FSIZE, orders->file_size);
	if (error)
		return error;
	if (personality(ADDR_NO_RANDOMIZE) < 0)
		return errno;
	signals_give(&(struct signals){node->options.ignored, node->options.blocked});
	error = place_descriptors(node, input);
	if (error)
		return error;
	command = wrap_command(node->options.wrap, (int)node->channel->node);
	if (command)
		return wrap_become(command, node->options.program, arguments, environment);
	execve(node->options.program, arguments, environment);
	return errno;
}

/* The child is to have FILE, if it is one. */
static bool send_file(int file, int to)
{
	bool sent = file >= 0;

	return write_all(to, &sent, sizeof(sent)) && (!sent || parcel_send(to, file) == 0);
}

static bool take_file(int *file, int from)
{
	bool sent;

	if (!read_all(from, &sent, sizeof(sent)))
		return false;
	*file = sent ? parcel_take(from) : -1;
	return !sent || *file >= 0;
}

/* By which its program reaches others; the monitor keeps none. */
static bool send_files(struct node *node, int to)
{
	bool sent = send_file(node->board_file, to);

	for (unsigned i = 0; i < CAPE_PEERS_NODES && sent; i++)
		sent = send_file(node->peer_file[i], to);
	peers_give(node);
	return sent;
}

static bool take_files(struct node *node, int from)
{
	bool taken = take_file(&node->board_file, from);

	for (unsigned i = 0; i < CAPE_PEERS_NODES && taken; i++)
		taken = take_file(&node->peer_file[i], from);
	return taken;
}

/* The child waits here while its parent starts the wire. */
static void run_child(struct node *node, int orders_from, int report_to)
{
	struct orders orders;
	/* Functions are bound at once, so that no node binds one in a region. */
	static char *const own[] = {"LD_BIND_NOW=1", CAPE_CHANNEL_VARIABLE "=1"};
	char *strings, **arguments, **environment;
	int input, error = EIO;
	size_t size;

	if (!take_files(node, orders_from) || !read_all(orders_from, &orders, sizeof(orders)))
		_exit(126);
	size = size_of_strings(&orders);
	strings = malloc(size + 1);
	if (!strings || !read_all(orders_from, strings, size))
		_exit(126);
	strings[size] = '\0';
	arguments = list_of(&node->options.program, 1, strings, orders.arguments_size);
	environment = list_of(own, 2, strings + orders.arguments_size, orders.environment_size);
	input = input_of_program(node);
	if (arguments && environment && input >= 0)
		error = become_program(node, &orders, arguments, environment, input);
	(void)write_all(report_to, &error, sizeof(error));
	_exit(126);
}

/* Some environments allow no descriptor above 1024: the program's lie below that. */
static int make_channel(struct node *node)
{
	node->channel_file = memfd_create("cape-channel", MFD_CLOEXEC);
	if (node->channel_file < 0 || ftruncate(node->channel_file, (off_t)CAPE_CHANNEL_SIZE) < 0)
		return -errno;
	node->channel = mmap(NULL, CAPE_CHANNEL_SIZE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE, node->channel_file, 0);
	if (node->channel == MAP_FAILED)
		return -errno;
	node->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return node->bell < 0 ? -errno : 0;
}

int launch_prepare(struct node *node, struct launch *launch)
{
	int orders[2], report[2], error;
	pid_t monitor = getpid();

	error = make_channel(node);
	if (error)
		return error;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders) < 0 ||
	    pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	launch->child = fork();
	if (launch->child < 0)
		return -errno;
	if (launch->child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != monitor)
			_exit(126);
		close(orders[1]);
		close(report[0]);
		run_child(node, orders[0], report[1]);
	}
	close(orders[0]);
	close(report[1]);
	launch->to_child = orders[1];
	launch->from_child = report[0];
	node->program = launch->child;
	return 0;
}

static bool same_program(struct node *node)
{
	const char *path = node->options.program;
	uint64_t own = hash_of_file(path);
	uint64_t *all = calloc((size_t)node->size, sizeof(*all));
	bool same = true;

	if (!all)
		return node_fail(node, 1, "node %d: out of memory", node->rank);
	node->program_hash = own;
	same = collective_gather_to_all(node->wire, &own, sizeof(own), all) == 0;
	for (int i = 0; i < node->size && same; i++) {
		same = all[i] && all[i] == all[0];
		if (same || node->rank != 0)
			continue;
		if (!all[i])
			node_fail(node, 127,
				  "node %d: cannot read the program %s there; every "
				  "node needs it at the same path",
				  i, path);
		else
			node_fail(node, 126,
				  "node %d: the program %s is not the one that node 0 "
				  "has; copy the same binary to every node",
				  i, path);
	}
	free(all);
	return same && restore_is_program(node, own);
}

/*
 * The value that the user gave VARIABLE ("name=value"), which cape-run may have lent to mpirun;
 * NULL: none.
 */
static const char *users_value(const struct node *node, const char *variable)
{
	const char *value = strchrnul(variable, '=');
	char *kept;

	value += *value == '=';
	if (strcmp(value, node->options.folder) != 0)
		return value;
	if (asprintf(&kept, CAPE_KEPT_VARIABLE "%.*s", (int)(value - 1 - variable), variable) < 0)
		return NULL;
	value = getenv(kept);
	free(kept);
	return value;
}

/* Node 0: the program's arguments, and after them its environment.  NULL: none can be had. */
static char *own_strings(struct node *node, struct orders *orders)
{
	size_t total = 0, used = 0;
	char *arguments = relay_arguments(node, &used), *strings = NULL;

	for (char **at = environ; *at; at++)
		total += strlen(*at) + 1;
	if (arguments)
		strings = realloc(arguments, used + total + 1);
	if (!strings) {
		free(arguments);
		return NULL;
	}
	orders->arguments_size = (uint32_t)used;
	for (char **at = environ; *at; at++) {
		const char *value = is_launchers_own(*at) ? NULL : users_value(node, *at);

		if (!value)
			continue;
		used += (size_t)sprintf(strings + used, "%.*s%s",
					(int)(strchrnul(*at, '=') - *at) + !!strchr(*at, '='), *at,
					value) +
			1;
	}
	orders->environment_size = (uint32_t)used - orders->arguments_size;
	return strings;
}

static char *own_orders(struct node *node, struct orders *orders)
{
	struct rlimit limit;

	memset(orders, 0, sizeof(*orders));
	getrlimit(RLIMIT_STACK, &limit);
	orders->stack_size = limit.rlim_cur < STACK_SIZE ? MIN(limit.rlim_max, STACK_SIZE)
							 : MIN(limit.rlim_cur, STACK_MOST);
	orders->outer_stack_size = limit.rlim_cur;
	orders->mask = node->options.mask;
	orders->file_size = node->options.file_size;
	if (!getcwd(orders->directory, sizeof(orders->directory)))
		strcpy(orders->directory, "/");
	return own_strings(node, orders);
}

/* Whether SIZE bytes are strings, each with its 0. */
static bool are_strings(const char *bytes, size_t size)
{
	return !size || !bytes[size - 1];
}

/* Whether the SIZE bytes at FROM are what ORDERS say. */
static bool are_sound(const struct orders *orders, const char *from, size_t size)
{
	return size_of_strings(orders) == size &&
	       memchr(orders->directory, 0, sizeof(orders->directory)) &&
	       are_strings(from, orders->arguments_size) &&
	       are_strings(from + orders->arguments_size, orders->environment_size);
}

/* What the run was started with: the stack begins with it, and so lies where it lay. */
static char *restored_orders(struct node *node, const void *launch, size_t size,
			     struct orders *orders)
{
	const char *from = (const char *)launch + sizeof(*orders);
	char *strings;

	memset(orders, 0, sizeof(*orders));
	if (size >= sizeof(*orders))
		memcpy(orders, launch, sizeof(*orders));
	size -= sizeof(*orders);
	if (!are_sound(orders, from, size)) {
		memset(orders, 0, sizeof(*orders));
		node_fail_by(node, FAULT_SET, NULL, 1,
			     "the run cannot continue from %s: the saved arguments and environment "
			     "are damaged",
			     node->options.restore);
		return NULL;
	}
	strings = malloc(size + 1);
	if (strings)
		memcpy(strings, from, size);
	return strings;
}

/* For whoever saves the run.  False: out of memory. */
static bool keep_orders(struct node *node, const struct orders *orders, const char *strings)
{
	size_t size = size_of_strings(orders);
	char *bytes = malloc(sizeof(*orders) + size);

	if (!bytes)
		return false;
	memcpy(bytes, orders, sizeof(*orders));
	memcpy(bytes + sizeof(*orders), strings, size);
	node->launch = bytes;
	node->launch_size = sizeof(*orders) + size;
	node->start_folder = ((struct orders *)node->launch)->directory;
	return true;
}

static char *decide(struct node *node, struct orders *orders)
{
	char *strings;
	size_t size = 0;
	void *launch = restore_launch(node, &size);
	strings = launch ? restored_orders(node, launch, size, orders) : own_orders(node, orders);
	free(launch);
	if (strings && keep_orders(node, orders, strings))
		return strings;
	free(strings);
	return NULL;
}

/* Node 0's orders, made known to all. */
static char *agree(struct node *node, struct orders *orders)
{
	const bool decides = node->rank == 0;
	char *strings = decides ? decide(node, orders) : NULL;

	if (collective_broadcast(node->wire, orders, sizeof(*orders), NULL) < 0)
		goto failed;
	if (!decides)
		strings = malloc(size_of_strings(orders) + 1);
	if (!strings ||
	    collective_broadcast(node->wire, strings, size_of_strings(orders), NULL) < 0)
		goto failed;
	if (restore_has_stack(node, orders->stack_size))
		return strings;
failed:
	node_fail(node, 1, "node %d: out of memory", node->rank);
	free(strings);
	return NULL;
}

/* The kernel put 16 random bytes on the program's stack; all nodes get the same instead. */
static bool set_random_bytes(pid_t program)
{
	char path[64];
	Elf64_auxv_t entry;
	bool done = false;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", program);
	file = open(path, O_RDONLY | O_CLOEXEC);
	while (file >= 0 && !done && read(file, &entry, sizeof(entry)) == sizeof(entry)) {
		if (entry.a_type != AT_RANDOM)
			continue;
		/* A guard's low byte must be 0: it then ends a string. */
		done = ptrace(PTRACE_POKEDATA, program, (void *)entry.a_un.a_val,
			      (void *)0x5ca9e1d7b2634f00) == 0 &&
		       ptrace(PTRACE_POKEDATA, program, (void *)(entry.a_un.a_val + 8),
			      (void *)0x3b8d20f6c94e71a5) == 0;
	}
	if (file >= 0)
		close(file);
	return done;
}

/* Of a signal, which is nobody's mistake. */
static void fail_killed(struct node *node, int signal)
{
	node_fail_by(node, FAULT_DIED, NULL, 128 + signal,
		     "node %d: the process that was to become %s was killed by signal %d (%s)",
		     node->rank, node->options.program, signal, strsignal(signal));
}

/* Why the kernel forbids to trace the child. */
static const char *forbidden(const struct node *node, char *text, size_t size)
{
	pid_t tracer = (pid_t)process_number(node->program, "TracerPid", 10);

	if (!tracer)
		return "ptrace is not allowed here";
	snprintf(text, size,
		 "process %d traces it already, and CAPE has to at its start; trace cape-run "
		 "without its children, and the program by --attach, as in --attach 'strace -p'",
		 tracer);
	return text;
}

/* What it asked of the child FAILED with ERROR: a dying one may neither be traced nor spoken to. */
static void fail_to_prepare(struct node *node, const char *what, int error)
{
	siginfo_t end = {.si_pid = 0};
	char why[256];

	if (waitid(P_PID, (id_t)node->program, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    end.si_pid && end.si_code != CLD_EXITED)
		fail_killed(node, end.si_status);
	else if (error == ESRCH || error == EPIPE)
		fail_killed(node, SIGKILL);
	else
		node_fail(node, 126, "node %d: cannot %s %s: %s", node->rank, what,
			  node->options.program,
			  error == EPERM ? forbidden(node, why, sizeof(why)) : strerror(error));
}

/*
 * Whether the child has become the program, or its wait status is in *STATUS; somebody may stop and
 * continue it before, and a command of the user's may be what it becomes first.
 */
static bool await_program(const struct node *node, int *status)
{
	pid_t child = node->program;
	bool wrapped = wrap_command(node->options.wrap, node->rank);

	while (waitpid(child, status, 0) >= 0 && WIFSTOPPED(*status)) {
		int event = *status >> 16, signal = WSTOPSIG(*status);

		if (event == PTRACE_EVENT_EXEC &&
		    (!wrapped || wrap_is_program(child, node->options.program)))
			return true;
		if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		    event == PTRACE_EVENT_CLONE)
			wrap_let_go(child);
		if (event == PTRACE_EVENT_STOP && signal != SIGTRAP)
			ptrace(PTRACE_LISTEN, child, NULL, NULL);
		else
			ptrace(PTRACE_CONT, child, NULL, (void *)(uintptr_t)(event ? 0 : signal));
	}
	return false;
}

/* The child has become something, and that not the program. */
static void tell_wrap(struct node *node)
{
	const char *command = wrap_command(node->options.wrap, node->rank);

	if (command)
		node_fail(node, 126,
			  "node %d: --wrap %s: it has ended, or started the program as a process "
			  "of its own, instead of becoming it; a debugger is for --attach",
			  node->rank, command);
	else
		node_fail(node, 126, "node %d: cannot start %s: it has died", node->rank,
			  node->options.program);
}

/* The program stands at its first instruction, or its child says why not. */
static void let_begin(struct node *node, const struct launch *launch)
{
	const char *command;
	bool traced = true;
	int error, status = 0;

	if (!await_program(node, &status)) {
		node->program_ended = true;
		if (WIFSIGNALED(status))
			fail_killed(node, WTERMSIG(status));
		else if (read_all(launch->from_child, &error, sizeof(error)))
			node_fail(node, 126, "node %d: cannot start %s: %s", node->rank,
				  node->options.program, strerror(error));
		else
			tell_wrap(node);
		return;
	}
	if (!set_random_bytes(node->program)) {
		fail_to_prepare(node, "prepare", errno);
		return;
	}
	command = wrap_command(node->options.attach, node->rank);
	if (command && checkpointer_captures(node->options.checkpointer)) {
		node_fail(node, 2, "--attach: the method %s traces the program itself; use tickpt2",
			  cape_method_name(node->options.method));
		return;
	}
	if (checkpointer_captures(node->options.checkpointer))
		error = trace_start(node);
	else if (command)
		error = wrap_attach(command, node->program, &traced);
	else
		error = ptrace(PTRACE_DETACH, node->program, NULL, NULL) < 0 ? -errno : 0;
	if (error) {
		fail_to_prepare(node, "trace", -error);
		return;
	}
	relay_stage(node, START_BEGUN);
	if (!traced)
		complain("node %d: --attach %s: it ended without tracing the program, which "
			 "continues",
			 node->rank, command);
}

void launch_program(struct node *node, struct launch *launch)
{
	struct orders orders;
	char *strings;

	if ((node->options.source && !copy_program(node)) || !same_program(node))
		return;
	strings = agree(node, &orders);
	node->channel->stack_limit = strings ? orders.outer_stack_size : 0;
	input_prepare(node);
	protect_choose(node);
	if (ptrace(PTRACE_SEIZE, node->program, NULL, (void *)TRACE_OPTIONS) < 0)
		fail_to_prepare(node, "prepare", errno);
	else if (!strings || !send_files(node, launch->to_child) ||
		 !write_all(launch->to_child, &orders, sizeof(orders)) ||
		 !write_all(launch->to_child, strings, size_of_strings(&orders)))
		fail_to_prepare(node, "prepare", EPIPE);
	else
		let_begin(node, launch);
	free(strings);
	close(launch->to_child);
	close(launch->from_child);
	close(node->output[0].write_end);
	close(node->output[1].write_end);
}
