// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * combine.c - merge and exclude: the arithmetic of checkpoints (thesis, chapter 3), on files.
 *
 * A value that --op names is taken out of each checkpoint that has it, and becomes an operand of a
 * reduction there; merging keeps operands, in the order of nodes, and at the end they are combined.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "checkpoint/reduction.h"
#include "command.h"
#include "content.h"
#include "nodes.h"
#include "paper/merge.h"
#include "save/set.h"

static bool reported(int error, const char *path)
{
	return !error || content_wrong("%s: %s", path, strerror(-error));
}

static bool has_any(const struct cape_checkpoint *checkpoint, uint64_t address, uint64_t size)
{
	struct content_cursor cursor = {.checkpoint = checkpoint};

	for (uint64_t i = 0; i < size; i++)
		if (content_bytes(&cursor, address + i, 1))
			return true;
	return false;
}

static int remove_element(struct cape_checkpoint *checkpoint, uint64_t address, uint64_t size)
{
	static const unsigned char any[64];
	struct cape_checkpoint hole;
	int error;

	cape_checkpoint_init(&hole, &cape_memory_heap);
	error = cape_checkpoint_append(&hole, (struct cape_member){address, size, {0, 0}}, any);
	if (!error)
		error = cape_checkpoint_exclude(checkpoint, &hole);
	cape_checkpoint_free(&hole);
	return error;
}

static struct cape_stamp stamp_at(const struct cape_checkpoint *checkpoint, uint64_t address)
{
	size_t i = 0;

	while (address - checkpoint->member[i].address >= checkpoint->member[i].length)
		i++;
	return checkpoint->member[i].stamp;
}

/* The value that TARGET names becomes an operand, if it is there. */
static bool take_out(struct cape_checkpoint *checkpoint, const struct target *target,
		     const char *path)
{
	struct content_cursor cursor = {.checkpoint = checkpoint};
	size_t size = cape_type_size(target->type);
	const unsigned char *bytes = content_bytes(&cursor, target->address, size);
	struct cape_operand operand = {target->address, 1, target->op, target->type, {0, 0}};
	unsigned char value[64];
	int error;

	if (!bytes && has_any(checkpoint, target->address, size))
		return content_wrong("%s: of the value at %#" PRIx64 " it holds a part only", path,
				     target->address);
	if (!bytes)
		return true;
	memcpy(value, bytes, size);
	operand.stamp = stamp_at(checkpoint, target->address);
	error = remove_element(checkpoint, target->address, size);
	if (!error)
		error = cape_checkpoint_add_operand(checkpoint, operand, value);
	return reported(error, path);
}

static bool is_target(const struct order *order, const struct cape_operand *operand)
{
	for (size_t i = 0; i < order->targets; i++)
		if (order->target[i].address == operand->address &&
		    order->target[i].op == operand->op && order->target[i].type == operand->type &&
		    operand->count == 1)
			return true;
	return false;
}

/* Puts the operands that are no target's into KEPT, those of targets together into RESULT. */
static int fold(const struct order *order, const struct cape_checkpoint *from,
		struct cape_checkpoint *kept, struct cape_checkpoint *result)
{
	const unsigned char *values = from->values.bytes;
	int error = 0;

	for (size_t i = 0; i < from->operands && !error; i++) {
		const struct cape_operand *operand = &from->operand[i];
		size_t size = cape_operand_size(operand);
		struct content_cursor cursor = {.checkpoint = result};
		unsigned char value[64];
		const unsigned char *before;
		struct cape_member member = {operand->address, size, operand->stamp};

		if (!is_target(order, operand)) {
			error = cape_checkpoint_append_operand(kept, *operand, values);
			values += size;
			continue;
		}
		before = content_bytes(&cursor, operand->address, size);
		memcpy(value, before ? before : values, size);
		if (before) {
			struct cape_stamp stamp = stamp_at(result, operand->address);

			cape_reduction_apply(operand->op, operand->type, value, values, 1);
			if (cape_stamp_compare(stamp, member.stamp) > 0)
				member.stamp = stamp;
			error = remove_element(result, operand->address, size);
		}
		if (!error)
			error = cape_checkpoint_add(result, member, value);
		values += size;
	}
	return error;
}

