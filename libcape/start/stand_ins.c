// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stand_ins.c - which of the functions that stand in for the C library's run on the caller's stack.
 *
 * The others run on the stack apart: what a node alone knows leaves no trace on the program's.  The
 * malloc family runs where it is called, too, and is not listed here: in sequential code its memory
 * is the same on all nodes, and so is what it leaves.
 */
#include "start/stand_ins.h"

#include "base/saved.h"
#include "memory/apart.h"

/*
 * What runs on the program's stack and leaves traces of its node there wipes them away
 * (cape_frame_wipe()).
 */
static const char *const stay[] = {
	/* They call what the program has given them, which is sequential code: to compare ... */
	"fts64_open",
	"fts_open",
	"scandir",
	"scandir64",
	"scandirat",
	"scandirat64",
	/* ... to visit files, or to get errors ... */
	"ftw",
	"ftw64",
	"glob",
	"glob64",
	"nftw",
	"nftw64",
	/* ... at the end, and at fork() by pthread_atfork() ... */
	"exit",
	"fork",
	"quick_exit",
	"vfork",
	/* ... and for streams of fopencookie(). */
	"fclose",
	"fflush",
	"freopen",
	"freopen64",

	/* A signal that they send or let in may have its handler before they return. */
	"__ppoll_chk",
	"epoll_pwait",
	"kill",
	"killpg",
	"ppoll",
	"pselect",
	"pthread_sigmask",
	"sigprocmask",
	"sigqueue",
	"sigsuspend",
	"syscall",
	"tgkill",

	/* It describes the stack that it is called on. */
	"sigaltstack",

	/* Their arguments are any number, or floating numbers. */
	"__dprintf_chk",
	"__syslog_chk",
	"dprintf",
	"execl",
	"execle",
	"execlp",
	"syslog",

	/* They are made of shared memory alone, and drawn often; or are floating numbers. */
	"drand48",
	"erand48",
	"jrand48",
	"lrand48",
	"mrand48",
	"nrand48",
	"rand",
	"random",
};

void cape_stand_ins_choose(struct cape_runtime *runtime)
{
	cape_stand_ins_apart = cape_apart_call;
	cape_stand_ins_take(__start_cape_stand_ins, __stop_cape_stand_ins, runtime->nodes > 1, stay,
			    sizeof(stay) / sizeof(*stay));
}

/* Memory may be that of a run of one node, or of more than this. */
static void finish(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	(void)from, (void)size;
	cape_stand_ins_choose(runtime);
}

CAPE_SAVED(stand_ins, .finish = finish);
