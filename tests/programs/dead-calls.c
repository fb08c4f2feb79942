/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dead-calls.c - what functions of the C library leave on the stack of sequential code is alike on
 * all nodes: a later variable that is not initialised begins with it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include "dead.h"

static char folder[] = "/tmp/cape-dead-calls-XXXXXX", file[64], other[64], all[64], text[4096];
static int descriptor;
static FILE *stream;
extern char **environ;

static union {
	struct timespec time;
	struct timeval value;
	struct itimerval timer;
	struct rusage usage;
	struct stat status;
	struct statvfs disk;
	struct sysinfo machine;
	struct utsname names;
	struct tms times;
	struct rlimit limit;
	cpu_set_t processors;
	sigset_t signals;
	siginfo_t signal;
	double load[3];
	int status_of_child;
	unsigned number[2];
	clockid_t clock;
} got;

static sigjmp_buf way;

static void handle(int number)
{
	(void)number;
}

static void leave(int number)
{
	(void)number;
	siglongjmp(way, 1);
}

static int choose(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	return !path + !status + !kind * 0 + !at;
}

static void *wait_there(void *semaphore)
{
	sem_wait(semaphore);
	return NULL;
}

static void list(void)
{
	struct dirent **entry;
	int count = scandir(folder, &entry, choose, alphasort);

	while (count > 0)
		free(entry[--count]);
	free(entry);
}

static void find(void)
{
	glob_t found;

	if (glob(all, 0, NULL, &found) == 0)
		globfree(&found);
}

static void read_folder(void)
{
	DIR *open = opendir(folder);

	while (readdir(open))
		;
	closedir(open);
}

static void process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(3);
	waitpid(child, &got.status_of_child, 0);
}

static void spawned(void)
{
	char *words[] = {"true", NULL};
	pid_t child;

	if (posix_spawnp(&child, words[0], NULL, NULL, words, environ) == 0)
		waitid(P_PID, (id_t)child, &got.signal, WEXITED);
}

static void threads(void)
{
	static sem_t semaphore;
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	pthread_create(&thread, NULL, wait_there, &semaphore);
	sem_post(&semaphore);
	pthread_join(thread, NULL);
}

static void temporary(void)
{
	FILE *own = tmpfile();

	fputs("text", own);
	rewind(own);
	fgetc(own);
	fclose(own);
}

static void commands(void)
{
	FILE *command = popen("echo word", "r");

	fgets(text, sizeof(text), command);
	pclose(command);
}

static void pipes(void)
{
	struct iovec piece = {text, 10};
	int side[2];

	if (pipe(side) < 0)
		return;
	writev(side[1], &piece, 1);
	readv(side[0], &piece, 1);
	close(side[0]);
	close(side[1]);
}

static void mapped(void)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);

	memory[0] = 'm';
	munmap(memory, 4096);
}

static void masks(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &got.signals);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void random_numbers(void)
{
	got.number[0] = (unsigned)(random() + rand() + lrand48() + (long)(drand48() * 100));
	srandom(got.number[0]);
}

static void words(void)
{
	strcpy(text, "one two three");
	strtok(text, " ");
	strtok(NULL, " ");
	setenv("CAPE_DEAD_CALLS", "1", 1);
	unsetenv("CAPE_DEAD_CALLS");
}

static void blocks(void)
{
	char *block[20];

	for (int i = 0; i < 20; i++)
		block[i] = malloc(1u << i);
	for (int i = 0; i < 20; i++)
		block[i] = realloc(block[i], 3000);
	for (int i = 0; i < 20; i++)
		free(block[i]);
}

/* A call that is left by way of a handler. */
static void left(void)
{
	struct sigaction action = {.sa_handler = leave};
	int side[2];

	if (pipe(side) < 0)
		return;
	close(side[0]);
	sigaction(SIGPIPE, &action, NULL);
	if (sigsetjmp(way, 1) == 0)
		write(side[1], text, 1);
	close(side[1]);
}

static int none;
static struct timespec nothing;
static struct timeval no_time;

