/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hdf5.h - writes variables to a file of HDF5, each a data set of its type and shape.
 */
#ifndef CAPE_CKPT_HDF5_H
#define CAPE_CKPT_HDF5_H

#include <stdbool.h>
#include <stdint.h>
#include "debug/debug_info.h"

struct hdf5;

struct hdf5_variable {
	const char *name;  /* without a slash; one that the file has already is refused */
	const char *place; /* "prog.c:12", where it is declared */
	Dwarf_Die type;
	uint64_t address, size;
	uint64_t missing; /* bytes of it that no checkpoint has; they are 0 */
	const unsigned char *bytes;
};

/* Begins the file PATH, which is there when it is whole; NULL: a message says why not. */
struct hdf5 *hdf5_open(const char *path);

/* False: a message was printed. */
bool hdf5_put(struct hdf5 *hdf5, const struct hdf5_variable *variable);
bool hdf5_has(const struct hdf5 *hdf5, const char *name);

/* Ends the file; without KEEP there is none.  False: a message was printed. */
bool hdf5_close(struct hdf5 *hdf5, bool keep);

#endif
