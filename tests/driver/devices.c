/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devices.c - a process whose memory somebody translates besides the page table, who would write to
 * it unseen: KVM, which QEMU's processor lets the guest have.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"

#define PAGES 16

/* What a virtual machine carries out: mov byte [0x3000], 9; hlt */
static const unsigned char code[] = {0xc6, 0x06, 0x00, 0x30, 0x09, 0xf4};
static unsigned char *memory;
static int processor = -1;
static struct collected collected;
static struct notices notices;

/* A machine that has MEMORY, and does what is at its page 1. */
static void make_machine(void)
{
	struct kvm_userspace_memory_region region = {
		.memory_size = PAGES * PAGE,
		.userspace_addr = (uintptr_t)memory,
	};
	struct kvm_sregs special;
	struct kvm_regs registers = {.rip = PAGE, .rflags = 2};
	int device = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int machine = ioctl(device, KVM_CREATE_VM, 0);

	processor = ioctl(machine, KVM_CREATE_VCPU, 0);
	if (processor < 0 || ioctl(machine, KVM_SET_USER_MEMORY_REGION, &region) < 0 ||
	    ioctl(processor, KVM_GET_SREGS, &special) < 0)
		abort();
	special.cs.base = special.cs.selector = 0;
	if (ioctl(processor, KVM_SET_SREGS, &special) < 0 ||
	    ioctl(processor, KVM_SET_REGS, &registers) < 0)
		abort();
}

static void run_machine(void)
{
	struct kvm_regs registers = {.rip = PAGE, .rflags = 2};

	if (ioctl(processor, KVM_SET_REGS, &registers) < 0 || ioctl(processor, KVM_RUN, 0) < 0)
		abort();
}

static void own_memory(void)
{
	memset(memory, 1, PAGES * PAGE);
	memcpy(memory + PAGE, code, sizeof(code));
}

static void own_machine(void)
{
	own_memory();
	make_machine();
	run_machine();
	memory[3 * PAGE] = 1;
}

static void run_again(void *argument)
{
	(void)argument;
	run_machine();
}

static void make_and_run(void *argument)
{
	(void)argument;
	make_machine();
	run_machine();
}

/* What the machine wrote, which is page 3 alone, is collected, with its twin. */
static void check_write(int descriptor)
{
	const unsigned char *twin;

	check(collect(descriptor, 16, true, 0, &collected) &&
		      collected_within(&collected, memory, PAGES * PAGE) == 1,
	      "what KVM writes is collected");
	twin = collected_twin(&collected, memory + 3 * PAGE);
	check(twin && twin[0] == 1, "with its twin");
}

static void test_before(int device)
{
	pid_t child = spawn(own_machine, run_again, NULL);
	int descriptor = attach(device, child),
	    locked = lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0);

	refuses(locked, EOPNOTSUPP, "a process with a virtual machine is not locked: EOPNOTSUPP");
	if (locked == 0 && run_child(child, -1, false, &notices))
		check_write(descriptor);
	close(descriptor);
	reap(child);
}

static void test_after(int device)
{
	pid_t child = spawn(own_memory, make_and_run, NULL);
	int descriptor = attach(device, child);

	check(lock(descriptor, CAPE_MODE_SNAPSHOT, NULL, 0) == 0, "lock");
	check(run_child(child, -1, false, &notices), "the process makes a virtual machine");
	check_write(descriptor);
	close(descriptor);
	reap(child);
}

int main(void)
{
	int device = open_device();

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (!load("/irqbypass.ko") || !load("/kvm.ko") || !load("/kvm-amd.ko")) {
		check(true, "a virtual machine # SKIP this kernel or processor has no KVM");
		return finish();
	}
	test_before(device);
	test_after(device);
	return finish();
}
