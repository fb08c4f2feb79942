/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_outlined.h - redirects the functions that compilers call for `#pragma omp parallel` to
 * libcape.
 *
 * cape-cc includes it in a source with parallel constructs, and compiles the source with -fopenmp.
 * The assembler renames the functions in this object alone: the object does not need libgomp, and a
 * library that needs libgomp still uses it.
 */
#ifndef CAPE_OUTLINED_H
#define CAPE_OUTLINED_H

#include "cape.h"

#ifndef CAPE_LTO
#define CAPE_RENAMES(name, own) __asm__(".set " name ", " own)
#else /* calls and definitions may end up in different objects, and an object may get several */
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
