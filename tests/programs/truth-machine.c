/* SPDX-License-Identifier: GPL-2.0-or-later */
/* truth-machine.c - processors, load, memory and disks: sequential code sees node 0's. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

static cpu_set_t all, process, thread;
static int averages, cells[64];
static double load[3];
static long pages, processors[2];
static struct statfs disk;
static struct statvfs room;

/* Each thread on another of the processors that there are. */
static void bind(int number)
{
	cpu_set_t one;
	int at = 0;

	CPU_ZERO(&one);
	for (number %= CPU_COUNT(&all); number >= 0; at++)
		number -= CPU_ISSET(at, &all) ? 1 : 0;
	CPU_SET(at - 1, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
	int wrong = 0;

	sched_getaffinity(0, sizeof(all), &all);
#pragma omp parallel
	bind(omp_get_thread_num());
	sched_getaffinity(0, sizeof(process), &process);
	pthread_getaffinity_np(pthread_self(), sizeof(thread), &thread);
	averages = getloadavg(load, 3);
	pages = sysconf(_SC_AVPHYS_PAGES) + get_avphys_pages() + get_phys_pages();
	processors[0] = sysconf(_SC_NPROCESSORS_ONLN) - get_nprocs();
	processors[1] = sysconf(_SC_NPROCESSORS_CONF) - get_nprocs_conf();
	if (statfs("/tmp", &disk) < 0 || statvfs("/tmp", &room) < 0)
		return 1;
	printf("%d and %d processors, %d averages, %ld, %ld\n", CPU_COUNT(&process),
	       CPU_COUNT(&thread), averages, processors[0], processors[1]);
	/* What is decided by it is the same, too. */
#pragma omp parallel for reduction(+ : wrong)
	for (int i = 0; i < (int)(disk.f_bfree % 11) + (int)(pages % 13); i++)
		wrong += cells[i] != 0;
	printf("%d wrong\n", wrong);
	return 0;
}
