/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random_numbers.c - rand(), random(), drand48() and their kin, with their state in shared memory.
 *
 * The functions take the place of the C library's, whose state is behind a region what the master
 * has.  The numbers are the same: the C library makes them, from state that it is given.  As of any
 * variable, a node of a region sees what others made of the state once they are ordered.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "base/context.h"

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

static inline void be_ready(void)
{
	if (__builtin_expect(!own.initstate, 0))
		begin();
}

/* -- rand(), random() --------------------------------------------------------------------- */

CAPE_FUNCTION(long, random, (void))
{
	int32_t result;

	be_ready();
	own.random(&random_state, &result);
	return result;
}

CAPE_FUNCTION_IS(int, rand, (void), (int)random())

CAPE_FUNCTION(void, srandom, (unsigned int seed))
{
	be_ready();
	own.srandom(seed, &random_state);
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
	char *old;

	be_ready();
	old = current();
	return own.initstate(seed, memory, size, &random_state) < 0 ? NULL : old;
}

CAPE_FUNCTION(char *, setstate, (char *memory))
{
	char *old;

	be_ready();
	old = current();
	return own.setstate(memory, &random_state) < 0 ? NULL : old;
}

/* -- drand48() and its kin ---------------------------------------------------------------- */

CAPE_FUNCTION(void, srand48, (long seed))
{
	be_ready();
	own.srand48(seed, &random_state48);
}

CAPE_FUNCTION(unsigned short *, seed48, (unsigned short seed[3]))
{
	be_ready();
	own.seed48(seed, &random_state48);
	return random_state48.__old_x;
}

CAPE_FUNCTION(void, lcong48, (unsigned short parameters[7]))
{
	be_ready();
	own.lcong48(parameters, &random_state48);
}

CAPE_FUNCTION(double, erand48, (unsigned short value[3]))
{
	double result;

	be_ready();
	own.erand48(value, &random_state48, &result);
	return result;
}

CAPE_FUNCTION_IS(double, drand48, (void), erand48(random_state48.__x))

CAPE_FUNCTION(long, nrand48, (unsigned short value[3]))
{
	long result;

	be_ready();
	own.nrand48(value, &random_state48, &result);
	return result;
}

CAPE_FUNCTION_IS(long, lrand48, (void), nrand48(random_state48.__x))

CAPE_FUNCTION(long, jrand48, (unsigned short value[3]))
{
	long result;

	be_ready();
	own.jrand48(value, &random_state48, &result);
	return result;
}

CAPE_FUNCTION_IS(long, mrand48, (void), jrand48(random_state48.__x))
