/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One stream under locks inside each other and in turns: every byte comes once. */
#include <stdio.h>

#define FILE_NAME "files-nested-locks.out"

int main(void)
{
	int taken = 0, outer = 0, inner = 0, turns = 0, byte;
	FILE *file = fopen(FILE_NAME, "w");

#pragma omp parallel
	{
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < 40; i++) {
#pragma omp critical(outer)
			{
				fprintf(file, "a\n");
#pragma omp critical(inner)
				{
					taken++;
					fprintf(file, "b\n");
				}
			}
		}
#pragma omp for schedule(dynamic) ordered
		for (int i = 0; i < 10; i++) {
#pragma omp ordered
			fprintf(file, "%d\n", i);
		}
	}
	fclose(file);
	file = fopen(FILE_NAME, "r");
	while ((byte = getc(file)) != EOF) {
		outer += byte == 'a';
		inner += byte == 'b';
		if (byte >= '0' && byte <= '9')
			turns = (turns * 7 + byte) % 1000003;
	}
	fclose(file);
	remove(FILE_NAME);
	printf("%d %d %d %d\n", taken, outer, inner, turns);
	return 0;
}
