/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jumps.h - code to which control comes otherwise than the blocks and calls of the text show. */
#ifndef CAPE_TRANSLATOR_JUMPS_H
#define CAPE_TRANSLATOR_JUMPS_H

#include <stdbool.h>

struct unit;
struct syntax;

/* Whether the blocks of BODY show its flow: no jumps, nothing that runs where a block is left. */
bool jumps_none(const struct unit *unit, const struct syntax *body);

/* Whether BODY, of a loop or NULL, has this WORD: a break or continue that is the loop's, or
 * another. */
bool jumps_leave(const struct syntax *body, const char *word);

/* Whether something may be called without a call. */
bool jumps_hidden_calls(const struct unit *unit);

#endif
