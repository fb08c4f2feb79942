// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_hooks.c - what the compiler's -fsanitize=thread calls, in place of ThreadSanitizer's run
 * time.  Linked only into programs that were built with --check-races or --check-sets.
 */
#include <string.h>
#include "races/check.h"
#include "base/context.h"
#include "sets/check.h"

/* The compiler knows their names and types. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* What describes a loop reads variables of the program, whoever else writes them. */
static inline void report(const volatile void *address, uint64_t size, unsigned access,
			  const void *code)
{
	if (cape_sets_is_telling())
		return;
	cape_sets_access((uint64_t)(uintptr_t)address, size, access & CAPE_CONFLICT_WRITE, code);
	cape_check_access(cape_runtime, (uint64_t)(uintptr_t)address, size, access, code);
}

#define REPORT(address, size, access)                                                              \
	report((address), (size), (access), __builtin_return_address(0))

#define ACCESS(name, size, access)                                                                 \
	CAPE_EXPORT void __tsan_##name(const volatile void *address)                               \
	{                                                                                          \
		REPORT(address, size, access);                                                     \
	}

#define ACCESSES(size)                                                                             \
	ACCESS(read##size, size, CAPE_CONFLICT_READ)                                               \
	ACCESS(write##size, size, CAPE_CONFLICT_WRITE)                                             \
	ACCESS(unaligned_read##size, size, CAPE_CONFLICT_READ)                                     \
	ACCESS(unaligned_write##size, size, CAPE_CONFLICT_WRITE)                                   \
	ACCESS(volatile_read##size, size, CAPE_CONFLICT_READ)                                      \
	ACCESS(volatile_write##size, size, CAPE_CONFLICT_WRITE)                                    \
	ACCESS(read_write##size, size, CAPE_CONFLICT_WRITE)                                        \
	ACCESS(unaligned_read_write##size, size, CAPE_CONFLICT_WRITE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

CAPE_EXPORT void __tsan_read_range(const volatile void *address, unsigned long size)
{
	REPORT(address, size, CAPE_CONFLICT_READ);
}

CAPE_EXPORT void __tsan_write_range(const volatile void *address, unsigned long size)
{
	REPORT(address, size, CAPE_CONFLICT_WRITE);
}

CAPE_EXPORT void __tsan_init(void)
{
	cape_check_ask();
}

CAPE_EXPORT void __tsan_func_entry(const void *caller)
{
	(void)caller;
}

CAPE_EXPORT void __tsan_func_exit(void)
{
}

/* Clang's, for what would be calls of the C library. */
CAPE_EXPORT void *__tsan_memcpy(void *to, const void *from, unsigned long size)
{
	REPORT(from, size, CAPE_CONFLICT_READ);
	REPORT(to, size, CAPE_CONFLICT_WRITE);
	return memcpy(to, from, size);
}

CAPE_EXPORT void *__tsan_memmove(void *to, const void *from, unsigned long size)
{
	REPORT(from, size, CAPE_CONFLICT_READ);
	REPORT(to, size, CAPE_CONFLICT_WRITE);
	return memmove(to, from, size);
}

CAPE_EXPORT void *__tsan_memset(void *to, int value, unsigned long size)
{
	REPORT(to, size, CAPE_CONFLICT_WRITE);
	return memset(to, value, size);
}

/* The compilers' atomics.  Between nodes they are atomic constructs (cape_sync.h). */
#define ATOMIC_READ  (CAPE_CONFLICT_ATOMIC | CAPE_CONFLICT_READ)
#define ATOMIC_WRITE (CAPE_CONFLICT_ATOMIC | CAPE_CONFLICT_WRITE)

#define FETCH(bits, type, name)                                                                    \
	CAPE_EXPORT type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value,         \
							    int order)                             \
	{                                                                                          \
		(void)order;                                                                       \
		REPORT(at, sizeof(type), ATOMIC_WRITE);                                            \
		return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST);                         \
	}

#define EXCHANGE(bits, type, name)                                                                 \
	CAPE_EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                             \
		volatile type *at, type *expected, type value, int order, int failed)              \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failed;                                                                      \
		REPORT(at, sizeof(type), ATOMIC_WRITE);                                            \
		return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,       \
						   __ATOMIC_SEQ_CST);                              \
	}

#define ATOMICS(bits, type)                                                                        \
	CAPE_EXPORT type __tsan_atomic##bits##_load(const volatile type *at, int order)            \
	{                                                                                          \
		(void)order;                                                                       \
		REPORT(at, sizeof(type), ATOMIC_READ);                                             \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                      \
	}                                                                                          \
	CAPE_EXPORT void __tsan_atomic##bits##_store(volatile type *at, type value, int order)     \
	{                                                                                          \
		(void)order;                                                                       \
		REPORT(at, sizeof(type), ATOMIC_WRITE);                                            \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                     \
	}                                                                                          \
	CAPE_EXPORT type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order)  \
	{                                                                                          \
		(void)order;                                                                       \
		REPORT(at, sizeof(type), ATOMIC_WRITE);                                            \
		return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                           \
	}                                                                                          \
	CAPE_EXPORT type __tsan_atomic##bits##_compare_exchange_val(                               \
		volatile type *at, type expected, type value, int order, int failed)               \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failed;                                                                      \
		REPORT(at, sizeof(type), ATOMIC_WRITE);                                            \
		__atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST,             \
					    __ATOMIC_SEQ_CST);                                     \
		return expected;                                                                   \
	}                                                                                          \
	EXCHANGE(bits, type, strong)                                                               \
	EXCHANGE(bits, type, weak)                                                                 \
	FETCH(bits, type, add)                                                                     \
	FETCH(bits, type, sub)                                                                     \
	FETCH(bits, type, and)                                                                     \
	FETCH(bits, type, or)                                                                      \
	FETCH(bits, type, xor)                                                                     \
	FETCH(bits, type, nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

CAPE_EXPORT void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

CAPE_EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
