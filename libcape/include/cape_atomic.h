/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_atomic.h - the atomic construct.
 *
 * cape-cc includes it in a source with atomic constructs.  In the statement, cape_new, a copy,
 * replaces the variable:
 *
 *	cape_atomic_type(x) cape_old = 0, cape_new = 0;
 *	do {
 *		cape_atomic_load(&(x), &cape_old, &cape_new, kind);
 *		the statement
 *	} while (!cape_atomic_store(&(x), &cape_old, &cape_new, kind));
 *
 * Between nodes, and for variables wider than a word, the two calls set and unset a lock, and the
 * statement runs once.  Between threads, one instruction stores a word if no other thread has
 * changed it since it was loaded; otherwise the statement runs again, so function calls and other
 * side effects come before the loop.  Only the size decides which way is used: all accesses to a
 * word are atomic to each other, whatever its type and alignment, including the compiler's
 *builtins.
 */
#ifndef CAPE_ATOMIC_H
#define CAPE_ATOMIC_H

#include "cape.h"

enum cape_atomic {
	CAPE_ATOMIC_READ,
	CAPE_ATOMIC_WRITE,
	CAPE_ATOMIC_UPDATE,
	CAPE_ATOMIC_CAPTURE,
	CAPE_ATOMIC_FLUSH = 4, /* added to one of these if the memory order includes a flush */
};

/* The type of a copy of VARIABLE: without qualifiers. */
#define cape_atomic_type(variable) __typeof__((void)0, variable)

#define cape_atomic_load(variable, before, after, kind)                                            \
	(CAPE_TAKES,                                                                               \
	 cape_atomic_load_bytes((variable), (before), (after), sizeof *(variable), (kind)))
#define cape_atomic_store(variable, before, after, kind)                                           \
	cape_atomic_store_bytes((variable), (before), (after), sizeof *(variable), (kind))

/* For SIZE bytes.  These are macros, because --check-races reports the line of the copy. */
#define cape_atomic_load_bytes(variable, before, after, size, kind)                                \
	(CAPE_IS_WORD(size) ? cape_word_begin((variable), (before), (after), (size), (kind))       \
			    : (cape_atomic_begin_at((variable), (size), (kind), CAPE_HERE),        \
			       (void)__builtin_memcpy((after), (const void *)(variable), (size))))
/* 1, or 0 if another thread has changed the variable since it was loaded. */
#define cape_atomic_store_bytes(variable, before, after, size, kind)                               \
	(CAPE_IS_WORD(size)                                                                        \
		 ? cape_word_end((variable), (before), (after), (size), (kind))                    \
		 : (((kind) & ~CAPE_ATOMIC_FLUSH) == CAPE_ATOMIC_READ                              \
			    ? (void)0                                                              \
			    : (void)__builtin_memcpy((void *)(variable), (after), (size)),         \
		    cape_atomic_end(), 1))

/* Set and unset the lock of VARIABLE. */
#define cape_atomic_begin(variable, kind)                                                          \
	(CAPE_TAKES, cape_atomic_begin_at((variable), sizeof *(variable), (kind), CAPE_HERE))
void cape_atomic_begin_at(const volatile void *variable, unsigned long size, int kind,
			  const struct cape_place *place);
void cape_atomic_end(void);

/*
 * VARIABLE == VALUE of atomic compare: floating point numbers are compared by their bits, so -0.0
 * differs from 0.0; the padding of a long double is ignored.
 */
#define cape_same(variable, value)                                                                 \
	(_Generic((variable), float : 1, double : 1, long double : 1, default : 0)                 \
		 ? !__builtin_memcmp((const void *)&(variable), &(__typeof__(variable)){value},    \
				     _Generic((variable), long double : 10, default                \
					      : sizeof(variable)))                                 \
		 : (variable) == (value))

/*
 * cape_atomic_element - updates VARIABLE (of TYPE) by OP and *VALUE (of the same type), when the
 * program does not use the result: the update is an operator element, sent at the next sync point.
 *
 * Used only if CAPE_ATOMIC_ELEMENT holds for the variable and the expression, that is if computing
 * in the variable's type gives the result that the language requires: integers with integers, a
 * floating type with one that is not wider.
 */
void cape_atomic_element(volatile void *variable, enum cape_operator op, enum cape_type type,
			 const volatile void *value);
