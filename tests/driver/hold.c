/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold.c - keeps the kernel from patching its own code while tests run.
 *
 * QEMU 7.2 with several processors now and then takes what is being patched for a breakpoint: the
 * machine dies ("Oops: int3"), or hangs without a word where the scheduler is patched.
 *
 * The first counter of page faults that is opened, and the last that is closed, patch: so some stay
 * open in the background until the machine ends.  An event of tracefs patches the scheduler, in
 * order to record the names of commands: so none are recorded.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int count(uint64_t what)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = what,
		.sample_period = 1 << 30,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

/* A kernel without tracefs has nothing to record. */
static void record_no_commands(void)
{
	int option = open("/sys/kernel/tracing/options/record-cmd", O_WRONLY | O_CLOEXEC);

	if (option < 0)
		return;
	if (write(option, "0", 1) != 1)
		perror("hold: record-cmd");
	close(option);
}

int main(void)
{
	record_no_commands();
	if (count(PERF_COUNT_SW_PAGE_FAULTS_MIN) < 0 || count(PERF_COUNT_SW_PAGE_FAULTS_MAJ) < 0) {
		perror("hold: perf_event_open");
		return 1;
	}
	if (daemon(0, 0) == 0)
		pause();
	return 1;
}
