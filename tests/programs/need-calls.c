/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-calls.c - system calls are given memory of which each thread has just written a part: in
 * sequential code, and in a region what another thread has written.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define PARTS 5
#define PART  (64 * 1024)
#define SIZE  (PARTS * PART)
#define SOME  10000

static unsigned char still[SIZE];
static unsigned char *array;

static unsigned char *fill(unsigned seed)
{
#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = (unsigned char)((i * 7u + i / 256u + seed) * 37u + 1u);
	return array;
}

static unsigned long sum(void)
{
	unsigned long total = 0;

	for (size_t i = 0; i < SIZE; i++)
		total = total * 31 + array[i];
	return total;
}

static void sockets(void)
{
	int pair[2];
	struct iovec piece[2] = {{array + PART, SOME}, {array + 4 * PART, SOME}};
	struct iovec other[2] = {{array + 2 * PART, SOME}, {array, SOME}};
	struct msghdr message = {.msg_iov = piece, .msg_iovlen = 2};

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	printf("send %zd\n", send(pair[0], fill(1) + PART, SOME, 0));
	printf("recv %zd", recv(pair[1], fill(2) + 4 * PART, SOME, MSG_WAITALL));
	printf(" %lx\n", sum());
	printf("sendto %zd\n", sendto(pair[0], fill(3) + PART, SOME, 0, NULL, 0));
	printf("recvfrom %zd",
	       recvfrom(pair[1], fill(4) + 4 * PART, SOME, MSG_WAITALL, NULL, NULL));
	printf(" %lx\n", sum());
	fill(5);
	printf("sendmsg %zd\n", sendmsg(pair[0], &message, 0));
	message.msg_iov = other;
	fill(6);
	printf("recvmsg %zd", recvmsg(pair[1], &message, MSG_WAITALL));
	printf(" %lx\n", sum());
	close(pair[0]);
	close(pair[1]);
}

static void waiting(void)
{
	struct pollfd *list = (struct pollfd *)(array + 2 * PART);
	fd_set *set = (fd_set *)(array + 3 * PART);
	struct timeval *moment = (struct timeval *)(array + 4 * PART);
	struct timespec *time = (struct timespec *)(array + PART);
	int *pair = (int *)(array + PART / 2), own[2];

	fill(11);
	printf("pipe %d\n", pipe(pair));
	memcpy(own, pair, sizeof(own));
	printf("write %zd\n", write(own[1], fill(12) + PART, 100));
	fill(13);
	list[0] = (struct pollfd){.fd = own[0], .events = POLLIN};
	printf("poll %d %d\n", poll(list, 1, 1000), list[0].revents == POLLIN);
#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = 0;
	FD_SET(own[0], set);
	moment->tv_sec = 1;
	printf("select %d %d\n", select(own[0] + 1, set, NULL, NULL, moment),
	       FD_ISSET(own[0], set) != 0);
	fill(14);
	*time = (struct timespec){0, 1000};
	printf("nanosleep %d\n", nanosleep(time, NULL));
	close(own[0]);
	close(own[1]);
}

static int is_name(const char *name, const char *end)
{
	size_t length = strlen(name), most = strlen(end);

	return length >= most && strcmp(name + length - most, end) == 0;
}

