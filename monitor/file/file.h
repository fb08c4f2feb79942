/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - what whoever writes or reads a checkpoint as a file knows of it.
 */
#ifndef CAPE_FILE_H
#define CAPE_FILE_H

#include <stdint.h>
#include "checkpoint/stamp.h"

enum file_kind {
	FILE_STATE = 1,	     /* all memory */
	FILE_INCREMENT = 2,  /* all memory, but for what is as in the file PREVIOUS */
	FILE_SYNC_POINT = 3, /* a node's checkpoint of a sync point */
};

struct file_head {
	enum file_kind kind;
	uint32_t node, nodes;
	uint32_t page_size; /* bytes: a power of 2, 32 to 65536 */
	uint64_t time;	    /* time-stamp of the registers, and of a node's own changes */
	uint64_t run;	    /* any number that is the same in all files of a run */
	uint64_t number;    /* of the file in its run */
	uint64_t previous;  /* the identity of the file that this one goes on from, or 0 */
};

enum file_section_kind {
	FILE_MEMORY = 1,   /* the bytes from an address on */
	FILE_RUNS = 2,	   /* changed bytes */
	FILE_OPERANDS = 3, /* of reductions */
	FILE_NAMED = 4,	   /* bytes for whoever knows the name */
	FILE_END = 5,	   /* only in the file */
};

/* Bytes of a section's name, with its 0. */
#define FILE_NAME_SIZE 17

struct file_section {
	enum file_section_kind kind;
	uint64_t address;	   /* MEMORY, RUNS: of the first byte */
	struct cape_stamp stamp;   /* MEMORY, RUNS */
	char name[FILE_NAME_SIZE]; /* NAMED */
	uint32_t number;	   /* NAMED */
	uint64_t size;		   /* bytes of its contents */
	uint64_t stored;	   /* bytes that they take in the file */
	uint32_t packing;
	uint64_t offset; /* of its header in the file */
};

/* Names of sections. */
#define FILE_REGISTERS "registers" /* 0: as the node's checkpoint holds them */
#define FILE_PROGRAM   "program"   /* 0: its path, without a 0 */
#define FILE_FOLDER    "folder"	   /* 0: where that path is from, with a 0, or absent */
#define FILE_PLACE     "place"	   /* 0: file:line of the sync point, without a 0 */
#define FILE_LOAD_BIAS "load-bias" /* 0: 8 bytes, where the program was loaded */
/* 0: 8 bytes, where the initial thread has what is thread-local of the program */
#define FILE_THREAD_STORAGE "thread-storage"
#define FILE_HASH	    "hash" /* 0: 8 bytes, of the program's file (common/hash.h) */
#define FILE_REST	    "rest" /* 0: there if another file's memory was taken out of it */

/* What went wrong, for the user: file, offset and what, in one sentence. */
struct file_error {
	int number; /* errno; EBADMSG: the file is damaged, or none of ours */
	uint64_t offset;
	char text[512];
};

#endif
