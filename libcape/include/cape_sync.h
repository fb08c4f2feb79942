/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_sync.h - synchronisation without OpenMP, as constructs of the run time: the atomic builtins
 * of the compilers, which <stdatomic.h> uses, operations on _Atomic objects, and POSIX locks.
 *
 * cape-cc includes it in a source that uses any of these.  A macro has the name of each builtin; it
 * evaluates the operands, and calls the builtin between cape_atomic_begin() and cape_atomic_end().
 * For a word between threads it only calls the builtin.
 */
#ifndef CAPE_SYNC_H
#define CAPE_SYNC_H

#include "cape_atomic.h"

/* All orders but __ATOMIC_RELAXED are flushes. */
#define CAPE_ATOMIC_ORDER(order)      ((order) ? CAPE_ATOMIC_FLUSH : 0)
#define CAPE_ATOMIC_KIND(kind, order) ((int)(kind) | (int)CAPE_ATOMIC_ORDER(order))
/* The first argument: after the operands of __sync_*() there may be a list of other arguments. */
#define CAPE_FIRST(...)		  CAPE_FIRST_OF(__VA_ARGS__, 0)
#define CAPE_FIRST_OF(first, ...) first

/* STATEMENT as a construct; in it, cape_object is the address of the object. */
#define CAPE_ATOMIC_DO(pointer, kind, order, operands, statement, result)                          \
	__extension__({                                                                            \
		__auto_type cape_object = (pointer);                                               \
		operands;                                                                          \
		if (!CAPE_IS_WORD(sizeof *cape_object))                                            \
			cape_atomic_begin(cape_object, CAPE_ATOMIC_KIND(kind, order));             \
		statement;                                                                         \
		if (!CAPE_IS_WORD(sizeof *cape_object))                                            \
			cape_atomic_end();                                                         \
		result;                                                                            \
	})
/* The result is an assignment, so that no compiler warns that it is unused. */
#define CAPE_ATOMIC_VALUE(pointer, kind, order, operands, expression)                              \
	CAPE_ATOMIC_DO(pointer, kind, order, operands, __auto_type cape_result = (expression);     \
		       __typeof__(cape_result) cape_last __attribute__((unused)),                  \
		       cape_last = cape_result)
#define CAPE_ATOMIC_FETCH(builtin, pointer, value, order)                                          \
	CAPE_ATOMIC_VALUE(pointer, CAPE_ATOMIC_CAPTURE, order, __auto_type cape_operand = (value), \
			  builtin(cape_object, cape_operand, order))

#define __atomic_fetch_add(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_fetch_add, p, v, o)
#define __atomic_fetch_sub(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_fetch_sub, p, v, o)
#define __atomic_fetch_and(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_fetch_and, p, v, o)
#define __atomic_fetch_or(p, v, o)   CAPE_ATOMIC_FETCH(__atomic_fetch_or, p, v, o)
#define __atomic_fetch_xor(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_fetch_xor, p, v, o)
#define __atomic_fetch_nand(p, v, o) CAPE_ATOMIC_FETCH(__atomic_fetch_nand, p, v, o)
#define __atomic_add_fetch(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_add_fetch, p, v, o)
#define __atomic_sub_fetch(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_sub_fetch, p, v, o)
#define __atomic_and_fetch(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_and_fetch, p, v, o)
#define __atomic_or_fetch(p, v, o)   CAPE_ATOMIC_FETCH(__atomic_or_fetch, p, v, o)
#define __atomic_xor_fetch(p, v, o)  CAPE_ATOMIC_FETCH(__atomic_xor_fetch, p, v, o)
#define __atomic_nand_fetch(p, v, o) CAPE_ATOMIC_FETCH(__atomic_nand_fetch, p, v, o)

/* The type is the object's: the value may be written as 0 for a null pointer. */
#define CAPE_ATOMIC_OPERAND_OF(value) __typeof__((void)0, *cape_object) cape_operand = (value)
#define __atomic_exchange_n(p, v, o)                                                               \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, o, CAPE_ATOMIC_OPERAND_OF(v),                    \
			  __atomic_exchange_n(cape_object, cape_operand, o))
#define __atomic_exchange(p, v, r, o)                                                              \
	CAPE_ATOMIC_DO(p, CAPE_ATOMIC_CAPTURE, o, __auto_type cape_operand = (v);                  \
		       __auto_type cape_before = (r),                                              \
		       __atomic_exchange(cape_object, cape_operand, cape_before, o), (void)0)
#define __atomic_load_n(p, o)                                                                      \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_READ, o, (void)0, __atomic_load_n(cape_object, o))
#define __atomic_load(p, r, o)                                                                     \
	CAPE_ATOMIC_DO(p, CAPE_ATOMIC_READ, o, __auto_type cape_before = (r),                      \
		       __atomic_load(cape_object, cape_before, o), (void)0)
#define __atomic_store_n(p, v, o)                                                                  \
	CAPE_ATOMIC_DO(p, CAPE_ATOMIC_WRITE, o, CAPE_ATOMIC_OPERAND_OF(v),                         \
		       __atomic_store_n(cape_object, cape_operand, o), (void)0)
