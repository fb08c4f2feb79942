/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types in clauses: reductions of all that C has, one name for several types, alignment. */
#include <stdint.h>
#include <stdio.h>

struct box {
	int sum;
};

#pragma omp declare reduction(join : struct box : omp_out.sum += omp_in.sum)
#pragma omp declare reduction(join:int : omp_out += omp_in)

static void names(void)
{
	struct box box = {0}, boxes[2] = {{1}, {2}};
	int sum = 0;

#pragma omp declare reduction(join : long, double : omp_out += omp_in)
	long wide = 0;
#pragma omp parallel for reduction(join : box, sum, boxes, wide)
	for (int i = 0; i < 100; i++) {
		box.sum += i;
		sum += i;
		wide += i;
		boxes[i % 2].sum++;
	}
	printf("names %d %d %ld %d %d\n", box.sum, sum, wide, boxes[0].sum, boxes[1].sum);
}

static void wide_integers(void)
{
	__int128 sum = 5, least = (__int128)1 << 100, most = -least, bits = -1, part[4] = {0};
	unsigned __int128 unsigned_least = ~(unsigned __int128)0, any = 0;

#pragma omp parallel for reduction(+ : sum, part[1 : 2]) reduction(min : least, unsigned_least)    \
	reduction(max : most) reduction(& : bits) reduction(|| : any)
	for (int i = 0; i < 100; i++) {
		__int128 value = (__int128)(i * 37 % 100 - 50) << 70;

		sum += value;
		part[1 + i % 2] += i;
		bits &= ~((__int128)1 << i);
		any = any || i == 40;
		least = value < least ? value : least;
		most = value > most ? value : most;
		if ((unsigned)i + 3 < unsigned_least)
			unsigned_least = i + 3;
	}
	printf("wide %lx %ld %lx %lx %lx %d %d %d %d\n", (long)(sum >> 64), (long)sum,
	       (long)(least >> 64), (long)(most >> 64), (long)(bits >> 64), (int)part[1],
	       (int)part[2], (int)unsigned_least, (int)any);
}

static void floats(void)
{
	_Complex int whole = 1;
	_Complex short product = 1;
	__float128 sum = 0, least = 1000;

#pragma omp parallel for reduction(+ : whole, sum) reduction(* : product) reduction(min : least)
	for (int i = 0; i < 100; i++) {
		whole += i + i * 2i;
		sum += i * (__float128)0.5;
		if (i < 3)
			product *= 1 + 1i;
		if (i - 7 < least)
			least = i - 7;
	}
	printf("floats %d %d %d %d %g %g\n", __real__ whole, __imag__ whole, __real__ product,
	       __imag__ product, (double)sum, (double)least);
}

static int off(const volatile void *address, uintptr_t alignment)
{
	return ((uintptr_t)address & (alignment - 1)) != 0;
}

static _Alignas(512) char text[100];

/* Private copies keep the alignment that the variable asks for. */
static void aligned(void)
{
	int bad = 0, room[67] __attribute__((aligned(256))) = {0};
	_Alignas(128) double value = 1, last = 2, sum = 0;

	text[0] = 1;
#pragma omp parallel private(room, text) firstprivate(value) reduction(+ : bad, sum)
	{
		bad += off(room, 256) + off(text, 512) + off(&value, 128) + off(&sum, 128);
		value++;
#pragma omp task firstprivate(value)
		bad += off(&value, 128) + (value != 2);
	}
#pragma omp parallel for firstprivate(room) lastprivate(last) reduction(+ : bad)
	for (int i = 0; i < 20; i++) {
		last = i;
		room[i] = i;
		bad += off(room, 256) + off(&last, 128);
	}
	printf("aligned %d %g\n", bad, last);
}

int main(void)
{
	names();
	wide_integers();
	floats();
	aligned();
}
