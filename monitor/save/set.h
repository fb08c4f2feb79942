/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set.h - a folder of saved runs: each a set of files, one of each node, and one that makes the set
 * complete.
 *
 * Sets are folders whose names are numbers of six digits or more; the highest that is complete, and
 * not given up, is the newest.  What is not CAPE's in FOLDER and in a set is never removed.
 */
#ifndef CAPE_SAVE_SET_H
#define CAPE_SAVE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "file/reader.h"

#define SET_PATH_SIZE 4224
#define SET_NAME_SIZE 32
#define SET_FILE_SIZE (SET_PATH_SIZE + SET_NAME_SIZE)

/* How the name of a file in the folder begins that is there while a run begins; 16 digits follow.
 */
#define SET_TOKEN "start-"

/* Sections of the file that makes a set complete. */
#define SET_PROGRAM "program"	/* path, with a 0 */
#define SET_HASH    "hash"	/* 8 bytes: of the program's file */
#define SET_LAUNCH  "launch"	/* arguments, environment and limits, as node/launch.c has them */
#define SET_FOLDER  FILE_FOLDER /* that cape-run was started in, with a 0 */
#define SET_RESUME  "resume"	/* 8 bytes: cape_channel_save.resume */
#define SET_VERSION "version"	/* 4 bytes: CAPE_CHANNEL_VERSION */
#define SET_CHAIN   "chain"	/* 8 bytes each: the sets that this goes on from, oldest first */
#define SET_APART   "apart"	/* there if each machine saved to a folder of its own */
#define SET_THREADS "threads"	/* there if nodes had several: 4 bytes, as --threads */
#define SET_FLAGS   "cpu"	/* what the processor can, as /proc/cpuinfo says */
/*
 * There if the run was saved inside a parallel region, which as many nodes go on in: the place,
 * with a 0.  Each node's file has its own SET_RESUME then.
 */
#define SET_REGION "region"
/* Of each node's file; the first two are in node 0's. */
#define SET_LOADED     "loaded"
#define SET_STATE      "state"
#define SET_NODE_STATE "node-state"

/* The path of set NUMBER in FOLDER. */
void set_path(char path[SET_PATH_SIZE], const char *folder, uint64_t number);

/* The name of its file for NODE, or, if NODE is below 0, for all; FILE: where it is in the set
 * PATH. */
void set_name(char name[SET_NAME_SIZE], int node);
void set_file(char file[SET_FILE_SIZE], const char *path, int node);

/* Where the set PATH lies. */
void set_folder(char folder[SET_PATH_SIZE], const char *path);

/* The sets that an increment goes on from, the oldest, which has all memory, first. */
#define SET_CHAIN_LIMIT 32
struct set_chain {
	uint64_t number[SET_CHAIN_LIMIT];
	size_t count;
};

/* What the file RUN says of its set.  False: none of ours would. */
bool set_chain(struct file_reader *run, struct set_chain *chain);

/* The same of the set PATH, and how many NODES it has.  False as well: the file cannot be read. */
bool set_chain_of(const char *path, struct set_chain *chain, uint64_t *nodes);

#define SET_PLACE_SIZE 300

/* The PLACE of the parallel region that the set of RUN was saved inside.  False: after one. */
bool set_region(struct file_reader *run, char place[SET_PLACE_SIZE]);

/* The same of the set PATH.  False as well: the file cannot be read. */
bool set_region_of(const char *path, char place[SET_PLACE_SIZE]);

/*
 * Whether the nodes' files of the set PATH that are here are of the same set as its file RUN; else
 * OTHER is the first that is not.  What cannot be read is no matter.
 */
bool set_is_of_one(const char *path, struct file_reader *run, char other[SET_FILE_SIZE]);

/*
 * Whether the files of the set PATH, which can be read, lie on several machines; which RUN they are
 * of, as their heads say.
 */
bool set_is_apart(const char *path, uint64_t *run);

/* The path of set NUMBER beside the set PATH. */
void set_beside(char beside[SET_PATH_SIZE], const char *path, uint64_t number);

/* Of the set PATH; 0: it has none. */
uint64_t set_number(const char *path);

/* A number above those of all sets in FOLDER; 1 for the first. */
uint64_t set_next(const char *folder);

/*
 * The newest complete set that FOLDER holds, or FOLDER itself, if it is one: its PATH.  0; -ENOENT:
 * there is none; or another -errno.
 */
int set_find(const char *folder, char path[SET_PATH_SIZE]);

/* What is in the folder of a set. */
enum set_state {
	SET_NONE,	/* nothing of CAPE's */
	SET_INCOMPLETE, /* a node's files, and what would make it complete is not there */
	SET_BROKEN,	/* it is complete, but what it goes on from is not */
	SET_GIVEN_UP,	/* it is complete, and none is to go on from it */
	SET_COMPLETE,
};

enum set_state set_state(const char *path);

/* The highest number of a set in FOLDER below BELOW, whatever its state; 0: there is none. */
uint64_t set_below(const char *folder, uint64_t below);

/* The newest complete set beside the set PATH that is older: its path BEFORE.  False: none. */
bool set_before(const char *path, char before[SET_PATH_SIZE]);

/* Marks the set PATH as one that none is to go on from, until it is removed.  0 or -errno. */
int set_give_up(const char *path);

/* Whether the set PATH lies in FOLDER. */
bool set_is_in(const char *path, const char *folder);

/*
 * Removes what is older than NUMBER, which is complete, but for the KEEP newest complete sets, it
 * being the first, and those that they go on from.
 */
void set_prune(const char *folder, uint64_t number, int keep);

/*
 * Removes what dead runs have left in FOLDER: the files of sets that were never complete, but those
 * of KEPT, which is, on another machine; and files that never became whole, of any set.  Nobody
 * else writes there meanwhile.
 */
void set_clean(const char *folder, uint64_t kept);

/* Removes set NUMBER, as far as it is there. */
void set_remove(const char *folder, uint64_t number);

#endif
