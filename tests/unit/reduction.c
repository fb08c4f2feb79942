// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reduction.c - every operator on every type: results, identities, and bits that are the same in
 * whatever order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "checkpoint/reduction.h"
#include "random.h"

#define TYPES	  (CAPE_COMPLEX_LONG_DOUBLE + 1)
#define OPERATORS (CAPE_MAX + 1)
#define LARGEST	  sizeof(long double _Complex)
#define CASES	  500

static struct random dice;

static const size_t sizes[TYPES] = {
	[CAPE_BOOL] = sizeof(_Bool),
	[CAPE_CHAR] = sizeof(char),
	[CAPE_SIGNED_CHAR] = sizeof(char),
	[CAPE_UNSIGNED_CHAR] = sizeof(char),
	[CAPE_SHORT] = sizeof(short),
	[CAPE_UNSIGNED_SHORT] = sizeof(short),
	[CAPE_INT] = sizeof(int),
	[CAPE_UNSIGNED_INT] = sizeof(int),
	[CAPE_LONG] = sizeof(long),
	[CAPE_UNSIGNED_LONG] = sizeof(long),
	[CAPE_LONG_LONG] = sizeof(long long),
	[CAPE_UNSIGNED_LONG_LONG] = sizeof(long long),
	[CAPE_FLOAT] = sizeof(float),
	[CAPE_DOUBLE] = sizeof(double),
	[CAPE_LONG_DOUBLE] = sizeof(long double),
	[CAPE_COMPLEX_FLOAT] = sizeof(float _Complex),
	[CAPE_COMPLEX_DOUBLE] = sizeof(double _Complex),
	[CAPE_COMPLEX_LONG_DOUBLE] = sizeof(long double _Complex),
};

static bool is_integer(enum cape_type type)
{
	return type < CAPE_FLOAT;
}

static bool is_signed(enum cape_type type)
{
	switch (type) {
	case CAPE_CHAR:
		return CHAR_MIN < 0;
	case CAPE_SIGNED_CHAR:
	case CAPE_SHORT:
	case CAPE_INT:
	case CAPE_LONG:
	case CAPE_LONG_LONG:
		return true;
	default:
		return false;
	}
}

static double interesting(void)
{
	static const double values[] = {0.0,	   -0.0, 1.0,	-1.0,  INFINITY,
					-INFINITY, NAN,	 1e308, 1e-310};
	uint64_t choice = random_below(&dice, 2 * sizeof(values) / sizeof(values[0]));

	if (choice < sizeof(values) / sizeof(values[0]))
		return values[choice];
	return (double)(int64_t)random_next(&dice) / (double)(1 + random_below(&dice, 1 << 20));
}

/* A value of TYPE; bools are 0 or 1, padding is zero. */
static void random_value(enum cape_type type, unsigned char *value)
{
	long double parts[2] = {interesting(), interesting()};

	memset(value, 0, LARGEST);
	if (type == CAPE_BOOL) {
		*value = random_below(&dice, 2);
	} else if (is_integer(type)) {
		random_bytes(&dice, value, sizes[type]);
		if (random_below(&dice, 4) == 0)
			memset(value, random_below(&dice, 2) ? 0xff : 0, sizes[type]);
	} else if (type == CAPE_LONG_DOUBLE || type == CAPE_COMPLEX_LONG_DOUBLE) {
		for (size_t i = 0; i < sizes[type] / sizeof(long double); i++)
			memcpy(value + i * sizeof(long double), &parts[i], 10);
	} else if (type == CAPE_FLOAT || type == CAPE_COMPLEX_FLOAT) {
		float narrow[2] = {(float)parts[0], (float)parts[1]};

		memcpy(value, narrow, sizes[type]);
		if (random_below(&dice, 8) == 0)
			random_bytes(&dice, value, sizes[type]);
	} else {
		double wide[2] = {(double)parts[0], (double)parts[1]};

		memcpy(value, wide, sizes[type]);
		if (random_below(&dice, 8) == 0)
			random_bytes(&dice, value, sizes[type]);
	}
}

static __int128 load_integer(enum cape_type type, const unsigned char *value)
{
	unsigned __int128 sum = 0;
	unsigned bits = 8 * (unsigned)sizes[type];

	for (size_t i = 0; i < sizes[type]; i++)
		sum |= (unsigned __int128)value[i] << 8 * i;
	if (is_signed(type) && sum >> (bits - 1))
		sum -= (unsigned __int128)1 << bits;
	return (__int128)sum;
}

