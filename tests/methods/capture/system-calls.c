/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system-calls.c - what the kernel writes for the program, to pages that nothing else has touched.
 *
 * Usage: system-calls      Every thread of a region, and then sequential code, makes each call with
 * memory that is shared and, if it is captured, locked.  Ends with 1 if a call went wrong.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <omp.h>

#define PAGE	4096
#define THREADS 4
#define CALLS	64

typedef int call(unsigned char *at);

/* Both ends of a pipe or of a pair of sockets, with "abcdefgh" in it. */
static void open_pipe(int end[2])
{
	if (pipe(end) < 0 || write(end[1], "abcdefgh", 8) != 8)
		abort();
}

static void open_sockets(int end[2], int type)
{
	if (socketpair(AF_UNIX, type, 0, end) < 0 || write(end[1], "abcdefgh", 8) != 8)
		abort();
}

static int close_both(const int end[2], int good)
{
	close(end[0]);
	close(end[1]);
	return good;
}

static int is_text(const void *at)
{
	return memcmp(at, "abcdefgh", 8) == 0;
}

static int call_read(unsigned char *at)
{
	int end[2];

	open_pipe(end);
	return close_both(end, read(end[0], at + PAGE - 4, 100) == 8 && is_text(at + PAGE - 4));
}

static int call_readv(unsigned char *at)
{
	struct iovec part[2] = {{at, 3}, {at + PAGE, 5}};
	int end[2];

	open_pipe(end);
	return close_both(end, readv(end[0], part, 2) == 8 && memcmp(at, "abc", 3) == 0 &&
				       memcmp(at + PAGE, "defgh", 5) == 0);
}

static int call_pread(unsigned char *at)
{
	int file = open("/proc/self/exe", O_RDONLY), good;
	struct iovec part = {at + PAGE, 4};

	good = pread(file, at, 4, 0) == 4 && memcmp(at, "\177ELF", 4) == 0 &&
	       preadv(file, &part, 1, 0) == 4 && memcmp(at + PAGE, "\177ELF", 4) == 0;
	close(file);
	return good;
}

static int call_recv(unsigned char *at)
{
	int end[2];

	open_sockets(end, SOCK_STREAM);
	return close_both(end, recv(end[0], at, PAGE, 0) == 8 && is_text(at));
}

static int call_recvfrom(unsigned char *at)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct sockaddr_in *from = (void *)(at + PAGE);
	socklen_t *size = (void *)(at + 2 * PAGE);
	int one = socket(AF_INET, SOCK_DGRAM, 0), good;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*size = sizeof(address);
	good = bind(one, (void *)&address, sizeof(address)) == 0 &&
	       getsockname(one, (void *)&address, size) == 0 &&
	       sendto(one, "abcdefgh", 8, 0, (void *)&address, sizeof(address)) == 8 &&
	       recvfrom(one, at, PAGE, 0, (void *)from, size) == 8 && is_text(at) &&
	       from->sin_port == address.sin_port && *size == sizeof(address);
	close(one);
	return good;
}

/* A descriptor that travels with the message, too. */
static int call_recvmsg(unsigned char *at)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} *control = (void *)(at + PAGE), sent;
	struct iovec part = {"abcdefgh", 8};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &sent,
				 .msg_controllen = sizeof(sent)};
	struct msghdr *got = (void *)(at + 2 * PAGE);
	int end[2], passed, good;

	open_sockets(end, SOCK_DGRAM);
	if (read(end[0], at, 8) != 8)
		return 0;
	memset(&sent, 0, sizeof(sent));
	sent.header.cmsg_level = SOL_SOCKET;
	sent.header.cmsg_type = SCM_RIGHTS;
	sent.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&sent.header), &end[0], sizeof(int));
	if (sendmsg(end[1], &message, 0) != 8)
		return close_both(end, 0);
	part.iov_base = at;
	message.msg_control = control;
	*got = message;
	good = recvmsg(end[0], got, 0) == 8 && is_text(at) &&
	       control->header.cmsg_type == SCM_RIGHTS;
	memcpy(&passed, CMSG_DATA(&control->header), sizeof(int));
	good = good && passed > end[1] && close(passed) == 0;
	return close_both(end, good);
}

