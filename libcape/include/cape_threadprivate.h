/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_threadprivate.h - tells libcape that an object has threadprivate variables.
 *
 * cape-cc puts it before a source that has.  The compiler makes such variables thread-local; of the
 * thread-local storage of libraries with this note each node has its own in regions, while that of
 * others, which may hold what their threads do, is let be.
 */
#ifndef CAPE_THREADPRIVATE_NOTE_H
#define CAPE_THREADPRIVATE_NOTE_H

__asm__(".pushsection .note.cape.threadprivate, \"a\", @note\n\t"
	".balign 4\n\t"
	".long 5, 0, 2\n\t" /* bytes of the name, and of what follows; the type */
	".asciz \"CAPE\"\n\t"
	".balign 4\n\t"
	".popsection");

/* The program may open the library later. */
void cape_threadprivate_loaded(void);

static void __attribute__((constructor)) cape_threadprivate_constructor(void)
{
	cape_threadprivate_loaded();
}

#endif
