/* SPDX-License-Identifier: GPL-2.0-or-later */
/* declare-reduction.c - reductions that the program declares: structures, functions, initializers. */
#include <limits.h>
#include <stdio.h>

struct extreme {
	int value, at;
};

struct bits {
	unsigned long words[3];
};

struct average {
	double sum;
	long count;
	char tag;
};

static void unite(struct bits *into, const struct bits *from)
{
	for (int i = 0; i < 3; i++)
		into->words[i] |= from->words[i];
}

static void empty(struct bits *bits)
{
	for (int i = 0; i < 3; i++)
		bits->words[i] = 0;
}

/* The smallest position wins where values are equal, so that the order does not matter. */
#pragma omp declare reduction(extreme:struct extreme                                               \
			      : omp_out =                                                          \
				      omp_in.value > omp_out.value ||                              \
						      (omp_in.value == omp_out.value &&            \
						       omp_in.at < omp_out.at)                     \
					      ? omp_in                                             \
					      : omp_out) initializer(omp_priv = {INT_MIN, INT_MAX})
#pragma omp declare reduction(unite : struct bits : unite(&omp_out, &omp_in))                      \
	initializer(empty(&omp_priv))
#pragma omp declare reduction(+ : struct average : omp_out.sum += omp_in.sum,                      \
				      omp_out.count += omp_in.count)
#pragma omp declare reduction(gcd_like : unsigned, int : omp_out ^= omp_in * 3) initializer(omp_priv = 0)

/* Complete only where it is used; its copies point to themselves and to the original. */
struct node;
static void link_in(struct node *into, const struct node *from);
static void link_up(struct node *node, struct node *original);
#pragma omp declare reduction(link : struct node : link_in(&omp_out, &omp_in))                     \
	initializer(link_up(&omp_priv, &omp_orig))

struct node {
	int count;
	struct node *self, *original;
};

static void link_in(struct node *into, const struct node *from)
{
	into->count += from->count;
}

static void link_up(struct node *node, struct node *original)
{
	*node = (struct node){0, node, original};
}

#pragma omp declare reduction(point : struct node : omp_out.count += omp_in.count)                 \
	initializer(omp_priv = {1, &omp_priv, &omp_orig})

static int values[200];

static void links(void)
{
	struct node one = {3, NULL, NULL}, other = {4, NULL, NULL}, *first = &one, *second = &other;
	int wrong = 0, threads = 0;

#pragma omp parallel reduction(link : one) reduction(point : other) reduction(+ : wrong, threads)
	{
		wrong += one.self != &one || one.original != first;
		wrong += other.self != &other || other.original != second;
		one.count++;
		threads++;
	}
	printf("%d %d %d\n", one.count == 3 + threads, other.count == 4 + threads, wrong);
}

static struct average average_of(int from, int to)
{
	struct average average = {0, 0, 'x'};

#pragma omp parallel for reduction(+ : average)
	for (int i = from; i < to; i++) {
		average.sum += values[i];
		average.count++;
	}
	return average;
}

int main(void)
{
	struct extreme largest = {-5, -1};
	struct bits bits = {{1UL << 63, 0, 0}};
	struct average average;
	unsigned mixed = 5;
	int signed_mixed = 0, sum = 0;

	for (int i = 0; i < 200; i++)
		values[i] = i * 7919 % 101;
#pragma omp parallel
	{
#pragma omp for reduction(extreme : largest) reduction(+ : sum)
		for (int i = 0; i < 200; i++) {
			sum += values[i];
			if (values[i] > largest.value) {
				largest.value = values[i];
				largest.at = i;
			}
		}
#pragma omp for reduction(unite : bits) schedule(static, 1)
		for (int i = 0; i < 200; i++)
			bits.words[values[i] / 64] |= 1UL << values[i] % 64;
#pragma omp sections reduction(gcd_like : mixed)
		{
#pragma omp section
			mixed ^= 12;
#pragma omp section
			mixed ^= 99;
		}
	}
#pragma omp parallel for reduction(gcd_like : signed_mixed) num_threads(1)
	for (int i = 0; i < 10; i++)
		signed_mixed ^= values[i];
	average = average_of(0, 200);
	printf("%d at %d, %d, %lx %lx %lx\n", largest.value, largest.at, sum, bits.words[0],
	       bits.words[1], bits.words[2]);
	printf("%.0f %ld, %d\n", average.sum, average.count, signed_mixed != 0);
	average = average_of(5, 5);
	printf("%.0f %ld %d\n", average.sum, average.count, mixed != 5);
	links();
	return 0;
}
