// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_call.c - system calls of the program while its memory is locked by mprotect().
 *
 * The kernel writes for the program with the program's rights.  Where it fails only after it has
 * done something (a message is received, a child is reaped), what it will write to must be unlocked
 * before; the table says what that is.  All other calls simply fail with EFAULT: what they may
 * point to is unlocked then, and they are made again.
 */
#include "common/process_state.h"
#include "protect_mprotect.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "agent.h"

#define SELECTOR_BLOCK	    1
#define MANY		    (1ul << 20) /* of a structure whose size is not known */
#define RED_ZONE	    128
#define SCRATCH_STACK	    64 /* in a slot: the alternate stack, a signal's action */
#define SCRATCH_ACTION	    96
#define FRAME_WITHOUT_STATE 1024 /* bytes of a signal frame without the vector registers */
#define IOV_LIMIT	    1024

enum length {
	FIXED,	  /* SIZE bytes */
	TIMES,	  /* argument COUNT times SIZE */
	VECTOR,	  /* a list of struct iovec, argument COUNT long */
	MESSAGE,  /* a struct msghdr */
	MESSAGES, /* a list of struct mmsghdr, argument COUNT long */
};

/* What one argument of a call makes the kernel write. */
struct written {
	short number;
	unsigned char argument;
	unsigned char length;
	unsigned char count;
	unsigned short size;
};

static const struct written writes[] = {
	{SYS_read, 1, TIMES, 2, 1},
	{SYS_pread64, 1, TIMES, 2, 1},
	{SYS_readv, 1, VECTOR, 2, 0},
	{SYS_preadv, 1, VECTOR, 2, 0},
	{SYS_preadv2, 1, VECTOR, 2, 0},
	{SYS_recvfrom, 1, TIMES, 2, 1},
	{SYS_recvfrom, 4, FIXED, 0, sizeof(struct sockaddr_storage)},
	{SYS_recvfrom, 5, FIXED, 0, sizeof(socklen_t)},
	{SYS_recvmsg, 1, MESSAGE, 0, 0},
	{SYS_recvmmsg, 1, MESSAGES, 2, 0},
	{SYS_recvmmsg, 4, FIXED, 0, sizeof(struct timespec)},
	{SYS_accept, 1, FIXED, 0, sizeof(struct sockaddr_storage)},
	{SYS_accept, 2, FIXED, 0, sizeof(socklen_t)},
	{SYS_accept4, 1, FIXED, 0, sizeof(struct sockaddr_storage)},
	{SYS_accept4, 2, FIXED, 0, sizeof(socklen_t)},
	{SYS_socketpair, 3, FIXED, 0, 2 * sizeof(int)},
	{SYS_pipe, 0, FIXED, 0, 2 * sizeof(int)},
	{SYS_pipe2, 0, FIXED, 0, 2 * sizeof(int)},
	{SYS_getdents, 1, TIMES, 2, 1},
	{SYS_getdents64, 1, TIMES, 2, 1},
	{SYS_getrandom, 0, TIMES, 1, 1},
	{SYS_wait4, 1, FIXED, 0, sizeof(int)},
	{SYS_wait4, 3, FIXED, 0, sizeof(struct rusage)},
	{SYS_waitid, 2, FIXED, 0, sizeof(siginfo_t)},
	{SYS_waitid, 4, FIXED, 0, sizeof(struct rusage)},
	{SYS_sendfile, 2, FIXED, 0, sizeof(off_t)},
	{SYS_splice, 1, FIXED, 0, sizeof(off_t)},
	{SYS_splice, 3, FIXED, 0, sizeof(off_t)},
	{SYS_copy_file_range, 1, FIXED, 0, sizeof(off_t)},
	{SYS_copy_file_range, 3, FIXED, 0, sizeof(off_t)},
	{SYS_nanosleep, 1, FIXED, 0, sizeof(struct timespec)},
	{SYS_clock_nanosleep, 3, FIXED, 0, sizeof(struct timespec)},
	{SYS_poll, 0, TIMES, 1, 8},
	{SYS_ppoll, 0, TIMES, 1, 8},
	{SYS_ppoll, 2, FIXED, 0, sizeof(struct timespec)},
	{SYS_select, 1, FIXED, 0, 128},
	{SYS_select, 2, FIXED, 0, 128},
	{SYS_select, 3, FIXED, 0, 128},
	{SYS_select, 4, FIXED, 0, sizeof(struct timeval)},
	{SYS_pselect6, 1, FIXED, 0, 128},
	{SYS_pselect6, 2, FIXED, 0, 128},
	{SYS_pselect6, 3, FIXED, 0, 128},
	{SYS_pselect6, 4, FIXED, 0, sizeof(struct timespec)},
	{SYS_epoll_wait, 1, TIMES, 2, sizeof(struct epoll_event)},
	{SYS_epoll_pwait, 1, TIMES, 2, sizeof(struct epoll_event)},
	{SYS_rt_sigaction, 2, FIXED, 0, 32},
	{SYS_rt_sigprocmask, 2, FIXED, 0, 8},
	{SYS_rt_sigtimedwait, 1, FIXED, 0, sizeof(siginfo_t)},
	{SYS_sigaltstack, 1, FIXED, 0, sizeof(stack_t)},
	{SYS_setitimer, 2, FIXED, 0, sizeof(struct itimerval)},
	{SYS_timer_settime, 3, FIXED, 0, sizeof(struct itimerspec)},
	{SYS_timerfd_settime, 3, FIXED, 0, sizeof(struct itimerspec)},
	{SYS_prlimit64, 3, FIXED, 0, sizeof(struct rlimit)},
	{SYS_msgrcv, 1, TIMES, 2, 1},
	{SYS_msgrcv, 1, FIXED, 0, sizeof(long)},
	{SYS_mq_timedreceive, 1, TIMES, 2, 1},
	{SYS_mq_timedreceive, 3, FIXED, 0, sizeof(unsigned)},
	{SYS_clone, 2, FIXED, 0, sizeof(pid_t)},
	{SYS_clone, 3, FIXED, 0, sizeof(pid_t)},
	{SYS_futex, 0, FIXED, 0, sizeof(int)},
	{SYS_io_getevents, 3, TIMES, 2, 32},
};

