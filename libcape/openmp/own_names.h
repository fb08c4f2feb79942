/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own_names.h - the routines under their own names, for programs that declare them themselves;
 * omp.h has others.
 *
 * Hidden, so that the libraries of another OpenMP do not find them.  Linked only where the name is
 * asked for and nothing before has it: what gcc's -ftree-parallelize-loops calls is libgomp's.
 */
#ifndef CAPE_OWN_NAMES_H
#define CAPE_OWN_NAMES_H

/* NAMES: with commas between. */
#define CAPE_OWN_NAMES(names)                                                                      \
	__asm__(".text\n"                                                                          \
		".irp name, " names "\n"                                                           \
		".globl \\name\n"                                                                  \
		".hidden \\name\n"                                                                 \
		".type \\name, @function\n"                                                        \
		"\\name: jmp cape_\\name@PLT\n"                                                    \
		".size \\name, . - \\name\n"                                                       \
		".endr\n")

#endif
