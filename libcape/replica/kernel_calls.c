// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kernel_calls.c - functions that hand the program's memory on to the kernel, and are the C
 * library's otherwise: what they are given is made usable before (need.h).
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include "system/libc.h"
#include "heap/heap.h"
#include "memory/apart.h"
#include "memory/area.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/children.h"
#include "replica/clocks.h"
#include "replica/death.h"
#include "replica/files.h"
#include "replica/open_files.h"

/* NAME, after TOUCHES. */
#define AFTER(touches, type, name, parameters, arguments)                                          \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		touches;                                                                           \
		return CAPE_OWN_FUNCTION(name) arguments;                                          \
	}

#define BYTES(address, size) cape_need_touch(address, (size_t)(size))
#define ONE(pointer)	     cape_need_touch(pointer, sizeof(*(pointer)))
#define TEXT(text)	     cape_need_touch_text(text)

/* -- sockets -------------------------------------------------------------------------------- */

static void touch_message(const struct msghdr *message)
{
	ONE(message);
	if (!message)
		return;
	BYTES(message->msg_name, message->msg_namelen);
	BYTES(message->msg_control, message->msg_controllen);
	cape_need_touch_pieces(message->msg_iov, (int)message->msg_iovlen);
}

/* An address of a socket that the kernel fills in. */
static void touch_address(const void *address, const socklen_t *size)
{
	ONE(size);
	BYTES(address, sizeof(struct sockaddr_storage));
}

AFTER(BYTES(from, size), ssize_t, send, (int socket, const void *from, size_t size, int flags),
      (socket, from, size, flags))
AFTER((BYTES(from, size), BYTES(to, length)), ssize_t, sendto,
      (int socket, const void *from, size_t size, int flags, const void *to, socklen_t length),
      (socket, from, size, flags, to, length))
AFTER(touch_message(message), ssize_t, sendmsg,
      (int socket, const struct msghdr *message, int flags), (socket, message, flags))
AFTER(BYTES(to, size), ssize_t, recv, (int socket, void *to, size_t size, int flags),
      (socket, to, size, flags))
AFTER(BYTES(to, size), ssize_t, __recv_chk,
      (int socket, void *to, size_t size, size_t room, int flags), (socket, to, size, room, flags))
AFTER((BYTES(to, size), touch_address(from, length)), ssize_t, recvfrom,
      (int socket, void *to, size_t size, int flags, void *from, socklen_t *length),
      (socket, to, size, flags, from, length))
AFTER((BYTES(to, size), touch_address(from, length)), ssize_t, __recvfrom_chk,
      (int socket, void *to, size_t size, size_t room, int flags, void *from, socklen_t *length),
      (socket, to, size, room, flags, from, length))
AFTER(touch_message(message), ssize_t, recvmsg, (int socket, struct msghdr *message, int flags),
      (socket, message, flags))
AFTER(BYTES(address, length), int, bind, (int socket, const void *address, socklen_t length),
      (socket, address, length))
AFTER(BYTES(address, length), int, connect, (int socket, const void *address, socklen_t length),
      (socket, address, length))
AFTER(touch_address(address, length), int, accept, (int socket, void *address, socklen_t *length),
      (socket, address, length))
AFTER(touch_address(address, length), int, accept4,
      (int socket, void *address, socklen_t *length, int flags), (socket, address, length, flags))
AFTER(touch_address(address, length), int, getsockname,
      (int socket, void *address, socklen_t *length), (socket, address, length))
AFTER(touch_address(address, length), int, getpeername,
      (int socket, void *address, socklen_t *length), (socket, address, length))
AFTER(BYTES(value, size), int, setsockopt,
      (int socket, int level, int name, const void *value, socklen_t size),
      (socket, level, name, value, size))
AFTER(touch_address(value, size), int, getsockopt,
      (int socket, int level, int name, void *value, socklen_t *size),
      (socket, level, name, value, size))
AFTER(BYTES(pair, 2 * sizeof(int)), int, socketpair,
      (int domain, int type, int protocol, int *pair), (domain, type, protocol, pair))
AFTER(BYTES(pair, 2 * sizeof(int)), int, pipe, (int *pair), (pair))
AFTER(BYTES(pair, 2 * sizeof(int)), int, pipe2, (int *pair, int flags), (pair, flags))

/* -- waiting -------------------------------------------------------------------------------- */

static void touch_sets(const fd_set *a, const fd_set *b, const fd_set *c)
{
	ONE(a);
	ONE(b);
	ONE(c);
}

