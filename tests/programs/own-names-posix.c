/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-names-posix.c - a program's own names that POSIX and Linux have functions of.  It includes no
 * header that would declare them.
 */
typedef struct stream FILE;

int printf(const char *format, ...);
FILE *popen(const char *line, const char *how);
int pclose(FILE *stream);
FILE *tmpfile(void);
int fputs(const char *text, FILE *stream);
void rewind(FILE *stream);
char *fgets(char *text, int size, FILE *stream);
void *malloc(unsigned long size);
void free(void *memory);

int fileno = 1, ioctl = 2, pipe2 = 3, getrlimit = 4, prctl = 5;
double mmap[4], munmap, madvise, mremap;
static int called;

int dprintf(int level)
{
	called++;
	return level;
}

int syscall(int number)
{
	called++;
	return number;
}

int unlink(int element)
{
	called++;
	return element;
}

int memfd_create(void)
{
	return ++called;
}

int fdopen(void)
{
	return ++called;
}

int execl(const char *element, const char *other, ...)
{
	called += element != other;
	return called;
}

int vfork(void)
{
	return ++called;
}

int getauxval(void)
{
	return ++called;
}

int fseeko(void)
{
	return ++called;
}

static void print_first_line(FILE *stream)
{
	char line[80];

	if (stream && fgets(line, sizeof(line), stream))
		printf("%s", line);
}

int main(void)
{
	int n = 1000000, *big = malloc((unsigned long)n * sizeof(*big)), sum = 0;
	FILE *command = popen("echo from a command", "r"), *file = tmpfile();

	print_first_line(command);
	pclose(command);
	fputs("from a file\n", file);
	rewind(file);
	print_first_line(file);
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		big[i] = i % 7;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 4; i++) {
		mmap[i] = 1.5 * i;
		sum += big[n - 1 - i] + fileno + ioctl + pipe2 + getrlimit + prctl;
	}
	munmap = madvise = mremap = mmap[3];
	printf("%d %g %g %g\n", sum, munmap, madvise, mremap);
	printf("called %d times\n", called);
	printf("%d %d %d\n", dprintf(1), syscall(2), unlink(3));
	free(big);
	return 0;
}
