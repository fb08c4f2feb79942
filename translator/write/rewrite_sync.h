/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_sync.h - constructs that synchronise nodes without sharing out work. */
#ifndef CAPE_TRANSLATOR_REWRITE_SYNC_H
#define CAPE_TRANSLATOR_REWRITE_SYNC_H

struct unit;
struct directive;

void rewrite_critical(struct unit *unit, const struct directive *directive);
void rewrite_ordered(struct unit *unit, const struct directive *directive);
void rewrite_atomic(struct unit *unit, const struct directive *directive);
void rewrite_flush(struct unit *unit, const struct directive *directive);

#endif