static __int128 integer_result(enum cape_operator op, __int128 a, __int128 b)
{
	switch (op) {
	case CAPE_ADD:
		return a + b;
	case CAPE_MULTIPLY:
		return (__int128)((unsigned __int128)a * (unsigned __int128)b);
	case CAPE_BIT_AND:
		return a & b;
	case CAPE_BIT_OR:
		return a | b;
	case CAPE_BIT_XOR:
		return a ^ b;
	case CAPE_LOGICAL_AND:
		return a && b;
	case CAPE_LOGICAL_OR:
		return a || b;
	case CAPE_MIN:
		return a < b ? a : b;
	case CAPE_MAX:
		return a > b ? a : b;
	}
	fail();
	return 0;
}

static void integers(void **state)
{
	(void)state;
	for (enum cape_type type = CAPE_BOOL; type < CAPE_FLOAT; type++) {
		for (enum cape_operator op = CAPE_ADD; op <= CAPE_MAX; op++) {
			for (unsigned i = 0; i < CASES; i++) {
				unsigned char a[LARGEST], b[LARGEST], want[LARGEST];
				__int128 result;

				random_value(type, a);
				random_value(type, b);
				result = integer_result(op, load_integer(type, a),
							load_integer(type, b));
				if (type == CAPE_BOOL)
					result = result != 0;
				memcpy(want, &result, sizeof(result));
				cape_reduction_apply(op, type, a, b, 1);
				assert_memory_equal(a, want, sizes[type]);
			}
		}
	}
}

#define CHECK_FLOATING(type_name, type)                                                            \
	do {                                                                                       \
		type a = (type)1.25, b = (type)-3.5, got;                                          \
                                                                                                   \
		cape_reduction_identity_set(CAPE_ADD, type_name, &got, 1);                         \
		cape_reduction_apply(CAPE_ADD, type_name, &got, &a, 1);                            \
		assert_true(got == a);                                                             \
		cape_reduction_identity_set(CAPE_MULTIPLY, type_name, &got, 1);                    \
		cape_reduction_apply(CAPE_MULTIPLY, type_name, &got, &a, 1);                       \
		assert_true(got == a);                                                             \
		got = a;                                                                           \
		cape_reduction_apply(CAPE_ADD, type_name, &got, &b, 1);                            \
		assert_true(got == a + b);                                                         \
		got = a;                                                                           \
		cape_reduction_apply(CAPE_MULTIPLY, type_name, &got, &b, 1);                       \
		assert_true(got == a * b);                                                         \
		got = a;                                                                           \
		cape_reduction_apply(CAPE_LOGICAL_AND, type_name, &got, &b, 1);                    \
		assert_true(got == 1);                                                             \
		b = 0;                                                                             \
		cape_reduction_apply(CAPE_LOGICAL_OR, type_name, &got, &b, 1);                     \
		assert_true(got == 1);                                                             \
		cape_reduction_apply(CAPE_LOGICAL_AND, type_name, &got, &b, 1);                    \
		assert_true(got == 0);                                                             \
		cape_reduction_apply(CAPE_LOGICAL_OR, type_name, &got, &b, 1);                     \
		assert_true(got == 0);                                                             \
	} while (0)

#define CHECK_ORDERED(type_name, type)                                                             \
	do {                                                                                       \
		type low = -2, high = 7, got = high, nan = (type)NAN, zero = 0, minus = -zero;     \
                                                                                                   \
		cape_reduction_apply(CAPE_MIN, type_name, &got, &low, 1);                          \
		assert_true(got == low);                                                           \
		cape_reduction_apply(CAPE_MAX, type_name, &got, &high, 1);                         \
		assert_true(got == high);                                                          \
		cape_reduction_apply(CAPE_MAX, type_name, &got, &nan, 1);                          \
		assert_true(got == high);                                                          \
		cape_reduction_apply(CAPE_MIN, type_name, &nan, &low, 1);                          \
		assert_true(nan == low);                                                           \
		cape_reduction_apply(CAPE_MIN, type_name, &zero, &minus, 1);                       \
		assert_true(signbit(zero));                                                        \
		zero = 0;                                                                          \
		cape_reduction_apply(CAPE_MAX, type_name, &minus, &zero, 1);                       \
		assert_false(signbit(minus));                                                      \
	} while (0)

