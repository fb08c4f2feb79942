// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays that are not initialised begin alike on all nodes, whatever the library's calls before
 * left on the stack: a node that writes what is there already would send no change.
 */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int regions, right;
static off_t place; /* the same on all nodes */

__attribute__((noinline)) static void small(void)
{
	int array[1000];

#pragma omp parallel
	{
#pragma omp single
		array[0] = 1;
	}
	right += array[0];
	regions++;
}

__attribute__((noinline)) static void large(void)
{
	int array[6000];

#pragma omp parallel for
	for (int i = 0; i < 10; i++)
		array[i] = 1;
	right += array[9];
	regions++;
}

static void look(void)
{
	small();
	large();
}

static char name[] = "/tmp/cape-dead-stack-XXXXXX";

static void files(void)
{
	int descriptor = mkstemp(name);
	FILE *file = fdopen(descriptor, "w");

	look();
	fprintf(file, "%d %f\n", 12, 1.5);
	look();
	fclose(file);
	look();
	file = fopen(name, "w");
	look();
	setvbuf(file, NULL, _IOLBF, 0);
	fprintf(file, "hello\n");
	look();
	fclose(file);
	file = fopen(name, "r+");
	look();
	fputc(fgetc(file) == 'h', stderr);
	look();
	rewind(file);
	look();
	fclose(file);
}

static void memory(void)
{
	int descriptor = open(name, O_RDWR);
	char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);

	look();
	printf("%.5s\n", mapped);
	munmap(mapped, 4096);
	look();
	close(descriptor);
	remove(name);
	look();
}

static void commands(void)
{
	char line[100] = "";
	FILE *command;

	printf("%d\n", system("true"));
	look();
	command = popen("echo word", "r");
	look();
	printf("%s", fgets(line, sizeof(line), command));
	look();
	pclose(command);
	look();
}

static void messages(void)
{
	char *block[3];

	errno = ENOENT;
	perror("perror()");
	look();
	dprintf(STDERR_FILENO, "dprintf()\n");
	look();
	place = lseek(STDERR_FILENO, 0, SEEK_CUR);
	look();
	for (int i = 0; i < 3; i++)
		block[i] = malloc(1000);
	look();
	for (int i = 0; i < 3; i++)
		free(block[i]);
	printf("%s\n", getpwuid(getuid()) ? "somebody" : "nobody");
	look();
}

int main(void)
{
	files();
	memory();
	commands();
	messages();
	printf("%d regions: %s\n", regions, right == regions ? "right" : "wrong");
	return 0;
}
