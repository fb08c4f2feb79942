/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files-full.c - what becomes of a write that fails, or is done by half, is known to every thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define THREADS 8

static char bytes[30000], *volatile nowhere = (char *)8;
static volatile sig_atomic_t told;

static void tell(int number)
{
	(void)number;
	told++;
}

/* RESULT is each thread's own knowledge, of sequential code. */
static void show(const char *what, long result)
{
	static long results[THREADS], signals[THREADS], errors[THREADS];
	int error = result < 0 ? errno : 0, others = 0;

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < THREADS; i++) {
		results[i] = result;
		errors[i] = error;
		signals[i] = told;
	}
	told = 0;
	for (int i = 1; i < THREADS; i++)
		others += results[i] != results[0] || errors[i] != errors[0] ||
			  signals[i] != signals[0];
	printf("%s: %ld, %s, %ld signals%s\n", what, results[0], strerrorname_np((int)errors[0]),
	       signals[0], others ? ", BUT NOT FOR ALL" : "");
}

static void use_streams(void)
{
	FILE *file = fopen("/dev/full", "w");

	fputs("flushed by the program\n", file);
	show("fflush", fflush(file));
	show("ferror", ferror(file) != 0);
	show("fclose", fclose(file));
	file = fopen("/dev/full", "w");
	fputs("flushed when a region begins, or at the end\n", file);
	show("fputs", 0);
	show("fclose", fclose(file));
	file = fopen("/dev/full", "w");
	setvbuf(file, NULL, _IONBF, 0);
	show("fprintf", fprintf(file, "%d\n", 5));
	show("fclose", fclose(file));
}

static void use_descriptors(void)
{
	struct iovec piece = {bytes, 10};
	int file = open("/dev/full", O_WRONLY);

	show("write", write(file, bytes, 1));
	show("pwrite", pwrite(file, bytes, 1, 5));
	show("writev", writev(file, &piece, 1));
	show("dprintf", dprintf(file, "%d\n", 5));
	show("ftruncate", ftruncate(file, 5));
	show("close", close(file));
	file = open("files-full.txt", O_RDONLY | O_CREAT, 0644);
	show("write", write(file, bytes, 1));
	show("close", close(file));
	file = open("files-full.txt", O_WRONLY);
	show("read", read(file, bytes, 1));
	show("write", write(file, nowhere, 1));
	show("lseek", lseek(file, 1L << 62, SEEK_SET));
	show("lseek", lseek(file, 0, SEEK_CUR) > 0);
	show("posix_fallocate", posix_fallocate(file, 0, -1));
	show("close", close(file));
}

static void use_signals(void)
{
	int reader, file;
	struct rlimit limit;

	signal(SIGPIPE, tell);
	signal(SIGXFSZ, tell);
	if (mkfifo("files-full.pipe", 0600) < 0)
		show("mkfifo", -1);
	reader = open("files-full.pipe", O_RDONLY | O_NONBLOCK);
	file = open("files-full.pipe", O_WRONLY);
	show("write", write(file, bytes, 100));
	close(reader);
	show("write", write(file, bytes, 100));
	close(file);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 70000;
	setrlimit(RLIMIT_FSIZE, &limit);
	file = open("files-full.txt", O_RDWR | O_TRUNC);
	for (int i = 0; i < 4; i++)
		show("write", write(file, bytes, sizeof(bytes)));
	close(file);
}

int main(void)
{
	use_streams();
	use_descriptors();
	use_signals();
	return remove("files-full.pipe") | remove("files-full.txt");
}
