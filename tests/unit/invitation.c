// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * invitation.c - peers come in however many strangers are connected, and when they are stopped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/wait.h>

#include "common/clock.c"
#include "common/invitation.c"
#include "common/process_state.c"

#define STRANGERS_HERE 40
#define PEERS	       3
#define NOBODY                                                                                     \
	{                                                                                          \
		{.socket = -1}, {.socket = -1}, {.socket = -1},                                    \
		{                                                                                  \
			.socket = -1                                                               \
		}                                                                                  \
	}

/* A stranger's connection to the host's port on this machine, with REQUEST sent. */
static int stranger(const struct invitation *invitation, const char *request)
{
	struct sockaddr_in6 to = {.sin6_family = AF_INET6,
				  .sin6_port = invitation->port,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in narrow = {.sin_family = AF_INET,
				     .sin_port = invitation->port,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int connection = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(connection, (struct sockaddr *)&narrow, sizeof(narrow)) < 0) {
		close(connection);
		connection = socket(AF_INET6, SOCK_STREAM, 0);
		assert_int_equal(connect(connection, (struct sockaddr *)&to, sizeof(to)), 0);
	}
	assert_true(send(connection, request, strlen(request), MSG_NOSIGNAL) >= 0);
	return connection;
}

/* In a process of its own; 0: the host has let it in. */
static pid_t peer_calls(const struct invitation *invitation, uint32_t number)
{
	pid_t process = fork();
	int error;

	if (process == 0)
		_exit(invitation_accept(invitation, number, &error) < 0);
	return process;
}

static unsigned peers_here(const struct peer *peer)
{
	unsigned count = 0;

	for (int i = 1; i <= PEERS; i++)
		count += peer[i].socket >= 0;
	return count;
}

/* BY_TCP: the peers see no Unix socket of the inviter's. */
static void let_in(bool by_tcp)
{
	struct peer peer[PEERS + 1];
	struct invitation invitation;
	struct inviter inviter;
	int connection[STRANGERS_HERE], status;
	uint64_t started = clock_now();

	inviter_open(&inviter, PEERS, 0, false);
	assert_true(inviter.invitation.port != 0);
	for (int i = 0; i <= PEERS; i++)
		peer[i].socket = -1;
	for (int i = 0; i < STRANGERS_HERE; i++) {
		connection[i] = stranger(&inviter.invitation,
					 i % 2 ? "GET / HTTP/1.1\r\nHost: here\r\n\r\n" : "");
		inviter_hear(&inviter, peer, 0);
	}
	invitation = inviter.invitation;
	if (by_tcp)
		memset(&invitation.neighbourhood, 0xff, sizeof(invitation.neighbourhood));
	for (uint32_t i = 1; i <= PEERS; i++)
		peer_calls(&invitation, i);
	while (peers_here(peer) < PEERS && clock_now() - started < 20000000000u)
		inviter_hear(&inviter, peer, 100);
	assert_int_equal(peers_here(peer), PEERS);
	for (int i = 0; i < PEERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	for (int i = 0; i < STRANGERS_HERE; i++)
		close(connection[i]);
	for (int i = 1; i <= PEERS; i++)
		close(peer[i].socket);
	inviter_close(&inviter);
}

static void strangers_hold_up_nobody(void **state)
{
	(void)state;
	let_in(false);
	let_in(true);
}

/* Soon; a process that has ended does not. */
static bool comes_to_sleep(pid_t process)
{
	for (int i = 0; i < 10000; i++) {
		struct process_state state;

		process_state(process, &state);
		if (state.letter == 'S' || state.letter == 'Z')
			return state.letter == 'S';
		usleep(1000);
	}
	return false;
}

/* Ctrl-Z, and fg: a peer that is stopped while it waits for the answer still gets it. */
static void a_stopped_peer_goes_on(void **state)
{
	struct peer peer[2] = {{.socket = -1}, {.socket = -1}};
	struct inviter inviter;
	pid_t process;
	int status;

	(void)state;
	inviter_open(&inviter, 1, 0, true);
	process = peer_calls(&inviter.invitation, 1);
	for (int i = 0; i < 3; i++) {
		assert_true(comes_to_sleep(process));
		kill(process, SIGSTOP);
		assert_int_equal(waitpid(process, &status, WUNTRACED), process);
		assert_true(WIFSTOPPED(status));
		kill(process, SIGCONT);
	}
	for (int i = 0; i < 100 && peer[1].socket < 0; i++)
		inviter_hear(&inviter, peer, 100);
	assert_true(peer[1].socket >= 0);
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_int_equal(status, 0);
	close(peer[1].socket);
	inviter_close(&inviter);
}

/* A connection to the inviter's Unix socket. */
static int neighbour(const struct invitation *invitation)
{
	int connection = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un address;
	socklen_t size = unix_address(invitation->name, &address);

	assert_int_equal(connect(connection, (struct sockaddr *)&address, size), 0);
	return connection;
}

/* Says SIZE bytes of what a peer says first, who is NUMBER and knows the secret, or does not. */
static void say_hello(int connection, const struct invitation *invitation, uint32_t number,
		      bool knows, size_t size)
{
	struct hello hello = {.number = number};

	memcpy(hello.secret, invitation->from_peer, INVITATION_SECRET);
	hello.secret[INVITATION_SECRET - 1] ^= !knows;
	assert_int_equal(send(connection, &hello, size, MSG_NOSIGNAL), size);
}

static void hear_some(struct inviter *inviter, struct peer *peer)
{
	for (int i = 0; i < 5; i++)
		inviter_hear(inviter, peer, 10);
}

/* Whether the inviter has hung up, and has said nothing. */
static bool is_turned_away(int connection)
{
	unsigned char byte;

	return recv(connection, &byte, 1, MSG_DONTWAIT) == 0 ||
	       (errno == ECONNRESET && recv(connection, &byte, 1, MSG_DONTWAIT) <= 0);
}

static void who_is_no_peer_is_turned_away(void **state)
{
	static const struct {
		uint32_t number;
		bool knows;
	} caller[] = {{0, true}, {PEERS + 1, true}, {UINT32_MAX, true}, {1, false}, {2, false}};
	struct peer peer[PEERS + 1] = NOBODY;
	struct inviter inviter;

	(void)state;
	inviter_open(&inviter, PEERS, 0, true);
	for (size_t i = 0; i < 2 * sizeof(caller) / sizeof(caller[0]); i++) {
		const struct invitation *invitation = &inviter.invitation;
		int connection = i % 2 ? neighbour(invitation) : stranger(invitation, "");

		say_hello(connection, invitation, caller[i / 2].number, caller[i / 2].knows,
			  sizeof(struct hello));
		hear_some(&inviter, peer);
		assert_true(is_turned_away(connection));
		assert_int_equal(peers_here(peer), 0);
		close(connection);
	}
	assert_int_equal(inviter.callers, 0);
	inviter_close(&inviter);
}

/* The first who is node 1 is node 1. */
static void a_second_speaker_is_turned_away(void **state)
{
	struct peer peer[PEERS + 1] = NOBODY;
	struct inviter inviter;
	int connection[2], first = -1;
	unsigned char answer[INVITATION_SECRET];

	(void)state;
	inviter_open(&inviter, PEERS, 0, true);
	for (int i = 0; i < 2; i++) {
		connection[i] = neighbour(&inviter.invitation);
		say_hello(connection[i], &inviter.invitation, 1, true, sizeof(struct hello));
		hear_some(&inviter, peer);
		if (i == 0)
			first = peer[1].socket;
	}
	assert_true(first >= 0);
	assert_int_equal(peer[1].socket, first);
	assert_int_equal(recv(connection[0], answer, sizeof(answer), 0), INVITATION_SECRET);
	assert_true(is_turned_away(connection[1]));
	for (int i = 0; i < 2; i++)
		close(connection[i]);
	close(first);
	inviter_close(&inviter);
}

/* Whoever says half of it, or nothing, for however long, keeps no peer from coming in. */
static void half_a_hello_holds_up_nobody(void **state)
{
	struct peer peer[PEERS + 1] = NOBODY;
	int connection[2 * STRANGERS], status;
	uint64_t started = clock_now();
	struct inviter inviter;

	(void)state;
	inviter_open(&inviter, PEERS, 0, true);
	for (int i = 0; i < 2 * STRANGERS; i++) {
		connection[i] = neighbour(&inviter.invitation);
		say_hello(connection[i], &inviter.invitation, 1, true, sizeof(struct hello) / 2);
		inviter_hear(&inviter, peer, 10);
	}
	for (uint32_t i = 1; i <= PEERS; i++)
		peer_calls(&inviter.invitation, i);
	while (peers_here(peer) < PEERS && clock_now() - started < 20000000000u)
		inviter_hear(&inviter, peer, 100);
	assert_int_equal(peers_here(peer), PEERS);
	for (int i = 0; i < PEERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	/* The rest of it is too late. */
	for (int i = 0; i < 2 * STRANGERS; i++) {
		send(connection[i], "x", 1, MSG_NOSIGNAL);
		close(connection[i]);
	}
	hear_some(&inviter, peer);
	assert_int_equal(inviter.callers, 0);
	for (int i = 1; i <= PEERS; i++)
		close(peer[i].socket);
	inviter_close(&inviter);
}

/* Though it knows the secret. */
static void another_user_is_turned_away(void **state)
{
	struct peer peer[PEERS + 1] = NOBODY;
	struct hello hello = {.number = 1};
	struct inviter inviter;
	pid_t process;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	inviter_open(&inviter, PEERS, 0, true);
	process = fork();
	if (process == 0) {
		int connection;

		if (setuid(65534) < 0)
			_exit(2);
		connection = neighbour(&inviter.invitation);
		memcpy(hello.secret, inviter.invitation.from_peer, INVITATION_SECRET);
		/* The inviter may have hung up by then. */
		send(connection, &hello, sizeof(hello), MSG_NOSIGNAL);
		_exit(recv(connection, &status, 1, 0) > 0);
	}
	while (waitpid(process, &status, WNOHANG) == 0)
		inviter_hear(&inviter, peer, 10);
	assert_int_equal(status, 0);
	assert_int_equal(peers_here(peer), 0);
	inviter_close(&inviter);
}

/* Who answers as somebody else does not get the caller's trust. */
static void an_inviter_without_the_secret_is_left(void **state)
{
	struct peer peer[2] = {{.socket = -1}, {.socket = -1}};
	struct invitation false_one;
	struct inviter inviter;
	pid_t process;
	int status;

	(void)state;
	inviter_open(&inviter, 1, 0, true);
	false_one = inviter.invitation;
	false_one.from_inviter[0] ^= 1;
	process = peer_calls(&false_one, 1);
	while (waitpid(process, &status, WNOHANG) == 0)
		inviter_hear(&inviter, peer, 10);
	assert_int_not_equal(status, 0);
	if (peer[1].socket >= 0)
		close(peer[1].socket);
	inviter_close(&inviter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strangers_hold_up_nobody),
		cmocka_unit_test(a_stopped_peer_goes_on),
		cmocka_unit_test(who_is_no_peer_is_turned_away),
		cmocka_unit_test(a_second_speaker_is_turned_away),
		cmocka_unit_test(half_a_hello_holds_up_nobody),
		cmocka_unit_test(another_user_is_turned_away),
		cmocka_unit_test(an_inviter_without_the_secret_is_left),
	};

	return cmocka_run_group_tests_name("invitation", tests, NULL, NULL);
}
