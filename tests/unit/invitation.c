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
		char state = process_state(process, NULL, 0);

		if (state == 'S' || state == 'Z')
			return state == 'S';
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(strangers_hold_up_nobody),
					   cmocka_unit_test(a_stopped_peer_goes_on)};

	return cmocka_run_group_tests_name("invitation", tests, NULL, NULL);
}
