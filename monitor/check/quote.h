/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quote.h - words as a shell reads them back, for commands that it runs and that a user copies.
 */
#ifndef CAPE_CHECK_QUOTE_H
#define CAPE_CHECK_QUOTE_H

/* WORDS, the last of them NULL, as one command; to be freed, or NULL: out of memory. */
char *quote_command(const char *const *words);

/* TEXT as one word, without quotes where it needs none; to be freed, or NULL. */
char *quote_word(const char *text);

#endif
