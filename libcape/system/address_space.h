/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * address_space.h - why addresses cannot be reserved, in words for the user.
 */
#ifndef CAPE_ADDRESS_SPACE_H
#define CAPE_ADDRESS_SPACE_H

#include <stddef.h>

/* Why a reservation has failed with ERROR, an errno, and what to do: a clause in TEXT, of SIZE
 * bytes, which is returned.  Allocates nothing.
 */
const char *cape_address_space_why(int error, char *text, size_t size);

#endif
