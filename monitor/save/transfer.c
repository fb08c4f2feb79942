// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * transfer.c - sends a file piece by piece, and receives it.
 *
 * A head says how many bytes follow, in pieces of QUEUE_PIECE.  Whoever cannot read or write any
 * more goes on to the end, with pieces of no size, or without writing them: both count alike.
 */
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file/partial.h"
#include "set.h"
#include "wire/sent.h"

static uint64_t pieces_of(const struct transfer_head *head)
{
	return (head->size + QUEUE_PIECE - 1) / QUEUE_PIECE;
}

/* Bytes of piece WHICH. */
static size_t size_of(const struct transfer_head *head, uint64_t which)
{
	uint64_t left = head->size - which * QUEUE_PIECE;

	return left < QUEUE_PIECE ? left : QUEUE_PIECE;
}

static int fail(struct transfer_answer *answer, int number, const char *what)
{
	answer->error = -number;
	snprintf(answer->reason, sizeof(answer->reason), "%.400s: %s", what, strerror(number));
	return -number;
}

/* -- sending -------------------------------------------------------------------------------- */

static size_t read_piece(struct transfer_out *out, uint64_t which)
{
	size_t size = size_of(&out->head, which);
	ssize_t got = 0;

	if (!out->error)
		got = pread(out->file, queue_bytes(&out->queue, which), size,
			    (off_t)(which * QUEUE_PIECE));
	if (!out->error && got != (ssize_t)size)
		out->error = got < 0 ? -errno : -EIO;
	return out->error ? 0 : size;
}

static void *read_all(void *context)
{
	struct transfer_out *out = context;

	node_leave_processor();
	for (uint64_t i = 0; i < pieces_of(&out->head) && queue_await_room(&out->queue); i++)
		queue_put(&out->queue, read_piece(out, i));
	return NULL;
}

static int open_file(struct transfer_out *out, const char *folder, struct transfer_answer *answer)
{
	char set[SET_PATH_SIZE], path[SET_FILE_SIZE];
	struct stat status;

	set_path(set, folder, out->head.number);
	set_file(path, set, out->head.node);
	out->file = open(path, O_RDONLY | O_CLOEXEC);
	if (out->file < 0 || fstat(out->file, &status) < 0)
		return fail(answer, errno, path);
	out->head.size = (uint64_t)status.st_size;
	return 0;
}

struct transfer_out *transfer_send(struct node *node, const char *folder, uint64_t number,
				   int which, int to, struct transfer_answer *answer)
{
	struct transfer_out *out = calloc(1, sizeof(*out));
	int error;

	*answer = (struct transfer_answer){0};
	if (!out || queue_start(&out->queue) < 0) {
		fail(answer, ENOMEM, "sending a file");
		free(out);
		return NULL;
	}
	out->to = to;
	out->head.number = number;
	out->head.node = which;
	error = open_file(out, folder, answer);
	if (!error) {
		error = pthread_create(&out->thread, NULL, read_all, out);
		if (error)
			fail(answer, error, "cannot start a thread that reads it");
	}
	if (error) {
		if (out->file >= 0)
			close(out->file);
		queue_free(&out->queue);
		free(out);
		return NULL;
	}
	out->is_read = true;
	wire_send(node->wire, &out->head, sizeof(out->head), to, WIRE_TAG_COPY, &out->head_request);
	sent_add(node->channel, CAPE_SENT_SERVICE, sizeof(out->head));
	wire_receive(node->wire, &out->answer, sizeof(out->answer), to, WIRE_TAG_COPIED,
		     &out->answer_request);
	return out;
}

bool transfer_out_look(struct node *node, struct transfer_out *out, bool *moved)
{
	uint64_t taken = out->queue.taken, put = queue_put_count(&out->queue);

	/* Only the loop takes. */
	for (; taken < out->begun; taken++) {
		if (!wire_test(node->wire, &out->request[taken % QUEUE_PIECES]))
			break;
		queue_take(&out->queue);
		*moved = true;
	}
	for (; out->begun < put; out->begun++) {
		size_t size = queue_size(&out->queue, out->begun);

		wire_send(node->wire, queue_bytes(&out->queue, out->begun), size, out->to,
			  WIRE_TAG_COPY, &out->request[out->begun % QUEUE_PIECES]);
		sent_add(node->channel, CAPE_SENT_SERVICE, size);
		*moved = true;
	}
	if (out->queue.taken < pieces_of(&out->head) ||
	    !wire_test(node->wire, &out->head_request) ||
	    !wire_test(node->wire, &out->answer_request))
		return false;
	*moved = true;
	if (out->error)
		fail(&out->answer, -out->error, "cannot read the file to copy it");
	out->answer.reason[sizeof(out->answer.reason) - 1] = '\0';
	return true;
}

void transfer_out_end(struct node *node, struct transfer_out *out)
{
	bool pending;

	queue_end(&out->queue);
	if (out->is_read)
		pthread_join(out->thread, NULL);
	close(out->file);
	wire_give_up(node->wire, &out->answer_request);
	pending = !wire_test(node->wire, &out->head_request) || out->answer_request.pending;
	for (uint64_t i = out->queue.taken; i < out->begun; i++)
		pending |= !wire_test(node->wire, &out->request[i % QUEUE_PIECES]);
	/* In a run that has ended it may be on its way for ever, and its bytes must stay. */
	if (pending)
		return;
	queue_free(&out->queue);
	free(out);
}

/* -- receiving ------------------------------------------------------------------------------ */

