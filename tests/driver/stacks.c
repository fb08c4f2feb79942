/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.c - CAPE_MAKE_STACK_RECORDER: records have the registers of the thread and what is on its
 * stack, as much as is asked for and as there is, and as the tracer may read.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "module.h"
#include "uapi/cape_bytes.h"
#include "uapi/cape_stack.h"

#define RECORDS	 16u
#define WORDS	 100u /* on the stack of store(), until its end */
#define MARK	 0x1234567890abcdefull
#define REGISTER 0x0fedcba987654321ull
#define RBX	 3 /* in DWARF's order */
#define RDI	 5
#define RSP	 7
#define R15	 15
#define RIP	 16

/* Writes to AT with its stack at STACK, and with known registers. */
extern void store(void *at, void *stack);
extern const char store_here[], store_next[];
__asm__(".text\n"
	"store:\n\t"
	"push %rbx\n\t"
	"push %r15\n\t"
	"push %rbp\n\t"
	"mov %rsp, %rbp\n\t"
	"mov %rsi, %rsp\n\t"
	"movabs $0x0fedcba987654321, %rbx\n\t"
	"mov %rbx, %r15\n\t"
	"not %r15\n"
	"store_here:\n\t"
	"movb $7, (%rdi)\n"
	"store_next:\n\t"
	"mov %rbp, %rsp\n\t"
	"pop %rbp\n\t"
	"pop %r15\n\t"
	"pop %rbx\n\t"
	"ret");

struct ring {
	int descriptor;
	size_t size;
	struct cape_record_control *control;
	const struct cape_record_header *header;
};

static unsigned char *memory; /* private, RECORDS pages */
static uint32_t stack_offset; /* in a record, as the ring says */
static uint64_t *stack;	      /* a page of the child's, and nothing after it */
static struct cape_extent range;
static struct notices notices;
static int device;

static int make(int descriptor, uint32_t count, uint32_t bytes, uint32_t flags, uint32_t reserved)
{
	struct cape_make_stack_recorder request = {count, bytes, flags, reserved};

	return ioctl(descriptor, CAPE_MAKE_STACK_RECORDER, &request);
}

static bool open_ring(struct ring *ring, int attached, uint32_t bytes)
{
	const size_t record = sizeof(struct cape_record) + sizeof(struct cape_record_stack) + bytes;

	ring->descriptor = make(attached, RECORDS, bytes, 0, 0);
	ring->size = PAGE + RECORDS * record;
	ring->control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring->descriptor, 0);
	ring->header = mmap(NULL, ring->size, PROT_READ, MAP_SHARED, ring->descriptor, PAGE);
	if (ring->control == MAP_FAILED || ring->header == MAP_FAILED) {
		printf("Bail out! no ring: %s\n", strerror(errno));
		exit(1);
	}
	stack_offset = ring->header->stack_offset;
	return ring->header->record_size == record && ring->header->record_count == RECORDS &&
	       ring->header->stack_offset >= sizeof(struct cape_record) &&
	       ring->header->stack_offset % sizeof(uint64_t) == 0 &&
	       ring->header->stack_offset + sizeof(struct cape_record_stack) + bytes <= record &&
	       ring->header->version == CAPE_RECORD_VERSION;
}

static void close_ring(struct ring *ring)
{
	munmap(ring->control, PAGE);
	munmap((void *)ring->header, ring->size);
	close(ring->descriptor);
}

static const struct cape_record *record_at(const struct ring *ring, uint64_t number)
{
	return (const void *)((const char *)ring->header - PAGE + ring->header->records_offset +
			      number % RECORDS * ring->header->record_size);
}

static const struct cape_record_stack *stack_of(const struct cape_record *record)
{
	return (const void *)((const char *)record + stack_offset);
}

static uint64_t *top_of_stack(void)
{
	return stack + PAGE / sizeof(*stack) - WORDS;
}

static void prepare(void)
{
	memset(memory, 1, RECORDS * PAGE);
	for (size_t i = 0; i < PAGE / sizeof(*stack); i++)
		stack[i] = MARK + i;
}