#define __atomic_store(p, v, o)                                                                    \
	CAPE_ATOMIC_DO(p, CAPE_ATOMIC_WRITE, o, __auto_type cape_operand = (v),                    \
		       __atomic_store(cape_object, cape_operand, o), (void)0)
/* O is at least as strong as FAILURE, so O alone decides about a flush. */
#define __atomic_compare_exchange_n(p, e, v, weak, o, failure)                                     \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, o, __auto_type cape_expected = (e);              \
			  CAPE_ATOMIC_OPERAND_OF(v),                                               \
			  __atomic_compare_exchange_n(cape_object, cape_expected, cape_operand, 0, \
						      o, failure))
#define __atomic_compare_exchange(p, e, v, weak, o, failure)                                       \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, o, __auto_type cape_expected = (e);              \
			  __auto_type cape_operand = (v),                                          \
			  __atomic_compare_exchange(cape_object, cape_expected, cape_operand, 0,   \
						    o, failure))
#define __atomic_test_and_set(p, o)                                                                \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, o, (void)0, __atomic_test_and_set(cape_object, o))
#define __atomic_clear(p, o)                                                                       \
	CAPE_ATOMIC_DO(p, CAPE_ATOMIC_WRITE, o, (void)0, __atomic_clear(cape_object, o), (void)0)
#define __atomic_thread_fence(o)                                                                   \
	__extension__({                                                                            \
		__atomic_thread_fence(o);                                                          \
		if (o)                                                                             \
			cape_flush();                                                              \
	})

/* clang's <stdatomic.h>. */
#define __c11_atomic_fetch_add(p, v, o) CAPE_ATOMIC_FETCH(__c11_atomic_fetch_add, p, v, o)
#define __c11_atomic_fetch_sub(p, v, o) CAPE_ATOMIC_FETCH(__c11_atomic_fetch_sub, p, v, o)
#define __c11_atomic_fetch_and(p, v, o) CAPE_ATOMIC_FETCH(__c11_atomic_fetch_and, p, v, o)
#define __c11_atomic_fetch_or(p, v, o)	CAPE_ATOMIC_FETCH(__c11_atomic_fetch_or, p, v, o)
#define __c11_atomic_fetch_xor(p, v, o) CAPE_ATOMIC_FETCH(__c11_atomic_fetch_xor, p, v, o)
#define __c11_atomic_exchange(p, v, o)                                                             \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, o, CAPE_ATOMIC_OPERAND_OF(v),                    \
			  __c11_atomic_exchange(cape_object, cape_operand, o))
#define __c11_atomic_load(p, o)                                                                    \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_READ, o, (void)0, __c11_atomic_load(cape_object, o))
#define __c11_atomic_store(p, v, o)                                                                \
	CAPE_ATOMIC_DO(p, CAPE_ATOMIC_WRITE, o, CAPE_ATOMIC_OPERAND_OF(v),                         \
		       __c11_atomic_store(cape_object, cape_operand, o), (void)0)
#define CAPE_C11_COMPARE(builtin, p, e, v, o, failure)                                             \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, o, __auto_type cape_expected = (e);              \
			  CAPE_ATOMIC_OPERAND_OF(v),                                               \
			  builtin(cape_object, cape_expected, cape_operand, o, failure))
#define __c11_atomic_compare_exchange_strong(p, e, v, o, failure)                                  \
	CAPE_C11_COMPARE(__c11_atomic_compare_exchange_strong, p, e, v, o, failure)
#define __c11_atomic_compare_exchange_weak(p, e, v, o, failure)                                    \
	CAPE_C11_COMPARE(__c11_atomic_compare_exchange_weak, p, e, v, o, failure)
#define __c11_atomic_thread_fence(o)                                                               \
	__extension__({                                                                            \
		__c11_atomic_thread_fence(o);                                                      \
		if (o)                                                                             \
			cape_flush();                                                              \
	})

#define CAPE_SYNC_FETCH(builtin, pointer, ...)                                                     \
	CAPE_ATOMIC_VALUE(pointer, CAPE_ATOMIC_CAPTURE, 1,                                         \
			  __auto_type cape_operand = (CAPE_FIRST(__VA_ARGS__)),                    \
			  builtin(cape_object, cape_operand))

