/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-operators.c - every operator and form of atomic update, on every integer type. */
#include <stdio.h>

#define TYPES(APPLY)                                                                               \
	APPLY(char, a) APPLY(signed char, b) APPLY(unsigned char, c) APPLY(short, d)               \
	APPLY(unsigned short, e) APPLY(int, f) APPLY(unsigned, g) APPLY(long, h)                   \
	APPLY(unsigned long, i) APPLY(long long, j) APPLY(unsigned long long, k)

#define PRAGMA(text) _Pragma(#text)
#define ATOMIC	     PRAGMA(omp atomic)
#define UPDATE	     PRAGMA(omp atomic update)

static int weights[48];

#define TEST(type, name)                                                                           \
	static type name##_add, name##_sub, name##_xor, name##_step, name##_mul = 1;               \
	static type name##_and = (type)~0ULL, name##_or, name##_plus, name##_twice;                \
	static void test_##name(void)                                                              \
	{                                                                                          \
		PRAGMA(omp parallel for schedule(static, 2))                                       \
		for (int n = 0; n < 48; n++) {                                                     \
			ATOMIC name##_add += (type)weights[n];                                     \
			ATOMIC name##_sub -= (type)n;                                              \
			ATOMIC name##_xor ^= (type)(n * 37);                                       \
			UPDATE name##_mul *= (type)(n % 2 ? 3 : 1);                                \
			ATOMIC name##_and &= (type)~(1 << n % 5);                                  \
			UPDATE name##_or |= (type)(1 << n % 6);                                    \
			ATOMIC name##_step++;                                                      \
			ATOMIC ++name##_step;                                                      \
			if (n % 3 == 0) {                                                          \
				ATOMIC name##_step--;                                              \
			}                                                                          \
			if (n % 4 == 0) {                                                          \
				ATOMIC --name##_step;                                              \
			}                                                                          \
			ATOMIC name##_plus = name##_plus + (type)n;                                \
			UPDATE name##_twice = (type)n + name##_twice;                              \
		}                                                                                  \
		printf("%-19s %lld %lld %lld %lld %lld %lld %lld %lld %lld\n", #type,              \
		       (long long)name##_add, (long long)name##_sub, (long long)name##_xor,        \
		       (long long)name##_mul, (long long)name##_and, (long long)name##_or,         \
		       (long long)name##_step, (long long)name##_plus, (long long)name##_twice);   \
	}
TYPES(TEST)

#define CALL(type, name) test_##name();

int main(void)
{
	int divided = 3 * 5 * 7 * 11 * 13 * 17, left = 1;
	unsigned right = 0x80000000;
	long product = 1;

	for (int n = 0; n < 48; n++)
		weights[n] = n * n % 11 - 4;
	TYPES(CALL)
	/* Operators that do not commute, with operands that make the order irrelevant. */
#pragma omp parallel for
	for (int n = 0; n < 6; n++) {
#pragma omp atomic
		divided /= n == 0 ? 3 : n == 1 ? 5 : n == 2 ? 7 : 1;
#pragma omp atomic
		left <<= n;
#pragma omp atomic
		right >>= n;
#pragma omp atomic
		product = (n + 1) * product;
	}
	printf("%d %d %#x %ld\n", divided, left, right, product);
	return 0;
}
