/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stand_in.h - functions that stand in for the C library's, under its names.
 *
 * What a program calls by such a name is one jump, by way of a pointer.  In a program that was
 * started by itself that leads to the C library's own function, as a call of a shared library's
 * function always does: nothing of libcape stands between.  On nodes libcape's functions run on a
 * stack apart from the program's (memory/apart.h), for what they know of their own node differs
 * from what others know.
 */
#ifndef CAPE_STAND_IN_H
#define CAPE_STAND_IN_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define CAPE_EXPORT __attribute__((visibility("default")))

/* The program's function NAME, which is a CALL. */
#define CAPE_EXPORT_IS(type, name, parameters, call)                                               \
	CAPE_EXPORT type name parameters                                                           \
	{                                                                                          \
		return call;                                                                       \
	}

struct cape_stand_in {
	void *function; /* that calls by the name come to */
	const char *name;
	void *here, *apart; /* libcape's, on the caller's stack and apart */
};

/* Calls the function in r11 apart. */
extern void (*cape_stand_ins_apart)(void);

#ifdef __CET__
#define CAPE_LANDING "endbr64\n\t"
#else
#define CAPE_LANDING ""
#endif

/*
 * Calls by NAME come to FUNCTION, until all of the list SECTION are left; but what a program itself
 * defines under that name wins.
 */
#define CAPE_STAND_IN_OF(section_name, name, function)                                             \
	void cape_stand_apart_##name(void) __attribute__((visibility("hidden")));                  \
	static struct cape_stand_in cape_stand_in_##name                                           \
		__attribute__((section(#section_name), used)) = {(void *)function, #name,          \
								 (void *)function,                 \
								 (void *)cape_stand_apart_##name}; \
	__asm__(".pushsection .text\n\t"                                                           \
		".type cape_stand_apart_" #name ", @function\n"                                    \
		"cape_stand_apart_" #name ":\n\t"                                                  \
		".cfi_startproc\n\t" CAPE_LANDING "lea " #function "(%rip), %r11\n\t"              \
		"jmp *cape_stand_ins_apart(%rip)\n\t"                                              \
		".cfi_endproc\n\t"                                                                 \
		".size cape_stand_apart_" #name ", . - cape_stand_apart_" #name "\n\t"             \
		".p2align 4\n\t"                                                                   \
		".weak " #name "\n\t"                                                              \
		".type " #name ", @function\n" #name ":\n\t"                                       \
		".cfi_startproc\n\t" CAPE_LANDING "jmp *cape_stand_in_" #name "(%rip)\n\t"         \
		".cfi_endproc\n\t"                                                                 \
		".size " #name ", . - " #name "\n\t"                                               \
		".popsection")

#define CAPE_STAND_IN(name, function) CAPE_STAND_IN_OF(cape_stand_ins, name, function)

/* Defines what stands in for NAME; libcape itself does not call it by that. */
#define CAPE_FUNCTION_OF(section_name, type, name, parameters)                                     \
	static type cape_function_##name parameters;                                               \
	CAPE_STAND_IN_OF(section_name, name, cape_function_##name);                                \
	static type cape_function_##name parameters

#define CAPE_FUNCTION(type, name, parameters)                                                      \
	CAPE_FUNCTION_OF(cape_stand_ins, type, name, parameters)

/* The same, of one that is a CALL. */
#define CAPE_FUNCTION_IS(type, name, parameters, call)                                             \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		return call;                                                                       \
	}

/* What stands in for OTHER, above, stands in for NAME, too: on machines of 64 bits they are one. */
#define CAPE_SAME_FUNCTION(name, other) CAPE_STAND_IN(name, cape_function_##other)

/* The same, of what a header declares as cape_NAME: by that name libcape itself calls it. */
#define CAPE_CALLED_FUNCTION(type, name, parameters)                                               \
	CAPE_STAND_IN(name, cape_##name);                                                          \
	type cape_##name parameters

#define CAPE_CALLED_FUNCTION_IS(type, name, parameters, call)                                      \
	CAPE_CALLED_FUNCTION(type, name, parameters)                                               \
	{                                                                                          \
		return call;                                                                       \
	}

/* The C library's function NAME; looking it up takes longer than many of them. */
#define CAPE_OWN_FUNCTION_AS(type, name)                                                           \
	({                                                                                         \
		static __thread type own;                                                          \
                                                                                                   \
		if (!own)                                                                          \
			own = (type)dlsym(RTLD_NEXT, name);                                        \
		own;                                                                               \
	})

/* The same, where something here stands in for it. */
#define CAPE_OWN_FUNCTION(name) CAPE_OWN_FUNCTION_AS(__typeof__(&cape_function_##name), #name)

/* Calls NAME as the program does, apart on nodes. */
#define CAPE_CALL_STAND_IN(name, ...)                                                              \
	({                                                                                         \
		__typeof__(&cape_function_##name) stand_in =                                       \
			(__typeof__(&cape_function_##name))(cape_stand_in_##name.function);        \
		stand_in(__VA_ARGS__);                                                             \
	})

/* From now on calls by the names from FIRST to before END are the C library's, if it has them; */
void cape_stand_ins_leave(struct cape_stand_in *first, struct cape_stand_in *end);

/* or libcape's: if APART, on the stack apart, but for the COUNT names that STAY. */
void cape_stand_ins_take(struct cape_stand_in *first, struct cape_stand_in *end, bool apart,
			 const char *const *stay, size_t count);

#endif
