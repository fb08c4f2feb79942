/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statement.h - going through a loop's body, statement by statement. */
#ifndef CAPE_TRANSLATOR_MODEL_STATEMENT_H
#define CAPE_TRANSLATOR_MODEL_STATEMENT_H

#include "walk.h"

/* Goes through a statement where control always comes to its end. */
void statement_walk(struct walk *walk, struct syntax *statement);

/* Goes through the body of the loop that the sets are of. */
void statement_walk_body(struct walk *walk, struct syntax *body);

/* A new iterator with these VALUES, which VARIABLE holds from here on; its number. */
unsigned int statement_iterator(struct walk *walk, const struct syntax *variable,
				const struct iterator *values);

#endif
