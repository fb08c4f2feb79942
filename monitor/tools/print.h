/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - what capectl prints, as text for people or as JSON.
 */
#ifndef CAPE_PRINT_H
#define CAPE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "naming.h"
#include "uapi/cape_epoch.h"
#include "variables.h"

/* A list that is printed piece by piece. */
struct print_list {
	FILE *out;
	bool json;
	bool dump; /* bytes: as a dump for people, else as they are */
	uint64_t count;
	uint64_t address;
	FILE *maps; /* of the process, or NULL */
	uint64_t map_start, map_end;
	char map_name[256];
	const struct naming *naming; /* changes: of variables, or NULL */
	struct variables variables;  /* pages: for their variables; freed by print_list_end() */
};

void print_version(FILE *out, bool json, const struct cape_version *version);
void print_locked(FILE *out, bool json, pid_t pid, const struct cape_lock *lock);
void print_rollback(FILE *out, bool json, pid_t pid, const struct cape_rollback_to *rollback);
void print_epoch(FILE *out, bool json, pid_t pid, const struct cape_epoch *epoch);

/* RANGE: as many ranges as fit were put there; the same for EPOCHS->entries. */
void print_status(FILE *out, bool json, const struct cape_status *status,
		  const struct cape_extent *range, const struct cape_epochs *epochs,
		  const struct cape_statistics *statistics);

/* A list about process PID, in the order of addresses; NAME: what it is called in JSON. */
void print_list_begin(struct print_list *list, FILE *out, bool json, pid_t pid, const char *name);
void print_list_end(struct print_list *list);

/* In it: a page that was written, with the names of its variables and of its mapping. */
void print_dirty(struct print_list *list, const struct cape_dirty *page);
/* Instead: a page whose twin has changed. */
void print_changed_twin(struct print_list *list, const struct cape_dirty *page);
/* Changed bytes: what was there, and what is now. */
void print_change(struct print_list *list, uint64_t address, const unsigned char *before,
		  const unsigned char *after, size_t count);
/* A page that was written and that the process itself cannot read now. */
void print_unreadable(struct print_list *list, uint64_t address);

/* Bytes from ADDRESS on: as they are, as a dump on a terminal, or as hexadecimal in JSON. */
void print_bytes_begin(struct print_list *list, FILE *out, bool json, uint64_t address);
void print_bytes(struct print_list *list, const unsigned char *bytes, size_t count);
void print_bytes_end(struct print_list *list);

/* One write that the driver reported; CODE and PLACE: names of the instruction and of ADDRESS. */
struct print_write {
	uint64_t address, instruction;
	pid_t thread;
	const char *code, *place;
};
void print_written(FILE *out, bool json, const struct print_write *write);

#endif