#define __sync_fetch_and_add(p, ...)  CAPE_SYNC_FETCH(__sync_fetch_and_add, p, __VA_ARGS__)
#define __sync_fetch_and_sub(p, ...)  CAPE_SYNC_FETCH(__sync_fetch_and_sub, p, __VA_ARGS__)
#define __sync_fetch_and_and(p, ...)  CAPE_SYNC_FETCH(__sync_fetch_and_and, p, __VA_ARGS__)
#define __sync_fetch_and_or(p, ...)   CAPE_SYNC_FETCH(__sync_fetch_and_or, p, __VA_ARGS__)
#define __sync_fetch_and_xor(p, ...)  CAPE_SYNC_FETCH(__sync_fetch_and_xor, p, __VA_ARGS__)
#define __sync_fetch_and_nand(p, ...) CAPE_SYNC_FETCH(__sync_fetch_and_nand, p, __VA_ARGS__)
#define __sync_add_and_fetch(p, ...)  CAPE_SYNC_FETCH(__sync_add_and_fetch, p, __VA_ARGS__)
#define __sync_sub_and_fetch(p, ...)  CAPE_SYNC_FETCH(__sync_sub_and_fetch, p, __VA_ARGS__)
#define __sync_and_and_fetch(p, ...)  CAPE_SYNC_FETCH(__sync_and_and_fetch, p, __VA_ARGS__)
#define __sync_or_and_fetch(p, ...)   CAPE_SYNC_FETCH(__sync_or_and_fetch, p, __VA_ARGS__)
#define __sync_xor_and_fetch(p, ...)  CAPE_SYNC_FETCH(__sync_xor_and_fetch, p, __VA_ARGS__)
#define __sync_nand_and_fetch(p, ...) CAPE_SYNC_FETCH(__sync_nand_and_fetch, p, __VA_ARGS__)

#define CAPE_SYNC_COMPARE(builtin, pointer, expected, ...)                                         \
	CAPE_ATOMIC_VALUE(pointer, CAPE_ATOMIC_CAPTURE, 1,                                         \
			  __typeof__(*cape_object) cape_expected = (expected);                     \
			  __typeof__(*cape_object) cape_operand = (CAPE_FIRST(__VA_ARGS__)),       \
			  builtin(cape_object, cape_expected, cape_operand))

#define __sync_bool_compare_and_swap(p, e, ...)                                                    \
	CAPE_SYNC_COMPARE(__sync_bool_compare_and_swap, p, e, __VA_ARGS__)
#define __sync_val_compare_and_swap(p, e, ...)                                                     \
	CAPE_SYNC_COMPARE(__sync_val_compare_and_swap, p, e, __VA_ARGS__)
#define __sync_lock_test_and_set(p, ...)                                                           \
	CAPE_ATOMIC_VALUE(p, CAPE_ATOMIC_CAPTURE, 1,                                               \
			  __typeof__(*cape_object) cape_operand = (CAPE_FIRST(__VA_ARGS__)),       \
			  __sync_lock_test_and_set(cape_object, cape_operand))
#define __sync_lock_release(...)                                                                   \
	CAPE_ATOMIC_DO(CAPE_FIRST(__VA_ARGS__), CAPE_ATOMIC_WRITE, 1, (void)0,                     \
		       __sync_lock_release(cape_object), (void)0)
#define __sync_synchronize(...)                                                                    \
	__extension__({                                                                            \
		__sync_synchronize();                                                              \
		cape_flush();                                                                      \
	})

/* Operations on an _Atomic object, which are sequentially consistent in C. */
#define cape_atomic_get(...)                                                                       \
	CAPE_ATOMIC_DO(&(__VA_ARGS__), CAPE_ATOMIC_READ, 1, (void)0,                               \
		       __typeof__((void)0, *cape_object) cape_result = *cape_object, cape_result)
#define cape_atomic_set(object, ...)                                                               \
	CAPE_ATOMIC_VALUE(&(object), CAPE_ATOMIC_WRITE, 1, CAPE_ATOMIC_OPERAND_OF(__VA_ARGS__),    \
			  *cape_object = cape_operand)
#define cape_atomic_modify(object, op, ...)                                                        \
	CAPE_ATOMIC_VALUE(&(object), CAPE_ATOMIC_CAPTURE, 1,                                       \
			  __auto_type cape_operand = (__VA_ARGS__), *cape_object op cape_operand)
#define cape_atomic_step_before(op, ...)                                                           \
	CAPE_ATOMIC_VALUE(&(__VA_ARGS__), CAPE_ATOMIC_CAPTURE, 1, (void)0, op *cape_object)
#define cape_atomic_step_after(op, ...)                                                            \
	CAPE_ATOMIC_VALUE(&(__VA_ARGS__), CAPE_ATOMIC_CAPTURE, 1, (void)0, (*cape_object)op)

/*
 * The locks of POSIX: cape_pthread_mutex_lock() and so on replace the functions of that name, and
 * return what these return.  The arguments point to the caller's locks; this header does not know
 * their types.
 */
int cape_pthread_mutex_lock(void *mutex);
int cape_pthread_mutex_trylock(void *mutex);
int cape_pthread_mutex_unlock(void *mutex);
int cape_pthread_mutex_destroy(void *mutex);
int cape_pthread_spin_lock(volatile void *spin);
int cape_pthread_spin_trylock(volatile void *spin);
int cape_pthread_spin_unlock(volatile void *spin);
int cape_pthread_spin_destroy(volatile void *spin);
void cape_place(const char *file, int line); /* see omp.h */

/*
 * cape_sequential_only - for a call of WHAT, a name for messages, that does not work between nodes.
 *
 * Ends the run, with the line of the call, in a region that more than one node runs; otherwise does
 * nothing.
 */
#define cape_sequential_only(what) cape_sequential_only_at((what), CAPE_HERE)
void cape_sequential_only_at(const char *what, const struct cape_place *place);

#endif