static void names(void)
{
	char *name = (char *)array + 3 * PART;
	const struct dirent *entry;
	DIR *folder;
	int found = 0;

	mkdir("need-folder", 0700);
	for (int i = 0; i < 20; i++) {
		char path[100];

		snprintf(path, sizeof(path), "need-folder/file-%d", i);
		close(open(path, O_WRONLY | O_CREAT, 0600));
	}
	fill(21);
	printf("chdir %d\n", chdir("need-folder"));
	printf("getcwd %d", getcwd(name, 4096) == name);
	printf(" %d\n", is_name(name, "/need-folder"));
	printf("symlink %d\n", symlink("somewhere", "link"));
	fill(22);
	printf("readlink %zd %.9s\n", readlink("link", name, 100), name);
#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = "link"[i % 8 < 4 ? i % 8 : 4];
	printf("readlink %zd\n", readlink(name, (char *)array, 100));
#pragma omp parallel for schedule(static)
	for (unsigned i = 0; i < SIZE; i++)
		array[i] = "link"[i % 8 < 4 ? i % 8 : 4];
	printf("unlink %d\n", unlink(name));
	fill(23);
	/* What was written is free, and taken for the folder's contents. */
	if (array != still) {
		free(array);
		array = NULL;
	}
	folder = opendir(".");
	while ((entry = readdir(folder)))
		found += strncmp(entry->d_name, "file-", 5) == 0;
	closedir(folder);
	printf("readdir %d\n", found);
	if (!array)
		array = malloc(SIZE);
	for (int i = 0; i < 20; i++) {
		char path[100];

		snprintf(path, sizeof(path), "file-%d", i);
		unlink(path);
	}
	printf("back %d %d\n", chdir(".."), rmdir("need-folder"));
}

static void machines(void)
{
	struct utsname *machine = (struct utsname *)(array + PART);
	struct rusage *usage = (struct rusage *)(array + 2 * PART);
	struct rlimit *limit = (struct rlimit *)(array + 3 * PART);
	struct sysinfo *memory = (struct sysinfo *)(array + 4 * PART);
	struct tms *used = (struct tms *)array;
	struct timespec *now = (struct timespec *)(array + PART);
	ssize_t got;
	int zeros;

	fill(31);
	printf("uname %d", uname(machine));
	printf(" %s\n", machine->sysname);
	printf("getrusage %d\n", getrusage(RUSAGE_SELF, usage));
	printf("getrlimit %d", getrlimit(RLIMIT_CORE, limit));
	printf(" %d\n", limit->rlim_cur <= limit->rlim_max);
	printf("sysinfo %d", sysinfo(memory));
	printf(" %d\n", memory->totalram > 0);
	printf("times %d\n", times(used) != (clock_t)-1);
	fill(35);
	printf("clock_gettime %d\n", clock_gettime(CLOCK_PROCESS_CPUTIME_ID, now));
	fill(32);
	printf("clock_gettime %d", clock_gettime(CLOCK_REALTIME, now));
	printf(" %d\n", now->tv_sec > 1600000000);
	fill(33);
	got = getrandom(array + PART, 2 * PART, 0);
	printf("getrandom %zd\n", got);
	fill(34);
	zeros = open("/dev/zero", O_RDONLY);
	printf("syscall %ld", syscall(SYS_read, zeros, array + 3 * PART, PART));
	printf(" %d\n", array[3 * PART + PART / 2]);
	close(zeros);
}

static void in_regions(void)
{
	long done = 0;

	fill(41);
#pragma omp parallel for schedule(static) reduction(+ : done)
	for (int part = 0; part < PARTS; part++) {
		unsigned char *other = array + (part + 2) % PARTS * PART;
		int pair[2];

		socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
		done += send(pair[0], other, SOME, 0);
		done += recv(pair[1], other + SOME, SOME, MSG_WAITALL);
		done += getcwd((char *)other + 3 * SOME, 4096) != NULL;
		memset(other + 3 * SOME, 0, 4096);
		close(pair[0]);
		close(pair[1]);
	}
	printf("in a region %ld %lx\n", done, sum());
}

/* As without them: addresses that the program has got wrong. */
static void mistakes(void)
{
	char *volatile nothing = NULL, *volatile wrong = (char *)8;
	int zeros = open("/dev/zero", O_RDONLY);

	fill(51);
	printf("mistakes %zd %zd", read(zeros, nothing, 10), write(1, wrong, 10));
	printf(" %d\n", access(wrong, F_OK));
	close(zeros);
}

int main(void)
{
	array = still;
	for (int round = 0; round < 2; round++) {
		sockets();
		waiting();
		names();
		machines();
		in_regions();
		mistakes();
		if (array != still)
			free(array);
		array = malloc(SIZE);
	}
	free(array);
	return 0;
}
