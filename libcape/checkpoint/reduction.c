// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reduction.c - the operators of reductions on every arithmetic type.
 *
 * Each type has two functions, written by macros; values are reached through types of alignment
 * 1.  Types and operators may come from another node: any number is possible.
 */
#include "checkpoint/reduction.h"

#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define LONG_DOUBLE_BYTES (LDBL_MANT_DIG == 64 ? 10 : sizeof(long double))

/* For the functions below, which have void *accumulator, const void *values, size_t count. */
#define FOLD(type, expression)                                                                     \
	do {                                                                                       \
		typedef type __attribute__((aligned(1), may_alias)) loose;                         \
		loose *into = accumulator;                                                         \
		const loose *from = values;                                                        \
                                                                                                   \
		for (size_t i = 0; i < count; i++) {                                               \
			type a = into[i], b = from[i];                                             \
                                                                                                   \
			into[i] = (type)(expression);                                              \
		}                                                                                  \
	} while (0)

#define FILL(type, value)                                                                          \
	do {                                                                                       \
		typedef type __attribute__((aligned(1), may_alias)) loose;                         \
		loose *into = values;                                                              \
                                                                                                   \
		for (size_t i = 0; i < count; i++)                                                 \
			into[i] = (type)(value);                                                   \
	} while (0)

/* A bool is read as a byte: one that is neither 0 nor 1 must do no harm. */
static void apply_bool(enum cape_operator op, void *accumulator, const void *values, size_t count)
{
	switch (op) {
	case CAPE_ADD:
	case CAPE_BIT_OR:
	case CAPE_LOGICAL_OR:
	case CAPE_MAX:
		FOLD(unsigned char, a || b);
		break;
	case CAPE_MULTIPLY:
	case CAPE_BIT_AND:
	case CAPE_LOGICAL_AND:
	case CAPE_MIN:
		FOLD(unsigned char, a &&b);
		break;
	case CAPE_BIT_XOR:
		FOLD(unsigned char, !a != !b);
		break;
	}
}

static void identity_bool(enum cape_operator op, void *values, size_t count)
{
	memset(values,
	       op == CAPE_MULTIPLY || op == CAPE_BIT_AND || op == CAPE_LOGICAL_AND ||
		       op == CAPE_MIN,
	       count);
}

/* Sums and products are formed without a sign, and wide enough for no promotion to int. */
#define WIDE(value) ((unsigned long long)(value))

#define INTEGER(name, type, least, greatest)                                                       \
	static void apply_##name(enum cape_operator op, void *accumulator, const void *values,     \
				 size_t count)                                                     \
	{                                                                                          \
		switch (op) {                                                                      \
		case CAPE_ADD:                                                                     \
			FOLD(type, WIDE(a) + WIDE(b));                                             \
			break;                                                                     \
		case CAPE_MULTIPLY:                                                                \
			FOLD(type, WIDE(a) * WIDE(b));                                             \
			break;                                                                     \
		case CAPE_BIT_AND:                                                                 \
			FOLD(type, (a) & (b));                                                     \
			break;                                                                     \
		case CAPE_BIT_OR:                                                                  \
			FOLD(type, a | b);                                                         \
			break;                                                                     \
		case CAPE_BIT_XOR:                                                                 \
			FOLD(type, a ^ b);                                                         \
			break;                                                                     \
		case CAPE_LOGICAL_AND:                                                             \
			FOLD(type, (a) && (b));                                                    \
			break;                                                                     \
		case CAPE_LOGICAL_OR:                                                              \
			FOLD(type, a || b);                                                        \
			break;                                                                     \
		case CAPE_MIN:                                                                     \
			FOLD(type, a < b ? a : b);                                                 \
			break;                                                                     \
		case CAPE_MAX:                                                                     \
			FOLD(type, a > b ? a : b);                                                 \
			break;                                                                     \
		}                                                                                  \
	}                                                                                          \
                                                                                                   \
	static void identity_##name(enum cape_operator op, void *values, size_t count)             \
	{                                                                                          \
		switch (op) {                                                                      \
		case CAPE_ADD:                                                                     \
		case CAPE_BIT_OR:                                                                  \
		case CAPE_BIT_XOR:                                                                 \
		case CAPE_LOGICAL_OR:                                                              \
			FILL(type, 0);                                                             \
			break;                                                                     \
		case CAPE_MULTIPLY:                                                                \
		case CAPE_LOGICAL_AND:                                                             \
			FILL(type, 1);                                                             \
			break;                                                                     \
		case CAPE_BIT_AND:                                                                 \
			FILL(type, ~0ull);                                                         \
			break;                                                                     \
		case CAPE_MIN:                                                                     \
			FILL(type, greatest);                                                      \
			break;                                                                     \
		case CAPE_MAX:                                                                     \
			FILL(type, least);                                                         \
			break;                                                                     \
		}                                                                                  \
	}

