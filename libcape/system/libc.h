/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc.h - what libcape calls of the C library, under names that no program has.
 *
 * A C program may well have a function read() or a variable fileno of its own; these must not
 * become what libcape calls.  Of some functions glibc has a second, reserved name; the others are
 * in libc.c.  What ISO C defines needs neither.
 */
#ifndef CAPE_CHECKPOINT_LIBC_H
#define CAPE_CHECKPOINT_LIBC_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int close(int descriptor) __asm__("__close");
int dup2(int from, int to) __asm__("__dup2");
int fcntl(int descriptor, int command, ...) __asm__("__fcntl");
int cape_own_fclose(FILE *stream) __asm__("_IO_fclose");
int cape_own_fflush(FILE *stream) __asm__("_IO_fflush");
FILE *fdopen(int descriptor, const char *mode) __asm__("_IO_fdopen");
void flockfile(FILE *stream) __asm__("_IO_flockfile");
int ftrylockfile(FILE *stream) __asm__("_IO_ftrylockfile");
void funlockfile(FILE *stream) __asm__("_IO_funlockfile");
unsigned long getauxval(unsigned long type) __asm__("__getauxval");
off_t lseek(int descriptor, off_t offset, int whence) __asm__("__lseek");
ssize_t pread(int descriptor, void *data, size_t size, off_t offset) __asm__("__pread64");
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) __asm__("__pwrite64");
ssize_t read(int descriptor, void *data, size_t size) __asm__("__read");
pid_t vfork(void) __asm__("__vfork");
pid_t waitpid(pid_t process, int *status, int options) __asm__("__waitpid");
ssize_t write(int descriptor, const void *data, size_t size) __asm__("__write");

/* In libc.c. */
int dprintf(int descriptor, const char *format, ...) __asm__("cape_libc_dprintf");
int fileno(FILE *stream) __asm__("cape_libc_fileno");
int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) __asm__("cape_libc_getrlimit");
int ioctl(int descriptor, unsigned long request, ...) __asm__("cape_libc_ioctl");
int madvise(void *start, size_t length, int advice) __asm__("cape_libc_madvise");
int memfd_create(const char *name, unsigned int flags) __asm__("cape_libc_memfd_create");
void *mmap(void *start, size_t length, int protection, int flags, int descriptor,
	   off_t offset) __asm__("cape_libc_mmap");
void *mremap(void *start, size_t length, size_t new_length, int flags,
	     ...) __asm__("cape_libc_mremap");
int mprotect(void *start, size_t length, int protection) __asm__("cape_libc_mprotect");
int munmap(void *start, size_t length) __asm__("cape_libc_munmap");
int pipe2(int side[2], int flags) __asm__("cape_libc_pipe2");
int sched_getcpu(void) __asm__("cape_libc_sched_getcpu");
char *strerror(int number) __asm__("cape_libc_strerror");
int strncasecmp(const char *a, const char *b, size_t length) __asm__("cape_libc_strncasecmp");
long syscall(long number, ...) __asm__("cape_libc_syscall");

/* Copies SIZE bytes of this program's memory from FROM, if they are all there; else 0 or -errno,
 * and errno stays. */
ssize_t cape_copy_if_there(void *to, const void *from, size_t size);

#endif
