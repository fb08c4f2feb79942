/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction-integers.c - every operator on every integer type, with wrap-around where it is
 * defined. */
#include <stdio.h>

#define TRIPS 45

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define TRY(type, factor)                                                                              \
	static void try_##factor(void)                                                                 \
	{                                                                                              \
		type sum = 3, minus = 100, product = 1, and = (type)~0, or = 1, xor = 85;              \
		type low = 99, high = 1;                                                               \
		int all = 1, any = 0;                                                                  \
		PRAGMA(omp parallel for reduction(+ : sum) reduction(- : minus) reduction(* : product) \
			       reduction(& : and) reduction(| : or) reduction(^ : xor) \
			       reduction(min : low) reduction(max : high) \
			       reduction(&& : all) reduction(|| : any))                                \
		for (int i = 0; i < TRIPS; i++) {                                                      \
			type value = (type)(i * (factor) % 90 + 7);                                    \
			sum = (type)(sum + value % 3);                                                 \
			minus = (type)(minus - value % 3);                                             \
			product = (type)(product * (i % 9 == 4 ? 2 : 1));                              \
			and = (type)(and&(value | 0x51));                                              \
			or = (type)(or | (value & 0x3c));                                              \
			xor = (type)(xor^value);                                                       \
			low = value < low ? value : low;                                               \
			high = value > high ? value : high;                                            \
			all = all && value > 6;                                                        \
			any = any || value == 61;                                                      \
		}                                                                                      \
		printf(#type ": %lld %lld %lld %lld %lld %lld %lld %lld %d %d\n", (long long)sum,      \
		       (long long)minus, (long long)product, (long long)and, (long long) or,           \
		       (long long)xor, (long long)low, (long long)high, all, any);                     \
	}

TRY(char, 3)
TRY(signed char, 5)
TRY(unsigned char, 7)
TRY(short, 11)
TRY(unsigned short, 13)
TRY(int, 17)
TRY(unsigned int, 19)
TRY(long, 23)
TRY(unsigned long, 29)
TRY(long long, 31)
TRY(unsigned long long, 37)

static void wrap(void)
{
	unsigned int sum = 5, product = 3;
	unsigned char byte = 200;
	unsigned long wide = ~0UL;

#pragma omp parallel for reduction(+ : sum, byte, wide) reduction(* : product)
	for (unsigned int i = 0; i < 1000; i++) {
		sum += i * 0x9e3779b9U;
		product *= i | 1;
		byte = (unsigned char)(byte + i);
		wide += (unsigned long)i << 57;
	}
	printf("%u %u %d %lu\n", sum, product, byte, wide);
}

int main(void)
{
	try_3();
	try_5();
	try_7();
	try_11();
	try_13();
	try_17();
	try_19();
	try_23();
	try_29();
	try_31();
	try_37();
	wrap();
	return 0;
}
