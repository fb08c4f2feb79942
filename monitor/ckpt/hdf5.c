// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hdf5.c - variables as data sets of HDF5; in a build without that library there is no file.
 */
#include "hdf5.h"

#include "content.h"

#ifdef CAPE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "debug/debug_shape.h"
#include "file/partial.h"

#define DEPTH 32 /* of structures and arrays in each other */

struct hdf5 {
	struct file_partial to;
	hid_t file;
};

/* What the library said first, at the place where it went wrong. */
static herr_t keep_reason(unsigned number, const H5E_error2_t *error, void *text)
{
	if (number == 0)
		snprintf(text, 256, "%s", error->desc);
	return 0;
}

static bool failed(const struct hdf5 *hdf5, const char *what)
{
	static const char cause[] = "error message = '";
	char text[256] = "HDF5 does not say why", *reason;

	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, text);
	/* Its messages about the system contain pointers and times, too. */
	reason = strstr(text, cause);
	reason = reason ? reason + strlen(cause) : text;
	reason[strcspn(reason, "'\n")] = '\0';
	return content_wrong("%s: cannot write %s: %s", hdf5->to.path, what, reason);
}

static hid_t type_of(Dwarf_Die *type, unsigned depth);

/* SIZE bytes as they are. */
static hid_t bytes_of(uint64_t size)
{
	hsize_t count = size;

	return size ? H5Tarray_create2(H5T_STD_U8LE, 1, &count) : H5I_INVALID_HID;
}

static hid_t integer_of(uint64_t size, bool is_signed)
{
	const hid_t types[] = {H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
			       H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE};

	for (unsigned i = 0; i < 4; i++)
		if (size == 1U << i)
			return H5Tcopy(types[i + (is_signed ? 4 : 0)]);
	return bytes_of(size);
}

static hid_t float_of(uint64_t size)
{
	if (size == sizeof(float))
		return H5Tcopy(H5T_IEEE_F32LE);
	return H5Tcopy(size == sizeof(double) ? H5T_IEEE_F64LE : H5T_NATIVE_LDOUBLE);
}

/* As h5py has them. */
static hid_t complex_of(uint64_t size)
{
	hid_t part = float_of(size / 2), whole = H5Tcreate(H5T_COMPOUND, size);
	bool good =
		H5Tinsert(whole, "r", 0, part) >= 0 && H5Tinsert(whole, "i", size / 2, part) >= 0;

	H5Tclose(part);
	if (good)
		return whole;
	H5Tclose(whole);
	return H5I_INVALID_HID;
}

static hid_t array_of(Dwarf_Die *type, unsigned depth)
{
	uint64_t count[DEBUG_DIMENSIONS];
	hsize_t extent[DEBUG_DIMENSIONS];
	Dwarf_Die element;
	unsigned dimensions = debug_array(type, &element, count);
	hid_t of, whole;

	for (unsigned i = 0; i < dimensions; i++)
		if (!(extent[i] = count[i]))
			return H5I_INVALID_HID;
	of = dimensions ? type_of(&element, depth + 1) : H5I_INVALID_HID;
	if (of < 0)
		return H5I_INVALID_HID;
	whole = H5Tarray_create2(of, dimensions, extent);
	H5Tclose(of);
	return whole;
}

/* A structure that is being made of its members. */
struct compound {
	hid_t type;
	unsigned depth;
	bool good;
};

static bool add_member(void *context, const char *name, uint64_t offset, Dwarf_Die *type)
{
	struct compound *compound = context;
	char unnamed[32];
	hid_t of;

	/* An array without a length, at the end. */
	if (debug_form_of(type) == DEBUG_ARRAY && !debug_size_of(type))
		return true;
	snprintf(unnamed, sizeof(unnamed), "at %llu", (unsigned long long)offset);
	of = type_of(type, compound->depth + 1);
	compound->good =
		of >= 0 && H5Tinsert(compound->type, name ? name : unnamed, offset, of) >= 0;
	if (of >= 0)
		H5Tclose(of);
	return compound->good;
}

static hid_t struct_of(Dwarf_Die *type, uint64_t size, unsigned depth)
{
	struct compound compound = {H5Tcreate(H5T_COMPOUND, size), depth, true};

	debug_members(type, add_member, &compound);
	if (compound.good && H5Tget_nmembers(compound.type) > 0)
		return compound.type;
	H5Tclose(compound.type);
	return H5I_INVALID_HID;
}

/* Bits that are not one of C's common types are only distinguished by their number. */
static bool is_float(Dwarf_Die *type, uint64_t size)
{
	const char *name = dwarf_diename(type);

	return size == sizeof(float) || size == sizeof(double) ||
	       (size == sizeof(long double) && name && strstr(name, "long double"));
}

static bool is_complex(Dwarf_Die *type, uint64_t size)
{
	const char *name = dwarf_diename(type);

	return size == 2 * sizeof(float) || size == 2 * sizeof(double) ||
	       (size == 2 * sizeof(long double) && name && strstr(name, "long double"));
}