static int call_descriptors(unsigned char *at)
{
	int *pipes = (void *)at, *sockets = (void *)(at + PAGE);

	return pipe(pipes) == 0 && write(pipes[1], "x", 1) == 1 && close_both(pipes, 1) &&
	       socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 &&
	       write(sockets[1], "x", 1) == 1 && close_both(sockets, 1);
}

static int call_accept(unsigned char *at)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct sockaddr_in *from = (void *)at;
	socklen_t *size = (void *)(at + PAGE);
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	int server, good;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*size = sizeof(address);
	good = bind(listener, (void *)&address, sizeof(address)) == 0 && listen(listener, 1) == 0 &&
	       getsockname(listener, (void *)&address, size) == 0 &&
	       connect(client, (void *)&address, sizeof(address)) == 0;
	server = accept(listener, (void *)from, size);
	good = good && server >= 0 && from->sin_family == AF_INET;
	close(server);
	close(client);
	close(listener);
	return good;
}

static int call_getsockopt(unsigned char *at)
{
	int *value = (void *)at, end[2];
	socklen_t *size = (void *)(at + PAGE);

	open_sockets(end, SOCK_STREAM);
	*size = sizeof(*value);
	return close_both(end, getsockopt(end[0], SOL_SOCKET, SO_TYPE, value, size) == 0 &&
				       *value == SOCK_STREAM);
}

static int call_getcwd(unsigned char *at)
{
	return getcwd((char *)at, 2 * PAGE) != NULL && at[0] == '/';
}

static int call_readlink(unsigned char *at)
{
	return readlink("/proc/self/exe", (char *)at, PAGE) > 1 && at[0] == '/';
}

static int call_ioctl(unsigned char *at)
{
	int end[2];

	open_pipe(end);
	return close_both(end, ioctl(end[0], FIONREAD, at) == 0 && *(int *)(void *)at == 8);
}

static int call_terminal(unsigned char *at)
{
	struct winsize *size = (void *)at;
	int *number = (void *)(at + PAGE);
	int master = posix_openpt(O_RDWR | O_NOCTTY), good;

	size->ws_col = 99;
	good = ioctl(master, TIOCSWINSZ, size) == 0;
	memset(at, 0, PAGE);
	good = good && ioctl(master, TIOCGWINSZ, size) == 0 && size->ws_col == 99 &&
	       ioctl(master, TIOCGPTN, number) == 0;
	close(master);
	return good;
}

static int call_stat(unsigned char *at)
{
	struct stat *one = (void *)at, *other = (void *)(at + PAGE);
	struct statx *third = (void *)(at + 2 * PAGE);
	int file = open("/proc/self/exe", O_RDONLY), good;

	good = fstat(file, one) == 0 && stat("/proc/self/exe", other) == 0 &&
	       statx(AT_FDCWD, "/proc/self/exe", 0, STATX_ALL, third) == 0 && one->st_ino > 0 &&
	       one->st_ino == other->st_ino && third->stx_ino == one->st_ino;
	close(file);
	return good;
}

static int call_getdents(unsigned char *at)
{
	int folder = open("/proc/self", O_RDONLY | O_DIRECTORY);
	long got = syscall(SYS_getdents64, folder, at, 2 * PAGE);

	close(folder);
	return got > 0;
}

static int call_getrandom(unsigned char *at)
{
	unsigned sum = 0;

	if (getrandom(at, 300, 0) != 300)
		return 0;
	for (int i = 0; i < 256; i++)
		sum |= at[i];
	return sum == 255;
}