#define CAPE_ATOMIC_ELEMENT(variable, expression)                                                  \
	(CAPE_ARITHMETIC_RANK(variable) == 0 ? CAPE_ARITHMETIC_RANK((expression) + 0) == 0         \
	 : CAPE_ARITHMETIC_RANK(variable) > 3                                                      \
		 ? CAPE_ARITHMETIC_RANK(expression) == CAPE_ARITHMETIC_RANK(variable)              \
		 : CAPE_ARITHMETIC_RANK(variable) > 0 &&                                           \
			   CAPE_ARITHMETIC_RANK((expression) + 0) >= 0 &&                          \
			   CAPE_ARITHMETIC_RANK((expression) + 0) <=                               \
				   CAPE_ARITHMETIC_RANK(variable))
/* The type of an operand; int if there can be no element. */
#define CAPE_ATOMIC_OPERAND(variable)                                                              \
	__typeof__(__builtin_choose_expr(CAPE_ARITHMETIC_RANK(variable) < 0, 0, (variable)))

/*
 * These replace the general form if possible: 1 if the update is done, else 0.  SIGN is + or -, and
 * is applied to VALUE.
 *
 * cape_atomic_update: an element between nodes, one instruction between threads.
 * cape_atomic_update_flush, cape_atomic_capture: one instruction between threads.  The latter sets
 * RESULT to the old value of the variable if BEFORE is 1, else to the new one.
 */
#define cape_atomic_update(variable, op, sign, value)                                              \
	(CAPE_ATOMIC_ELEMENT(variable, value) &&                                                   \
	 (!cape_by_threads || CAPE_WORD_HAS(variable, op)) && __extension__({                      \
		 CAPE_ATOMIC_OPERAND(variable)                                                     \
		 cape_operand = (CAPE_ATOMIC_OPERAND(variable))(value);                            \
		 cape_operand = (CAPE_ATOMIC_OPERAND(variable))(sign cape_operand);                \
		 CAPE_ADDS;                                                                        \
		 if (cape_by_threads)                                                              \
			 cape_word_fetch(&(variable), sizeof(variable), (op),                      \
					 (unsigned long)cape_operand);                             \
		 else                                                                              \
			 cape_atomic_element(&(variable), (op), CAPE_TYPE(cape_operand),           \
					     &cape_operand);                                       \
		 1;                                                                                \
	 }))
#define cape_atomic_update_flush(variable, op, sign, value)                                        \
	(CAPE_WORD_DOES(variable, op, value) && __extension__({                                    \
		 CAPE_ATOMIC_OPERAND(variable)                                                     \
		 cape_operand = (CAPE_ATOMIC_OPERAND(variable))(value);                            \
		 cape_word_fetch(&(variable), sizeof(variable), (op),                              \
				 (unsigned long)(sign cape_operand));                              \
		 1;                                                                                \
	 }))
#define cape_atomic_capture(result, before, variable, op, sign, value)                             \
	(CAPE_WORD_DOES(variable, op, value) && __extension__({                                    \
		 CAPE_ATOMIC_OPERAND(variable)                                                     \
		 cape_operand = (CAPE_ATOMIC_OPERAND(variable))(value);                            \
		 unsigned long cape_value_before,                                                  \
			 cape_value_of = (unsigned long)(sign cape_operand);                       \
		 cape_value_before =                                                               \
			 cape_word_fetch(&(variable), sizeof(variable), (op), cape_value_of);      \
		 if (!(before))                                                                    \
			 cape_value_before =                                                       \
				 cape_word_apply((op), cape_value_before, cape_value_of);          \
		 (result) = __builtin_choose_expr(                                                 \
			 CAPE_ARITHMETIC_RANK(variable) == 0,                                      \
			 (CAPE_ATOMIC_OPERAND(variable))cape_value_before, (variable));            \
		 1;                                                                                \
	 }))

/*
 * Words: the sizes for which the processor has atomic instructions.
 */
typedef unsigned char __attribute__((may_alias)) cape_word1;
typedef unsigned short __attribute__((may_alias)) cape_word2;
typedef unsigned int __attribute__((may_alias)) cape_word4;
typedef unsigned long __attribute__((may_alias)) cape_word8;

/* Memory orders, with the numbers of the compilers' own names. */
#define CAPE_RELAXED 0
#define CAPE_SEQ_CST 5

