/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit.h - writes the translated text, for the compiler or for a reader. */
#ifndef CAPE_TRANSLATOR_EMIT_H
#define CAPE_TRANSLATOR_EMIT_H

#include "read/text.h"

struct unit;

/*
 * For the compiler: the preprocessed text with the edits in it.  Line markers keep the user's
 * lines; inserted text counts as a system header, so that no warning points at it.
 */
void emit_for_compiler(struct unit *unit, const char *cape_header, struct text *out);

/*
 * For a reader (--emit-c): the user's file with the edits in it, his #include lines as they were,
 * lines without edits and macros as he wrote them.  MAIN_FILE is its name.
 */
void emit_for_reader(struct unit *unit, const char *main_file, struct text *out);

/* The lines on top: what declares the calls in the text. */
void emit_includes(const struct unit *unit, struct text *out);

/* Puts the edits in the order of the text; both writers do it first. */
void emit_sort_edits(struct unit *unit);

#endif