static uint64_t argument(const struct user_regs_struct *registers, unsigned which)
{
	const unsigned long long all[] = {registers->rdi, registers->rsi, registers->rdx,
					  registers->r10, registers->r8,  registers->r9};

	return all[which];
}

static bool peek(const struct trace *trace, uint64_t from, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};

	return process_vm_readv(trace->program, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Long ranges as a whole: they may be far longer than what is mapped. */
static int open_bytes(struct trace *trace, struct trace_thread *thread, uint64_t start,
		      uint64_t length)
{
	uint64_t end = start + length;

	if (!start || !length || end < start)
		return 0;
	if (length > MANY)
		return locked_open_range(trace, thread, start, end, false);
	return locked_open(trace, thread, start, end);
}

static int open_vector(struct trace *trace, struct trace_thread *thread, uint64_t list,
		       uint64_t count)
{
	int error = 0;

	for (uint64_t i = 0; i < count && i < IOV_LIMIT && !error; i++) {
		struct iovec one;

		if (!peek(trace, list + i * sizeof(one), &one, sizeof(one)))
			break;
		error = open_bytes(trace, thread, (uint64_t)(uintptr_t)one.iov_base, one.iov_len);
	}
	return error;
}

static int open_message(struct trace *trace, struct trace_thread *thread, uint64_t address)
{
	struct msghdr message;
	int error;

	if (!peek(trace, address, &message, sizeof(message)))
		return 0;
	error = open_bytes(trace, thread, address, sizeof(struct mmsghdr));
	if (!error)
		error = open_bytes(trace, thread, (uint64_t)(uintptr_t)message.msg_name,
				   message.msg_namelen);
	if (!error)
		error = open_bytes(trace, thread, (uint64_t)(uintptr_t)message.msg_control,
				   message.msg_controllen);
	return error ? error
		     : open_vector(trace, thread, (uint64_t)(uintptr_t)message.msg_iov,
				   message.msg_iovlen);
}

static int open_written(struct trace *trace, struct trace_thread *thread,
			const struct written *entry, const struct user_regs_struct *registers)
{
	uint64_t at = argument(registers, entry->argument);
	uint64_t count = argument(registers, entry->count), size = entry->size;
	int error = 0;

	switch ((enum length)entry->length) {
	case TIMES:
		if (__builtin_mul_overflow(size, count, &size))
			size = UINT64_MAX - at;
		break;
	case VECTOR:
		return open_vector(trace, thread, at, count);
	case MESSAGE:
		return open_message(trace, thread, at);
	case MESSAGES:
		for (uint64_t i = 0; i < count && i < IOV_LIMIT && !error; i++)
			error = open_message(trace, thread, at + i * sizeof(struct mmsghdr));
		return error;
	default:
		break;
	}
	return open_bytes(trace, thread, at, size);
}

/* clone3()'s arguments say in memory where thread numbers go. */
static int open_clone3(struct trace *trace, struct trace_thread *thread, uint64_t arguments)
{
	uint64_t where[4]; /* flags, pidfd, child_tid, parent_tid */
	int error = 0;

	if (!peek(trace, arguments, where, sizeof(where)))
		return 0;
	for (int i = 1; i < 4 && !error; i++)
		error = open_bytes(trace, thread, where[i], sizeof(int));
	return error;
}

static bool changes_mappings(long number)
{
	return number == SYS_mmap || number == SYS_munmap || number == SYS_mremap ||
	       number == SYS_mprotect || number == SYS_brk || number == SYS_pkey_mprotect ||
	       number == SYS_madvise;
}

/* The mappings that it is about cannot be changed while they are cut into pieces. */
static int open_mappings(struct trace *trace, struct trace_thread *thread, long number,
			 const struct user_regs_struct *registers)
{
	if (number == SYS_mremap || number == SYS_mprotect || number == SYS_pkey_mprotect ||
	    number == SYS_munmap ||
	    (number == SYS_mmap && (registers->r10 & (MAP_FIXED | MAP_FIXED_NOREPLACE))))
		return locked_open_range(trace, thread, registers->rdi,
					 registers->rdi + registers->rsi, true);
	if (number == SYS_madvise)
		return locked_open_range(trace, thread, registers->rdi,
					 registers->rdi + registers->rsi, false);
	return 0;
}

static int open_for(struct trace *trace, struct trace_thread *thread,
		    const struct user_regs_struct *registers)
{
	long number = (long)registers->rax;
	int error = open_mappings(trace, thread, number, registers);

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]) && !error; i++)
		if (writes[i].number == number)
			error = open_written(trace, thread, &writes[i], registers);
	if (!error && number == SYS_ioctl && (_IOC_DIR(registers->rsi) & _IOC_READ))
		error = open_bytes(trace, thread, registers->rdx, _IOC_SIZE(registers->rsi));
	if (!error && number == SYS_clone3)
		error = open_clone3(trace, thread, registers->rdi);
	return error ? error : agent_run(trace, thread);
}

