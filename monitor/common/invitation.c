// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * invitation.c - listening and calling, over a Unix socket where both are at home, else by TCP.
 */
#include "invitation.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <arpa/inet.h>
#include <unistd.h>
#include "common/clock.h"

#define CONNECT_NS	5000000000ull
#define WELCOME_SECONDS 2
/* Here nobody else listens, but the inviter may be stopped for a while. */
#define WELCOME_SECONDS_HERE 60
#define UNIX_BUFFER	     (1 << 20)
#define STRANGERS	     64 /* undecided callers, besides one for each peer */

/* What a caller says first. */
struct hello {
	uint32_t number;
	unsigned char secret[INVITATION_SECRET];
	char host[INVITATION_HOST];
};

struct caller {
	int socket;
	size_t got;
	struct hello hello;
};

static void find_neighbourhood(struct neighbourhood *here)
{
	int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	struct stat status;

	memset(here, 0, sizeof(*here));
	if (file >= 0) {
		if (read(file, here->boot, sizeof(here->boot) - 1) < 0)
			here->boot[0] = '\0';
		close(file);
	}
	if (stat("/proc/self/ns/net", &status) == 0) {
		here->network[0] = status.st_dev;
		here->network[1] = status.st_ino;
	}
}

static socklen_t unix_address(const char *name, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address->sun_path + 1, name, strlen(name));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static struct in6_addr mapped(struct in_addr address)
{
	struct in6_addr wide = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

	memcpy(&wide.s6_addr[12], &address, sizeof(address));
	return wide;
}

/* Addresses that others can call; ones that need the name of an interface they cannot. */
static void find_addresses(struct invitation *invitation)
{
	struct ifaddrs *list, *at;

	if (getifaddrs(&list) < 0)
		return;
	for (at = list; at && invitation->addresses < INVITATION_ADDRESSES; at = at->ifa_next) {
		struct in6_addr *address = &invitation->address[invitation->addresses];

		if (!at->ifa_addr || !(at->ifa_flags & IFF_UP) || at->ifa_flags & IFF_LOOPBACK)
			continue;
		if (at->ifa_addr->sa_family == AF_INET)
			*address = mapped(((struct sockaddr_in *)at->ifa_addr)->sin_addr);
		else if (at->ifa_addr->sa_family == AF_INET6)
			*address = ((struct sockaddr_in6 *)at->ifa_addr)->sin6_addr;
		else
			continue;
		if (!IN6_IS_ADDR_LINKLOCAL(address))
			invitation->addresses++;
	}
	freeifaddrs(list);
}

static int listen_unix(struct invitation *invitation, int backlog)
{
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	uint64_t number[2];
	socklen_t size;

	if (listening < 0 || getrandom(number, sizeof(number), 0) != sizeof(number))
		return listening;
	snprintf(invitation->name, sizeof(invitation->name), "cape-%016llx%08x",
		 (unsigned long long)number[0], (unsigned)number[1]);
	size = unix_address(invitation->name, &address);
	if (bind(listening, (struct sockaddr *)&address, size) == 0 &&
	    listen(listening, backlog) == 0)
		return listening;
	invitation->name[0] = '\0';
	close(listening);
	return -1;
}

/* Both kinds of addresses at once, or IPv4 where there is no other; HERE: for this machine only. */
static int listen_tcp(struct invitation *invitation, int backlog, bool here)
{
	union {
		struct sockaddr any;
		struct sockaddr_in narrow;
		struct sockaddr_in6 wide;
	} address = {.wide = {.sin6_family = AF_INET6}};
	int listening = here ? -1 : socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(address.wide);
	int off = 0;

	if (listening < 0 ||
	    setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0 ||
	    bind(listening, &address.any, size) < 0) {
		if (listening >= 0)
			close(listening);
		address.narrow = (struct sockaddr_in){
			.sin_family = AF_INET,
			.sin_addr.s_addr = htonl(here ? INADDR_LOOPBACK : INADDR_ANY),
		};
		size = sizeof(address.narrow);
		listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (listening < 0 || bind(listening, &address.any, size) < 0)
			goto failed;
	}
	if (listen(listening, backlog) < 0 || getsockname(listening, &address.any, &size) < 0)
		goto failed;
	invitation->port = address.any.sa_family == AF_INET6 ? address.wide.sin6_port
							     : address.narrow.sin_port;
	return listening;
failed:
	if (listening >= 0)
		close(listening);
	return -1;
}

