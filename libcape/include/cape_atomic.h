/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape_atomic.h - the atomic construct.
 *
 * cape-cc puts it before a source with atomic constructs.  In the statement stands cape_new for the
 * variable, a copy:
 *
 *	cape_atomic_type(x) cape_old = 0, cape_new = 0;
 *	do {
 *		cape_atomic_load(&(x), &cape_old, &cape_new, kind);
 *		the statement
 *	} while (!cape_atomic_store(&(x), &cape_old, &cape_new, kind));
 *
 * Between nodes, and for what is wider than a word, both calls are the ends of a lock's section,
 * and the statement runs once.  Between threads a word is stored by one instruction, if nobody else
 * has stored another meanwhile; so the statement may run again, and calls and other effects stand
 * before it.  Which it is depends on the size alone: whatever its type, and however it is aligned,
 * all accesses to a word are atomic to each other, the compiler's own builtins as well.
 */
#ifndef CAPE_ATOMIC_H
#define CAPE_ATOMIC_H

#include "cape.h"

enum cape_atomic {
	CAPE_ATOMIC_READ,
	CAPE_ATOMIC_WRITE,
	CAPE_ATOMIC_UPDATE,
	CAPE_ATOMIC_CAPTURE,
	CAPE_ATOMIC_FLUSH = 4, /* added to one of those: a memory order that is a flush, too */
};

/* Of a copy of VARIABLE: without qualifiers. */
#define cape_atomic_type(variable) __typeof__((void)0, variable)

#define cape_atomic_load(variable, before, after, kind)                                            \
	(CAPE_TAKES,                                                                               \
	 cape_atomic_load_bytes((variable), (before), (after), sizeof *(variable), (kind)))
#define cape_atomic_store(variable, before, after, kind)                                           \
	cape_atomic_store_bytes((variable), (before), (after), sizeof *(variable), (kind))

/* Of SIZE bytes; macros, for --check-races tells of the line where memory is copied. */
#define cape_atomic_load_bytes(variable, before, after, size, kind)                                \
	(CAPE_IS_WORD(size) ? cape_word_begin((variable), (before), (after), (size), (kind))       \
			    : (cape_atomic_begin_at((variable), (size), (kind), CAPE_HERE),        \
			       (void)__builtin_memcpy((after), (const void *)(variable), (size))))
/* 1, or 0: somebody else has changed it. */
#define cape_atomic_store_bytes(variable, before, after, size, kind)                               \
	(CAPE_IS_WORD(size)                                                                        \
		 ? cape_word_end((variable), (before), (after), (size), (kind))                    \
		 : (((kind) & ~CAPE_ATOMIC_FLUSH) == CAPE_ATOMIC_READ                              \
			    ? (void)0                                                              \
			    : (void)__builtin_memcpy((void *)(variable), (after), (size)),         \
		    cape_atomic_end(), 1))

/* The section of a lock that VARIABLE has. */
#define cape_atomic_begin(variable, kind)                                                          \
	(CAPE_TAKES, cape_atomic_begin_at((variable), sizeof *(variable), (kind), CAPE_HERE))
void cape_atomic_begin_at(const volatile void *variable, unsigned long size, int kind,
			  const struct cape_place *place);
void cape_atomic_end(void);

/*
 * VARIABLE == VALUE of atomic compare: a floating number's bits are compared, so that -0.0 is not
 * 0.0; the padding of a long double is not looked at.
 */
#define cape_same(variable, value)                                                                 \
	(_Generic((variable), float : 1, double : 1, long double : 1, default : 0)                 \
		 ? !__builtin_memcmp((const void *)&(variable), &(__typeof__(variable)){value},    \
				     _Generic((variable), long double : 10, default                \
					      : sizeof(variable)))                                 \
		 : (variable) == (value))

/*
 * An update of VARIABLE by OP and VALUE (of VARIABLE's own type) whose result nobody asks for:
 * an operator element, sent at the next sync point.  Right where CAPE_ATOMIC_ELEMENT
 * holds for the variable and the expression, that is where computing in the variable's type
 * gives what the language would: integers with integers, a floating type with one not wider.
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
/* The type of an operand; int where there can be no element. */
#define CAPE_ATOMIC_OPERAND(variable)                                                              \
	__typeof__(__builtin_choose_expr(CAPE_ARITHMETIC_RANK(variable) < 0, 0, (variable)))

/*
 * In place of the general form, where it can be: 1, else 0.  VALUE has SIGN + or - before it.
 *
 * cape_atomic_update: between nodes an element, between threads one instruction.
 * cape_atomic_update_flush, cape_atomic_capture: between threads one instruction, then RESULT
 * becomes what the variable was BEFORE, or else is now.
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
 * Words: what the processor's own instructions are atomic for.
 */
typedef unsigned char __attribute__((may_alias)) cape_word1;
typedef unsigned short __attribute__((may_alias)) cape_word2;
typedef unsigned int __attribute__((may_alias)) cape_word4;
typedef unsigned long __attribute__((may_alias)) cape_word8;

/* Orders, by the numbers that the compilers' own names have. */
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

/* Without optimization gcc looks at what is done to words of other sizes, too. */
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

/* The word that was before. */
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

/* Whether the word at AT was BEFORE, and is AFTER now. */
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