/* To be made at once, seen at its begin and at its end. */
static int let_through(struct trace *trace, struct trace_thread *thread,
		       struct user_regs_struct *registers)
{
	agent_slot(trace, thread)->selector = 0;
	thread->passing = true;
	thread->entered = false;
	registers->rip -= 2;
	registers->orig_rax = (unsigned long long)-1;
	if (ptrace(PTRACE_SETREGS, thread->id, NULL, registers) < 0 ||
	    ptrace(PTRACE_SYSCALL, thread->id, NULL, NULL) < 0)
		return -errno;
	return 0;
}

static void give_up(struct trace *trace, long number, int error)
{
	if (!trace->ended && error != -ESRCH)
		node_fail(trace->node, 1, "node %d: cannot unlock what system call %ld writes: %s",
			  trace->node->rank, number, strerror(-error));
}

bool system_call_stop(struct trace *trace, struct trace_thread *thread)
{
	struct user_regs_struct registers;
	int error;

	if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
		return true;
	error = trace->locked ? open_for(trace, thread, &registers) : 0;
	if (!error)
		error = let_through(trace, thread, &registers);
	if (error)
		give_up(trace, (long)registers.rax, error);
	return true;
}

/* Makes the call again that has failed for an address it could not write to. */
static int try_again(struct trace *trace, struct trace_thread *thread,
		     struct user_regs_struct *registers)
{
	long number = (long)registers->orig_rax;
	int error = 0;

	if (thread->tries++ == 0) {
		for (unsigned i = 0; i < 6 && !error; i++)
			error = open_bytes(trace, thread, argument(registers, i), MANY);
	} else {
		error = locked_open_range(trace, thread, 0, UINT64_MAX - CAPTURE_PAGE, false);
	}
	if (!error)
		error = agent_run(trace, thread);
	if (error)
		return error;
	registers->rax = (unsigned long long)number;
	registers->rip -= 2;
	registers->orig_rax = (unsigned long long)-1;
	return ptrace(PTRACE_SETREGS, thread->id, NULL, registers) < 0 ? -errno : 0;
}

