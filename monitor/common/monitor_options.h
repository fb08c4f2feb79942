/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor_options.h - what cape-run says to each monitor: a table that both go through.
 */
#ifndef CAPE_COMMON_MONITOR_OPTIONS_H
#define CAPE_COMMON_MONITOR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* How --stats and --profile are printed. */
enum statistics_form { STATISTICS_NONE, STATISTICS_TABLE, STATISTICS_JSON };

/*
 * NUMBER(type, name), TEXT(name).  What is not given is 0, or NULL.
 *
 * version: of CAPE, first, so that a monitor of another version can say so, whatever the rest is.
 * threads: by which the only node runs regions; 0: the program's choice; negative: nodes are one
 * thread each.  protect: 1 more than the number of the user's choice.  restore_run: whose files lie
 * on several machines.  sharing_limit: a warning names nodes that share fewer processors.  mask,
 * file_size, ignored and blocked are the program's.
 */
#define MONITOR_OPTIONS(NUMBER, TEXT)                                                              \
	TEXT(version)                                                                              \
	NUMBER(int, method) /* numbers (channel/methods.h) */                                      \
	NUMBER(int, model)                                                                         \
	NUMBER(int, exchange) /* its number (common/exchanges.h) */                                \
	NUMBER(int, protect)  /* common/protections.h */                                           \
	NUMBER(int, threads)                                                                       \
	NUMBER(bool, shares_all)                                                                   \
	NUMBER(bool, verify)                                                                       \
	NUMBER(bool, races)                                                                        \
	NUMBER(enum statistics_form, statistics)                                                   \
	NUMBER(enum statistics_form, profile)                                                      \
	NUMBER(bool, trace)	/* for the file that cape-run has opened */                        \
	NUMBER(bool, placement) /* the user wants to see where nodes run */                        \
	NUMBER(int, sharing_limit)                                                                 \
	NUMBER(bool, terminal)	    /* cape-run's stdout is one */                                 \
	NUMBER(bool, one_output)    /* cape-run's stdout and stderr are one file */                \
	NUMBER(bool, input_is_file) /* it is read whole before the program starts */               \
	NUMBER(mode_t, mask)                                                                       \
	NUMBER(rlim_t, file_size)                                                                  \
	NUMBER(uint64_t, ignored) /* signals (common/signals.h) */                                 \
	NUMBER(uint64_t, blocked)                                                                  \
	NUMBER(bool, here)	   /* all nodes are on this machine */                             \
	NUMBER(int, lost_after)	   /* seconds without an answer of another machine's */            \
	TEXT(save_folder)	   /* NULL: the run is not saved */                                \
	NUMBER(int, save_seconds)  /* from one save to the next at least, */                       \
	NUMBER(int, save_ends)	   /* and so many ends of regions, */                              \
	NUMBER(int, save_points)   /* or sync points */                                            \
	NUMBER(int, save_keep)	   /* complete sets */                                             \
	NUMBER(bool, save_partner) /* each machine has a save_folder of its own, and copies */     \
	NUMBER(bool, trust)	   /* folders of saves that others can change, too */              \
	TEXT(restore)		   /* the set that the run goes on from */                         \
	NUMBER(uint64_t, restore_run)                                                              \
	NUMBER(bool, copy) /* the program, from node 0's machine to the others */                  \
	TEXT(folder)	   /* the run's, on every machine (common/folder.h) */                     \
	TEXT(kept)	   /* folder for its checkpoints; NULL: they are not saved */              \
	TEXT(wrap)	   /* "[NODES:]COMMAND" */                                                 \
	TEXT(attach)	   /* the same */

#define MONITOR_OPTION_NUMBER(type, name) type name;
#define MONITOR_OPTION_TEXT(name)	  const char *name;

struct monitor_options {
	MONITOR_OPTIONS(MONITOR_OPTION_NUMBER, MONITOR_OPTION_TEXT)
};

/* They as a member, and each as one. */
#define MONITOR_OPTIONS_HERE                                                                       \
	union {                                                                                    \
		struct monitor_options monitor;                                                    \
		struct {                                                                           \
			MONITOR_OPTIONS(MONITOR_OPTION_NUMBER, MONITOR_OPTION_TEXT)                \
		};                                                                                 \
	}

/*
 * Calls ADD with a word of the command line for each that is given, to be freed; or NULL: out of
 * memory.
 */
void monitor_options_each(const struct monitor_options *options,
			  void (*add)(void *context, char *word), void *context);

/*
 * Reads WORDS, in which texts stay, up to "--".  What is after that; NULL: some are no options, of
 * this version at least; the others are read.
 */
char **monitor_options_read(struct monitor_options *options, char **words);

#endif