/* Rounds of a page each by store(), until the last two: one by read(2), and one of 32 more. */
static void act(void *unused)
{
	int ends[2];

	(void)unused;
	for (size_t page = 0; page < 3; page++) {
		store(memory + page * PAGE, top_of_stack());
		pause_here();
	}
	if (pipe(ends) < 0 || write(ends[1], "1", 1) != 1 ||
	    read(ends[0], memory + 3 * PAGE, 1) != 1)
		abort();
	pause_here();
	for (size_t i = 0; i < 32; i++)
		store(memory + 5 * PAGE, top_of_stack());
}

/* Has RECORD what store() had in its registers at INSTRUCTION, and LENGTH bytes of its stack? */
static bool is_store(const struct cape_record *record, const char *instruction, size_t length)
{
	const struct cape_record_stack *its = stack_of(record);
	const size_t first = PAGE / sizeof(*stack) - WORDS;
	uint64_t word;

	if (its->registers[RBX] != REGISTER || its->registers[R15] != ~REGISTER ||
	    its->registers[RSP] != (uintptr_t)top_of_stack() ||
	    its->registers[RIP] != (uintptr_t)instruction ||
	    its->registers[RDI] != record->address || its->length != length || its->reserved)
		return false;
	for (size_t at = 0; at < length; at += sizeof(word)) {
		memcpy(&word, its->stack + at, sizeof(word));
		if (word != MARK + first + at / sizeof(word))
			return false;
	}
	return record->instruction == (uintptr_t)instruction;
}

static bool relock(int descriptor)
{
	ioctl(descriptor, CAPE_UNLOCK, 0);
	return lock(descriptor, CAPE_MODE_RECORD, &range, 1) == 0;
}

static bool run(pid_t child)
{
	return run_child(child, -1, false, &notices) && notices.count == 0;
}

static void test_input(void)
{
	static const uint32_t wrong[] = {0, 1, 4, 12, CAPE_STACK_MOST + 8, 1u << 31, UINT32_MAX};
	pid_t child = spawn(prepare, act, NULL);
	int descriptor = attach(device, child);
	struct cape_version version = {0};

	check(ioctl(device, CAPE_GET_VERSION, &version) == 0 &&
		      version.features & CAPE_FEATURE_STACKS,
	      "the driver says that it can");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses(make(descriptor, RECORDS, wrong[i], 0, 0), EINVAL, "%u bytes", wrong[i]);
	refuses(make(descriptor, RECORDS + 1, 64, 0, 0), EINVAL, "a count that is no power of two");
	refuses(make(descriptor, CAPE_RECORDS_MOST, CAPE_STACK_MOST, 0, 0), EINVAL,
		"more than a ring may have");
	refuses(make(descriptor, RECORDS, 64, 1, 0), EINVAL, "an unknown flag");
	refuses(make(descriptor, RECORDS, 64, 0, 1), EINVAL, "the reserved field");
	close(descriptor);
	reap(child);
}

