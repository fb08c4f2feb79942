/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unload.c - the module cannot be removed while it is in use, and can be when it is not.
 *
 * Argument: the module's file, to load it again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define PAGES	  64
#define FAR	  (2ul << 20)
#define FAR_PAGES 64
#define ROUNDS	  5000

static unsigned char *memory;
static struct notices notices;

static int remove_module(void)
{
	return (int)syscall(SYS_delete_module, "cape", O_NONBLOCK);
}

static int load_module(const char *name)
{
	int file = open(name, O_RDONLY | O_CLOEXEC), result;

	result = (int)syscall(SYS_finit_module, file, "", 0);
	close(file);
	return result;
}

static void write_all(void *argument)
{
	(void)argument;
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE] = 2;
}

static void test_in_use(uint32_t mode)
{
	const char *how = mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot";
	pid_t child = spawn(NULL, write_all, NULL); /* which inherits no descriptor */
	int device = open_device(), descriptor;

	refuses(remove_module(), EAGAIN, "%s: rmmod while the device is open is refused", how);
	descriptor = attach(device, child);
	close(device);
	refuses(remove_module(), EAGAIN, "%s: rmmod while a process is attached is refused", how);
	check(lock(descriptor, mode, NULL, 0) == 0, "%s: lock", how);
	refuses(remove_module(), EAGAIN, "%s: rmmod while it is locked is refused", how);
	check(run_child(child, descriptor, true, &notices), "%s: the process runs on", how);
	check((mode == CAPE_MODE_NOTIFY) == (notices.count >= PAGES), "%s: notices (%zu)", how,
	      notices.count);
	close(descriptor);
	check(remove_module() == 0, "%s: rmmod once it is closed", how);
	refuses(open(CAPE_DEVICE, O_RDWR), ENOENT, "%s: the device is gone", how);
	reap(child);
}

/* Removed right behind a close, when what was locked has only just been let go of. */
static bool come_and_go(const char *name, uint32_t mode)
{
	pid_t child;
	int device, descriptor;
	bool well;

	if (load_module(name) < 0)
		return false;
	child = spawn(NULL, write_all, NULL);
	device = open_device();
	descriptor = attach(device, child);
	well = lock(descriptor, mode, NULL, 0) == 0;
	well &= run_child(child, descriptor, true, &notices);
	close(device);
	close(descriptor);
	well &= remove_module() == 0;
	reap(child);
	return well;
}

/* Page after page that no lock has met, far apart: each needs a new mark of the driver's. */
static void write_far_apart(void *argument)
{
	(void)argument;
	for (;;) {
		unsigned char *far = mmap(NULL, FAR_PAGES * FAR, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		for (size_t i = 0; i < FAR_PAGES; i++)
			far[i * FAR] = 1;
		munmap(far, FAR_PAGES * FAR);
	}
}

static void spin(unsigned steps)
{
	for (volatile unsigned i = 0; i < steps; i++)
		;
}

/* Its faults wait for the lock, and go on when that is there: then it is unlocked again. */
static int unlock_in_faults(int rounds)
{
	pid_t child = spawn(NULL, write_far_apart, NULL);
	int device = open_device(), descriptor = attach(device, child), well = 0, status;

	close(device);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	for (int i = 0; i < rounds; i++) {
		bool right = lock(descriptor, CAPE_MODE_NOTIFY, NULL, 0) == 0;

		spin((unsigned)i * 37 % 4000);
		well += right && ioctl(descriptor, CAPE_UNLOCK, 0) == 0;
		if (waitpid(child, &status, __WALL | WNOHANG) == child)
			ptrace(PTRACE_CONT, child, NULL, NULL);
	}
	close(descriptor);
	reap(child);
	return well;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "/cape.ko";
	int well = 0;

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++) {
		test_in_use(mode);
		check(load_module(name) == 0, "insmod");
	}
	check(remove_module() == 0, "rmmod");
	check(load_module(name) == 0, "insmod");
	/* What the driver has lost then, the kernel complains of when it is removed. */
	check(unlock_in_faults(ROUNDS) == ROUNDS, "unlock during page faults, %d times", ROUNDS);
	check(remove_module() == 0, "rmmod");
	for (int i = 0; i < 20; i++)
		well += come_and_go(name, i % 2 ? CAPE_MODE_NOTIFY : CAPE_MODE_SNAPSHOT);
	check(well == 20, "insmod, lock, close, rmmod 20 times (%d well)", well);
	check(load_module(name) == 0, "insmod");
	return finish();
}
