/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * cape_stack.h - records with the registers and a copy of the stack: what the attach descriptors of
 * cape.h understand in place of CAPE_MAKE_RECORDER.
 *
 * The callers that struct cape_record has are found by frame pointers, which most programs are
 * compiled without.  With what is added here the reader finds them by the program's debug
 * information (DWARF: .eh_frame), as perf record --call-graph=dwarf does.
 */
#ifndef _UAPI_CAPE_STACK_H
#define _UAPI_CAPE_STACK_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include "cape.h"

#define CAPE_REGISTERS		17
#define CAPE_REGISTER_STACK	7	/* rsp */
#define CAPE_STACK_MOST		32768
#define CAPE_RING_MOST		(256UL << 20)

/**
 * struct cape_record_stack - what a record has, too, at stack_offset of struct cape_record_header
 * @registers: of the thread in user mode at @instruction, as DWARF numbers them: rax, rdx, rcx,
 *	rbx, rsi, rdi, rbp, rsp, r8 to r15, rip
 * @length: bytes at @stack, at most @stack_bytes of struct cape_make_stack_recorder; less if the
 *	stack ends before that or is not in memory; none of a thread of the kernel (io_uring), nor
 *	of 32-bit code, nor if the tracer may not read it: see struct cape_record
 * @reserved: zero
 * @stack: what is at rsp, after the write with CAPE_RECORD_WATCHED, before it without
 */
struct cape_record_stack {
	__u64 registers[CAPE_REGISTERS];
	__u32 length;
	__u32 reserved;
	__u8 stack[];
};

/**
 * struct cape_make_stack_recorder - CAPE_MAKE_STACK_RECORDER: as CAPE_MAKE_RECORDER, with stacks
 * @record_count: in, records in the ring, a power of two, CAPE_RECORDS_LEAST to CAPE_RECORDS_MOST
 * @stack_bytes: in, bytes of the stack in each record, a multiple of 8, 8 to CAPE_STACK_MOST
 * @flags: in, must be zero
 * @reserved: in, must be zero
 *
 * All is as at struct cape_make_recorder, but stack_offset and record_size of struct
 * cape_record_header: a record has at stack_offset a struct cape_record_stack, and after that
 * @stack_bytes.  EINVAL, too: more than CAPE_RING_MOST bytes for the records.
 */
struct cape_make_stack_recorder {
	__u32 record_count;
	__u32 stack_bytes;
	__u32 flags;
	__u32 reserved;
};

/* On an attach descriptor. */
#define CAPE_MAKE_STACK_RECORDER _IOW(CAPE_IOCTL_TYPE, 0x31, struct cape_make_stack_recorder)

#endif /* _UAPI_CAPE_STACK_H */
