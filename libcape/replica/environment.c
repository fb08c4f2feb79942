// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * environment.c - the environment in shared memory, so that what one node sets in a region is seen
 * by the others as any other variable is.
 *
 * The functions take the place of the C library's in the program.  The C library's getenv() goes
 * through the same list.  As there, a value that is replaced is not freed: it may be in use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "system/libc.h"
#include "base/context.h"
#include "heap/heap.h"
#include "heap/heap_lock.h"

#define VARIABLES_LIMIT 16384

static char *list[VARIABLES_LIMIT + 1];

/* A program may have given environ another value. */
static int take_over(void)
{
	size_t count = 0;

	if (__environ == list)
		return 0;
	while (__environ && __environ[count])
		if (++count > VARIABLES_LIMIT) {
			errno = ENOMEM;
			return -1;
		}
	if (count)
		memmove(list, __environ, count * sizeof(*list));
	list[count] = NULL;
	__environ = list;
	return 0;
}

/* After cape_start(), before the program: no region may find the list elsewhere. */
__attribute__((constructor(102))) static void start(void)
{
	if (!cape_runtime_get()->by_itself)
		take_over();
}

/* Where the variable is whose name are the first LENGTH bytes of TEXT, or the list's end. */
static char **find(const char *text, size_t length)
{
	char **at = list;

	while (*at && (strncmp(*at, text, length) != 0 || (*at)[length] != '='))
		at++;
	return at;
}

static int put(char *text, size_t length)
{
	char **at = find(text, length);

	if (at == list + VARIABLES_LIMIT) {
		errno = ENOMEM;
		return -1;
	}
	if (!*at)
		at[1] = NULL;
	*at = text;
	return 0;
}

static void remove_all(const char *name, size_t length)
{
	for (char **at; *(at = find(name, length));)
		do {
			at[0] = at[1];
		} while (*++at);
}

static bool is_name(const char *name)
{
	if (name && *name && !strchr(name, '='))
		return true;
	errno = EINVAL;
	return false;
}

/* Threads of a node take turns, by the heap's lock. */
static int put_in_turn(char *text, size_t length)
{
	bool locked = cape_heap_lock(cape_runtime_get());
	int result = put(text, length);

	cape_heap_unlock(cape_runtime_get(), locked);
	return result;
}

static int remove_in_turn(const char *name, size_t length)
{
	bool locked = cape_heap_lock(cape_runtime_get());

	remove_all(name, length);
	cape_heap_unlock(cape_runtime_get(), locked);
	return 0;
}

CAPE_FUNCTION(int, setenv, (const char *name, const char *value, int replace))
{
	size_t length, value_size;
	char *text;

	if (!is_name(name) || take_over() < 0)
		return -1;
	length = strlen(name);
	if (!replace && *find(name, length))
		return 0;
	value_size = strlen(value) + 1;
	text = cape_heap_lock_allocate(cape_runtime_get(), length + 1 + value_size);
	if (!text)
		return -1;
	memcpy(text, name, length);
	text[length] = '=';
	memcpy(text + length + 1, value, value_size);
	return put_in_turn(text, length);
}

CAPE_FUNCTION(int, unsetenv, (const char *name))
{
	if (!is_name(name) || take_over() < 0)
		return -1;
	return remove_in_turn(name, strlen(name));
}

/* The text itself becomes part of the environment. */
CAPE_FUNCTION(int, putenv, (char *text))
{
	size_t length = strcspn(text, "=");

	if (take_over() < 0)
		return -1;
	return text[length] ? put_in_turn(text, length) : remove_in_turn(text, length);
}

CAPE_FUNCTION(int, clearenv, (void))
{
	if (take_over() < 0)
		return -1;
	list[0] = NULL;
	return 0;
}
