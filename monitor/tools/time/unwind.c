/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.c - see unwind.h; with libdwfl, which asks here for registers and memory.
 */
#include "unwind.h"

#include <string.h>
#include <elfutils/libdwfl.h>

/* There is one thread, which is asked for by name. */
static pid_t next_thread(Dwfl *files, void *argument, void **thread)
{
	(void)files;
	(void)argument;
	(void)thread;
	return 0;
}

static bool get_thread(Dwfl *files, pid_t id, void *argument, void **thread)
{
	(void)files;
	(void)id;
	*thread = argument;
	return true;
}

/* What is not in the copy is not known. */
static bool read_word(Dwfl *files, Dwarf_Addr address, Dwarf_Word *word, void *argument)
{
	const struct unwind *unwind = argument;
	const struct cape_record_stack *stack = unwind->stack;
	const uint64_t at = address - stack->registers[CAPE_REGISTER_STACK];

	(void)files;
	if (stack->length < sizeof(*word) || at > stack->length - sizeof(*word))
		return false;
	memcpy(word, stack->stack + at, sizeof(*word));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
	const struct unwind *unwind = argument;
	Dwarf_Word word[CAPE_REGISTERS];

	for (unsigned i = 0; i < CAPE_REGISTERS; i++)
		word[i] = unwind->stack->registers[i];
	return dwfl_thread_state_registers(thread, 0, CAPE_REGISTERS, word);
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_word,
	.set_initial_registers = set_registers,
};

void unwind_open(struct unwind *unwind, const struct naming *naming)
{
	unwind->count = 0;
	/* The number is only to be one. */
	unwind->files = dwfl_attach_state(naming->files, NULL, 1, &callbacks, unwind)
				? naming->files
				: NULL;
}

static int take_frame(Dwfl_Frame *frame, void *argument)
{
	struct unwind *unwind = argument;
	Dwarf_Addr address;
	bool exact;

	if (!dwfl_frame_pc(frame, &address, &exact))
		return DWARF_CB_ABORT;
	/* A signal's handler returns to where the thread was, not after a call. */
	if (exact && unwind->count)
		address++;
	unwind->address[unwind->count++] = address;
	return unwind->count < UNWIND_MOST ? DWARF_CB_OK : DWARF_CB_ABORT;
}

void unwind_record(struct unwind *unwind, const struct cape_record *record,
		   const struct cape_record_stack *stack)
{
	unwind->stack = stack;
	unwind->count = 0;
	if (unwind->files && stack && stack->length)
		dwfl_getthread_frames(unwind->files, 1, take_frame, unwind);
	if (unwind->count > 1)
		return;
	for (unwind->count = 0; unwind->count < record->user_depth; unwind->count++)
		unwind->address[unwind->count] = record->user_stack[unwind->count];
}
