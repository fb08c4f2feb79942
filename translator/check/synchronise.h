/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synchronise.h - synchronisation that is not OpenMP's: the compilers' atomic builtins, operations
 * on _Atomic objects, POSIX locks, assembly with the lock prefix.
 */
#ifndef CAPE_TRANSLATOR_SYNCHRONISE_H
#define CAPE_TRANSLATOR_SYNCHRONISE_H

struct unit;

/* Sets what unit->synchronisation says; reports builtins that are not known. */
void synchronise_find(struct unit *unit);
/* Adds the edits, and reports what cannot stand in a region. */
void synchronise_rewrite(struct unit *unit);

#endif
