// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch.c - plays the part of the run time: fetches pages of another node's program, which is at
 * once asked itself, and prints how many came otherwise than they should.
 *
 * Usage: fetch [late | die | unmapped | many | nobody | crooked | twice]
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "channel/fetch.h"

#define PAGES 1024

static struct cape_channel *const channel = (struct cape_channel *)CAPE_CHANNEL_ADDRESS;

static unsigned char byte_of(unsigned node, size_t at)
{
	return (unsigned char)(node * 31 + at + at / CAPE_FETCH_PAGE);
}

static void fetch(unsigned owner, const void *address, unsigned pages)
{
	uint64_t start = (uint64_t)(uintptr_t)address;

	channel->fetch.owner = owner;
	channel->fetch.stretches = 1;
	cape_channel_wanted(channel)[0] =
		(struct cape_range){start, start + pages * CAPE_FETCH_PAGE};
	cape_channel_request(channel, CAPE_REQUEST_FETCH);
}

/* Whether PAGES of another node's memory at OWN do not come. */
static int fetch_wrongly(unsigned owner, const unsigned char *own, unsigned pages)
{
	const unsigned char *came = cape_channel_fetched(channel);
	size_t size = pages * CAPE_FETCH_PAGE, at = 0;

	memset(cape_channel_fetched(channel), 0, size);
	fetch(owner, own, pages);
	while (at < size && came[at] == byte_of(owner, at))
		at++;
	return at != size;
}

/* Entries of the table of pages served that are not those of fetches of 1, 4, 16, ... pages. */
static int check_table(unsigned reader, const unsigned char *own)
{
	const struct cape_served *served = cape_channel_served(channel);
	uint32_t count = __atomic_load_n(&channel->fetch.served, __ATOMIC_ACQUIRE), i = 0;
	int wrong = 0;

	for (uint32_t pages = 1; pages <= PAGES; pages *= 4)
		for (uint32_t k = 0; k < pages; k++, i++)
			wrong += served[i].reader != reader || !served[i].ready ||
				 served[i].address !=
					 (uint64_t)(uintptr_t)(own + k * CAPE_FETCH_PAGE) ||
				 memcmp(cape_channel_served_page(channel, i),
					own + k * CAPE_FETCH_PAGE, CAPE_FETCH_PAGE) != 0;
	return wrong + (count != i);
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* Everybody fetches of the next node; node 0 at last of one that waits at a barrier. */
static int fetch_all(unsigned next, unsigned before, const unsigned char *own)
{
	int wrong = 0;

	for (unsigned pages = 1; pages <= PAGES; pages *= 4)
		wrong += fetch_wrongly(next, own, pages);
#pragma omp barrier
	wrong += check_table(before, own);
	__atomic_store_n(&channel->fetch.served, 0, __ATOMIC_SEQ_CST);
#pragma omp barrier
	if (channel->node == 0)
		nap();
	return wrong + fetch_wrongly(next, own, 1);
}

/* Node 0 is ahead of the others; the last one dies of it if DIES. */
static int fetch_late(unsigned next, const unsigned char *own, int dies)
{
	uint64_t version = channel->fetch.version, one = 1;
	int wrong = 0;

	if (channel->node == 0) {
		channel->fetch.version = version + 1;
		wrong = fetch_wrongly(next, own, 3);
		wrong += cape_channel_fetched(channel)[CAPE_FETCH_PAGE - 1] !=
			 byte_of(next, CAPE_FETCH_PAGE - 1);
	} else {
		wrong = fetch_wrongly(0, own, 7);
		nap();
		wrong += __atomic_load_n(&channel->fetch.served, __ATOMIC_ACQUIRE) != 0;
		if (dies)
			raise(SIGSEGV);
		__atomic_store_n(&channel->fetch.version, version + 1, __ATOMIC_SEQ_CST);
		if (__atomic_exchange_n(&channel->fetch.awaited, 0, __ATOMIC_SEQ_CST))
			wrong += write(CAPE_BELL_FD, &one, sizeof(one)) != sizeof(one);
		else
			wrong++;
	}
#pragma omp barrier
	channel->fetch.version = version;
	return wrong;
}

/* Of a version that the owner does not reach, so that the first answer does not come. */
static void fetch_twice(const unsigned char *own)
{
	uint64_t one = 1;

	channel->fetch.version++;
	channel->fetch.owner = 1;
	channel->fetch.stretches = 1;
	cape_channel_wanted(channel)[0] =
		(struct cape_range){(uintptr_t)own, (uintptr_t)own + CAPE_FETCH_PAGE};
	__atomic_store_n(&channel->request, CAPE_REQUEST_FETCH, __ATOMIC_SEQ_CST);
	if (write(CAPE_BELL_FD, &one, sizeof(one)) != sizeof(one))
		abort();
	nap();
	fetch(1, own, 1);
}

/* Of a program that updates atomically the run time keeps all pages common, and the table alone. */
static unsigned plays;

static int play(const char *what)
{
	_Alignas(4096) unsigned char own[PAGES * CAPE_FETCH_PAGE];
	unsigned next = (channel->node + 1) % channel->nodes;
	unsigned before = (channel->node + channel->nodes - 1) % channel->nodes;
	int wrong = 0;

#pragma omp atomic
	plays++;
	for (size_t at = 0; at < sizeof(own); at++)
		own[at] = byte_of(channel->node, at);
#pragma omp barrier
	if (strcmp(what, "all") == 0)
		wrong = fetch_all(next, before, own);
	else if (strcmp(what, "late") == 0 || strcmp(what, "die") == 0)
		wrong = fetch_late(next, own, what[0] == 'd');
	else if (channel->node > 0)
		nap();
	else if (strcmp(what, "unmapped") == 0)
		fetch(1, (void *)0x10000000000, 2);
	else if (strcmp(what, "many") == 0)
		fetch(1, own, CAPE_FETCH_PAGES + 1);
	else if (strcmp(what, "nobody") == 0)
		fetch(channel->nodes, own, 1);
	else if (strcmp(what, "crooked") == 0)
		fetch(1, own + 8, 1);
	else if (strcmp(what, "twice") == 0)
		fetch_twice(own);
#pragma omp barrier
	channel->fetch.served = 0;
	return wrong;
}

int main(int argc, char **argv)
{
	int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
	wrong += play(argc > 1 ? argv[1] : "all");
	printf("%d wrong\n", wrong);
	return 0;
}