static bool fold_targets(const struct order *order, struct cape_checkpoint *checkpoint)
{
	struct cape_checkpoint kept, result;
	int error;

	cape_checkpoint_init(&kept, &cape_memory_heap);
	cape_checkpoint_init(&result, &cape_memory_heap);
	error = fold(order, checkpoint, &kept, &result);
	if (!error) {
		struct cape_operand *operand = checkpoint->operand;
		struct cape_buffer values = checkpoint->values;
		size_t capacity = checkpoint->operand_capacity;

		checkpoint->operand = kept.operand;
		checkpoint->operands = kept.operands;
		checkpoint->operand_capacity = kept.operand_capacity;
		checkpoint->values = kept.values;
		kept.operand = operand;
		kept.operand_capacity = capacity;
		kept.values = values;
		/* Without registers, which the later of the two would bring. */
		result.stamp = (struct cape_stamp){0, 0};
		error = cape_checkpoint_merge(checkpoint, &result);
	}
	cape_checkpoint_free(&kept);
	cape_checkpoint_free(&result);
	return reported(error, order->output);
}

static bool take_out_all(struct content *content, const struct order *order, const char *path)
{
	for (size_t i = 0; i < order->targets; i++)
		if (!take_out(&content->checkpoint, &order->target[i], path))
			return false;
	return true;
}

static bool is_later(const struct content *a, const struct content *b)
{
	const struct file_head *one = file_reader_head(a->reader);
	const struct file_head *other = file_reader_head(b->reader);

	return cape_stamp_compare((struct cape_stamp){one->time, one->node},
				  (struct cape_stamp){other->time, other->node}) > 0;
}

/* A member, and where its bytes are. */
struct place {
	const struct cape_checkpoint *checkpoint;
	size_t member;
	const unsigned char *bytes;
};

static const struct cape_member *member_at(const struct place *place)
{
	return &place->checkpoint->member[place->member];
}

static uint64_t end_of(const struct place *place)
{
	return member_at(place)->address + member_at(place)->length;
}

/* What both members have; whether it is of one time-stamp, and yet not the same. */
static bool members_contradict(const struct place *a, const struct place *b, uint64_t *address)
{
	const struct cape_member *one = member_at(a), *other = member_at(b);
	uint64_t start = one->address > other->address ? one->address : other->address;
	uint64_t end = end_of(a) < end_of(b) ? end_of(a) : end_of(b);

	*address = start;
	return start < end && cape_stamp_compare(one->stamp, other->stamp) == 0 &&
	       memcmp(a->bytes + (start - one->address), b->bytes + (start - other->address),
		      end - start) != 0;
}

static void go_on(struct place *place)
{
	place->bytes += member_at(place)->length;
	place->member++;
}

/*
 * Elements of one address and time-stamp are copies of one; where they differ, it is not known
 * which is right.  Then a message says so.
 */
static bool agree(const struct cape_checkpoint *all, const struct cape_checkpoint *next,
		  const char *path)
{
	struct place a = {all, 0, all->data.bytes}, b = {next, 0, next->data.bytes};
	uint64_t address;

	while (a.member < all->members && b.member < next->members) {
		if (members_contradict(&a, &b, &address))
			return content_wrong("%s: it has other bytes from %#" PRIx64
					     " on than a file before it, of the same time-stamp: "
					     "they are not of one run, or not checkpoints of sync "
					     "points",
					     path, address);
		go_on(end_of(&a) <= end_of(&b) ? &a : &b);
	}
	return true;
}

static bool is_saved(const struct file_head *head)
{
	return head->kind != FILE_SYNC_POINT;
}

/* Whether HEAD, of the file PATH, is of the set of FIRST, of the file FIRST_PATH. */
static bool is_of_set(const struct file_head *head, const char *path, const struct file_head *first,
		      const char *first_path)
{
	if (is_saved(head) != is_saved(first))
		return content_wrong("%s: of it and %s only one is of a saved run", path,
				     first_path);
	if (head->run != first->run || head->nodes != first->nodes)
		return content_wrong("%s: it is of another run than %s", path, first_path);
	return !is_saved(head) || head->number == first->number ||
	       content_wrong("%s: it is of set %" PRIu64 ", and %s of set %" PRIu64, path,
			     head->number, first_path, first->number);
}

