/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold.c - keeps counters of page faults open, in the background, until the machine ends.
 *
 * The first that is opened and the last that is closed make the kernel patch its own code, which
 * QEMU 7.2 with several processors now and then takes for a breakpoint ("Oops: int3").
 */
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

int main(void)
{
	if (count(PERF_COUNT_SW_PAGE_FAULTS_MIN) < 0 || count(PERF_COUNT_SW_PAGE_FAULTS_MAJ) < 0) {
		perror("hold: perf_event_open");
		return 1;
	}
	if (daemon(0, 0) == 0)
		pause();
	return 1;
}
