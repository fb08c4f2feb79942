// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * clocks.c - clocks and random bytes: node 0's, for sequential code.
 *
 * The functions take the place of the C library's in the program.  In a parallel region, and
 * without cape-run, they are what the C library's are.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "system/libc.h"
#include "omp.h"
#include "base/saved.h"
#include "memory/apart.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/children.h"
#include "replica/clocks.h"

/* The clock of this node, whatever it is called in. */
static int own_clock(struct cape_runtime *runtime, clockid_t clock, struct timespec *now)
{
	if (runtime->clock_gettime)
		return runtime->clock_gettime(clock, now);
	return (int)syscall(SYS_clock_gettime, clock, now);
}

/* What the call has given here; it becomes node 0's, in one message. */
static int agree_on_time(struct cape_runtime *runtime, int result, struct timespec *now)
{
	struct {
		struct timespec now;
		long result, error;
	} answer = {.result = result, .error = errno};

	if (result == 0)
		answer.now = *now;
	cape_one_truth(runtime, &answer, sizeof(answer), "clock_gettime()");
	if (answer.result == 0)
		*now = answer.now;
	errno = (int)answer.error;
	return (int)answer.result;
}

CAPE_CALLED_FUNCTION(int, clock_gettime, (clockid_t clock, struct timespec *now))
{
	struct cape_runtime *runtime = cape_runtime_get();
	int result;

	cape_need_touch(now, sizeof(*now));
	result = own_clock(runtime, clock, now);
	return cape_is_replicated(runtime) ? agree_on_time(runtime, result, now) : result;
}

CAPE_CALLED_FUNCTION(int, gettimeofday, (struct timeval *restrict now, void *restrict zone))
{
	struct timespec time;

	if (zone)
		memset(zone, 0, sizeof(struct timezone));
	if (cape_clock_gettime(CLOCK_REALTIME, &time) < 0)
		return -1;
	if (now)
		*now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
	return 0;
}

CAPE_CALLED_FUNCTION(time_t, time, (time_t * now))
{
	struct timespec precise;

	cape_clock_gettime(CLOCK_REALTIME, &precise);
	if (now)
		*now = precise.tv_sec;
	return precise.tv_sec;
}

CAPE_FUNCTION(clock_t, clock, (void))
{
	struct timespec used;

	cape_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (clock_t)(used.tv_sec * CLOCKS_PER_SEC +
			 used.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

CAPE_FUNCTION(int, timespec_get, (struct timespec * now, int base))
{
	return base == TIME_UTC && cape_clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

/* The clock of the program's own process, whichever its number is; of a child node 0's. */
CAPE_FUNCTION(int, clock_getcpuclockid, (pid_t process, clockid_t *clock))
{
	int answer[] = {0, CLOCK_PROCESS_CPUTIME_ID};

	if (process && process != cape_getpid()) {
		answer[0] = CAPE_OWN_FUNCTION(clock_getcpuclockid)(process, &answer[1]);
		cape_one_truth_value(cape_runtime_get(), answer, sizeof(answer),
				     "clock_getcpuclockid()");
	}
	if (answer[0] == 0)
		*clock = answer[1];
	return answer[0];
}

CAPE_FUNCTION(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *clock))
{
	if (thread != pthread_self())
		return CAPE_OWN_FUNCTION(pthread_getcpuclockid)(thread, clock);
	*clock = CLOCK_THREAD_CPUTIME_ID;
	return 0;
}

CAPE_CALLED_FUNCTION(ssize_t, getrandom, (void *bytes, size_t size, unsigned int flags))
{
	struct cape_runtime *runtime = cape_runtime_get();
	ssize_t got;

	cape_need_touch(bytes, size);
	got = syscall(SYS_getrandom, bytes, size, flags);
	got = cape_one_truth_result(runtime, got, "getrandom()");
	if (got > 0)
		cape_one_truth_value(runtime, bytes, (size_t)got, "getrandom()");
	return got;
}

CAPE_FUNCTION(int, getentropy, (void *bytes, size_t size))
{
	if (size > 256) {
		errno = EIO;
		return -1;
	}
	return cape_getrandom(bytes, size, 0) == (ssize_t)size ? 0 : -1;
}

void cape_random_start(struct cape_runtime *runtime)
{
	void *bytes = (void *)getauxval(AT_RANDOM);

	if (bytes && runtime->nodes > 1)
		cape_one_truth(runtime, bytes, 16, "the start of the program");
}

/* The C library's own asks the kernel where no function of ours can stand in. */
CAPE_FUNCTION(void, arc4random_buf, (void *bytes, size_t size))
{
	for (size_t done = 0; done < size;) {
		ssize_t got = cape_getrandom((char *)bytes + done, size - done, 0);

		if (got < 0 && errno != EINTR)
			cape_fail(cape_runtime_get(), 0, "arc4random(): no random bytes: %s",
				  strerror(errno));
		done += got > 0 ? (size_t)got : 0;
	}
}

CAPE_FUNCTION(uint32_t, arc4random, (void))
{
	uint32_t number;

	cape_function_arc4random_buf(&number, sizeof(number));
	return number;
}

/* Below BOUND, each number as often: what is left above the last multiple of it is drawn again. */
CAPE_FUNCTION(uint32_t, arc4random_uniform, (uint32_t bound))
{
	uint32_t least = bound ? -bound % bound : 0, number;

	do
		number = cape_function_arc4random();
	while (number < least);
	return bound ? number % bound : 0;
}

/* Of this node. */
static double own_wtime(struct cape_runtime *runtime)
{
	struct timespec now;

	own_clock(runtime, CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + runtime->clock_ahead;
}

CAPE_APART_VOID(cape_clocks_tell, (double *now))
{
	struct cape_runtime *runtime = cape_runtime_get();

	*now = own_wtime(runtime);
	if (cape_is_replicated(runtime))
		cape_one_truth(runtime, now, sizeof(*now), "omp_get_wtime()");
}

CAPE_EXPORT double omp_get_wtime(void)
{
	double now = 0;

	cape_clocks_tell(&now);
	return now;
}

static uint64_t put_wtime(struct cape_runtime *runtime, unsigned char *to)
{
	double now = own_wtime(runtime);

	if (to)
		memcpy(to, &now, sizeof(now));
	return sizeof(now);
}

/* After a boot, and on another machine, the kernel's clock may be less than it was. */
static void take_wtime(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	double saved;

	if (size != sizeof(saved))
		return;
	memcpy(&saved, from, sizeof(saved));
	if (saved > own_wtime(runtime))
		runtime->clock_ahead += saved - own_wtime(runtime);
}

CAPE_SAVED(wtime, .put = put_wtime, .take = take_wtime);

CAPE_EXPORT_IS(double, omp_get_wtick, (void), 1e-9)