/*
 * Files of different saved sets have the memory of different times, which nothing in them orders:
 * that they have no byte in common does not show that they belong together.
 */
static bool are_one_set(const struct order *order)
{
	struct file_head first;
	bool good = true;

	for (int i = 0; i < order->files && good; i++) {
		struct file_reader *reader = content_open(order->file[i]);

		if (!reader)
			return false;
		if (!i)
			first = *file_reader_head(reader);
		good = is_of_set(file_reader_head(reader), order->file[i], &first, order->file[0]);
		file_reader_close(reader);
	}
	return good;
}

/*
 * Of a set that was saved inside a parallel region each node's file has that node's own memory,
 * too, whose addresses may be those of another's.  Whether CONTENT is one.
 */
static bool is_of_region(const struct content *content)
{
	return file_reader_has(content->reader, SET_RESUME);
}

/* What ALL has already counts where NEXT has a node's own, else both are to have the same. */
static bool settle(struct content *all, struct content *next, const char *path)
{
	if (is_of_region(next))
		return reported(cape_checkpoint_exclude(&next->checkpoint, &all->checkpoint), path);
	return agree(&all->checkpoint, &next->checkpoint, path);
}

/* Merges the file PATH into ALL; the one of the latest registers is in ALL->reader. */
static bool merge_file(struct content *all, const struct order *order, const char *path)
{
	struct content next;
	bool good;

	if (!content_read(&next, path))
		return false;
	good = content_is_whole(&next) && take_out_all(&next, order, path) &&
	       settle(all, &next, path) &&
	       reported(cape_checkpoint_merge(&all->checkpoint, &next.checkpoint), path) &&
	       reported(nodes_merge(&all->nodes, &next.nodes), path);
	all->rest |= next.rest;
	if (is_later(&next, all)) {
		struct file_reader *reader = all->reader;

		all->reader = next.reader;
		next.reader = reader;
	}
	content_free(&next);
	return good;
}

bool combine_files(const struct order *order, struct content *all)
{
	bool good;

	if (!are_one_set(order) || !content_read(all, order->file[0]))
		return false;
	good = content_is_whole(all) && take_out_all(all, order, order->file[0]);
	for (int i = 1; i < order->files && good; i++)
		good = merge_file(all, order, order->file[i]);
	if (!good)
		content_free(all);
	return good;
}

static bool is_increment(const char *path, bool *increment)
{
	struct file_reader *reader = content_open(path);

	if (reader)
		*increment = file_reader_head(reader)->kind == FILE_INCREMENT;
	file_reader_close(reader);
	return reader;
}

int command_merge(const struct order *order)
{
	struct content all;
	bool good, increment;

	if (!is_increment(order->file[order->files - 1], &increment))
		return STATUS_TROUBLE;
	if (increment)
		return command_fill(order);
	if (!combine_files(order, &all))
		return STATUS_TROUBLE;
	good = fold_targets(order, &all.checkpoint) && content_write(order->output, &all);
	content_free(&all);
	return good ? STATUS_SAME : STATUS_TROUBLE;
}

int command_exclude(const struct order *order)
{
	struct content from, other;
	bool good;

	if (!content_read(&from, order->file[0]))
		return STATUS_TROUBLE;
	if (!content_read(&other, order->file[1])) {
		content_free(&from);
		return STATUS_TROUBLE;
	}
	/* What is left is the first file's: so are number, time-stamp and registers. */
	other.checkpoint.stamp = (struct cape_stamp){0, 0};
	other.checkpoint.registers.size = 0;
	from.rest = true;
	good = reported(cape_checkpoint_exclude(&from.checkpoint, &other.checkpoint),
			order->file[0]) &&
	       content_write(order->output, &from);
	content_free(&from);
	content_free(&other);
	return good ? STATUS_SAME : STATUS_TROUBLE;
}