void inviter_open(struct inviter *inviter, uint32_t peers, uint32_t lost_after, bool here)
{
	struct invitation *invitation = &inviter->invitation;

	memset(inviter, 0, sizeof(*inviter));
	inviter->peers = peers;
	invitation->lost_after = lost_after;
	inviter->most = (size_t)peers + STRANGERS;
	inviter->caller = calloc(inviter->most, sizeof(*inviter->caller));
	inviter->listening[0] = inviter->listening[1] = -1;
	if (!inviter->caller ||
	    getrandom(invitation->from_peer, INVITATION_SECRET, 0) != INVITATION_SECRET ||
	    getrandom(invitation->from_inviter, INVITATION_SECRET, 0) != INVITATION_SECRET)
		return;
	find_neighbourhood(&invitation->neighbourhood);
	gethostname(invitation->host, sizeof(invitation->host) - 1);
	if (!here)
		find_addresses(invitation);
	inviter->listening[0] = listen_unix(invitation, (int)peers);
	inviter->listening[1] = listen_tcp(invitation, (int)peers, here);
}

/*
 * A machine or a line that fails says nothing: the kernels ask each other, whatever their processes
 * do, and give up after SECONDS without an answer.
 */
static void watch_line(int connection, int seconds)
{
	int often = seconds > 4 ? seconds / 4 : 1, milliseconds = seconds * 1000, on = 1;

	setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &often, sizeof(often));
	setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &often, sizeof(often));
	setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof(milliseconds));
}

static void prepare(const struct invitation *invitation, int connection)
{
	int on = 1;

	fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK);
	if (setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0) {
		if (invitation->lost_after)
			watch_line(connection, (int)invitation->lost_after);
		return;
	}
	/* A Unix socket holds nothing back, but does not grow as TCP does either. */
	setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &(int){UNIX_BUFFER}, sizeof(int));
}

static void hang_up(struct inviter *inviter, size_t which)
{
	if (inviter->caller[which].socket >= 0)
		close(inviter->caller[which].socket);
	inviter->callers--;
	memmove(&inviter->caller[which], &inviter->caller[which + 1],
		(inviter->callers - which) * sizeof(*inviter->caller));
}

/* Whom the kernel names as another user is none of the run. */
static bool is_other_user(int caller)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int domain;
	socklen_t domain_size = sizeof(domain);

	return getsockopt(caller, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) == 0 &&
	       domain == AF_UNIX &&
	       (getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
		peer.uid != geteuid());
}

/* Where too many are undecided, the one that has been so for longest goes. */
static void accept_caller(struct inviter *inviter, int listening)
{
	int caller = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (caller < 0)
		return;
	if (is_other_user(caller)) {
		close(caller);
		return;
	}
	if (inviter->callers == inviter->most)
		hang_up(inviter, 0);
	inviter->caller[inviter->callers++] = (struct caller){.socket = caller};
}

