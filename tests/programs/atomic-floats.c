/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomic-floats.c - atomic updates of floating types, with values that are exact in any order. */
#include <stdio.h>

#define N 600

static float f_sum, f_scale = 1, f_array[7];
static double d_sum, d_scale = 1, d_array[13];
static long double l_sum;

struct point {
	char tag;
	float x;
	double y;
};

int main(void)
{
	struct point points[3] = {{0}};
	double difference = 0, mixed = 0;
	float from_int = 0;

#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++) {
#pragma omp atomic
			f_sum += (float)(i % 16) / 4;
#pragma omp atomic
			d_sum += i * 0.125;
#pragma omp atomic
			l_sum += i * 0.5L;
#pragma omp atomic
			difference -= i * 0.25;
#pragma omp atomic
			f_array[i % 7] += 0.5F;
#pragma omp atomic
			d_array[i * i % 13] += i;
#pragma omp atomic
			points[i % 3].x += 1;
#pragma omp atomic
			points[i % 3].y -= 2;
			/* The type of the operand is another one. */
#pragma omp atomic
			from_int += i & 1;
#pragma omp atomic
			mixed += (float)i;
		}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 24; i++) {
#pragma omp atomic
			f_scale *= i % 2 ? 2 : 0.5F;
#pragma omp atomic
			d_scale = d_scale * (i % 3 ? 1.0 : 4.0);
#pragma omp atomic
			d_array[0] = 64 + d_array[0];
#pragma omp atomic
			f_array[1] /= i % 2 ? 2 : 0.5F;
		}
	}
	printf("%.2f %.3f %.1Lf %.2f\n", (double)f_sum, d_sum, l_sum, difference);
	for (int i = 0; i < 7; i++)
		printf("%.1f ", (double)f_array[i]);
	for (int i = 0; i < 13; i++)
		printf("%.0f ", d_array[i]);
	for (int i = 0; i < 3; i++)
		printf("%d %.0f %.0f ", points[i].tag, (double)points[i].x, points[i].y);
	printf("\n%.3f %.1f %.1f %.1f\n", (double)f_scale, d_scale, (double)from_int, mixed);
	return 0;
}