static int call_poll(unsigned char *at)
{
	struct pollfd *what = (void *)at;
	int end[2];

	open_pipe(end);
	what->fd = end[0];
	what->events = POLLIN;
	return close_both(end, poll(what, 1, 1000) == 1 && what->revents == POLLIN);
}

static int call_select(unsigned char *at)
{
	fd_set *set = (void *)at;
	struct timeval *time = (void *)(at + PAGE);
	int end[2];

	open_pipe(end);
	FD_ZERO(set);
	FD_SET(end[0], set);
	*time = (struct timeval){.tv_sec = 5};
	return close_both(end, select(end[0] + 1, set, NULL, NULL, time) == 1 &&
				       FD_ISSET(end[0], set) && time->tv_sec >= 4);
}

static int call_epoll(unsigned char *at)
{
	struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = 77};
	struct epoll_event *got = (void *)at;
	int end[2], epoll = epoll_create1(0), good;

	open_pipe(end);
	good = epoll_ctl(epoll, EPOLL_CTL_ADD, end[0], &wanted) == 0 &&
	       epoll_wait(epoll, got, 4, 1000) == 1 && got->data.u64 == 77;
	close(epoll);
	return close_both(end, good);
}

static void on_signal(int number)
{
	(void)number;
}

static int call_sigaction(unsigned char *at)
{
	struct sigaction action = {.sa_handler = on_signal}, *old = (void *)at;

	return sigaction(SIGUSR2, &action, NULL) == 0 && sigaction(SIGUSR2, NULL, old) == 0 &&
	       old->sa_handler == on_signal;
}

static int call_sigprocmask(unsigned char *at)
{
	sigset_t set, *old = (void *)at, *pending = (void *)(at + PAGE);
	siginfo_t *info = (void *)(at + 2 * PAGE);
	int good;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	good = pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 &&
	       pthread_sigmask(SIG_BLOCK, NULL, old) == 0 && sigismember(old, SIGUSR1) &&
	       pthread_kill(pthread_self(), SIGUSR1) == 0 && sigpending(pending) == 0 &&
	       sigismember(pending, SIGUSR1) && sigwaitinfo(&set, info) == SIGUSR1 &&
	       info->si_signo == SIGUSR1;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return good;
}

/* The frame of the handler lies in memory that is locked. */
static int call_handler(unsigned char *at)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = at, .ss_size = 4 * PAGE};
	stack_t *old = (void *)(at + 5 * PAGE), none = {.ss_flags = SS_DISABLE};
	int good = sigaction(SIGUSR1, &action, NULL) == 0 && sigaltstack(&stack, NULL) == 0 &&
		   pthread_kill(pthread_self(), SIGUSR1) == 0 && sigaltstack(&none, old) == 0 &&
		   old->ss_sp == at;
	unsigned char used = 0;

	for (int i = 0; i < 4 * PAGE; i++)
		used |= at[i];
	return good && used != 0;
}

static int call_wait(unsigned char *at)
{
	int *status = (void *)at;
	struct rusage *usage = (void *)(at + PAGE);
	pid_t child = fork();

	if (child == 0)
		_exit(42);
	memset(usage, 0xff, sizeof(*usage));
	return wait4(child, status, 0, usage) == child && WIFEXITED(*status) &&
	       WEXITSTATUS(*status) == 42 && usage->ru_nsignals == 0;
}

static int call_waitid(unsigned char *at)
{
	siginfo_t *info = (void *)at;
	pid_t child = fork();

	if (child == 0)
		_exit(7);
	return waitid(P_PID, (id_t)child, info, WEXITED) == 0 && info->si_pid == child &&
	       info->si_status == 7;
}

static void *in_thread(void *at)
{
	*(int *)at = 5;
	return at;
}

static int call_thread(unsigned char *at)
{
	pthread_t *thread = (void *)at;
	void **result = (void *)(at + PAGE);

	return pthread_create(thread, NULL, in_thread, at + 2 * PAGE) == 0 &&
	       pthread_join(*thread, result) == 0 && *result == at + 2 * PAGE &&
	       *(int *)*result == 5;
}