INTEGER(char, char, CHAR_MIN, CHAR_MAX)
INTEGER(signed_char, signed char, SCHAR_MIN, SCHAR_MAX)
INTEGER(unsigned_char, unsigned char, 0, UCHAR_MAX)
INTEGER(short, short, SHRT_MIN, SHRT_MAX)
INTEGER(unsigned_short, unsigned short, 0, USHRT_MAX)
INTEGER(int, int, INT_MIN, INT_MAX)
INTEGER(unsigned_int, unsigned int, 0, UINT_MAX)
INTEGER(long, long, LONG_MIN, LONG_MAX)
INTEGER(unsigned_long, unsigned long, 0, ULONG_MAX)
INTEGER(long_long, long long, LLONG_MIN, LLONG_MAX)
INTEGER(unsigned_long_long, unsigned long long, 0, ULLONG_MAX)

/* prefer_: the total order of min and max, -0 < +0, a number before a NaN (memcmp: which NaN). */
#define FLOATING(name, type, used)                                                                 \
	static bool prefer_##name(type a, type b, bool smaller)                                    \
	{                                                                                          \
		bool a_is_nan = __builtin_isnan(a), b_is_nan = __builtin_isnan(b);                 \
                                                                                                   \
		if (a_is_nan && b_is_nan)                                                          \
			return memcmp(&a, &b, used) > 0;                                           \
		if (a_is_nan || b_is_nan)                                                          \
			return b_is_nan;                                                           \
		if (a != b)                                                                        \
			return smaller ? a < b : a > b;                                            \
		return !__builtin_signbit(a) != smaller;                                           \
	}                                                                                          \
                                                                                                   \
	static void apply_##name(enum cape_operator op, void *accumulator, const void *values,     \
				 size_t count)                                                     \
	{                                                                                          \
		if (op == CAPE_MIN || op == CAPE_MAX)                                              \
			FOLD(type, prefer_##name(a, b, op == CAPE_MIN) ? a : b);                   \
		else                                                                               \
			APPLY_FIELD(type);                                                         \
	}                                                                                          \
                                                                                                   \
	static void identity_##name(enum cape_operator op, void *values, size_t count)             \
	{                                                                                          \
		if (op == CAPE_MIN || op == CAPE_MAX)                                              \
			FILL(type, op == CAPE_MIN ? __builtin_inf() : -__builtin_inf());           \
		else                                                                               \
			FILL(type, op == CAPE_MULTIPLY || op == CAPE_LOGICAL_AND);                 \
	}

#define COMPLEX(name, type)                                                                        \
	static void apply_##name(enum cape_operator op, void *accumulator, const void *values,     \
				 size_t count)                                                     \
	{                                                                                          \
		APPLY_FIELD(type);                                                                 \
	}                                                                                          \
                                                                                                   \
	static void identity_##name(enum cape_operator op, void *values, size_t count)             \
	{                                                                                          \
		FILL(type, op == CAPE_MULTIPLY || op == CAPE_LOGICAL_AND);                         \
	}

/* What real and complex numbers have in common. */
#define APPLY_FIELD(type)                                                                          \
	do {                                                                                       \
		if (op == CAPE_ADD)                                                                \
			FOLD(type, a + b);                                                         \
		else if (op == CAPE_MULTIPLY)                                                      \
			FOLD(type, (a) * (b));                                                     \
		else if (op == CAPE_LOGICAL_AND)                                                   \
			FOLD(type, a != 0 && b != 0);                                              \
		else if (op == CAPE_LOGICAL_OR)                                                    \
			FOLD(type, a != 0 || b != 0);                                              \
	} while (0)

FLOATING(float, float, sizeof(float))
FLOATING(double, double, sizeof(double))
FLOATING(long_double, long double, LONG_DOUBLE_BYTES)
COMPLEX(complex_float, float _Complex)
COMPLEX(complex_double, double _Complex)
COMPLEX(complex_long_double, long double _Complex)

enum type_class { NO_TYPE, BOOLEAN, INTEGRAL, REAL, COMPLEX_NUMBER };

