/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-opened-single.c - what a single construct opens, threads of the same region read and write.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define COUNT 40

static int create(const char *name)
{
	return open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
}

static void show(const char *name)
{
	char line[100];
	FILE *file = fopen(name, "r");

	while (fgets(line, sizeof(line), file))
		fputs(line, stdout);
	fclose(file);
	unlink(name);
}

static void in_turn(void)
{
	int (*way)(const char *name) = create;
	FILE *text = NULL;
	int file = -1;

#pragma omp parallel
	{
#pragma omp single
		file = way("single.bin");
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < COUNT; i++) {
			char line[32];
			int length = snprintf(line, sizeof(line), "line %d\n", i);

#pragma omp ordered
			if (write(file, line, (size_t)length) != length)
				perror("write");
		}
#pragma omp single
		{
			close(file);
			text = fopen("single.txt", "w");
		}
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
			fprintf(text, "stream %d\n", i);
		}
	}
	fclose(text);
	show("single.bin");
	show("single.txt");
}

/* Rows at their places, read by others. */
static void positioned(void)
{
	int file = -1, sum = 0, again = 0, value = 0;

#pragma omp parallel
	{
#pragma omp single
		file = create("single.rows");
#pragma omp for
		for (int i = 0; i < COUNT; i++)
			if (pwrite(file, &i, sizeof(i), i * (off_t)sizeof(i)) != sizeof(i))
				perror("pwrite");
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < COUNT; i++) {
			int row = 0;

			if (pread(file, &row, sizeof(row), (COUNT - 1 - i) * (off_t)sizeof(row)) !=
			    sizeof(row))
				perror("pread");
			sum += row * i;
		}
	}
	lseek(file, 0, SEEK_SET);
	while (read(file, &value, sizeof(value)) == sizeof(value))
		again += value;
	printf("%d %d\n", sum, again);
	close(file);
	unlink("single.rows");
}

int main(void)
{
	in_turn();
	positioned();
	return 0;
}
