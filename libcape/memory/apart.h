/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * apart.h - a stack apart from the program's, for what differs between nodes.
 *
 * Regions' blocks run there, what the run time does where a construct begins and ends, and almost
 * all functions that stand in for the C library's (base/stand_in.h, start/stand_ins.c).  So
 * sequential code alone writes to the program's own stack, and that is the same on all nodes by
 * construction, what is dead in it, too: a later variable that is not initialised begins with it,
 * and a node that writes what happens to be there already would send no change to others that have
 * something else there.
 *
 * The stack is each node's own: no area, not compared, not sent.  It is as large as the program's
 * can grow, and memory that cannot be touched lies below.  One is enough: what runs there and calls
 * what is to run there goes on where it is.
 */
#ifndef CAPE_APART_H
#define CAPE_APART_H

#include "base/context.h"
#include "channel/capture.h"

/* At the same addresses in every run: a save inside a region holds what is there. */
#define CAPE_APART_START CAPE_PRIVATE_END
#define CAPE_APART_END	 (CAPE_APART_START + (1ull << 40))

static inline bool cape_is_apart(uint64_t address)
{
	return address >= CAPE_APART_START && address < CAPE_APART_END;
}

/* Makes the stack, or makes it as large as SIZE bytes.  0 or -errno. */
int cape_apart_map(struct cape_runtime *runtime, uint64_t size);

/* Calls the function in r11 there, if it can; gives back what that has in rax. */
void cape_apart_call(void);

/* Goes on where who has left REGISTERS on the stack returns to: apart.c, or cape_frame_keep(). */
struct cape_registers;
void cape_apart_resume(const struct cape_registers *registers) __attribute__((noreturn));

/*
 * A function NAME of libcape, whose body follows, that runs on the stack apart.  Its parameters,
 * at most eight, are no structures, and what it gives back is no floating number.
 */
#define CAPE_APART(type, name, parameters) CAPE_APART_BY(cape_apart_call, type, name, parameters)

/* The same, which gives nothing back. */
#define CAPE_APART_VOID(name, parameters) CAPE_APART_BY(cape_apart, void, name, parameters)

#define CAPE_APART_BY(way, type, name, parameters)                                                 \
	type name parameters __attribute__((visibility("hidden")));                                \
	__asm__(".pushsection .text.cape_apart, \"ax\", @progbits\n\t"                             \
		".globl " #name "\n\t"                                                             \
		".hidden " #name "\n\t"                                                            \
		".type " #name ", @function\n" #name ":\n\t"                                       \
		".cfi_startproc\n\t"                                                               \
		"lea " #name "_apart(%rip), %r11\n\t"                                              \
		"jmp " #way "\n\t"                                                                 \
		".cfi_endproc\n\t"                                                                 \
		".size " #name ", . - " #name "\n\t"                                               \
		".popsection");                                                                    \
	static __attribute__((used)) type name##_apart parameters

#endif