/* Whether the caller has decided itself: it is a peer, or not one. */
static bool hear_caller(const struct inviter *inviter, struct caller *caller, struct peer *peer)
{
	ssize_t got = recv(caller->socket, (char *)&caller->hello + caller->got,
			   sizeof(caller->hello) - caller->got, MSG_DONTWAIT);
	uint32_t number;

	if (got < 0)
		return errno != EAGAIN && errno != EINTR;
	caller->got += (size_t)got;
	if (got == 0)
		return true;
	if (caller->got < sizeof(caller->hello))
		return false;
	number = caller->hello.number;
	if (memcmp(caller->hello.secret, inviter->invitation.from_peer, INVITATION_SECRET) != 0 ||
	    number == 0 || number > inviter->peers || peer[number].socket >= 0 ||
	    send(caller->socket, inviter->invitation.from_inviter, INVITATION_SECRET,
		 MSG_NOSIGNAL) != INVITATION_SECRET)
		return true;
	prepare(&inviter->invitation, caller->socket);
	peer[number].socket = caller->socket;
	memcpy(peer[number].host, caller->hello.host, INVITATION_HOST - 1);
	caller->socket = -1;
	return true;
}

void inviter_hear(struct inviter *inviter, struct peer *peer, int patience)
{
	size_t callers = inviter->callers;
	struct pollfd poll_list[2 + callers];

	for (size_t i = 0; i < 2 + callers; i++)
		poll_list[i] = (struct pollfd){
			.fd = i < 2 ? inviter->listening[i] : inviter->caller[i - 2].socket,
			.events = POLLIN,
		};
	if (poll(poll_list, 2 + callers, patience) <= 0)
		return;
	for (size_t i = callers; i-- > 0;)
		if (poll_list[2 + i].revents && hear_caller(inviter, &inviter->caller[i], peer))
			hang_up(inviter, i);
	for (size_t i = 0; i < 2; i++)
		if (poll_list[i].revents)
			accept_caller(inviter, inviter->listening[i]);
}

void inviter_close(struct inviter *inviter)
{
	while (inviter->callers)
		hang_up(inviter, inviter->callers - 1);
	free(inviter->caller);
	for (size_t i = 0; i < 2; i++)
		if (inviter->listening[i] >= 0)
			close(inviter->listening[i]);
}

/* Both sides show what they know, the inviter within SECONDS.  0 or -errno. */
static int introduce(const struct invitation *invitation, uint32_t number, int connection,
		     int seconds)
{
	struct hello hello = {.number = number};
	struct timeval patience = {.tv_sec = seconds};
	unsigned char answer[INVITATION_SECRET];
	ssize_t got;

	memcpy(hello.secret, invitation->from_peer, INVITATION_SECRET);
	gethostname(hello.host, sizeof(hello.host) - 1);
	fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) & ~O_NONBLOCK);
	setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(connection, &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello))
		return -errno;
	/* With a limit a call is not begun again when the caller was stopped, as by Ctrl-Z. */
	do
		got = recv(connection, answer, sizeof(answer), MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (got != INVITATION_SECRET ||
	    memcmp(answer, invitation->from_inviter, INVITATION_SECRET) != 0)
		return -EPROTO;
	return 0;
}

static int call_unix(const struct invitation *invitation, uint32_t number)
{
	int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t size = unix_address(invitation->name, &address);

	if (connection < 0)
		return -1;
	if (connect(connection, (struct sockaddr *)&address, size) == 0 &&
	    !is_other_user(connection) &&
	    introduce(invitation, number, connection, WELCOME_SECONDS_HERE) == 0)
		return connection;
	close(connection);
	return -1;
}