/* What HDF5 has no type for are bytes.  To be closed; below 0: it has no size. */
static hid_t type_of(Dwarf_Die *type, unsigned depth)
{
	uint64_t size = debug_size_of(type);
	hid_t made = H5I_INVALID_HID;

	if (!size || depth > DEPTH)
		return bytes_of(size);
	switch (debug_form_of(type)) {
	case DEBUG_SIGNED:
		return integer_of(size, true);
	case DEBUG_UNSIGNED:
		return integer_of(size, false);
	case DEBUG_FLOAT:
		made = is_float(type, size) ? float_of(size) : H5I_INVALID_HID;
		break;
	case DEBUG_COMPLEX:
		made = is_complex(type, size) ? complex_of(size) : H5I_INVALID_HID;
		break;
	case DEBUG_ARRAY:
		made = array_of(type, depth);
		break;
	case DEBUG_STRUCT:
		made = struct_of(type, size, depth);
		break;
	case DEBUG_BYTES:
		break;
	}
	return made >= 0 ? made : bytes_of(size);
}

/* The type and space of a variable; an array's dimensions are the space's. */
static hid_t space_of(const struct hdf5_variable *variable, hid_t *type)
{
	hsize_t extent[H5S_MAX_RANK];
	Dwarf_Die bare = variable->type;
	hid_t whole = H5I_INVALID_HID, space;
	int rank;

	if (debug_peel(&bare, &bare) && debug_size_of(&bare) == variable->size)
		whole = type_of(&bare, 0);
	if (whole < 0 || H5Tget_size(whole) != variable->size) {
		if (whole >= 0)
			H5Tclose(whole);
		whole = bytes_of(variable->size);
	}
	if (whole < 0 || H5Tget_class(whole) != H5T_ARRAY) {
		*type = whole;
		return H5Screate(H5S_SCALAR);
	}
	rank = H5Tget_array_dims2(whole, extent);
	space = H5Screate_simple(rank, extent, NULL);
	*type = H5Tget_super(whole);
	H5Tclose(whole);
	return space;
}

static bool attach(hid_t set, const char *name, hid_t type, const void *value)
{
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t attribute = H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	bool good = H5Awrite(attribute, type, value) >= 0;

	H5Aclose(attribute);
	H5Sclose(space);
	return good;
}

static bool attach_text(hid_t set, const char *name, const char *text)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	bool good = H5Tset_size(type, strlen(text) + 1) >= 0 && attach(set, name, type, text);

	H5Tclose(type);
	return good;
}

static bool begin(struct hdf5 *hdf5, const char *path)
{
	struct file_error error;
	char *folder, *name, made[32];
	int status;

	if (!content_place(path, &folder, &name))
		return false;
	status = file_partial_open(&hdf5->to, folder, name, &error);
	free(folder);
	free(name);
	if (status)
		return content_wrong("%s", error.text);
	/* After a failed write the library dies of what it would end at exit. */
	H5dont_atexit();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	/* That file, whatever has its name by now. */
	snprintf(made, sizeof(made), "/proc/self/fd/%d", hdf5->to.file);
	hdf5->file = H5Fcreate(made, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	if (hdf5->file >= 0)
		return true;
	failed(hdf5, "the file");
	file_partial_abort(&hdf5->to);
	return false;
}

struct hdf5 *hdf5_open(const char *path)
{
	struct hdf5 *hdf5 = calloc(1, sizeof(*hdf5));

	if (!hdf5)
		content_wrong("%s", strerror(ENOMEM));
	else if (begin(hdf5, path))
		return hdf5;
	free(hdf5);
	return NULL;
}

bool hdf5_has(const struct hdf5 *hdf5, const char *name)
{
	return H5Lexists(hdf5->file, name, H5P_DEFAULT) > 0;
}

bool hdf5_put(struct hdf5 *hdf5, const struct hdf5_variable *variable)
{
	hid_t type, space = space_of(variable, &type);
	hid_t set = H5Dcreate2(hdf5->file, variable->name, type, space, H5P_DEFAULT, H5P_DEFAULT,
			       H5P_DEFAULT);
	bool good = set >= 0 &&
		    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, variable->bytes) >= 0 &&
		    attach(set, "address", H5T_NATIVE_UINT64, &variable->address) &&
		    attach(set, "missing", H5T_NATIVE_UINT64, &variable->missing) &&
		    attach_text(set, "declared", variable->place);

	if (!good)
		failed(hdf5, variable->name);
	/* Small values are written here. */
	if (H5Dclose(set) < 0 && good)
		good = failed(hdf5, variable->name);
	H5Sclose(space);
	H5Tclose(type);
	return good;
}

bool hdf5_close(struct hdf5 *hdf5, bool keep)
{
	struct file_error error;
	bool good = H5Fclose(hdf5->file) >= 0;

	if (!good && keep)
		failed(hdf5, "the end");
	if (!good || !keep)
		file_partial_abort(&hdf5->to);
	else if (file_partial_commit(&hdf5->to, &error))
		good = content_wrong("%s", error.text);
	free(hdf5);
	return good;
}

#else

struct hdf5 *hdf5_open(const char *path)
{
	content_wrong("%s: this cape-ckpt was built without HDF5; install libhdf5-dev and pkgconf, "
		      "and build it again",
		      path);
	return NULL;
}

bool hdf5_has(const struct hdf5 *hdf5, const char *name)
{
	(void)hdf5;
	(void)name;
	return false;
}

bool hdf5_put(struct hdf5 *hdf5, const struct hdf5_variable *variable)
{
	(void)hdf5;
	(void)variable;
	return false;
}

bool hdf5_close(struct hdf5 *hdf5, bool keep)
{
	(void)hdf5;
	(void)keep;
	return false;
}

#endif
