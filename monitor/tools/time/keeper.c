/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.c - the background process of capectl, and its socket, by which it is asked.
 *
 * Whoever asks says of which version its orders are, and is informed of the keeper's; if that is
 * the same, it sends the order with its own standard streams, and gets the exit status back.
 */
#include "keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "tools/pidfd.h"

#define SUFFIX ".socket"

struct keeper {
	struct attached attached;
	struct sockaddr_un address;
	int listener;
	int signals;
	bool done;
};

/* Where the sockets are; only their owner may enter. */
static void folder_name(char *name, size_t size)
{
	if (geteuid() == 0)
		snprintf(name, size, "/run/cape");
	else
		snprintf(name, size, "/run/user/%u/cape", geteuid());
}

static void socket_address(struct sockaddr_un *address, pid_t pid)
{
	char folder[64];

	folder_name(folder, sizeof(folder));
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "%s/%d" SUFFIX, folder, pid);
}

static int connect_keeper(pid_t pid)
{
	struct sockaddr_un address;
	int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	socket_address(&address, pid);
	if (connection >= 0 &&
	    connect(connection, (struct sockaddr *)&address, sizeof(address)) < 0) {
		close(connection);
		return -1;
	}
	return connection;
}

/* Room for three descriptors, aligned as a control message must be. */
union descriptors {
	struct cmsghdr header;
	char space[CMSG_SPACE(3 * sizeof(int))];
};

static bool send_order(int connection, const struct attached_order *order)
{
	const int own[3] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
	struct iovec data = {(void *)order, sizeof(*order)};
	union descriptors control = {.space = {0}};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(own));
	memcpy(CMSG_DATA(&control.header), own, sizeof(own));
	return sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof(*order);
}

static bool receive_order(int connection, struct attached_order *order, int descriptor[3])
{
	struct iovec data = {order, sizeof(*order)};
	union descriptors control;
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space),
	};
	ssize_t got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	if (!header || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(3 * sizeof(int)))
		return false;
	memcpy(descriptor, CMSG_DATA(header), 3 * sizeof(int));
	if (got == sizeof(*order) && !(message.msg_flags & MSG_TRUNC))
		return true;
	for (size_t i = 0; i < 3; i++)
		close(descriptor[i]);
	return false;
}

/* An exit status: 0 if the keeper takes orders as they are here. */
static int check_version(int connection, const struct attached_order *order,
			 const struct attached_streams *streams)
{
	const int version = ATTACHED_ORDER;
	int other;

	/* One that is older than versions are takes this for a broken order. */
	if (send(connection, &version, sizeof(version), MSG_NOSIGNAL) == sizeof(version) &&
	    recv(connection, &other, sizeof(other), 0) == sizeof(other) && other == version)
		return 0;
	return attached_fail(
		streams,
		"the keeper of process %d is of another version of capectl, or has just "
		"ended; ask it by the capectl that it is of, or end it: that unlocks",
		order->pid);
}

/* An exit status: the keeper's. */
static int ask(int connection, const struct attached_order *order,
	       const struct attached_streams *streams)
{
	int status = check_version(connection, order, streams);

	if (status)
		return status;
	if (send_order(connection, order) &&
	    recv(connection, &status, sizeof(status), 0) == sizeof(status))
		return status;
	return attached_fail(streams, "process %d ended meanwhile, and its keeper with it",
			     order->pid);
}

bool keeper_ask(const struct attached_order *order, const struct attached_streams *streams,
		int *exit_status)
{
	int connection = connect_keeper(order->pid);

	if (connection < 0)
		return false;
	/* Its keeper traces it: while that is there, no other process has its number. */
	if (order->by_pidfd && !pidfd_lives(order->pidfd))
		*exit_status = attached_fail(streams, "process %d has ended", order->pid);
	else
		*exit_status = ask(connection, order, streams);
	close(connection);
	return true;
}

static void carry_out(struct keeper *keeper, const struct attached_order *order,
		      const int descriptor[3], int connection)
{
	struct attached_streams streams = {
		.in = fdopen(descriptor[0], "r"),
		.out = fdopen(descriptor[1], "w"),
		.error = fdopen(descriptor[2], "w"),
	};
	int status = 1;

	if (streams.in && streams.out && streams.error) {
		if (order->command == COMMAND_WATCH || order->command == COMMAND_RECORD)
			status = attached_fail(&streams,
					       "%s: process %d is locked; capectl "
					       "unlock %d first",
					       order->command == COMMAND_WATCH ? "watch" : "record",
					       order->pid, order->pid);
		else
			status = attached_carry_out(&keeper->attached, order, &streams);
		keeper->done = order->command == COMMAND_UNLOCK;
	}
	if (streams.in)
		fclose(streams.in);
	if (streams.out)
		fclose(streams.out);
	if (streams.error)
		fclose(streams.error);
	send(connection, &status, sizeof(status), MSG_NOSIGNAL);
}