struct type {
	enum type_class class;
	size_t size;
	size_t long_doubles; /* how many in one value: they have padding */
	void (*apply)(enum cape_operator op, void *accumulator, const void *values, size_t count);
	void (*identity)(enum cape_operator op, void *values, size_t count);
};

#define TYPE(class, name, type, long_doubles)                                                      \
	{                                                                                          \
		class, sizeof(type), long_doubles, apply_##name, identity_##name                   \
	}

static const struct type types[] = {
	[CAPE_BOOL] = TYPE(BOOLEAN, bool, _Bool, 0),
	[CAPE_CHAR] = TYPE(INTEGRAL, char, char, 0),
	[CAPE_SIGNED_CHAR] = TYPE(INTEGRAL, signed_char, signed char, 0),
	[CAPE_UNSIGNED_CHAR] = TYPE(INTEGRAL, unsigned_char, unsigned char, 0),
	[CAPE_SHORT] = TYPE(INTEGRAL, short, short, 0),
	[CAPE_UNSIGNED_SHORT] = TYPE(INTEGRAL, unsigned_short, unsigned short, 0),
	[CAPE_INT] = TYPE(INTEGRAL, int, int, 0),
	[CAPE_UNSIGNED_INT] = TYPE(INTEGRAL, unsigned_int, unsigned int, 0),
	[CAPE_LONG] = TYPE(INTEGRAL, long, long, 0),
	[CAPE_UNSIGNED_LONG] = TYPE(INTEGRAL, unsigned_long, unsigned long, 0),
	[CAPE_LONG_LONG] = TYPE(INTEGRAL, long_long, long long, 0),
	[CAPE_UNSIGNED_LONG_LONG] = TYPE(INTEGRAL, unsigned_long_long, unsigned long long, 0),
	[CAPE_FLOAT] = TYPE(REAL, float, float, 0),
	[CAPE_DOUBLE] = TYPE(REAL, double, double, 0),
	[CAPE_LONG_DOUBLE] = TYPE(REAL, long_double, long double, 1),
	[CAPE_COMPLEX_FLOAT] = TYPE(COMPLEX_NUMBER, complex_float, float _Complex, 0),
	[CAPE_COMPLEX_DOUBLE] = TYPE(COMPLEX_NUMBER, complex_double, double _Complex, 0),
	[CAPE_COMPLEX_LONG_DOUBLE] =
		TYPE(COMPLEX_NUMBER, complex_long_double, long double _Complex, 2),
};

static const struct type *type_of(enum cape_type type)
{
	static const struct type none = {.class = NO_TYPE};

	return (unsigned)type < sizeof(types) / sizeof(types[0]) ? &types[type] : &none;
}

size_t cape_type_size(enum cape_type type)
{
	return type_of(type)->size;
}

int cape_reduction_valid(enum cape_operator op, enum cape_type type)
{
	enum type_class class = type_of(type)->class;

	switch (op) {
	case CAPE_ADD:
	case CAPE_MULTIPLY:
	case CAPE_LOGICAL_AND:
	case CAPE_LOGICAL_OR:
		return class != NO_TYPE;
	case CAPE_BIT_AND:
	case CAPE_BIT_OR:
	case CAPE_BIT_XOR:
		return class == BOOLEAN || class == INTEGRAL;
	case CAPE_MIN:
	case CAPE_MAX:
		return class != NO_TYPE && class != COMPLEX_NUMBER;
	}
	return 0;
}

bool cape_reduction_exact(enum cape_operator op, enum cape_type type)
{
	enum type_class class = type_of(type)->class;

	if (op == CAPE_ADD || op == CAPE_MULTIPLY)
		return class == BOOLEAN || class == INTEGRAL;
	return cape_reduction_valid(op, type);
}

static void clear_padding(const struct type *type, void *values, size_t count)
{
	unsigned char *at = values;

	for (size_t i = 0; i < count * type->long_doubles; i++, at += sizeof(long double))
		memset(at + LONG_DOUBLE_BYTES, 0, sizeof(long double) - LONG_DOUBLE_BYTES);
}

void cape_reduction_identity_set(enum cape_operator op, enum cape_type type, void *values,
				 size_t count)
{
	if (!cape_reduction_valid(op, type))
		return;
	type_of(type)->identity(op, values, count);
	clear_padding(type_of(type), values, count);
}

void cape_reduction_apply(enum cape_operator op, enum cape_type type, void *accumulator,
			  const void *values, size_t count)
{
	if (!cape_reduction_valid(op, type))
		return;
	type_of(type)->apply(op, accumulator, values, count);
	clear_padding(type_of(type), accumulator, count);
}
