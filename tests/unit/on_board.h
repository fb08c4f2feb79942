/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * on_board.h - a program's channel and a board, as a program finds them, for tests of the board.
 */
#ifndef CAPE_TEST_ON_BOARD_H
#define CAPE_TEST_ON_BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "channel/board.c"
#include "channel/board_book.c"
#include "channel/board_log.c"
#include "channel/book.c"

static struct cape_channel *channel;

static void make_channel(uint32_t node, uint32_t nodes)
{
	channel = mmap(NULL, CAPE_CHANNEL_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(channel, MAP_FAILED);
	channel->node = node;
	channel->nodes = nodes;
	channel->board.open = 1;
	channel->board.spin = node % 2;
}

/* At CAPE_BOARD_FD. */
static void make_board(void)
{
	int file = memfd_create("board", 0);

	assert_int_equal(ftruncate(file, (off_t)CAPE_NEAR_FILE_SIZE), 0);
	assert_int_equal(dup2(file, CAPE_BOARD_FD), CAPE_BOARD_FD);
	close(file);
}

#endif
