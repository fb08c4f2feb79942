// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * machine.c - what the system says about the process and the machine is node 0's, for sequential
 * code.
 */
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <termios.h>
#include "system/libc.h"
#include "message/one_truth.h"
#include "need/need.h"

/* NAME, which returns its result. */
#define RETURNS(type, name, parameters, arguments)                                                 \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		return (type)agree_on(CAPE_OWN_FUNCTION(name) arguments, #name "()");              \
	}

/* NAME, which fills SIZE bytes at ADDRESS, too; BEFORE makes other arguments usable. */
#define FILLS(before, address, size, type, name, parameters, arguments)                            \
	CAPE_FUNCTION(type, name, parameters)                                                      \
	{                                                                                          \
		type result;                                                                       \
                                                                                                   \
		before;                                                                            \
		cape_need_touch(address, size);                                                    \
		result = (type)agree_on(CAPE_OWN_FUNCTION(name) arguments, #name "()");            \
		agree(address, size, #name "()");                                                  \
		return result;                                                                     \
	}

#define ANSWERS(pointer, type, name, parameters, arguments)                                        \
	FILLS((void)0, pointer, sizeof(*(pointer)), type, name, parameters, arguments)

#define TELLS_OF_PATH(pointer, name, parameters, arguments)                                        \
	FILLS(cape_need_touch_text(path), pointer, sizeof(*(pointer)), int, name, parameters,      \
	      arguments)

static void agree(void *value, size_t size, const char *what)
{
	cape_one_truth_value(cape_runtime_get(), value, size, what);
}

static long agree_on(long result, const char *what)
{
	return cape_one_truth_result(cape_runtime_get(), result, what);
}

/* -- the process ---------------------------------------------------------------------------- */

ANSWERS(usage, int, getrusage, (int who, struct rusage *usage), (who, usage))
ANSWERS(used, clock_t, times, (struct tms * used), (used))
FILLS((void)0, set, size, int, sched_getaffinity, (pid_t process, size_t size, cpu_set_t *set),
      (process, size, set))
FILLS((void)0, set, size, int, pthread_getaffinity_np,
      (pthread_t thread, size_t size, cpu_set_t *set), (thread, size, set))

RETURNS(int, getpriority, (__priority_which_t which, id_t who), (which, who))

/* -- the terminal, which is node 0's alone --------------------------------------------------- */

RETURNS(int, isatty, (int descriptor), (descriptor))
ANSWERS(state, int, tcgetattr, (int descriptor, struct termios *state), (descriptor, state))

CAPE_FUNCTION(int, tcsetattr, (int descriptor, int when, const struct termios *state))
{
	cape_need_touch(state, sizeof(*state));
	return (int)agree_on(CAPE_OWN_FUNCTION(tcsetattr)(descriptor, when, state), "tcsetattr()");
}

/* -- clocks and timers ---------------------------------------------------------------------- */

ANSWERS(state, int, adjtimex, (struct timex * state), (state))
ANSWERS(state, int, ntp_adjtime, (struct timex * state), (state))
ANSWERS(state, int, clock_adjtime, (clockid_t clock, struct timex *state), (clock, state))
ANSWERS(now, int, ntp_gettime, (struct ntptimeval * now), (now))
ANSWERS(now, int, ntp_gettimex, (struct ntptimeval * now), (now))
ANSWERS(now, int, timer_gettime, (timer_t timer, struct itimerspec *now), (timer, now))
ANSWERS(old, int, timer_settime,
	(timer_t timer, int flags, const struct itimerspec *time, struct itimerspec *old),
	(timer, flags, time, old))
ANSWERS(now, int, timerfd_gettime, (int timer, struct itimerspec *now), (timer, now))
ANSWERS(old, int, timerfd_settime,
	(int timer, int flags, const struct itimerspec *time, struct itimerspec *old),
	(timer, flags, time, old))
RETURNS(int, timer_getoverrun, (timer_t timer), (timer))

/* -- the machine ---------------------------------------------------------------------------- */

ANSWERS(names, int, uname, (struct utsname * names), (names))
ANSWERS(info, int, sysinfo, (struct sysinfo * info), (info))
RETURNS(int, sched_getcpu, (void), ())
RETURNS(long, gethostid, (void), ())
RETURNS(int, get_nprocs, (void), ())
RETURNS(int, get_nprocs_conf, (void), ())
RETURNS(long, get_phys_pages, (void), ())
RETURNS(long, get_avphys_pages, (void), ())

CAPE_FUNCTION(int, getcpu, (unsigned int *processor, unsigned int *node))
{
	int result = CAPE_OWN_FUNCTION(getcpu)(processor, node);

	agree(processor, sizeof(*processor), "getcpu()");
	agree(node, sizeof(*node), "getcpu()");
	return result;
}

#define NAMES(name, parameters, arguments)                                                         \
	CAPE_FUNCTION(int, name, parameters)                                                       \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		cape_need_touch(to, size);                                                         \
		result = (int)agree_on(CAPE_OWN_FUNCTION(name) arguments, #name "()");             \
		if (result == 0)                                                                   \
			agree(to, size, #name "()");                                               \
		return result;                                                                     \
	}

NAMES(gethostname, (char *to, size_t size), (to, size))
NAMES(getdomainname, (char *to, size_t size), (to, size))
NAMES(__gethostname_chk, (char *to, size_t size, size_t room), (to, size, room))
NAMES(__getdomainname_chk, (char *to, size_t size, size_t room), (to, size, room))

CAPE_FUNCTION(int, getloadavg, (double *load, int count))
{
	int result;

	cape_need_touch(load, (size_t)(count > 0 ? count : 0) * sizeof(*load));
	result = (int)agree_on(CAPE_OWN_FUNCTION(getloadavg)(load, count), "getloadavg()");
	if (result > 0)
		agree(load, (size_t)result * sizeof(*load), "getloadavg()");
	return result;
}

/* Most of it is the same on every machine, and asked for often. */
CAPE_FUNCTION(long, sysconf, (int name))
{
	long result = CAPE_OWN_FUNCTION(sysconf)(name);

	if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN ||
	    name == _SC_PHYS_PAGES || name == _SC_AVPHYS_PAGES || name == _SC_OPEN_MAX ||
	    name == _SC_CHILD_MAX)
		return agree_on(result, "sysconf()");
	return result;
}

/* -- file systems --------------------------------------------------------------------------- */

TELLS_OF_PATH(status, statfs, (const char *path, struct statfs *status), (path, status))
TELLS_OF_PATH(status, statvfs, (const char *path, struct statvfs *status), (path, status))
ANSWERS(status, int, fstatfs, (int descriptor, struct statfs *status), (descriptor, status))
ANSWERS(status, int, fstatvfs, (int descriptor, struct statvfs *status), (descriptor, status))
CAPE_SAME_FUNCTION(statfs64, statfs);
CAPE_SAME_FUNCTION(statvfs64, statvfs);
CAPE_SAME_FUNCTION(fstatfs64, fstatfs);
CAPE_SAME_FUNCTION(fstatvfs64, fstatvfs);