static int begin_call(const struct in6_addr *to, uint16_t port)
{
	struct sockaddr_in narrow = {.sin_family = AF_INET, .sin_port = port};
	struct sockaddr_in6 wide = {.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = *to};
	bool is_narrow = IN6_IS_ADDR_V4MAPPED(to);
	int connection = socket(is_narrow ? AF_INET : AF_INET6,
				SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	memcpy(&narrow.sin_addr, &to->s6_addr[12], sizeof(narrow.sin_addr));
	if (connection < 0)
		return -1;
	error = is_narrow ? connect(connection, (struct sockaddr *)&narrow, sizeof(narrow))
			  : connect(connection, (struct sockaddr *)&wide, sizeof(wide));
	if (error == 0 || errno == EINPROGRESS)
		return connection;
	close(connection);
	return -1;
}

/* All addresses are called at once; the first that answers as node 0 does is taken. */
static int call_tcp(const struct invitation *invitation, uint32_t number, int *error)
{
	uint64_t deadline = clock_now() + CONNECT_NS;
	struct pollfd call[INVITATION_ADDRESSES];
	uint32_t count = invitation->addresses, open = 0;
	int taken = -1;

	*error = -EHOSTUNREACH;
	for (uint32_t i = 0; i < count; i++) {
		call[i].fd = begin_call(&invitation->address[i], invitation->port);
		call[i].events = POLLOUT;
		open += call[i].fd >= 0;
	}
	while (taken < 0 && open) {
		uint64_t now = clock_now();
		int ready =
			now < deadline ? poll(call, count, (int)((deadline - now) / 1000000)) : 0;

		if (ready < 0)
			continue;
		if (ready == 0) {
			*error = -ETIMEDOUT;
			break;
		}
		for (uint32_t i = 0; i < count && taken < 0; i++) {
			socklen_t size = sizeof(*error);

			if (call[i].fd < 0 || !call[i].revents)
				continue;
			getsockopt(call[i].fd, SOL_SOCKET, SO_ERROR, error, &size);
			*error =
				*error ? -*error
				       : introduce(invitation, number, call[i].fd, WELCOME_SECONDS);
			if (*error)
				close(call[i].fd);
			else
				taken = call[i].fd;
			call[i].fd = -1;
			open--;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (call[i].fd >= 0)
			close(call[i].fd);
	return taken;
}

void invitation_explain(const struct invitation *invitation, int error, char *why, size_t size)
{
	int used = snprintf(why, size, "port %d of host %s (", ntohs(invitation->port),
			    invitation->host);

	for (uint32_t i = 0; i < invitation->addresses && used > 0 && (size_t)used < size; i++) {
		const struct in6_addr *address = &invitation->address[i];
		bool narrow = IN6_IS_ADDR_V4MAPPED(address);
		char text[INET6_ADDRSTRLEN] = "";

		inet_ntop(narrow ? AF_INET : AF_INET6,
			  narrow ? &address->s6_addr[12] : &address->s6_addr[0], text,
			  sizeof(text));
		used += snprintf(why + used, size - (size_t)used, "%s%s", i ? ", " : "", text);
	}
	if (used > 0 && (size_t)used < size)
		snprintf(why + used, size - (size_t)used, "): %s; let TCP pass", strerror(-error));
}

int invitation_accept(const struct invitation *invitation, uint32_t number, int *error)
{
	struct neighbourhood here;
	struct invitation loopback = *invitation;
	int connection = -1;

	*error = 0;
	find_neighbourhood(&here);
	if (memcmp(&here, &invitation->neighbourhood, sizeof(here)) == 0) {
		connection = call_unix(invitation, number);
		loopback.addresses = 1;
		loopback.address[0] = mapped((struct in_addr){htonl(INADDR_LOOPBACK)});
		if (connection < 0)
			connection = call_tcp(&loopback, number, error);
	}
	if (connection < 0)
		connection = call_tcp(invitation, number, error);
	if (connection >= 0)
		prepare(invitation, connection);
	return connection;
}

char *invitation_text(const struct invitation *invitation)
{
	const unsigned char *byte = (const unsigned char *)invitation;
	char *text = malloc(2 * sizeof(*invitation) + 1);

	for (size_t i = 0; text && i < sizeof(*invitation); i++)
		snprintf(text + 2 * i, 3, "%02x", byte[i]);
	return text;
}

bool invitation_read(struct invitation *invitation, const char *text)
{
	unsigned char *byte = (unsigned char *)invitation;

	if (strlen(text) != 2 * sizeof(*invitation))
		return false;
	for (size_t i = 0; i < sizeof(*invitation); i++)
		if (sscanf(text + 2 * i, "%2hhx", &byte[i]) != 1)
			return false;
	return invitation->addresses <= INVITATION_ADDRESSES;
}
