/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random_numbers.c - rand(), random(), drand48() and their kin, with their state in shared memory.
 *
 * The functions take the place of the C library's, whose state is behind a region what the master
 * has.  The numbers are the same: the C library makes them, from state that it is given.  As of any
 * variable, a node of a region sees what others made of the state once they are ordered.  Threads
 * of a node take turns, by the heap's lock, under which nobody stays for long.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "heap/heap_lock.h"

#define WORDS 32

/* A pointer into the table differs from another in its last byte alone, however they are merged. */
static __attribute__((aligned(256))) int32_t random_table[WORDS];
static struct random_data random_state;
static struct drand48_data random_state48;

/* The C library's functions, at the same addresses on every node. */
static struct {
	int (*initstate)(unsigned int seed, char *memory, size_t size, struct random_data *state);
	int (*setstate)(char *memory, struct random_data *state);
	int (*srandom)(unsigned int seed, struct random_data *state);
	int (*random)(struct random_data *state, int32_t *result);
	int (*srand48)(long seed, struct drand48_data *state);
	int (*seed48)(unsigned short seed[3], struct drand48_data *state);
	int (*lcong48)(unsigned short parameters[7], struct drand48_data *state);
	int (*erand48)(unsigned short value[3], struct drand48_data *state, double *result);
	int (*nrand48)(unsigned short value[3], struct drand48_data *state, long *result);
	int (*jrand48)(unsigned short value[3], struct drand48_data *state, long *result);
} own;

static void find(void *function, const char *name)
{
	*(void **)function = dlsym(RTLD_NEXT, name);
	if (!*(void **)function)
		cape_fail(cape_runtime_get(), 0, "the C library has no %s()", name);
}

/*
 * Before the first use: as if srandom(1) had been called.  At the start, since the first use in a
 * region would be several nodes'; or when another constructor draws a number.
 */
static __attribute__((noinline, constructor)) void begin(void)
{
	if (own.initstate || cape_runtime_get()->by_itself)
		return;
	find(&own.setstate, "setstate_r");
	find(&own.srandom, "srandom_r");
	find(&own.random, "random_r");
	find(&own.srand48, "srand48_r");
	find(&own.seed48, "seed48_r");
	find(&own.lcong48, "lcong48_r");
	find(&own.erand48, "erand48_r");
	find(&own.nrand48, "nrand48_r");
	find(&own.jrand48, "jrand48_r");
	find(&own.initstate, "initstate_r");
	own.initstate(1, (char *)random_table, sizeof(random_table), &random_state);
}

/* Returns what end() is to be given. */
static inline bool be_ready(void)
{
	if (__builtin_expect(!own.initstate, 0))
		begin();
	return cape_heap_lock(cape_runtime_get());
}

static inline void end(bool locked)
{
	cape_heap_unlock(cape_runtime_get(), locked);
}

/* -- rand(), random() --------------------------------------------------------------------- */

CAPE_FUNCTION(long, random, (void))
{
	bool locked = be_ready();
	int32_t result;

	own.random(&random_state, &result);
	end(locked);
	return result;
}

CAPE_FUNCTION_IS(int, rand, (void), (int)random())

CAPE_FUNCTION(void, srandom, (unsigned int seed))
{
	bool locked = be_ready();

	own.srandom(seed, &random_state);
	end(locked);
}

CAPE_FUNCTION(void, srand, (unsigned int seed))
{
	srandom(seed);
}

/* What a state begins with is of the C library's. */
static char *current(void)
{
	return (char *)(random_state.state - 1);
}

CAPE_FUNCTION(char *, initstate, (unsigned int seed, char *memory, size_t size))
{
	bool locked = be_ready();
	char *old = current();

	if (own.initstate(seed, memory, size, &random_state) < 0)
		old = NULL;
	end(locked);
	return old;
}

CAPE_FUNCTION(char *, setstate, (char *memory))
{
	bool locked = be_ready();
	char *old = current();

	if (own.setstate(memory, &random_state) < 0)
		old = NULL;
	end(locked);
	return old;
}

/* -- drand48() and its kin ---------------------------------------------------------------- */

CAPE_FUNCTION(void, srand48, (long seed))
{
	bool locked = be_ready();

	own.srand48(seed, &random_state48);
	end(locked);
}

CAPE_FUNCTION(unsigned short *, seed48, (unsigned short seed[3]))
{
	bool locked = be_ready();

	own.seed48(seed, &random_state48);
	end(locked);
	return random_state48.__old_x;
}

CAPE_FUNCTION(void, lcong48, (unsigned short parameters[7]))
{
	bool locked = be_ready();

	own.lcong48(parameters, &random_state48);
	end(locked);
}

CAPE_FUNCTION(double, erand48, (unsigned short value[3]))
{
	bool locked = be_ready();
	double result;

	own.erand48(value, &random_state48, &result);
	end(locked);
	return result;
}

CAPE_FUNCTION_IS(double, drand48, (void), erand48(random_state48.__x))

CAPE_FUNCTION(long, nrand48, (unsigned short value[3]))
{
	bool locked = be_ready();
	long result;

	own.nrand48(value, &random_state48, &result);
	end(locked);
	return result;
}

CAPE_FUNCTION_IS(long, lrand48, (void), nrand48(random_state48.__x))

CAPE_FUNCTION(long, jrand48, (unsigned short value[3]))
{
	bool locked = be_ready();
	long result;

	own.jrand48(value, &random_state48, &result);
	end(locked);
	return result;
}

CAPE_FUNCTION_IS(long, mrand48, (void), jrand48(random_state48.__x))
