/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc.h - what libcape calls of the C library, under names that no program has.
 *
 * A C program may well have a function read() or a variable close of its own; these must not become
 * what libcape calls.  glibc has the same functions under names that are reserved, too.
 */
#ifndef CAPE_RUNTIME_LIBC_H
#define CAPE_RUNTIME_LIBC_H

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int close(int descriptor) __asm__("__close");
int dup2(int from, int to) __asm__("__dup2");
int fcntl(int descriptor, int command, ...) __asm__("__fcntl");
off_t lseek(int descriptor, off_t offset, int whence) __asm__("__lseek");
ssize_t pread(int descriptor, void *data, size_t size, off_t offset) __asm__("__pread64");
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) __asm__("__pwrite64");
ssize_t read(int descriptor, void *data, size_t size) __asm__("__read");
pid_t waitpid(pid_t process, int *status, int options) __asm__("__waitpid");
ssize_t write(int descriptor, const void *data, size_t size) __asm__("__write");

#endif