/* One after the other, as the child goes on. */
static void test_stacks(void)
{
	pid_t child = spawn(prepare, act, NULL);
	int descriptor = attach(device, child);
	struct cape_watch_bytes bytes = {.address = (uintptr_t)memory + 5 * PAGE, .length = 1};
	const struct cape_record *record;
	struct ring ring;
	bool well = true;

	check(open_ring(&ring, descriptor, 64), "a recorder of 64 bytes of stack");
	check(relock(descriptor) && run(child) && ring.header->head == 1 &&
		      is_store(record_at(&ring, 0), store_here, 64),
	      "a record has the registers, and so much of the stack");
	close_ring(&ring);
	ioctl(descriptor, CAPE_UNLOCK, 0);
	check(open_ring(&ring, descriptor, 8184) && relock(descriptor) && run(child) &&
		      is_store(record_at(&ring, 0), store_here, WORDS * sizeof(*stack)),
	      "where the stack ends before that, what there is of it");
	check(relock(descriptor) && run(child) &&
		      is_store(record_at(&ring, 1), store_here, WORDS * sizeof(*stack)),
	      "the next record likewise");
	check(relock(descriptor) && run(child), "a system call writes");
	record = record_at(&ring, 2);
	check(ring.header->head == 3 && record->flags == CAPE_RECORD_BY_KERNEL &&
		      stack_of(record)->registers[RIP] == record->instruction &&
		      stack_of(record)->registers[RSP] - (uintptr_t)&record + (1u << 20) <
			      2u << 20 &&
		      stack_of(record)->length > 0,
	      "its record has the registers and the stack of the program");
	ioctl(descriptor, CAPE_UNLOCK, 0);
	ring.control->tail = 3;
	check(ioctl(descriptor, CAPE_WATCH_BYTES, &bytes) == 0 && run(child) &&
		      ring.header->head == 3 + RECORDS && ring.header->lost == 16,
	      "every write to a byte, 16 of them beyond the ring");
	for (uint64_t i = 3; i < 3 + RECORDS; i++)
		well = well && record_at(&ring, i)->flags == CAPE_RECORD_WATCHED &&
		       is_store(record_at(&ring, i), store_next, WORDS * sizeof(*stack));
	check(well, "each with its registers and stack");
	close(descriptor);
	close_ring(&ring);
	reap(child);
}

/* Its second page, of which a byte is watched, and its third are written when it is not dumpable.
 */
static void hide(void *unused)
{
	(void)unused;
	stack[0] = 0;
	store(memory, top_of_stack());
	pause_here();
	prctl(PR_SET_DUMPABLE, 0);
	store(memory + PAGE, top_of_stack());
	pause_here();
	store(memory + 2 * PAGE, top_of_stack());
	stack[0] = 1;
	pause_here();
}

/* What it may, for a while.  Who changes its user is not to be looked into, nor its children. */
static void be_user(uid_t user)
{
	if (seteuid(user) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		abort();
}

static void test_permission(bool all)
{
	const char *how = all ? ", of who may look into all programs" : "";
	pid_t child = spawn(prepare, hide, NULL);
	int descriptor = attach(device, child);
	struct cape_watch_bytes bytes = {.address = (uintptr_t)memory + PAGE, .length = 1};
	const struct cape_record *first, *each;
	struct ring ring;

	if (!all)
		be_user(1000);
	check(open_ring(&ring, descriptor, 64), "a recorder%s", how);
	be_user(0);
	check(relock(descriptor) && ioctl(descriptor, CAPE_WATCH_BYTES, &bytes) == 0 &&
		      run(child) && ring.header->head == 1 &&
		      is_store(record_at(&ring, 0), store_here, 64),
	      "a program that may be read%s", how);
	check(run(child) && ring.header->head == 3, "it is not to be read any more%s", how);
	first = record_at(&ring, 1);
	each = record_at(&ring, 2);
	check(each->flags == CAPE_RECORD_WATCHED && each->value == (all ? 7 : 0) &&
		      stack_of(first)->length == (all ? 64 : 0) &&
		      stack_of(each)->length == (all ? 64 : 0) &&
		      stack_of(first)->registers[RBX] == REGISTER,
	      "%s%s", all ? "its memory is recorded" : "only its registers are recorded", how);
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	for (int tries = 0; tries < 2000 && !*(volatile uint64_t *)stack; tries++)
		usleep(10000);
	check(stack[0] == 1 && ring.header->head == 3,
	      "nothing is recorded for who does not trace it any more%s", how);
	close(descriptor);
	close_ring(&ring);
	reap(child);
}

int main(void)
{
	device = open_device();
	memory = mmap(NULL, RECORDS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	stack = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	munmap((char *)stack + PAGE, PAGE);
	range = (struct cape_extent){(uintptr_t)memory, RECORDS * PAGE};
	test_input();
	test_stacks();
	test_permission(true);
	test_permission(false);
	return finish();
}
