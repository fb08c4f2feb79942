// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk.c - loaded into monitors by LD_PRELOAD: a disk on which things fail, or take long.
 *
 * CAPE_TEST_DISK="CALL FILE ERROR": write or fsync of files whose name begins with FILE fails with
 * that number, for as long as the file CAPE_TEST_DISK_FILE is there; with 0 it works, a second
 * later. "thread - ERROR": no thread can be made. "flock FILE ERROR": no lock on it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The error that CALL on FILE is to have, 0 or -1: none. */
static int error_of(const char *call, int file)
{
	const char *order = getenv("CAPE_TEST_DISK"), *while_there = getenv("CAPE_TEST_DISK_FILE");
	char wanted[16], name[64], link[64], path[4096];
	ssize_t length;
	int error;

	if (!order || !while_there || strcmp(program_invocation_short_name, "cape-monitor") != 0 ||
	    sscanf(order, "%15s %63s %d", wanted, name, &error) != 3 || strcmp(call, wanted) != 0)
		return -1;
	if (file < 0)
		return access(while_there, F_OK) == 0 ? error : -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	if (!strrchr(path, '/') || strncmp(strrchr(path, '/') + 1, name, strlen(name)) != 0 ||
	    access(while_there, F_OK) < 0)
		return -1;
	return error;
}

static bool fails(const char *call, int file)
{
	int saved = errno, error = error_of(call, file);

	if (error == 0)
		sleep(1);
	errno = error > 0 ? error : saved;
	return error > 0;
}

ssize_t writev(int file, const struct iovec *part, int parts)
{
	static ssize_t (*own)(int, const struct iovec *, int);

	if (!own)
		own = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
	return fails("write", file) ? -1 : own(file, part, parts);
}

ssize_t write(int file, const void *bytes, size_t size)
{
	static ssize_t (*own)(int, const void *, size_t);

	if (!own)
		own = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	return fails("write", file) ? -1 : own(file, bytes, size);
}

int fsync(int file)
{
	static int (*own)(int);

	if (!own)
		own = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	return fails("fsync", file) ? -1 : own(file);
}

int flock(int file, int operation)
{
	static int (*own)(int, int);

	if (!own)
		own = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
	return fails("flock", file) ? -1 : own(file, operation);
}

int mkdir(const char *path, mode_t mode)
{
	static int (*own)(const char *, mode_t);
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *order = getenv("CAPE_TEST_DISK");

	if (!own)
		own = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
	if (rank && order && strncmp(order, "mkdir ", 6) == 0 && order[6] == rank[0] &&
	    isdigit((unsigned char)strrchr(path, '/')[1]))
		fails("mkdir", -1);
	return own(path, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	static int (*own)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (!own)
		own = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			       void *))dlsym(RTLD_NEXT, "pthread_create");
	return fails("thread", -1) ? EAGAIN : own(thread, attributes, start, argument);
}
