/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vast.c - what a request takes depends on the memory that there is, not on the size of the
 * mappings, nor on the number of ranges.  What memory an epoch takes does not depend on how many
 * mappings there are, if they stay the same; the time does, but not by much.
 *
 * Times are compared with others of the same machine, the best of several.  They are short, so that
 * some of them fit in between what a busy machine does for others.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_epoch.h"

/* A busy machine is a few times slower now and then; what is to be found is a hundred times. */
#define MARGIN 10
#define VAST   (16ul << 40)
#define STEP   (VAST / 16)
#define RANGES 65536ul
#define TRIES  50
#define ROUNDS 200

#define MAPPINGS 8000u
#define EPOCHS	 200

static unsigned char *memory;
static volatile uint64_t *fork_time;
static struct cape_extent range[RANGES];
static struct collected collected;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void touch_vast(void)
{
	memory = mmap(memory, VAST, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	for (size_t at = 0; at < VAST; at += STEP)
		memory[at] = 1;
}

/* The measure: what fork() takes for the same memory. */
static void fork_often(void *argument)
{
	(void)argument;
	*fork_time = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t begin = now();
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		*fork_time = least(*fork_time, now() - begin);
		waitpid(child, NULL, 0);
	}
}

static void test_size(int device)
{
	uint64_t lock_time = UINT64_MAX, collect_time = UINT64_MAX;
	static struct notices notices;
	pid_t child;
	int descriptor, well = 0;

	/* Only a place where as much is free. */
	memory = mmap(NULL, VAST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	munmap(memory, VAST);
	child = spawn(touch_vast, fork_often, NULL);
	descriptor = attach(device, child);
	run_child(child, -1, false, &notices);
	for (int i = 0; i < TRIES; i++) {
		uint64_t begin = now();

		well += lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0;
		lock_time = least(lock_time, now() - begin);
		begin = now();
		well += collect(descriptor, 64, false, 0, &collected);
		collect_time = least(collect_time, now() - begin);
		ioctl(descriptor, CAPE_UNLOCK, 0);
	}
	check(well == 2 * TRIES, "16 TB, of which little was touched: lock and collect");
	check(lock_time <= MARGIN * *fork_time, "lock: not much longer than fork() (%lu us of %lu)",
	      lock_time / 1000, *fork_time / 1000);
	check(collect_time <= MARGIN * *fork_time, "collect: nor is that (%lu us)",
	      collect_time / 1000);
	close(descriptor);
	reap(child);
}

static void touch_last(void)
{
	memory = mmap(memory, 2 * RANGES * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	memory[2 * (RANGES - 1) * PAGE] = 1;
}

static void write_last(void *argument)
{
	(void)argument;
	memory[2 * (RANGES - 1) * PAGE] = 2;
}

/* Nanoseconds of CAPE_CAPTURE_PAGE of the last of COUNT ranges. */
static uint64_t capture_time(int device, uint32_t count)
{
	struct cape_capture request = {
		.address = (uintptr_t)(memory + 2 * (RANGES - 1) * PAGE),
		.flags = CAPE_CAPTURE_KEEP,
	};
	static struct notices notices;
	pid_t child = spawn(touch_last, write_last, NULL);
	int descriptor = attach(device, child), well = 0;
	uint64_t best = UINT64_MAX;

	well += lock(descriptor, CAPE_MODE_SNAPSHOT, range + RANGES - count, count) == 0;
	well += run_child(child, -1, false, &notices);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin = now();

		well += ioctl(descriptor, CAPE_CAPTURE_PAGE, &request) == 0 &&
			request.twin_state == CAPE_TWIN_PAGE;
		best = least(best, now() - begin);
	}
	check(well == ROUNDS + 2, "%u ranges: capture", count);
	close(descriptor);
	reap(child);
	return best;
}

static void test_ranges(int device)
{
	uint64_t one, many;

	memory = mmap(NULL, 2 * RANGES * PAGE, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (size_t i = 0; i < RANGES; i++)
		range[i] = (struct cape_extent){(uintptr_t)(memory + 2 * i * PAGE), PAGE};
	one = capture_time(device, 1);
	many = capture_time(device, RANGES);
	check(many <= MARGIN * one, "capture takes not much longer then (%lu ns of %lu)", many,
	      one);
}

/* Every other page is a mapping of its own; those between have a page. */
static void split_memory(void)
{
	for (size_t i = 0; i < MAPPINGS; i++)
		memory[(2 * i + 1) * PAGE] = 1;
	for (size_t i = 0; i < MAPPINGS; i++)
		mprotect(memory + 2 * i * PAGE, PAGE, PROT_READ);
}

static void map_more(void *unused)
{
	(void)unused;
	mprotect(memory + 2 * MAPPINGS * PAGE, 2 * PAGE, PROT_READ);
	munmap(memory, PAGE);
}

/* The measure: what the kernel takes to print the mappings. */
static uint64_t print_time(pid_t process)
{
	static char bytes[1 << 16];
	char name[64];
	uint64_t best = UINT64_MAX;

	snprintf(name, sizeof(name), "/proc/%d/maps", process);
	for (int i = 0; i < TRIES; i++) {
		uint64_t begin = now();
		int file = open(name, O_RDONLY | O_CLOEXEC);

		while (read(file, bytes, sizeof(bytes)) > 0)
			;
		close(file);
		best = least(best, now() - begin);
	}
	return best;
}

/* An epoch of the same mappings has no list of its own. */
static void test_mappings(int device)
{
	static struct notices notices;
	pid_t child;
	int descriptor, begun = 0;
	struct cape_epoch epoch;
	uint64_t begin, best = UINT64_MAX, measure;
	long before, taken;

	memory = mmap(NULL, (2 * MAPPINGS + 2) * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	child = spawn(split_memory, map_more, NULL);
	descriptor = attach(device, child);
	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock %u mappings", 2 * MAPPINGS);
	before = field("/proc/meminfo", "MemFree");
	for (int i = 0; i < EPOCHS; i++) {
		epoch = (struct cape_epoch){0};
		begin = now();
		begun += ioctl(descriptor, CAPE_EPOCH, &epoch) == 0;
		best = least(best, now() - begin);
	}
	taken = before - field("/proc/meminfo", "MemFree");
	check(begun == EPOCHS && taken < EPOCHS * 100, "%d epochs with nothing written take %ld KB",
	      begun, taken);
	measure = print_time(child);
	/* 0.8 times is usual, but where the kernel checks each lock. */
	check(best <= MARGIN * measure || access("/sys/kernel/debug/kmemleak", F_OK) == 0,
	      "one of them takes %lu us, to print the mappings %lu us", best / 1000,
	      measure / 1000);
	check(run_child(child, -1, false, &notices), "other mappings");
	epoch = (struct cape_epoch){0};
	check(ioctl(descriptor, CAPE_EPOCH, &epoch) == 0 &&
		      ioctl(descriptor, CAPE_DROP_EPOCH, &(struct cape_epoch_number){.epoch = 3}) ==
			      0 &&
		      ioctl(descriptor, CAPE_DROP_EPOCH,
			    &(struct cape_epoch_number){.epoch = CAPE_EPOCH_NEWEST}) == 0 &&
		      ioctl(descriptor, CAPE_UNLOCK, 0) == 0,
	      "an epoch of them, and what several have is given up once");
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();

	fork_time = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_size(device);
	test_ranges(device);
	test_mappings(device);
	return finish();
}
