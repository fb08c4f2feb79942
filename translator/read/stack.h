/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack.h - how deeply a program may be nested. */
#ifndef CAPE_TRANSLATOR_STACK_H
#define CAPE_TRANSLATOR_STACK_H

/*
 * libclang's parser and the stages after it call themselves for what is nested.  Gives them
 * plenty of stack; where even that does not do, cape-cc ends with a message that names FILE.
 */
void stack_enlarge(const char *file);
/* What the compiler is started with is the user's limit again. */
void stack_restore(void);

#endif