/* Is who asks of the same version? */
static bool tell_version(int connection)
{
	const int version = ATTACHED_ORDER;
	int other;
	ssize_t size = recv(connection, &other, sizeof(other), MSG_TRUNC);

	return size == sizeof(other) &&
	       send(connection, &version, sizeof(version), MSG_NOSIGNAL) == sizeof(version) &&
	       other == version;
}

static void serve(struct keeper *keeper)
{
	struct attached_order order = {0};
	int descriptor[3];
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int connection = accept4(keeper->listener, NULL, NULL, SOCK_CLOEXEC);

	if (connection < 0)
		return;
	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	    peer.uid == geteuid() && tell_version(connection) &&
	    receive_order(connection, &order, descriptor))
		carry_out(keeper, &order, descriptor, connection);
	close(connection);
}

static void keep(struct keeper *keeper)
{
	while (!keeper->done && !keeper->attached.tracee.ended) {
		struct pollfd ready[2] = {
			{.fd = keeper->signals, .events = POLLIN},
			{.fd = keeper->listener, .events = POLLIN},
		};
		struct signalfd_siginfo signal;

		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			break;
		while (read(keeper->signals, &signal, sizeof(signal)) == sizeof(signal))
			if (signal.ssi_signo != SIGCHLD)
				keeper->done = true;
		tracee_attend(&keeper->attached.tracee);
		if (ready[1].revents)
			serve(keeper);
	}
}

static int listen_for_orders(struct keeper *keeper, pid_t pid,
			     const struct attached_streams *streams)
{
	char folder[64];

	folder_name(folder, sizeof(folder));
	mkdir(folder, 0700);
	socket_address(&keeper->address, pid);
	unlink(keeper->address.sun_path);
	keeper->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (keeper->listener < 0 ||
	    bind(keeper->listener, (struct sockaddr *)&keeper->address, sizeof(keeper->address)) <
		    0 ||
	    listen(keeper->listener, 16) < 0)
		return attached_fail(streams, "%s: %s", keeper->address.sun_path, strerror(errno));
	return 0;
}

/* SIGCHLD tells that something happened to the process. */
static void take_signals(struct keeper *keeper)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	keeper->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Out of the way of the terminal and of whoever reads capectl's output. */
static void go_to_background(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	(void)!chdir("/");
	for (int descriptor = 0; descriptor < 3; descriptor++)
		dup2(null, descriptor);
	close(null);
}

/* In the child: tells the parent its exit status, and keeps on if that is 0. */
static void run(const struct attached_order *order, const struct attached_streams *streams,
		int report)
{
	struct keeper keeper = {.listener = -1};
	int status;

	take_signals(&keeper);
	status = attached_open(&keeper.attached, order, streams);
	if (status)
		goto out;
	status = attached_carry_out(&keeper.attached, order, streams);
	if (!status)
		status = listen_for_orders(&keeper, order->pid, streams);
	if (status)
		goto out_close;
	go_to_background();
	(void)!write(report, &status, sizeof(status));
	close(report);
	report = -1;
	keep(&keeper);
	unlink(keeper.address.sun_path);
out_close:
	attached_close(&keeper.attached);
out:
	if (report >= 0)
		(void)!write(report, &status, sizeof(status));
	_exit(status);
}

int keeper_start(const struct attached_order *order, const struct attached_streams *streams)
{
	int report[2], status = 1;
	pid_t child;

	fflush(NULL);
	if (pipe2(report, O_CLOEXEC) < 0 || (child = fork()) < 0)
		return attached_fail(streams, "cannot start in the background: %s",
				     strerror(errno));
	if (child == 0) {
		close(report[0]);
		run(order, streams, report[1]);
	}
	close(report[1]);
	if (read(report[0], &status, sizeof(status)) != sizeof(status))
		attached_fail(streams, "the keeper of process %d has died", order->pid);
	close(report[0]);
	return status;
}

void keeper_each(void (*visit)(void *context, pid_t pid), void *context)
{
	struct dirent *entry;
	char folder[64];
	DIR *sockets;

	folder_name(folder, sizeof(folder));
	sockets = opendir(folder);
	while (sockets && (entry = readdir(sockets))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		int connection;

		if (pid <= 0 || strcmp(end, SUFFIX) != 0)
			continue;
		connection = connect_keeper((pid_t)pid);
		if (connection < 0)
			continue;
		close(connection);
		visit(context, (pid_t)pid);
	}
	if (sockets)
		closedir(sockets);
}
