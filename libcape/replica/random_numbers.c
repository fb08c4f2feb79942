/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random_numbers.c - rand(), random(), drand48() and their kin, with their state in shared memory.
 *
 * The functions take the place of the C library's, whose state is after a region what the master
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

/* NAME, of which CALL draws a RESULT. */
#define DRAWS(type, name, parameters, result_type, call)                                           \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		bool locked = be_ready();                                                          \
		result_type result;                                                                \
                                                                                                   \
		call;                                                                              \
		end(locked);                                                                       \
		return result;                                                                     \
	}

/* NAME, a CALL that changes the state. */
#define SEEDS(name, parameters, call)                                                              \
	CAPE_FUNCTION(void, name, parameters)                                                      \
	{                                                                                          \
		bool locked = be_ready();                                                          \
                                                                                                   \
		call;                                                                              \
		end(locked);                                                                       \
	}

/* NAME, which goes on with another state if CALL can. */
#define CHANGES(name, parameters, call)                                                            \
	CAPE_FUNCTION(char *, name, parameters)                                                    \
	{                                                                                          \
		bool locked = be_ready();                                                          \
		char *old = current();                                                             \
                                                                                                   \
		if (call < 0)                                                                      \
			old = NULL;                                                                \
		end(locked);                                                                       \
		return old;                                                                        \
	}

/* -- rand(), random() --------------------------------------------------------------------- */

DRAWS(long, random, (void), int32_t, own.random(&random_state, &result))
CAPE_FUNCTION_IS(int, rand, (void), (int)random())
SEEDS(srandom, (unsigned int seed), own.srandom(seed, &random_state))

CAPE_FUNCTION(void, srand, (unsigned int seed))
{
	srandom(seed);
}

/* What a state begins with is of the C library's. */
static char *current(void)
{
	return (char *)(random_state.state - 1);
}

CHANGES(initstate, (unsigned int seed, char *memory, size_t size),
	own.initstate(seed, memory, size, &random_state))
CHANGES(setstate, (char *memory), own.setstate(memory, &random_state))

/* -- drand48() and its kin ---------------------------------------------------------------- */

SEEDS(srand48, (long seed), own.srand48(seed, &random_state48))
SEEDS(lcong48, (unsigned short parameters[7]), own.lcong48(parameters, &random_state48))

CAPE_FUNCTION(unsigned short *, seed48, (unsigned short seed[3]))
{
	bool locked = be_ready();

	own.seed48(seed, &random_state48);
	end(locked);
	return random_state48.__old_x;
}

DRAWS(double, erand48, (unsigned short value[3]), double,
      own.erand48(value, &random_state48, &result))
DRAWS(long, nrand48, (unsigned short value[3]), long, own.nrand48(value, &random_state48, &result))
DRAWS(long, jrand48, (unsigned short value[3]), long, own.jrand48(value, &random_state48, &result))
CAPE_FUNCTION_IS(double, drand48, (void), erand48(random_state48.__x))
CAPE_FUNCTION_IS(long, lrand48, (void), nrand48(random_state48.__x))
CAPE_FUNCTION_IS(long, mrand48, (void), jrand48(random_state48.__x))