/* MASK without what must not be blocked, in OPEN; or NULL. */
static const sigset_t *open_mask(const sigset_t *mask, sigset_t *open)
{
	if (!mask)
		return NULL;
	*open = cape_need_open_set(cape_runtime_get(), mask);
	return open;
}

#define OPEN(mask) open_mask(mask, &(sigset_t){0})

AFTER(BYTES(list, count * sizeof(*list)), int, poll,
      (struct pollfd * list, nfds_t count, int timeout), (list, count, timeout))
AFTER(BYTES(list, count * sizeof(*list)), int, __poll_chk,
      (struct pollfd * list, nfds_t count, int timeout, size_t room), (list, count, timeout, room))
AFTER((BYTES(list, count * sizeof(*list)), ONE(timeout)), int, ppoll,
      (struct pollfd * list, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
      (list, count, timeout, OPEN(mask)))
AFTER((BYTES(list, count * sizeof(*list)), ONE(timeout)), int, __ppoll_chk,
      (struct pollfd * list, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
       size_t room),
      (list, count, timeout, OPEN(mask), room))
AFTER((touch_sets(reads, writes, others), ONE(timeout)), int, pselect,
      (int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *timeout,
       const sigset_t *mask),
      (count, reads, writes, others, timeout, OPEN(mask)))
AFTER(BYTES(events, (count > 0 ? count : 0) * sizeof(*events)), int, epoll_wait,
      (int set, struct epoll_event *events, int count, int timeout), (set, events, count, timeout))
AFTER(BYTES(events, (count > 0 ? count : 0) * sizeof(*events)), int, epoll_pwait,
      (int set, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
      (set, events, count, timeout, OPEN(mask)))
AFTER(ONE(event), int, epoll_ctl, (int set, int what, int descriptor, struct epoll_event *event),
      (set, what, descriptor, event))
AFTER((ONE(time), ONE(left)), int, nanosleep, (const struct timespec *time, struct timespec *left),
      (time, left))
AFTER((ONE(time), ONE(left)), int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
      (clock, flags, time, left))

/* Linux stores in TIMEOUT the time that is left. */
CAPE_FUNCTION(int, select,
	      (int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *timeout))
{
	int result;

	touch_sets(reads, writes, others);
	ONE(timeout);
	result = CAPE_OWN_FUNCTION(select)(count, reads, writes, others, timeout);
	cape_one_truth_value(cape_runtime_get(), timeout, sizeof(*timeout), "select()");
	return result;
}

/* -- signals -------------------------------------------------------------------------------- */

AFTER((void)0, int, sigsuspend, (const sigset_t *mask), (OPEN(mask)))

CAPE_FUNCTION(int, sigaltstack, (const stack_t *stack, stack_t *old))
{
	int result;

	ONE(stack);
	ONE(old);
	result = cape_need_stack(cape_runtime_get(), stack, old);
	if (result == 0 && old)
		cape_death_hide_stack(old);
	return result;
}

AFTER(ONE(set), int, sigpending, (sigset_t * set), (set))
AFTER((ONE(set), ONE(number)), int, sigwait, (const sigset_t *set, int *number), (set, number))
AFTER((ONE(set), ONE(info)), int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
AFTER((ONE(set), ONE(info), ONE(timeout)), int, sigtimedwait,
      (const sigset_t *set, siginfo_t *info, const struct timespec *timeout), (set, info, timeout))

/* -- names ---------------------------------------------------------------------------------- */

AFTER(BYTES(to, size), char *, getcwd, (char *to, size_t size), (to, size))
AFTER(BYTES(to, size), char *, __getcwd_chk, (char *to, size_t size, size_t room), (to, size, room))
AFTER(TEXT(path), int, chroot, (const char *path), (path))

/* Every node reads the folder: after what node 0 did to it, and before what it does next. */
CAPE_FUNCTION(DIR *, opendir, (const char *path))
{
	struct cape_runtime *runtime = cape_runtime_get();

	TEXT(path);
	cape_files_await_master(runtime);
	runtime->files->read |= cape_is_replicated(runtime);
	return CAPE_OWN_FUNCTION(opendir)(path);
}

/* The kernel lists a folder in memory that opendir() has allocated. */
static void touch_folder(DIR *folder)
{
	const struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->directory->count)
		BYTES(folder, cape_heap_usable(runtime->heap, folder));
}

AFTER(touch_folder(folder), struct dirent *, readdir, (DIR * folder), (folder))
CAPE_SAME_FUNCTION(readdir64, readdir);

/* -- the process ---------------------------------------------------------------------------- */

AFTER(ONE(limit), int, getrlimit, (int resource, struct rlimit *limit), (resource, limit))
CAPE_SAME_FUNCTION(getrlimit64, getrlimit);
AFTER(BYTES(set, size), int, sched_setaffinity, (pid_t process, size_t size, const cpu_set_t *set),
      (process, size, set))
AFTER(BYTES(list, (count > 0 ? count : 0) * sizeof(*list)), int, getgroups,
      (int count, gid_t *list), (count, list))
AFTER(BYTES(list, (count > 0 ? count : 0) * sizeof(*list)), int, __getgroups_chk,
      (int count, gid_t *list, size_t room), (count, list, room))
AFTER(ONE(time), int, clock_getres, (clockid_t clock, struct timespec *time), (clock, time))

/* -- any ------------------------------------------------------------------------------------ */

/* What ARGUMENT points to, if it is an address: as much as NEXT says, if that is a size. */
static void touch_argument(long argument, long next)
{
	const struct cape_runtime *runtime = cape_runtime_get();
	bool size = next > (long)CAPE_PAGE && !cape_areas_find(runtime->areas, (uint64_t)next, 1);

	BYTES((const void *)argument, size ? (size_t)next : CAPE_PAGE);
}

/* Those that are about the process or the time: as libcape's function of that name does. */
#define TAKES_OVER(name, ...)                                                                      \
	static long call_##name(const long *argument)                                              \
	{                                                                                          \
		(void)argument;                                                                    \
		return (long)cape_##name(__VA_ARGS__);                                             \
	}

TAKES_OVER(getpid)
TAKES_OVER(getppid)
TAKES_OVER(gettid)
TAKES_OVER(getpgrp)
TAKES_OVER(getpgid, (pid_t)argument[0])
TAKES_OVER(getsid, (pid_t)argument[0])
TAKES_OVER(kill, (pid_t)argument[0], (int)argument[1])
TAKES_OVER(tgkill, (pid_t)argument[0], (pid_t)argument[1], (int)argument[2])
TAKES_OVER(time, (time_t *)argument[0])
TAKES_OVER(gettimeofday, (struct timeval *)argument[0], (void *)argument[1])
TAKES_OVER(clock_gettime, (clockid_t)argument[0], (struct timespec *)argument[1])
TAKES_OVER(getrandom, (void *)argument[0], (size_t)argument[1], (unsigned int)argument[2])

#define TAKEN_OVER(name)                                                                           \
	{                                                                                          \
		SYS_##name, call_##name                                                            \
	}

static const struct {
	long number;
	long (*call)(const long *argument);
} taken_over[] = {
	TAKEN_OVER(getpid),	  TAKEN_OVER(getppid),	     TAKEN_OVER(gettid),
	TAKEN_OVER(getpgrp),	  TAKEN_OVER(getpgid),	     TAKEN_OVER(getsid),
	TAKEN_OVER(kill),	  TAKEN_OVER(tgkill),	     TAKEN_OVER(time),
	TAKEN_OVER(gettimeofday), TAKEN_OVER(clock_gettime), TAKEN_OVER(getrandom),
};

static bool is_sent(long number)
{
	return number == SYS_kill || number == SYS_tgkill;
}

/* What is of this node stays off the program's stack. */
CAPE_APART(long, cape_kernel_call, (size_t which, const long *argument))
{
	return taken_over[which].call(argument);
}

/* A handler of the program's may come in it: it runs on the caller's stack. */
CAPE_FUNCTION(long, syscall, (long number, ...))
{
	va_list arguments;
	long argument[7] = {0};

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(arguments, long);
	va_end(arguments);
	for (int i = 0; i < 6; i++)
		touch_argument(argument[i], argument[i + 1]);
	for (size_t i = 0; i < sizeof(taken_over) / sizeof(*taken_over); i++)
		if (taken_over[i].number == number)
			return is_sent(number) ? taken_over[i].call(argument)
					       : cape_kernel_call(i, argument);
	return syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
		       argument[5]);
}

CAPE_FUNCTION(int, ioctl, (int descriptor, unsigned long request, ...))
{
	va_list arguments;
	long argument;

	va_start(arguments, request);
	argument = va_arg(arguments, long);
	va_end(arguments);
	touch_argument(argument, 0);
	return ioctl(descriptor, request, argument);
}