static int open_partial(struct transfer_in *in, struct file_partial *partial)
{
	char set[SET_PATH_SIZE], name[SET_NAME_SIZE];
	struct file_error error;
	int failed;

	set_path(set, in->folder, in->head.number);
	set_name(name, in->head.node);
	if (mkdir(set, 0700) < 0 && errno != EEXIST)
		return fail(&in->answer, errno, set);
	failed = file_partial_open(partial, set, name, &error);
	if (failed) {
		in->answer.error = failed;
		snprintf(in->answer.reason, sizeof(in->answer.reason), "%s", error.text);
	}
	return failed;
}

static int write_piece(struct transfer_in *in, const struct file_partial *partial, uint64_t which)
{
	const unsigned char *bytes = queue_bytes(&in->queue, which);
	size_t size = queue_size(&in->queue, which);

	if (size != size_of(&in->head, which))
		return fail(&in->answer, EIO, "the file was not sent whole");
	while (size) {
		ssize_t done = write(partial->file, bytes, size);

		if (done <= 0)
			return fail(&in->answer, done < 0 ? errno : EIO, partial->path);
		bytes += done;
		size -= (size_t)done;
	}
	return 0;
}

static void commit(struct transfer_in *in, struct file_partial *partial)
{
	struct file_error error;

	in->answer.error = file_partial_commit(partial, &error);
	if (in->answer.error)
		snprintf(in->answer.reason, sizeof(in->answer.reason), "%s", error.text);
}

static void *write_all(void *context)
{
	struct transfer_in *in = context;
	struct file_partial partial = {.file = -1, .folder = -1};
	bool open;
	uint64_t i;

	node_leave_processor();
	open = open_partial(in, &partial) == 0;
	for (i = 0; i < pieces_of(&in->head) && queue_await_piece(&in->queue); i++) {
		if (open && write_piece(in, &partial, i) < 0) {
			file_partial_abort(&partial);
			open = false;
		}
		queue_take(&in->queue);
	}
	if (open && i == pieces_of(&in->head))
		commit(in, &partial);
	else if (open)
		file_partial_abort(&partial);
	__atomic_store_n(&in->over, true, __ATOMIC_RELEASE);
	return NULL;
}

static void await_head(struct node *node, struct transfer_in *in)
{
	if (in->files < in->most)
		wire_receive(node->wire, &in->head, sizeof(in->head), in->from, WIRE_TAG_COPY,
			     &in->head_request);
}

int transfer_in_begin(struct node *node, struct transfer_in *in, const char *folder, int from,
		      uint64_t most)
{
	*in = (struct transfer_in){.folder = folder, .from = from, .most = most};
	if (queue_start(&in->queue) < 0)
		return -ENOMEM;
	await_head(node, in);
	return 0;
}

static void begin_file(struct transfer_in *in)
{
	int error;

	in->coming = true;
	in->over = false;
	in->begun = in->received = in->queue.put = in->queue.taken = 0;
	in->answer = (struct transfer_answer){0};
	error = pthread_create(&in->thread, NULL, write_all, in);
	in->is_written = !error;
	if (error)
		fail(&in->answer, error, "cannot start a thread that writes it");
}

static bool receive_pieces(struct node *node, struct transfer_in *in)
{
	uint64_t pieces = pieces_of(&in->head), before = in->received;

	for (; in->received < in->begun; in->received++) {
		struct wire_request *request = &in->request[in->received % QUEUE_PIECES];

		if (!wire_test(node->wire, request))
			break;
		queue_put(&in->queue, request->size);
		if (!in->is_written)
			queue_take(&in->queue);
	}
	for (; in->begun < pieces; in->begun++) {
		if (in->begun - queue_taken_count(&in->queue) >= QUEUE_PIECES)
			break;
		wire_receive(node->wire, queue_bytes(&in->queue, in->begun),
			     size_of(&in->head, in->begun), in->from, WIRE_TAG_COPY,
			     &in->request[in->begun % QUEUE_PIECES]);
	}
	return in->received != before;
}

/* All of it is here, and written, or could not be. */
static void end_file(struct node *node, struct transfer_in *in)
{
	if (in->is_written)
		pthread_join(in->thread, NULL);
	in->is_written = in->coming = false;
	wire_send(node->wire, &in->answer, sizeof(in->answer), in->from, WIRE_TAG_COPIED,
		  &in->answer_request);
	sent_add(node->channel, CAPE_SENT_SERVICE, sizeof(in->answer));
	in->files++;
	await_head(node, in);
}

bool transfer_in_look(struct node *node, struct transfer_in *in)
{
	bool moved = false;

	/* Its sender has the answer to the one before, or would not have begun this. */
	if (!in->coming && in->files < in->most && wire_test(node->wire, &in->answer_request) &&
	    wire_test(node->wire, &in->head_request)) {
		begin_file(in);
		moved = true;
	}
	if (!in->coming)
		return moved;
	moved |= receive_pieces(node, in);
	if (in->received == pieces_of(&in->head) &&
	    (!in->is_written || __atomic_load_n(&in->over, __ATOMIC_ACQUIRE))) {
		end_file(node, in);
		moved = true;
	}
	return moved;
}

bool transfer_in_end(struct node *node, struct transfer_in *in)
{
	bool pending;

	queue_end(&in->queue);
	if (in->is_written)
		pthread_join(in->thread, NULL);
	wire_give_up(node->wire, &in->head_request);
	pending = in->head_request.pending || !wire_test(node->wire, &in->answer_request);
	for (; in->received < in->begun; in->received++) {
		struct wire_request *request = &in->request[in->received % QUEUE_PIECES];

		wire_give_up(node->wire, request);
		pending |= request->pending;
	}
	if (!pending)
		queue_free(&in->queue);
	return !pending;
}