static int call_times(unsigned char *at)
{
	struct timespec *now = (void *)at, *grain = (void *)(at + PAGE);
	struct timeval *day = (void *)(at + 2 * PAGE);
	struct tms *used = (void *)(at + 3 * PAGE);

	used->tms_cstime = -1;
	return clock_gettime(CLOCK_MONOTONIC, now) == 0 && now->tv_sec + now->tv_nsec > 0 &&
	       clock_getres(CLOCK_MONOTONIC, grain) == 0 && grain->tv_nsec > 0 &&
	       gettimeofday(day, NULL) == 0 && day->tv_sec > 1000000000 && times(used) != -1 &&
	       used->tms_cstime != -1 &&
	       syscall(SYS_clock_gettime, CLOCK_REALTIME, at + 4 * PAGE) == 0 &&
	       ((struct timespec *)(void *)(at + 4 * PAGE))->tv_sec > 1000000000;
}

static int call_timers(unsigned char *at)
{
	struct itimerspec *set = (void *)at, *old = (void *)(at + PAGE);
	timer_t *timer = (void *)(at + 2 * PAGE);
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	int file = timerfd_create(CLOCK_MONOTONIC, 0), good;

	*set = (struct itimerspec){.it_value = {.tv_sec = 100}};
	good = timerfd_settime(file, 0, set, NULL) == 0 && timerfd_gettime(file, old) == 0 &&
	       old->it_value.tv_sec >= 98 && timer_create(CLOCK_MONOTONIC, &none, timer) == 0 &&
	       timer_settime(*timer, 0, set, NULL) == 0 &&
	       timer_gettime(*timer, (void *)(at + 3 * PAGE)) == 0 &&
	       ((struct itimerspec *)(void *)(at + 3 * PAGE))->it_value.tv_sec >= 98 &&
	       timer_delete(*timer) == 0;
	close(file);
	return good;
}

static int call_limits(unsigned char *at)
{
	struct rlimit *limit = (void *)at;
	struct rusage *usage = (void *)(at + PAGE);

	usage->ru_maxrss = -1;
	return getrlimit(RLIMIT_NOFILE, limit) == 0 && limit->rlim_cur > 2 &&
	       getrusage(RUSAGE_SELF, usage) == 0 && usage->ru_maxrss > 0;
}

static int call_system(unsigned char *at)
{
	struct utsname *name = (void *)at;
	struct sysinfo *info = (void *)(at + PAGE);
	cpu_set_t *processors = (void *)(at + 2 * PAGE);
	unsigned *processor = (void *)(at + 3 * PAGE);

	return uname(name) == 0 && strcmp(name->sysname, "Linux") == 0 && sysinfo(info) == 0 &&
	       info->totalram > 0 && sched_getaffinity(0, sizeof(*processors), processors) == 0 &&
	       CPU_COUNT(processors) > 0 &&
	       syscall(SYS_getcpu, processor, processor + PAGE / 4) == 0;
}

static int call_identity(unsigned char *at)
{
	uid_t *real = (void *)at, *effective = (void *)(at + PAGE),
	      *saved = (void *)(at + 2 * PAGE);

	*real = *effective = *saved = 12345;
	return getresuid(real, effective, saved) == 0 && *real == getuid() &&
	       *effective == geteuid() && *saved != 12345 &&
	       getgroups(1000, (void *)(at + 3 * PAGE)) >= 0;
}

static int call_sendfile(unsigned char *at)
{
	off_t *offset = (void *)at;
	int file = open("/proc/self/exe", O_RDONLY), end[2], good;

	*offset = 16;
	good = pipe(end) == 0 && sendfile(end[1], file, offset, 100) == 100 && *offset == 116;
	*offset = 32;
	good = good && splice(file, offset, end[1], NULL, 100, 0) == 100 && *offset == 132;
	close(file);
	return close_both(end, good);
}

