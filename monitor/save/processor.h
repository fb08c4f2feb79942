/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processor.h - what the processor can do, by which the C library has chosen its functions.
 */
#ifndef CAPE_SAVE_PROCESSOR_H
#define CAPE_SAVE_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

/* The names of its abilities, with blanks between; to be freed, and never NULL unless memory is
 * short. */
char *processor_abilities(void);

/* Whether this processor has all of FEATURES; else the first that it has not is in MISSING. */
bool processor_has(const char *features, char *missing, size_t size);

#endif
