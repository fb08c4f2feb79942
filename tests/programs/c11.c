/* SPDX-License-Identifier: GPL-2.0-or-later */
/* c11.c - C11 and GNU C beside OpenMP: generic, atomic and aligned types, nested braces, typeof. */
#include <omp.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(int) == 4, "an int has four bytes");

#define NAME(x) _Generic((x), int: "int", double: "double", default: "other")
#define MAX(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) first = (a);                                                         \
		__typeof__(b) second = (b);                                                        \
		first > second ? first : second;                                                   \
	})

struct shape {
	enum { CIRCLE, SQUARE } kind;
	union {
		double radius;
		struct {
			float width, height;
		};
	};
	unsigned char flexible[];
};

static alignas(64) double vector[16];
static _Bool flags[10];
static const char *const words[] = {[3] = "three", [0] = "zero", [1 ... 2] = "some"};

static inline int cube(int n)
{
	return n * n * n;
}

int main(void)
{
	int largest = 0, (*function)(int) = cube, total = 0;
	struct shape shapes[6];
	__int128 wide = 0;
	_Complex double z = 0;

#pragma omp parallel for reduction(max : largest)
	for (int i = 0; i < 16; i++) {
		vector[i] = MAX(i, 7.5);
		largest = MAX(largest, function(i));
	}
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < 6; i++) {
			shapes[i] = (struct shape){.kind = i % 2 ? SQUARE : CIRCLE};
			if (shapes[i].kind == CIRCLE)
				shapes[i].radius = i;
			else
				shapes[i].width = shapes[i].height = (float)i;
		}
#pragma omp for
		for (int i = 0; i < 10; i++)
			flags[i] = i & 2;
#pragma omp critical
		{
			wide += (__int128)1 << 70;
			z += 1.5 + 2.5i;
		}
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 4; i++) {
#pragma omp atomic
			total += (int)strlen(words[i]);
		}
	}
	wide /= omp_get_max_threads();
	z /= omp_get_max_threads();
	printf("%d %s %s %.1f %d\n", largest, NAME(largest), NAME(vector[0]), vector[15], total);
	for (int i = 0; i < 6; i++)
		printf("%.0f ", shapes[i].kind == CIRCLE ? shapes[i].radius
							 : (double)shapes[i].height);
	for (int i = 0; i < 10; i++)
		printf("%d", flags[i]);
	printf(" %lx %.1f %.1f\n", (unsigned long)(wide >> 64), __real__ z, __imag__ z);
	return 0;
}