#define CALLS                                                                                      \
	CALL(getpid())                                                                             \
	CALL(getppid())                                                                            \
	CALL(getpgrp())                                                                            \
	CALL(getpgid(0))                                                                           \
	CALL(getsid(0))                                                                            \
	CALL(gettid())                                                                             \
	CALL(kill(getpid(), 0))                                                                    \
	CALL(kill(getpid(), SIGUSR1))                                                              \
	CALL(tgkill(getpid(), gettid(), 0))                                                        \
	CALL(syscall(SYS_getpid))                                                                  \
	CALL(syscall(SYS_gettid))                                                                  \
	CALL(syscall(SYS_clock_gettime, CLOCK_REALTIME, &got.time))                                \
	CALL(clock_gettime(CLOCK_REALTIME, &got.time))                                             \
	CALL(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &got.time))                                   \
	CALL(gettimeofday(&got.value, NULL))                                                       \
	CALL(time(NULL))                                                                           \
	CALL(clock())                                                                              \
	CALL(clock_getcpuclockid(getpid(), &got.clock))                                            \
	CALL(times(&got.times))                                                                    \
	CALL(omp_get_wtime())                                                                      \
	CALL(omp_capture_affinity(text, sizeof(text), "%H %P"))                                    \
	CALL(getrandom(text, 100, 0))                                                              \
	CALL(getentropy(text, 100))                                                                \
	CALL(getrusage(RUSAGE_SELF, &got.usage))                                                   \
	CALL(getrlimit(RLIMIT_NOFILE, &got.limit))                                                 \
	CALL(uname(&got.names))                                                                    \
	CALL(sysinfo(&got.machine))                                                                \
	CALL(getcpu(&got.number[0], &got.number[1]))                                               \
	CALL(sched_getcpu())                                                                       \
	CALL(sched_getaffinity(0, sizeof(got.processors), &got.processors))                        \
	CALL(getloadavg(got.load, 3))                                                              \
	CALL(sysconf(_SC_AVPHYS_PAGES))                                                            \
	CALL(gethostname(text, sizeof(text)))                                                      \
	CALL(isatty(1))                                                                            \
	CALL(getitimer(ITIMER_REAL, &got.timer))                                                   \
	CALL(alarm(0))                                                                             \
	CALL(nanosleep(&nothing, NULL))                                                            \
	CALL(poll(NULL, 0, 1))                                                                     \
	CALL(ppoll(NULL, 0, &nothing, NULL))                                                       \
	CALL(select(0, NULL, NULL, NULL, &no_time))                                                \
	CALL(masks())                                                                              \
	CALL(signal(SIGUSR2, handle))                                                              \
	CALL(process())                                                                            \
	CALL(spawned())                                                                            \
	CALL(wait(&none))                                                                          \
	CALL(system("true"))                                                                       \
	CALL(commands())                                                                           \
	CALL(threads())                                                                            \
	CALL(pipes())                                                                              \
	CALL(left())                                                                               \
	CALL(descriptor = open(file, O_RDWR | O_CREAT, 0600))                                      \
	CALL(write(descriptor, "hello", 5))                                                        \
	CALL(pwrite(descriptor, "hello", 5, 5000))                                                 \
	CALL(lseek(descriptor, 0, SEEK_SET))                                                       \
	CALL(read(descriptor, text, 5))                                                            \
	CALL(pread(descriptor, text, 5, 1))                                                        \
	CALL(fstat(descriptor, &got.status))                                                       \
	CALL(fsync(descriptor))                                                                    \
	CALL(ftruncate(descriptor, 9000))                                                          \
	CALL(close(dup(descriptor)))                                                               \
	CALL(dprintf(descriptor, "%d %f\n", 1, 2.5))                                               \
	CALL(mapped())                                                                             \
	CALL(fcntl(descriptor, F_GETFL))                                                           \
	CALL(close(descriptor))                                                                    \
	CALL(stat(file, &got.status))                                                              \
	CALL(lstat("nowhere", &got.status))                                                        \
	CALL(statvfs("/tmp", &got.disk))                                                           \
	CALL(access(file, R_OK))                                                                   \
	CALL(eaccess(file, R_OK))                                                                  \
	CALL(chmod(file, 0640))                                                                    \
	CALL(symlink(file, other))                                                                 \
	CALL(readlink(other, text, sizeof(text)))                                                  \
	CALL(realpath(other, text))                                                                \
	CALL(list())                                                                               \
	CALL(find())                                                                               \
	CALL(read_folder())                                                                        \
	CALL(nftw(folder, visit, 5, FTW_PHYS))                                                     \
	CALL(getcwd(text, sizeof(text)))                                                           \
	CALL(stream = fopen(file, "r+"))                                                           \
	CALL(fgetc(stream))                                                                        \
	CALL(fseek(stream, 0, SEEK_END))                                                           \
	CALL(fprintf(stream, "%d %f\n", 1, 2.5))                                                   \
	CALL(fflush(stream))                                                                       \
	CALL(stream = freopen(other, "w", stream))                                                 \
	CALL(fputs("text", stream))                                                                \
	CALL(fclose(stream))                                                                       \
	CALL(temporary())                                                                          \
	CALL(unlink(other))                                                                        \
	CALL(unlink(file))                                                                         \
	CALL(random_numbers())                                                                     \
	CALL(words())                                                                              \
	CALL(strerror(none))                                                                       \
	CALL(strsignal(SIGINT))                                                                    \
	CALL(closelog())                                                                           \
	CALL(blocks())

#define CALL(call)                                                                                 \
	call;                                                                                      \
	calls++;                                                                                   \
	if (look()) {                                                                              \
		printf("%s differs\n", #call);                                                     \
		wrong++;                                                                           \
	}

int main(void)
{
	struct sigaction action = {.sa_handler = handle};
	int calls = 0, wrong = 0;

	sigaction(SIGUSR1, &action, NULL);
	if (!mkdtemp(folder))
		return 1;
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	snprintf(all, sizeof(all), "%s/*", folder);
	look();
	/* Each twice: the first time it is looked for. */
	for (int i = 0; i < 2; i++) {
		CALLS
	}
	rmdir(folder);
	printf("%d calls, %d wrong\n", calls, wrong);
	return wrong;
}
