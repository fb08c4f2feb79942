// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fill.c - merge of a file of all memory with the increments that go on from it: what is as before
 * is filled in.
 */
#include "command.h"
#include "content.h"
#include "file/chain.h"

static int put_chain(struct file_writer *writer, void *context, struct file_error *error)
{
	const struct cape_stamp stamp = {0};
	struct file_chain *chain = context;
	struct file_piece piece;
	int failed = content_put_named(writer, file_chain_newest(chain), error);

	while (!failed && !(failed = file_chain_next(chain, &piece, error)) && piece.size)
		failed = piece.bytes ? file_write_memory(writer, stamp, piece.address, piece.bytes,
							 piece.size, error)
				     : file_write_zeros(writer, stamp, piece.address, piece.size,
							error);
	return failed;
}

/* A file that CHAIN does not need is reported rather than ignored. */
static bool needs_all(const struct file_chain *chain, const struct order *order)
{
	int passed = order->files - (int)file_chain_length(chain);

	return !passed || content_wrong("%s: it is not a file that %s depends on: those begin with "
					"%s, of all memory",
					order->file[passed - 1], order->file[order->files - 1],
					order->file[passed]);
}

int command_fill(const struct order *order)
{
	struct file_chain *chain;
	struct file_error error;
	struct file_head head;
	bool good;

	if (order->targets) {
		content_wrong("--op: %s is an increment, which replaces earlier values",
			      order->file[order->files - 1]);
		return STATUS_TROUBLE;
	}
	/* What is replaced, or has but a name, is not read below. */
	for (int i = 0; i < order->files; i++)
		if (!content_verify(order->file[i]))
			return STATUS_TROUBLE;
	if (file_chain_open(&chain, order->file, (size_t)order->files, &error)) {
		content_wrong("%s", error.text);
		return STATUS_TROUBLE;
	}
	head = *file_reader_head(file_chain_newest(chain));
	head.kind = FILE_STATE;
	head.previous = 0;
	good = needs_all(chain, order) && content_make(order->output, &head, put_chain, chain);
	file_chain_close(chain);
	return good ? STATUS_SAME : STATUS_TROUBLE;
}
