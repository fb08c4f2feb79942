/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mandelbrot.c - iterations of unequal length, bytes as results, printed as a picture. */
#include <stdio.h>

#define ROWS	25
#define COLUMNS 71

int main(void)
{
	char picture[ROWS][COLUMNS + 1];
	static const char shades[] = " .:-=+*#%@";
	long steps = 0;

#pragma omp parallel for schedule(static, 3) reduction(+ : steps)
	for (int row = 0; row < ROWS; row++) {
		for (int column = 0; column < COLUMNS; column++) {
			double x = 0, y = 0, cx = column / 25.0 - 2, cy = row / 10.0 - 1.25;
			int step = 0;

			while (step < 200 && x * x + y * y < 4) {
				double t = x * x - y * y + cx;

				y = 2 * x * y + cy;
				x = t;
				step++;
			}
			picture[row][column] = shades[step == 200 ? 9 : step % 9];
			steps += step;
		}
		picture[row][COLUMNS] = 0;
	}
	for (int row = 0; row < ROWS; row++)
		puts(picture[row]);
	printf("%ld\n", steps);
	return 0;
}
