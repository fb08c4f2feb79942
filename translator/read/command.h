/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the command line of a C compiler, sorted by which step each argument is for. */
#ifndef CAPE_TRANSLATOR_COMMAND_H
#define CAPE_TRANSLATOR_COMMAND_H

#include <stdbool.h>

#include "process.h"

enum argument_class {
	ARGUMENT_COMMON,     /* every step: -O2, -g, -std=, -f..., -m..., -W... */
	ARGUMENT_PREPROCESS, /* -D, -I, -include ... */
	ARGUMENT_DEPENDENCY, /* -MD, -MF ... */
	ARGUMENT_LINK,	     /* -l, -L, -Wl, ... */
	ARGUMENT_SOURCE,     /* a C file to translate */
	ARGUMENT_FILE,	     /* any other file: for the compiler as it is */
	ARGUMENT_OWN,	     /* for cape-cc alone, or taken in by struct command */
};

struct argument {
	enum argument_class class;
	const char *text;
	const char *value;    /* the argument after it that belongs to it, or NULL */
	const char *language; /* of a file: what -x said, or NULL */
};

enum command_mode {
	MODE_LINK,
	MODE_OBJECT,	 /* -c */
	MODE_ASSEMBLY,	 /* -S */
	MODE_PREPROCESS, /* -E, -M, -MM */
	MODE_CHECK,	 /* -fsyntax-only */
	MODE_EMIT_C,	 /* --emit-c */
	MODE_EXPLAIN,	 /* --explain */
	MODE_EXPLAIN_JSON,
	MODE_HELP,
	MODE_VERSION,
};

struct command {
	enum command_mode mode;
	LIST(struct argument) arguments;
	const char *output;	      /* -o */
	const char *standard;	      /* -std= */
	const char *dependency_file;  /* -MF */
	bool writes_dependencies;     /* -MD, -MMD */
	bool names_dependency_target; /* -MT, -MQ */
	bool check_races;	      /* --check-races: with the run time's hooks */
	bool check_sets;	      /* --check-sets: with these, and the sets of loops */
	bool unspread;		      /* --no-spread: a loop of sequential code has one thread */
	bool unplanned;		      /* --no-plan: no loop tells what it accesses before it runs */
	bool shared;		      /* the result is no program: -shared, -r */
	bool opens_libraries;	      /* which may call any of libcape: -rdynamic */
	unsigned int sources;
	unsigned int files;
};

/* Sorts the arguments; false when one was refused, which is reported. */
bool command_read(struct command *command, int count, char **arguments);
void command_free(struct command *command);

/* Appends the arguments of CLASS in their order. */
void command_add(const struct command *command, enum argument_class class, argument_list *list);

/* Whether the compiler shall make loops parallel itself, by calls of libgomp. */
bool command_makes_threads(const struct command *command);
/* Whether a linker is asked for that may have other options. */
bool command_names_linker(const struct command *command);
/* Whether objects hold what is compiled when they are linked. */
bool command_is_lto(const struct command *command);

#endif
