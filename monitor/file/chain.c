// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain.c - an increment and the files that it goes on from: each byte is in the newest of them
 * that does not say it is as before.
 */
#include "file/chain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "file/layout.h"

/* A file, and where in it the search has come to: addresses only rise. */
struct link {
	struct file_reader *reader;
	size_t section;
	const unsigned char *bytes; /* of the section; NULL: not read yet */
};

struct file_chain {
	uint64_t at;  /* the next address; in a section of the newest file */
	size_t found; /* the link that the last piece is in */
	size_t links;
	struct link link[]; /* the newest first */
};

static int wrong(const struct link *link, uint64_t offset, struct file_error *error,
		 const char *what)
{
	return FILE_ERROR(error, EBADMSG, file_reader_path(link->reader), offset, "%s", what);
}

static uint64_t end_of(const struct file_section *section)
{
	return section->address + section->size;
}

/* All memory of one time-stamp, so that its addresses rise. */
static int check_memory(const struct link *link, struct file_error *error)
{
	uint64_t end = 0;

	for (size_t i = 0; i < file_reader_sections(link->reader); i++) {
		const struct file_section *section = file_reader_section(link->reader, i);

		if (!file_has_address(section))
			continue;
		if (section->kind != FILE_MEMORY || section->address < end)
			return wrong(link, section->offset, error,
				     "this is not all memory of a program, once");
		end = end_of(section);
	}
	return 0;
}

/* Of what cape-ckpt exclude has taken something out nobody knows what that was. */
static int check_rest(const struct link *link, struct file_error *error)
{
	size_t section = file_reader_find(link->reader, FILE_REST, 0);

	if (section == file_reader_sections(link->reader))
		return 0;
	return wrong(link, file_reader_section(link->reader, section)->offset, error,
		     "this is what cape-ckpt exclude has left, not all memory of a program");
}

/* Whether NEXT, unless it is NULL, goes on from LINK, and what LINK is. */
static int check_link(const struct link *link, const struct link *next, struct file_error *error)
{
	int failed;

	if (next && file_reader_head(next->reader)->previous != file_reader_identity(link->reader))
		return FILE_ERROR(error, EBADMSG, file_reader_path(link->reader), 0,
				  "it is not the file that %.200s depends on",
				  file_reader_path(next->reader));
	failed = check_rest(link, error);
	return failed ? failed : check_memory(link, error);
}

static bool is_increment(const struct link *link)
{
	return file_reader_head(link->reader)->kind == FILE_INCREMENT;
}

int file_chain_open(struct file_chain **made, char *const *paths, size_t files,
		    struct file_error *error)
{
	struct file_chain *chain = calloc(1, sizeof(*chain) + files * sizeof(chain->link[0]));
	const struct link *last = NULL;
	int failed;

	*made = NULL;
	if (!chain)
		return FILE_ERROR(error, ENOMEM, paths[0], 0, "cannot open it: %s",
				  strerror(ENOMEM));
	do {
		struct link *link = &chain->link[chain->links];

		failed = file_reader_open(&link->reader, paths[--files], error);
		if (failed)
			break;
		failed = check_link(link, chain->links ? link - 1 : NULL, error);
		chain->links++;
		last = link;
	} while (!failed && files && is_increment(last));
	if (!failed && is_increment(last))
		failed = wrong(last, 72, error, "it depends on a file that is not here");
	if (failed)
		file_chain_close(chain);
	else
		*made = chain;
	return failed;
}

void file_chain_close(struct file_chain *chain)
{
	if (!chain)
		return;
	for (size_t i = 0; i < chain->links; i++)
		file_reader_close(chain->link[i].reader);
	free(chain);
}

size_t file_chain_length(const struct file_chain *chain)
{
	return chain->links;
}

struct file_reader *file_chain_newest(struct file_chain *chain)
{
	return chain->link[0].reader;
}

/* The section of memory that ADDRESS is in, or the first after it; NULL: there is none. */
static const struct file_section *seek(struct link *link, uint64_t address)
{
	for (; link->section < file_reader_sections(link->reader); link->section++) {
		const struct file_section *section =
			file_reader_section(link->reader, link->section);

		if (section->kind == FILE_MEMORY && end_of(section) > address)
			return section;
		link->bytes = NULL;
	}
	return NULL;
}

/* Cuts PIECE to what LINK has in one section. */
static int look(struct link *link, struct file_piece *piece, bool *same, struct file_error *error)
{
	const struct file_section *section = seek(link, piece->address);

	if (!section || section->address > piece->address)
		return FILE_ERROR(error, EBADMSG, file_reader_path(link->reader),
				  file_reader_size(link->reader),
				  "it has no memory at %#" PRIx64
				  ", but the file that depends on it says that this memory is here",
				  piece->address);
	if (piece->size > end_of(section) - piece->address)
		piece->size = end_of(section) - piece->address;
	*same = file_is_same(link->reader, link->section);
	piece->stored = !*same && !file_is_zeros(link->reader, link->section);
	return 0;
}

int file_chain_step(struct file_chain *chain, struct file_piece *piece, struct file_error *error)
{
	const struct file_section *section = seek(&chain->link[0], chain->at);
	bool same = true;
	int failed = 0;

	*piece = (struct file_piece){0};
	if (!section)
		return 0;
	piece->address = section->address > chain->at ? section->address : chain->at;
	piece->size = end_of(section) - piece->address;
	for (size_t i = 0; i < chain->links && same && !failed; i++) {
		failed = look(&chain->link[i], piece, &same, error);
		chain->found = i;
	}
	chain->at = piece->address + piece->size;
	return failed;
}

int file_chain_read(struct file_chain *chain, struct file_piece *piece, struct file_error *error)
{
	struct link *link = &chain->link[chain->found];
	int failed = 0;

	if (!piece->stored)
		return 0;
	if (!link->bytes)
		failed = file_read(link->reader, link->section, &link->bytes, error);
	if (!failed)
		piece->bytes =
			link->bytes + (piece->address -
				       file_reader_section(link->reader, link->section)->address);
	return failed;
}

int file_chain_next(struct file_chain *chain, struct file_piece *piece, struct file_error *error)
{
	int failed = file_chain_step(chain, piece, error);

	return failed ? failed : file_chain_read(chain, piece, error);
}
