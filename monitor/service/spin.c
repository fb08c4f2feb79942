// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spin.c - telling a loop that waits from one that computes.
 *
 * Whoever computes has other values in its registers when it comes by the same instruction again.
 */
#include "spin.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#define SAMPLES	     24
#define INSTRUCTIONS 12 /* a loop that waits has no more, as seen by samples */
#define FIRST_NS     3000000
#define STEP_NS	     370000 /* later each time, so that it keeps step with nothing */

struct sample {
	struct user_regs_struct registers;
	struct user_fpregs_struct floating;
};

/* Waits until it stops by PTRACE_INTERRUPT.  Its end is left for others to see. */
static bool wait_for_stop(pid_t program, int *signal)
{
	siginfo_t info;

	*signal = 0;
	do
		memset(&info, 0, sizeof(info));
	while (waitid(P_PID, (id_t)program, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) < 0 &&
	       errno == EINTR);
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return false;
	waitid(P_PID, (id_t)program, &info, WSTOPPED | __WALL);
	if (info.si_status == (SIGTRAP | PTRACE_EVENT_STOP << 8))
		return true;
	/* A signal came first: it is passed on, and what it does is no waiting. */
	*signal = info.si_status >> 8 ? 0 : info.si_status;
	ptrace(PTRACE_DETACH, program, NULL, (void *)(long)*signal);
	return false;
}

static bool take_sample(pid_t program, struct sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	if (ptrace(PTRACE_GETREGS, program, NULL, &sample->registers) < 0 ||
	    ptrace(PTRACE_GETFPREGS, program, NULL, &sample->floating) < 0)
		return false;
	sample->registers.eflags = 0;
	/* In a system call it may wait for anything. */
	return (long long)sample->registers.orig_rax < 0;
}

/* How many it took before one showed that the program does not spin; it runs untraced again. */
static int sample_all(pid_t program, struct sample *sample)
{
	struct timespec time = {.tv_nsec = FIRST_NS};
	int taken = 0, signal;

	if (ptrace(PTRACE_SEIZE, program, NULL, NULL) < 0)
		return 0;
	for (;;) {
		bool more;

		if (ptrace(PTRACE_INTERRUPT, program, NULL, NULL) < 0 ||
		    !wait_for_stop(program, &signal))
			return 0;
		more = take_sample(program, &sample[taken]) && ++taken < SAMPLES;
		ptrace(more ? PTRACE_CONT : PTRACE_DETACH, program, NULL, NULL);
		if (!more)
			return taken;
		nanosleep(&time, NULL);
		time.tv_nsec += STEP_NS;
	}
}

bool spin_is(pid_t program)
{
	struct sample sample[SAMPLES];
	int instructions = 0;

	if (sample_all(program, sample) < SAMPLES)
		return false;
	for (int i = 0; i < SAMPLES; i++) {
		int k = 0;

		while (k < i && sample[k].registers.rip != sample[i].registers.rip)
			k++;
		if (k == i)
			instructions++;
		else if (memcmp(&sample[k], &sample[i], sizeof(*sample)) != 0)
			return false;
	}
	return instructions <= INSTRUCTIONS;
}