static void floating(void **state)
{
	(void)state;
	CHECK_FLOATING(CAPE_FLOAT, float);
	CHECK_FLOATING(CAPE_DOUBLE, double);
	CHECK_FLOATING(CAPE_LONG_DOUBLE, long double);
	CHECK_FLOATING(CAPE_COMPLEX_FLOAT, float _Complex);
	CHECK_FLOATING(CAPE_COMPLEX_DOUBLE, double _Complex);
	CHECK_FLOATING(CAPE_COMPLEX_LONG_DOUBLE, long double _Complex);
	CHECK_ORDERED(CAPE_FLOAT, float);
	CHECK_ORDERED(CAPE_DOUBLE, double);
	CHECK_ORDERED(CAPE_LONG_DOUBLE, long double);
}

static void complex_product(void **state)
{
	double _Complex a = 1.0 + 2.0i, b = 3.0 - 1.0i;

	(void)state;
	cape_reduction_apply(CAPE_MULTIPLY, CAPE_COMPLEX_DOUBLE, &a, &b, 1);
	assert_true(a == 5.0 + 5.0i);
}

/* identity OP x is x, bit for bit; for && and || its truth value; 0.0 + -0.0 is 0.0. */
static void identities(void **state)
{
	(void)state;
	for (enum cape_type type = CAPE_BOOL; type < TYPES; type++) {
		for (enum cape_operator op = CAPE_ADD; op <= CAPE_MAX; op++) {
			for (unsigned i = 0; i < CASES && cape_reduction_valid(op, type); i++) {
				unsigned char value[LARGEST], got[LARGEST], again[LARGEST];
				bool ordered = op == CAPE_MIN || op == CAPE_MAX;

				random_value(type, value);
				memset(got, 0xa5, sizeof(got));
				cape_reduction_identity_set(op, type, got, 1);
				cape_reduction_apply(op, type, got, value, 1);
				if (is_integer(type) && op != CAPE_LOGICAL_AND &&
				    op != CAPE_LOGICAL_OR) {
					assert_memory_equal(got, value, sizes[type]);
					continue;
				}
				/* What the identity did to it once, it does not do again. */
				cape_reduction_identity_set(op, type, again, 1);
				cape_reduction_apply(op, type, again, got, 1);
				if (op == CAPE_LOGICAL_AND || op == CAPE_LOGICAL_OR || ordered)
					assert_memory_equal(got, again, sizes[type]);
			}
		}
	}
}

static void identity_values(void **state)
{
	unsigned short all;
	double value;
	int number;

	(void)state;
	cape_reduction_identity_set(CAPE_BIT_AND, CAPE_UNSIGNED_SHORT, &all, 1);
	assert_int_equal(all, USHRT_MAX);
	cape_reduction_identity_set(CAPE_MULTIPLY, CAPE_DOUBLE, &value, 1);
	assert_true(value == 1.0);
	cape_reduction_identity_set(CAPE_ADD, CAPE_DOUBLE, &value, 1);
	assert_true(value == 0.0 && !signbit(value));
	cape_reduction_identity_set(CAPE_MIN, CAPE_DOUBLE, &value, 1);
	assert_true(value == INFINITY);
	cape_reduction_identity_set(CAPE_MAX, CAPE_INT, &number, 1);
	assert_int_equal(number, INT_MIN);
	cape_reduction_identity_set(CAPE_LOGICAL_AND, CAPE_INT, &number, 1);
	assert_int_equal(number, 1);
}

/* (a OP b) OP c and c OP (b OP a) have the same bits wherever that is promised. */
static void exactness(void **state)
{
	(void)state;
	for (enum cape_type type = CAPE_BOOL; type < TYPES; type++) {
		for (enum cape_operator op = CAPE_ADD; op <= CAPE_MAX; op++) {
			for (unsigned i = 0; i < 4 * CASES && cape_reduction_exact(op, type); i++) {
				unsigned char a[LARGEST], b[LARGEST], c[LARGEST], left[LARGEST];

				random_value(type, a);
				random_value(type, b);
				random_value(type, c);
				memcpy(left, a, sizeof(a));
				cape_reduction_apply(op, type, left, b, 1);
				cape_reduction_apply(op, type, left, c, 1);
				cape_reduction_apply(op, type, b, a, 1);
				cape_reduction_apply(op, type, c, b, 1);
				assert_memory_equal(left, c, sizes[type]);
			}
		}
	}
	assert_false(cape_reduction_exact(CAPE_ADD, CAPE_FLOAT));
	assert_false(cape_reduction_exact(CAPE_MULTIPLY, CAPE_COMPLEX_DOUBLE));
	assert_true(cape_reduction_exact(CAPE_ADD, CAPE_LONG));
	assert_true(cape_reduction_exact(CAPE_MAX, CAPE_LONG_DOUBLE));
}