/* What the call that has just succeeded did to the mappings. */
static int follow(struct trace *trace, struct trace_thread *thread,
		  const struct user_regs_struct *registers)
{
	struct locked *locked = trace->protect;
	uint64_t result = registers->rax;

	switch (registers->orig_rax) {
	case SYS_mmap:
		return locked_add_fresh(trace, result, result + registers->rsi);
	case SYS_mremap:
		return locked_add_fresh(trace, result, result + registers->rdx);
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return locked_add_fresh(trace, registers->rdi, registers->rdi + registers->rsi);
	case SYS_brk:
		if (locked->brk && result > locked->brk)
			return locked_add_fresh(trace, locked->brk, result);
		locked->brk = result;
		break;
	case SYS_rt_sigaction:
		if (registers->rdi == SIGSEGV || registers->rdi == SIGSYS)
			return locked_query_actions(trace, thread);
		break;
	default:
		break;
	}
	if (changes_mappings((long)registers->orig_rax))
		locked->mappings_changed = true;
	return 0;
}

static bool succeeded(const struct user_regs_struct *registers)
{
	return registers->rax < (unsigned long long)-4095;
}

void system_call_passed(struct trace *trace, struct trace_thread *thread)
{
	struct user_regs_struct registers;
	int error = 0;

	if (!thread->entered) {
		thread->entered = true;
		return;
	}
	if (ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
		return;
	if (trace->locked && registers.rax == (unsigned long long)-EFAULT && thread->tries < 2) {
		error = try_again(trace, thread, &registers);
		thread->entered = false;
		if (error)
			give_up(trace, (long)registers.orig_rax, error);
		return;
	}
	thread->passing = false;
	thread->tries = 0;
	agent_slot(trace, thread)->selector = trace->locked ? SELECTOR_BLOCK : 0;
	if (trace->locked && succeeded(&registers))
		error = follow(trace, thread, &registers);
	if (error)
		give_up(trace, (long)registers.orig_rax, error);
}

/* Whether the program catches SIGNAL. */
static bool catches(const struct trace_thread *thread, int signal)
{
	return process_number(thread->id, "SigCgt", 16) >> (signal - 1) & 1;
}

static uint64_t frame_size(const struct trace_thread *thread)
{
	static char state[1 << 16];
	struct iovec to = {state, sizeof(state)};

	if (ptrace(PTRACE_GETREGSET, thread->id, (void *)0x202 /* NT_X86_XSTATE */, &to) < 0)
		return sizeof(state);
	return to.iov_len + FRAME_WITHOUT_STATE;
}

/* Where the frame of SIGNAL's handler will end. */
static uint64_t top_of_frame(struct trace *trace, struct trace_thread *thread, int signal)
{
	struct cape_agent_slot *slot = agent_slot(trace, thread);
	struct user_regs_struct registers;
	struct {
		uint64_t handler, flags;
	} action;
	stack_t stack;

	if (!agent_add(trace, thread, SYS_sigaltstack, 0,
		       agent_address(trace, thread, slot->scratch + SCRATCH_STACK), 0, 0) ||
	    !agent_add(trace, thread, SYS_rt_sigaction, (uint64_t)signal, 0,
		       agent_address(trace, thread, slot->scratch + SCRATCH_ACTION), 8) ||
	    agent_run(trace, thread) < 0 ||
	    ptrace(PTRACE_GETREGS, thread->id, NULL, &registers) < 0)
		return 0;
	memcpy(&stack, slot->scratch + SCRATCH_STACK, sizeof(stack));
	memcpy(&action, slot->scratch + SCRATCH_ACTION, sizeof(action));
	if ((action.flags & SA_ONSTACK) && !(stack.ss_flags & (SS_DISABLE | SS_ONSTACK)))
		return (uint64_t)(uintptr_t)stack.ss_sp + stack.ss_size;
	return registers.rsp - RED_ZONE;
}

void system_call_before_handler(struct trace *trace, struct trace_thread *thread,
				const siginfo_t *info)
{
	uint64_t top;
	int error;

	if ((info->si_signo == SIGSEGV || info->si_signo == SIGSYS) &&
	    (locked_restore_actions(trace, thread, info->si_code > 0) < 0 ||
	     agent_run(trace, thread) < 0))
		return;
	if (!catches(thread, info->si_signo))
		return;
	top = top_of_frame(trace, thread, info->si_signo);
	if (!top)
		return;
	error = locked_open(trace, thread, top - frame_size(thread), top);
	if (!error)
		error = agent_run(trace, thread);
	if (error)
		give_up(trace, SYS_rt_sigreturn, error);
}
