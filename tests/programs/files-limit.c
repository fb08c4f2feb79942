/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-limit.c - a file that a region writes grows no longer than the program's limit. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static char bytes[30000];
static long put[6];
static int why[6];
static volatile sig_atomic_t told;

static void tell(int number)
{
	(void)number;
	told++;
}

int main(void)
{
	struct rlimit limit;
	int file = open("limited.txt", O_CREAT | O_TRUNC | O_RDWR, 0644), signals = 0;

	signal(SIGXFSZ, tell);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 100000;
	if (file < 0 || setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 1;
#pragma omp parallel for ordered schedule(static, 1) reduction(+ : signals)
	for (int i = 0; i < 6; i++) {
#pragma omp ordered
		{
			put[i] = write(file, bytes, sizeof(bytes));
			why[i] = put[i] < 0 ? errno : 0;
			signals += told;
			told = 0;
		}
	}
	for (int i = 0; i < 6; i++)
		printf("%ld %d\n", put[i], why[i] == EFBIG);
	printf("%d %ld\n", signals, (long)lseek(file, 0, SEEK_END));
	close(file);
	return remove("limited.txt");
}