/* Arrays at odd addresses give what single values give, and nothing beside them is touched. */
static void unaligned_arrays(void **state)
{
	(void)state;
	for (enum cape_type type = CAPE_BOOL; type < TYPES; type++) {
		for (enum cape_operator op = CAPE_ADD; op <= CAPE_MAX; op++) {
			unsigned char into[3 * LARGEST + 2], from[3 * LARGEST + 2],
				want[3][LARGEST];
			size_t size = sizes[type];

			if (!cape_reduction_valid(op, type))
				continue;
			memset(into, 0x5a, sizeof(into));
			for (unsigned i = 0; i < 3; i++) {
				unsigned char other[LARGEST];

				random_value(type, want[i]);
				random_value(type, other);
				memcpy(into + 1 + i * size, want[i], size);
				memcpy(from + 1 + i * size, other, size);
				cape_reduction_apply(op, type, want[i], other, 1);
			}
			cape_reduction_apply(op, type, into + 1, from + 1, 3);
			for (unsigned i = 0; i < 3; i++)
				assert_memory_equal(into + 1 + i * size, want[i], size);
			cape_reduction_identity_set(op, type, into + 1, 3);
			assert_int_equal(into[0], 0x5a);
			assert_int_equal(into[1 + 3 * size], 0x5a);
		}
	}
}

static void padding(void **state)
{
	static const unsigned char none[6];
	unsigned char a[64], b[64];

	(void)state;
	memset(a, 0x3f, sizeof(a));
	memset(b, 0x3f, sizeof(b));
	cape_reduction_apply(CAPE_ADD, CAPE_COMPLEX_LONG_DOUBLE, a, b, 2);
	cape_reduction_identity_set(CAPE_MIN, CAPE_LONG_DOUBLE, b, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_memory_equal(a + 16 * i + 10, none, 6);
		assert_memory_equal(b + 16 * i + 10, none, 6);
	}
}

static void bools(void **state)
{
	unsigned char strange = 0x40, one = 1, zero = 0;

	(void)state;
	cape_reduction_apply(CAPE_LOGICAL_AND, CAPE_BOOL, &strange, &one, 1);
	assert_int_equal(strange, 1);
	strange = 0x40;
	cape_reduction_apply(CAPE_BIT_XOR, CAPE_BOOL, &strange, &one, 1);
	assert_int_equal(strange, 0);
	cape_reduction_apply(CAPE_ADD, CAPE_BOOL, &one, &one, 1);
	assert_int_equal(one, 1);
	cape_reduction_apply(CAPE_MULTIPLY, CAPE_BOOL, &one, &zero, 1);
	assert_int_equal(one, 0);
}

/* What does not exist does nothing, whatever numbers another node sends. */
static void validity(void **state)
{
	unsigned valid = 0;

	(void)state;
	for (int type = -2; type < TYPES + 2; type++) {
		for (int op = -2; op < OPERATORS + 2; op++) {
			unsigned char a[LARGEST] = {1, 2, 3}, before[LARGEST], b[LARGEST] = {4};

			memcpy(before, a, sizeof(a));
			if (cape_reduction_valid((enum cape_operator)op, (enum cape_type)type)) {
				valid++;
				continue;
			}
			cape_reduction_apply((enum cape_operator)op, (enum cape_type)type, a, b, 1);
			cape_reduction_identity_set((enum cape_operator)op, (enum cape_type)type, a,
						    1);
			assert_memory_equal(a, before, sizeof(a));
			assert_false(
				cape_reduction_exact((enum cape_operator)op, (enum cape_type)type));
		}
		assert_int_equal(cape_type_size((enum cape_type)type),
				 type >= 0 && type < TYPES ? sizes[type] : 0);
	}
	assert_int_equal(valid, 12 * 9 + 3 * 6 + 3 * 4);
	assert_false(cape_reduction_valid(CAPE_BIT_AND, CAPE_FLOAT));
	assert_false(cape_reduction_valid(CAPE_MIN, CAPE_COMPLEX_FLOAT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(floating),
		cmocka_unit_test(complex_product),
		cmocka_unit_test(identities),
		cmocka_unit_test(identity_values),
		cmocka_unit_test(exactness),
		cmocka_unit_test(unaligned_arrays),
		cmocka_unit_test(padding),
		cmocka_unit_test(bools),
		cmocka_unit_test(validity),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("reduction", tests, NULL, NULL);
}
