/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_threadprivate.h - a note for libcape that an object has threadprivate variables.
 *
 * cape-cc includes it in a source with such variables, which the compiler makes thread-local.  In
 * regions each node has its own thread-local storage of the libraries with this note.  libcape does
 * not touch the thread-local storage of other libraries, which may contain state of their threads.
 */
#ifndef CAPE_THREADPRIVATE_NOTE_H
#define CAPE_THREADPRIVATE_NOTE_H

__asm__(".pushsection .note.cape.threadprivate, \"a\", @note\n\t"
	".balign 4\n\t"
	".long 5, 0, 2\n\t" /* bytes of the name, bytes of the contents, type */
	".asciz \"CAPE\"\n\t"
	".balign 4\n\t"
	".popsection");

/* Called when an object with such variables is loaded, perhaps later than the program's start. */
void cape_threadprivate_loaded(void);

static void __attribute__((constructor)) cape_threadprivate_constructor(void)
{
	cape_threadprivate_loaded();
}

#endif