static int call_other_process(unsigned char *at)
{
	static const char text[] = "abcdefgh";
	struct iovec to = {at, 8}, from = {(void *)text, 8};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 8 && is_text(at);
}

/* rseq: the kernel writes to the thread's control block when it moves the thread. */
static int call_yield(unsigned char *at)
{
	int *processor = (void *)at;

	for (int i = 0; i < 2000; i++) {
		sched_yield();
		*processor = sched_getcpu();
	}
	return *processor >= 0;
}

static int call_memory(unsigned char *at)
{
	unsigned char *resident = at + PAGE, *page;

	page = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 0;
	page[0] = at[0] = resident[0] = 1;
	return mincore(at, 2 * PAGE, resident) == 0 && resident[0] == 1 &&
	       mprotect(page, PAGE, PROT_READ) == 0 && page[0] == 1 && munmap(page, 4 * PAGE) == 0;
}

static const struct {
	const char *name;
	call *make;
} list[CALLS] = {
	{"read", call_read},
	{"readv", call_readv},
	{"pread, preadv", call_pread},
	{"recv", call_recv},
	{"recvfrom, getsockname", call_recvfrom},
	{"recvmsg", call_recvmsg},
	{"pipe, socketpair", call_descriptors},
	{"accept", call_accept},
	{"getsockopt", call_getsockopt},
	{"getcwd", call_getcwd},
	{"readlink", call_readlink},
	{"ioctl", call_ioctl},
	{"ioctl of a terminal", call_terminal},
	{"stat, fstat, statx", call_stat},
	{"getdents64", call_getdents},
	{"getrandom", call_getrandom},
	{"poll", call_poll},
	{"select", call_select},
	{"epoll_wait", call_epoll},
	{"sigaction", call_sigaction},
	{"sigprocmask, sigpending, sigwaitinfo", call_sigprocmask},
	{"sigaltstack, a handler's frame", call_handler},
	{"wait4", call_wait},
	{"waitid", call_waitid},
	{"clone, futex", call_thread},
	{"clock_gettime, gettimeofday, times", call_times},
	{"timer_create, timerfd_gettime", call_timers},
	{"getrlimit, getrusage", call_limits},
	{"uname, sysinfo, getcpu", call_system},
	{"getresuid, getgroups", call_identity},
	{"sendfile, splice", call_sendfile},
	{"process_vm_readv", call_other_process},
	{"sched_yield, rseq", call_yield},
	{"mmap, mincore, mprotect", call_memory},
};

/* Seven pages for each call of each thread, and for sequential code. */
static unsigned char memory[THREADS + 1][CALLS][7 * PAGE] __attribute__((aligned(PAGE)));
static int good[THREADS][CALLS];

int main(void)
{
	int bad = 0, threads = 0;

	/* What was never touched is another case than what was. */
	for (int i = 0; i < CALLS; i += 2)
		memset(memory[0][i], 0xaa, sizeof(memory[0][i]));
#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

#pragma omp single
		threads = omp_get_num_threads();
		for (int i = 0; i < CALLS; i++)
			good[me][i] = !list[i].make || list[i].make(memory[me][i]);
	}
	for (int thread = 0; thread < threads; thread++)
		for (int i = 0; i < CALLS; i++)
			if (!good[thread][i]) {
				printf("thread %d: %s\n", thread, list[i].name);
				bad = 1;
			}
	for (int i = 0; i < CALLS; i++)
		if (list[i].make && !list[i].make(memory[THREADS][i])) {
			printf("sequential code: %s\n", list[i].name);
			bad = 1;
		}
	/* What the kernel wrote for one thread has come to all. */
	for (int thread = 0; thread < threads; thread++)
		if (!is_text(memory[thread][0] + PAGE - 4)) {
			printf("thread %d's bytes did not come\n", thread);
			bad = 1;
		}
	printf(bad ? "bad\n" : "all right\n");
	return bad;
}