#define CAPE_INLINE static __inline__ __attribute__((always_inline, unused))
#define CAPE_IS_WORD(size)                                                                         \
	(((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8) &&                             \
	 __builtin_expect(cape_by_threads, 1))
/* Whether there is an instruction for OP on VARIABLE, an integer. */
#define CAPE_WORD_HAS(variable, op)                                                                \
	(CAPE_ARITHMETIC_RANK(variable) == 0 && CAPE_IS_WORD(sizeof(variable)) &&                  \
	 (op) != CAPE_MULTIPLY)
#define CAPE_WORD_DOES(variable, op, value)                                                        \
	(CAPE_WORD_HAS(variable, op) && CAPE_ATOMIC_ELEMENT(variable, value))

/* DO(type) for the type of SIZE bytes. */
#define CAPE_BY_SIZE(size, DO)                                                                     \
	switch (size) {                                                                            \
	case 1:                                                                                    \
		DO(cape_word1)                                                                     \
		break;                                                                             \
	case 2:                                                                                    \
		DO(cape_word2)                                                                     \
		break;                                                                             \
	case 4:                                                                                    \
		DO(cape_word4)                                                                     \
		break;                                                                             \
	default:                                                                                   \
		DO(cape_word8)                                                                     \
	}

/* Without optimization gcc also warns of code for words of other sizes. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif

CAPE_INLINE unsigned long cape_word_apply(enum cape_operator op, unsigned long word,
					  unsigned long value)
{
	return op == CAPE_ADD	    ? word + value
	       : op == CAPE_BIT_AND ? (word & value)
	       : op == CAPE_BIT_OR  ? (word | value)
				    : (word ^ value);
}

/* Returns the old value of the word. */
CAPE_INLINE unsigned long cape_word_fetch(volatile void *at, unsigned long size,
					  enum cape_operator op, unsigned long value)
{
#define CAPE_FETCH(type)                                                                           \
	if (op == CAPE_ADD)                                                                        \
		return __atomic_fetch_add((volatile type *)at, (type)value, CAPE_SEQ_CST);         \
	if (op == CAPE_BIT_AND)                                                                    \
		return __atomic_fetch_and((volatile type *)at, (type)value, CAPE_SEQ_CST);         \
	if (op == CAPE_BIT_OR)                                                                     \
		return __atomic_fetch_or((volatile type *)at, (type)value, CAPE_SEQ_CST);          \
	return __atomic_fetch_xor((volatile type *)at, (type)value, CAPE_SEQ_CST);
	CAPE_BY_SIZE(size, CAPE_FETCH)
#undef CAPE_FETCH
}

CAPE_INLINE void cape_word_load(const volatile void *at, void *copy, unsigned long size, int flush)
{
#define CAPE_LOAD(type)                                                                            \
	if (flush)                                                                                 \
		*(type *)copy = __atomic_load_n((const volatile type *)at, CAPE_SEQ_CST);          \
	else                                                                                       \
		*(type *)copy = __atomic_load_n((const volatile type *)at, CAPE_RELAXED);
	CAPE_BY_SIZE(size, CAPE_LOAD)
#undef CAPE_LOAD
}

CAPE_INLINE void cape_word_store(volatile void *at, const void *copy, unsigned long size, int flush)
{
#define CAPE_STORE(type)                                                                           \
	if (flush)                                                                                 \
		__atomic_store_n((volatile type *)at, *(const type *)copy, CAPE_SEQ_CST);          \
	else                                                                                       \
		__atomic_store_n((volatile type *)at, *(const type *)copy, CAPE_RELAXED);
	CAPE_BY_SIZE(size, CAPE_STORE)
#undef CAPE_STORE
}

/* Replaces the word at AT by AFTER if it is BEFORE; returns whether it did. */
CAPE_INLINE int cape_word_replace(volatile void *at, const void *before, const void *after,
				  unsigned long size){
#define CAPE_REPLACE(type)                                                                         \
	{                                                                                          \
		type expected = *(const type *)before;                                             \
                                                                                                   \
		return __atomic_compare_exchange_n((volatile type *)at, &expected,                 \
						   *(const type *)after, 0, CAPE_SEQ_CST,          \
						   CAPE_RELAXED);                                  \
	}
	CAPE_BY_SIZE(size, CAPE_REPLACE)
#undef CAPE_REPLACE
}

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

CAPE_INLINE void cape_word_begin(const volatile void *variable, void *before, void *after,
				 unsigned long size, int kind)
{
	if ((kind & ~CAPE_ATOMIC_FLUSH) == CAPE_ATOMIC_WRITE)
		return;
	cape_word_load(variable, before, size, kind & CAPE_ATOMIC_FLUSH);
	__builtin_memcpy(after, before, size);
}

CAPE_INLINE int cape_word_end(volatile void *variable, const void *before, const void *after,
			      unsigned long size, int kind)
{
	int access = kind & ~CAPE_ATOMIC_FLUSH;

	if (access == CAPE_ATOMIC_WRITE)
		cape_word_store(variable, after, size, kind & CAPE_ATOMIC_FLUSH);
	else if (access != CAPE_ATOMIC_READ)
		return cape_word_replace(variable, before, after, size);
	return 1;
}

#endif
