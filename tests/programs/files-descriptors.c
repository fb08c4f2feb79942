/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-descriptors.c - open, write, lseek, pread, ftruncate, dup, O_APPEND; a folder, a link. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char data[3000], back[6000];

int main(void)
{
	struct stat status;
	int file = open("data", O_CREAT | O_TRUNC | O_RDWR, 0644), other;
	ssize_t got;
	long sum = 0;

#pragma omp parallel for
	for (int i = 0; i < 3000; i++)
		data[i] = (char)('a' + i % 26);
	for (int i = 0; i < 3000; i += 500)
		if (write(file, data + i, 500) != 500)
			return 1;
	lseek(file, 100, SEEK_SET);
	if (write(file, "0123456789", 10) != 10 || pwrite(file, "end", 3, 2997) != 3)
		return 2;
#pragma omp parallel for
	for (int i = 0; i < 3000; i++)
		data[i] = (char)(data[i] - 'a' + 'A');
	other = open("data", O_WRONLY | O_APPEND);
	if (write(other, data, 1000) != 1000)
		return 3;
	close(other);
	got = pread(file, back, sizeof(back), 0);
	printf("%zd %.12s %.5s %.5s\n", got, back + 99, back + 2996, back + 3000);
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < (int)got; i++)
		sum += back[i];
	other = dup(file);
	if (ftruncate(other, 1234) || fstat(other, &status))
		return 4;
	close(file);
	printf("%ld %ld %ld\n", sum, (long)status.st_size, (long)lseek(other, 0, SEEK_CUR));
	close(other);
	printf("%d ", mkdir("folder", 0755));
	printf("%d ", rename("data", "folder/data"));
	printf("%d\n", symlink("folder/data", "link"));
	file = open("link", O_RDONLY);
	got = read(file, back, 8);
	printf("%zd %.4s\n", got, back);
	close(file);
	printf("%d ", unlink("link"));
	printf("%d ", unlink("folder/data"));
	printf("%d\n", rmdir("folder"));
	printf("%d\n", access("data", F_OK));
	return 0;
}
