/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped-objects.c - shared memory of POSIX, made by sequential code, and written by all threads.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 5000

int main(void)
{
	char name[64];
	struct stat status;
	int object, again, *array, value = 0;
	long sum = 0;

	snprintf(name, sizeof(name), "/cape-test-%ld", (long)getpid());
	object = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (object < 0 || ftruncate(object, COUNT * sizeof(int)) < 0)
		return 1;
	array = mmap(NULL, COUNT * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, object, 0);
	if (array == MAP_FAILED)
		return 2;
	array[0] = 77;
#pragma omp parallel for
	for (int i = 1; i < COUNT; i++)
		array[i] = i;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < COUNT; i++)
		sum += array[COUNT - 1 - i] * (i % 7);
	fstat(object, &status);
	printf("%ld %ld\n", sum, (long)status.st_size);
	again = shm_open(name, O_RDWR, 0);
	printf("once more: %d\n", pread(again, &value, sizeof(value), 400) == 4 ? value : -1);
	munmap(array, COUNT * sizeof(int));
	printf("taken: %d\n", shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600) < 0);
	printf("unlinked: %d, ", shm_unlink(name));
	printf("%d\n", shm_unlink(name));
	close(again);
	close(object);
	return 0;
}
