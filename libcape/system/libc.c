/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc.c - those of the C library's functions that have no reserved name: mostly system calls.
 *
 * They behave as the C library's do, except that dprintf() writes no more than a kilobyte or two
 * and mremap() does not move memory to a given address.
 */
#include "system/libc.h"

#include <ctype.h>
#include <errno.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#define PRINTED_MOST 2048

char *__strerror_r(int number, char *text, size_t size);

/* x86-64: the system call's arguments are the last six. */
static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	register long sixth __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	if ((unsigned long)result < -4095ul)
		return result;
	errno = (int)-result;
	return -1;
}

long syscall(long number, ...)
{
	va_list arguments;
	long argument[6];

	/* Of those that the caller did not give, the kernel takes none. */
	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(arguments, long);
	va_end(arguments);
	return call(number, argument[0], argument[1], argument[2], argument[3], argument[4],
		    argument[5]);
}

void *mmap(void *start, size_t length, int protection, int flags, int descriptor, off_t offset)
{
	return (void *)call(SYS_mmap, (long)start, (long)length, protection, flags, descriptor,
			    offset);
}

void *mremap(void *start, size_t length, size_t new_length, int flags, ...)
{
	return (void *)call(SYS_mremap, (long)start, (long)length, (long)new_length, flags, 0, 0);
}

int mprotect(void *start, size_t length, int protection)
{
	return (int)call(SYS_mprotect, (long)start, (long)length, protection, 0, 0, 0);
}

int munmap(void *start, size_t length)
{
	return (int)call(SYS_munmap, (long)start, (long)length, 0, 0, 0, 0);
}

int madvise(void *start, size_t length, int advice)
{
	return (int)call(SYS_madvise, (long)start, (long)length, advice, 0, 0, 0);
}

int memfd_create(const char *name, unsigned int flags)
{
	return (int)call(SYS_memfd_create, (long)name, flags, 0, 0, 0, 0);
}

int pipe2(int side[2], int flags)
{
	return (int)call(SYS_pipe2, (long)side, flags, 0, 0, 0, 0);
}

int ioctl(int descriptor, unsigned long request, ...)
{
	va_list arguments;
	long argument;

	va_start(arguments, request);
	argument = va_arg(arguments, long);
	va_end(arguments);
	return (int)call(SYS_ioctl, descriptor, (long)request, argument, 0, 0, 0);
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	return (int)call(SYS_prlimit64, 0, resource, 0, (long)limit, 0, 0);
}

/* What the kernel keeps up to date for each thread, at the address that the C library has set. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

int sched_getcpu(void)
{
	unsigned int processor = 0;

	if (&__rseq_offset && &__rseq_size && __rseq_size) {
		const char *thread = (const char *)pthread_self();
		const struct rseq *own = (const struct rseq *)(thread + __rseq_offset);
		int known = (int)__atomic_load_n(&own->cpu_id, __ATOMIC_RELAXED);

		if (known >= 0)
			return known;
	}
	return call(SYS_getcpu, (long)&processor, 0, 0, 0, 0, 0) < 0 ? -1 : (int)processor;
}

int fileno(FILE *stream)
{
	return stream->_fileno;
}

char *strerror(int number)
{
	static char text[64];

	return __strerror_r(number, text, sizeof(text));
}

int strncasecmp(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		int difference = tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);

		if (difference || !a[i])
			return difference;
	}
	return 0;
}

int dprintf(int descriptor, const char *format, ...)
{
	char text[PRINTED_MOST];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0)
		return -1;
	if (length >= PRINTED_MOST)
		length = PRINTED_MOST - 1;
	return (int)write(descriptor, text, (size_t)length);
}

ssize_t cape_copy_if_there(void *to, const void *from, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
	int saved = errno;
	ssize_t got =
		syscall(SYS_process_vm_readv, syscall(SYS_getpid), &here, 1ul, &there, 1ul, 0ul);

	if (got < 0)
		got = -errno;
	errno = saved;
	return got;
}
