/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * atomics.c - every form of atomic on every type, by all threads at once: nothing is lost, no value
 * is captured twice, and nothing beside a variable changes.
 *
 * Usage: atomics TIMES.  Complex numbers and volatile ones are more than gcc's own atomic takes.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { NONE, SOME };

static unsigned calls;

static int called(int value)
{
#pragma omp atomic
	calls++;
	return value;
}

/* What is captured is added up as the type SUM. */
#define STRESS(name, type, sum)                                                                    \
	static type name##_counts[6], name##_tickets[4], name##_swapped, name##_tried;             \
	static int stress_##name(int times)                                                        \
	{                                                                                          \
		sum sums[5] = {0};                                                                 \
		unsigned long all = 0, hits = 0;                                                   \
		int wrong = 0, i;                                                                  \
                                                                                                   \
		_Pragma("omp parallel reduction(+ : sums, all, hits)")                             \
		{                                                                                  \
			int at;                                                                    \
			for (at = 0; at < times; at++) {                                           \
				type seen, old, list[2], *next = list;                             \
                                                                                                   \
				_Pragma("omp atomic") name##_counts[0] += 1;                       \
				_Pragma("omp atomic update seq_cst") name##_counts[1] =            \
					name##_counts[1] + 1;                                      \
				_Pragma("omp atomic hint(0)") name##_counts[2] =                   \
					1 + name##_counts[2];                                      \
				_Pragma("omp atomic acq_rel") name##_counts[3] -= -1;              \
				_Pragma("omp atomic") name##_counts[4] += called(1);               \
				_Pragma("omp atomic relaxed") name##_counts[called(5)] += 1;       \
				_Pragma("omp atomic capture") seen = name##_tickets[0] += 1;       \
				sums[0] += seen;                                                   \
				_Pragma("omp atomic capture seq_cst")                              \
				{                                                                  \
					seen = name##_tickets[1];                                  \
					name##_tickets[1] = name##_tickets[1] + 1;                 \
				}                                                                  \
				sums[1] += seen;                                                   \
				_Pragma("omp atomic capture")                                      \
				{                                                                  \
					name##_tickets[2] = 1 + name##_tickets[2];                 \
					seen = name##_tickets[2];                                  \
				}                                                                  \
				sums[2] += seen;                                                   \
				_Pragma("omp atomic capture") *next++ = name##_tickets[3] -= -1;   \
				sums[3] += list[0];                                                \
				wrong += next != list + 1;                                         \
				_Pragma("omp atomic capture")                                      \
				{                                                                  \
					seen = name##_swapped;                                     \
					name##_swapped = at % 50 + 1;                              \
				}                                                                  \
				sums[4] += at % 50 + 1;                                            \
				sums[4] -= seen;                                                   \
				_Pragma("omp atomic read") old = name##_tried;                     \
				_Pragma("omp atomic compare capture")                              \
				{                                                                  \
					seen = name##_tried;                                       \
					if (name##_tried == old) {                                 \
						name##_tried = old + 1;                            \
					}                                                          \
				}                                                                  \
				hits += seen == old;                                               \
				_Pragma("omp atomic") name##_tried += 1;                           \
				all++;                                                             \
			}                                                                          \
		}                                                                                  \
		for (i = 0; i < 6; i++)                                                            \
			wrong += name##_counts[i] != (type)all;                                    \
		for (i = 0; i < 4; i++)                                                            \
			wrong += name##_tickets[i] != (type)all;                                   \
		wrong += sums[0] != (sum)(all * (all + 1) / 2);                                    \
		wrong += sums[1] != (sum)(all * (all - 1) / 2);                                    \
		wrong += sums[2] != (sum)(all * (all + 1) / 2);                                    \
		wrong += sums[3] != (sum)(all * (all + 1) / 2);                                    \
		wrong += sums[4] != (sum)name##_swapped;                                           \
		wrong += name##_tried != (type)(all + hits);                                       \
		_Pragma("omp atomic write") name##_tried = 7;                                      \
		wrong += name##_tried != 7;                                                        \
		if (wrong)                                                                         \
			printf("%s: %d wrong of %lu\n", #type, wrong, all);                        \
		return wrong;                                                                      \
	}

STRESS(letter, char, char)
STRESS(letter_signed, signed char, signed char)
STRESS(letter_unsigned, unsigned char, unsigned char)
STRESS(narrow, short, short)
STRESS(narrow_unsigned, unsigned short, unsigned short)
STRESS(whole, int, long)
STRESS(whole_unsigned, unsigned, unsigned long)
STRESS(wide, long, long)
STRESS(wide_unsigned, unsigned long, unsigned long)
STRESS(wider, long long, long)
STRESS(wider_unsigned, unsigned long long, unsigned long)
STRESS(kind, enum kind, unsigned long)
STRESS(single_real, float, double)
STRESS(real, double, double)
STRESS(wide_real, long double, double)
STRESS(single_complex, float _Complex, double _Complex)
STRESS(complex, double _Complex, double _Complex)
STRESS(wide_complex, long double _Complex, double _Complex)
STRESS(volatile_whole, volatile int, long)

/* Members that are not where their types want to be, and their neighbours. */
static struct __attribute__((packed)) {
	char before;
	int whole;
	double real;
	short narrow;
	char behind;
} crooked __attribute__((aligned(64)));

static char text[2], *place = text;
static _Bool any, every = 1;
static int largest, smallest, ones = 1, sum, *there = &sum;
static double largest_real;

static int stress_others(int times)
{
	int wrong = 0, i, team = 0;
	long moved = 0;

#pragma omp parallel reduction(+ : team, moved)
	{
		int at, me = omp_get_thread_num();
		char *seen;

		team = 1;
		for (at = 0; at < times; at++) {
#pragma omp atomic
			crooked.before++;
#pragma omp atomic
			crooked.whole += 2;
#pragma omp atomic
			crooked.real = crooked.real + 0.5;
#pragma omp atomic
			crooked.narrow ^= at;
#pragma omp atomic
			crooked.behind--;
#pragma omp atomic capture
			seen = place++;
			moved += seen - text;
#pragma omp atomic
			any |= at == times - 1;
#pragma omp atomic
			every &= at >= 0;
#pragma omp atomic compare
			if (largest < me + at) {
				largest = me + at;
			}
#pragma omp atomic compare seq_cst
			smallest = -at - me < smallest ? -at - me : smallest;
#pragma omp atomic compare
			largest_real = largest_real < at * 0.5 ? at * 0.5 : largest_real;
#pragma omp atomic
			ones = 1 / ones;
#pragma omp atomic
			*there = *there - at + at + 1;
		}
	}
	for (i = 0; i < team % 2 * times; i++)
		crooked.narrow ^= i;
	wrong += crooked.before != (char)(team * times) || crooked.behind != (char)-(team * times);
	wrong += crooked.whole != 2 * team * times || crooked.real != 0.5 * team * times;
	wrong += crooked.narrow != 0;
	wrong += place != text + team * times;
	wrong += moved != (long)team * times * ((long)team * times - 1) / 2;
	wrong += !any || !every || ones != 1 || sum != team * times;
	wrong += largest != team + times - 2 || smallest != -largest;
	wrong += largest_real != (times - 1) * 0.5;
	if (wrong)
		printf("others: %d wrong\n", wrong);
	return wrong;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 10, wrong = 0;

	wrong += stress_letter(times) + stress_letter_signed(times) + stress_letter_unsigned(times);
	wrong += stress_narrow(times) + stress_narrow_unsigned(times);
	wrong += stress_whole(times) + stress_whole_unsigned(times);
	wrong += stress_wide(times) + stress_wide_unsigned(times);
	wrong += stress_wider(times) + stress_wider_unsigned(times) + stress_kind(times);
	wrong += stress_single_real(times) + stress_real(times) + stress_wide_real(times);
	wrong += stress_single_complex(times) + stress_complex(times) + stress_wide_complex(times);
	wrong += stress_volatile_whole(times) + stress_others(times);
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
