// SPDX-License-Identifier: GPL-2.0-or-later
/* A large file is opened for update; what was read is written back changed, and the file removed. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE (1 << 20)
#define PIECES 20

static char piece[SIZE];

int main(void)
{
	char name[] = "/tmp/cape-updated-XXXXXX";
	int number = -1, length;
	FILE *file;

	if (mkstemp(name) < 0 || !(file = fopen(name, "w")))
		return 1;
	fprintf(file, "%8d", 41);
	for (int i = 0; i < PIECES; i++)
		fwrite(piece, 1, SIZE, file);
	fclose(file);
	file = fopen(name, "r+");
	fseek(file, PIECES * SIZE, SEEK_SET);
	length = (int)fread(piece, 1, SIZE, file);
	fseek(file, PIECES * SIZE, SEEK_SET);
	fwrite("the end.", 1, 8, file);
	rewind(file);
	if (fscanf(file, "%d", &number) != 1)
		puts("no number");
	rewind(file);
	fprintf(file, "%8d", number + 1);
	fclose(file);
	remove(name);
#pragma omp parallel for reduction(+ : length)
	for (int i = 0; i < 10; i++)
		length += number;
	printf("%d %d\n", number, length);
	return 0;
}
