/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper.c - capectl and the keeper of another capectl, whose orders are others: neither does what
 * was not meant.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define LONG_ORDER 65536 /* longer than any capectl's */

static char said[4096]; /* by capectl */

static pid_t start_program(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The exit status of capectl COMMAND PID; what it says is in said. */
static int capectl(const char *command, pid_t pid)
{
	char line[64];
	size_t length;
	FILE *out;
	int status;

	snprintf(line, sizeof(line), "capectl %s %d 2>&1", command, pid);
	out = popen(line, "r");
	if (!out)
		abort();
	length = fread(said, 1, sizeof(said) - 1, out);
	said[length] = '\0';
	status = pclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_another_version(void)
{
	const bool is = strstr(said, "of another version of capectl") != NULL;

	if (!is)
		printf("# capectl said: %s", said);
	return is;
}

/* A socket at the place of the keeper of PID. */
static int open_socket(struct sockaddr_un *address, pid_t pid)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "/run/cape/%d.socket", pid);
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Sends LENGTH bytes of zeros with three descriptors, as orders are sent. */
static bool send_zeros(int connection, size_t length)
{
	const int own[3] = {0, 1, 2};
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(own))];
	} control = {.space = {0}};
	struct iovec data = {calloc(1, length), length};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space),
	};
	bool sent;

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(own));
	memcpy(CMSG_DATA(&control.header), own, sizeof(own));
	sent = sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)length;
	free(data.iov_base);
	return sent;
}

/* Of another capectl, whose orders are longer and have no version. */
static void test_asker(void)
{
	pid_t program = start_program();
	struct sockaddr_un address;
	int connection, status;

	check(capectl("lock", program) == 0, "capectl locks a process");
	connection = open_socket(&address, program);
	check(connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		      send_zeros(connection, LONG_ORDER),
	      "an order comes to its keeper that is longer than its own");
	check(recv(connection, &status, sizeof(status), 0) <= 0, "it is not carried out");
	close(connection);
	check(capectl("dirty", program) == 0, "the keeper still obeys its own capectl");
	check(capectl("unlock", program) == 0, "to its end");
	end(program);
}

/* Takes a message, and answers with ANSWER, if it is not 0. */
static void answer_once(int listener, int answer)
{
	char message[256];
	int connection = accept(listener, NULL, NULL);

	if (recv(connection, message, sizeof(message), 0) > 0 && answer)
		send(connection, &answer, sizeof(answer), MSG_NOSIGNAL);
	_exit(0);
}

static void test_keeper(int answer, const char *name)
{
	pid_t program = start_program(), keeper;
	struct sockaddr_un address;
	int listener = open_socket(&address, program);

	mkdir("/run/cape", 0700);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(listener, 1) < 0)
		abort();
	keeper = fork();
	if (keeper == 0)
		answer_once(listener, answer);
	close(listener);
	check(capectl("dirty", program) == 1 && is_another_version(), "%s: capectl says so", name);
	end(keeper);
	unlink(address.sun_path);
	end(program);
}

int main(void)
{
	close(open_device());
	test_asker();
	test_keeper(0, "a keeper that refuses the order, as those before versions do");
	test_keeper(1 << 30, "a keeper of a later version");
	return finish();
}
