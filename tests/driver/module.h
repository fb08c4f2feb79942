/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h - what the tests of the driver share: TAP, a traced process, and the driver's requests.
 */
#ifndef TESTS_MODULE_H
#define TESTS_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "uapi/cape.h"

#define PAGE 4096ul

/* One test; NAME is a printf format.  Returns whether it passed. */
bool check(bool passed, const char *name, ...) __attribute__((format(printf, 2, 3)));

/* A check that a request failed with ERROR. */
#define refuses(request, error, ...) check((request) < 0 && errno == (error), __VA_ARGS__)

/* LONG=1: hundreds of trials in place of some. */
bool is_long(void);

/* To be returned from main(): prints the plan; 0 if all tests passed. */
int finish(void);

/* A descriptor of /dev/cape; ends the program without one. */
int open_device(void);

/* CAPE_ATTACH: the attach descriptor, or -1 and errno. */
int attach(int device, pid_t pid);

/*
 * A child that is traced, has run PREPARE (or nothing, if NULL) and stands still; when it goes on,
 * it runs BODY and stops by SIGSTOP.  BODY may stop in between by pause_here().
 */
pid_t spawn(void (*prepare)(void), void (*body)(void *), void *argument);
void pause_here(void);

/*
 * Writes every other page of LENGTH bytes without changing them: after a fork these are the
 * child's alone, and the others are still shared with the parent.
 */
void own_pages(void *start, size_t length);

/* Ends a child for good, and waits for all that there are. */
void reap(pid_t child);

/* A descriptor of /tmp/bytes, a new file of two pages of the letter f. */
int make_file(void);

/* What the child wrote while it ran, as it was told by notices. */
struct notices {
	size_t count;
	uint64_t address[65536];
	bool genuine; /* a SIGSEGV came that was no notice */
};

/*
 * Lets the child run to its next SIGSTOP.  CAPTURE: the page of each notice is captured by
 * DESCRIPTOR.  Returns whether it has got there.
 */
bool run_child(pid_t child, int descriptor, bool capture, struct notices *notices);

/* CAPE_LOCK of COUNT ranges, or of all with 0. */
int lock(int descriptor, uint32_t mode, struct cape_extent *range, uint32_t count);

/* All pages that CAPE_COLLECT reports, with their twins. */
struct collected {
	size_t count;
	struct cape_dirty page[65536];
	unsigned char *twin; /* of those with CAPE_TWIN_PAGE, in order */
	size_t twins;
};

/* BATCH pages a call; WITH_TWINS or addresses only. */
bool collect(int descriptor, uint32_t batch, bool with_twins, uint32_t flags,
	     struct collected *collected);
const struct cape_dirty *collected_page(const struct collected *collected, const void *address);
/* NULL: not collected, or without bytes of its own. */
const unsigned char *collected_twin(const struct collected *collected, const void *address);
size_t collected_within(const struct collected *collected, const void *start, size_t length);

/* Has the machine swap to a disk in memory; NULL, or why it cannot. */
const char *start_swap(void);
/* Asks the kernel to swap out memory of a process. */
void page_out(pid_t process, void *start, size_t length);

/* A value of a file like /proc/meminfo: "NAME: value"; -1 if it is not there. */
long field(const char *file, const char *name);
/* Has the kernel load a module, if it is not loaded; returns whether it is. */
bool load(const char *module);
/* Writes TEXT to a file that is there; returns whether the kernel has taken it. */
bool put(const char *file, const char *text);

#endif
