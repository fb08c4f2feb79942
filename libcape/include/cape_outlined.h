/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_outlined.h - what the compilers call for `#pragma omp parallel`, under names of libcape.
 *
 * cape-cc puts it before a source with parallel constructs and compiles with -fopenmp.  The
 * assembler renames in this object alone: nothing of it needs libgomp, and a library that does
 * keeps its own.
 */
#ifndef CAPE_OUTLINED_H
#define CAPE_OUTLINED_H

#include "cape.h"

#ifndef CAPE_LTO
#define CAPE_RENAMES(name, own) __asm__(".set " name ", " own)
#else /* the calls and this may end up in two objects, and more than one of it in the same */
#define CAPE_RENAMES(name, own)                                                                    \
	__asm__(".ifndef " name "\n\t"                                                             \
		".pushsection .text." own ", \"axG\", @progbits, cape_outlined, comdat\n\t"        \
		".weak " name "\n\t"                                                               \
		".hidden " name "\n\t"                                                             \
		".type " name ", @function\n" name ":\n\t"                                         \
		"jmp " own "@PLT\n\t"                                                              \
		".popsection\n\t"                                                                  \
		".endif")
#endif

#ifdef __clang__
CAPE_RENAMES("__kmpc_fork_call", "cape_kmpc_fork_call");
#else
CAPE_RENAMES("GOMP_parallel", "cape_gomp_parallel");
#endif

#endif
