/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libraries.c - asks the dynamic linker that a program names.
 *
 * To start the program with LD_TRACE_LOADED_OBJECTS, as ldd does, would run a static one.
 */
#include "libraries.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include "ask.h"

#define LIST_SECONDS 15

/* Where the linker's path is, in the file of ELF. */
static bool find_linker(Elf *elf, GElf_Phdr *header)
{
	size_t count;

	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && i < INT_MAX; i++)
		if (gelf_getphdr(elf, (int)i, header) && header->p_type == PT_INTERP)
			return header->p_filesz < PATH_MAX;
	return false;
}

/* LINKER has PATH_MAX bytes. */
static bool read_linker(const char *path, char *linker)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	GElf_Phdr header;
	ssize_t got = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	if (elf) {
		if (find_linker(elf, &header))
			got = pread(file, linker, header.p_filesz, (off_t)header.p_offset);
		elf_end(elf);
	}
	if (file >= 0)
		close(file);
	linker[got > 0 ? got : 0] = '\0';
	return linker[0] == '/';
}

char *libraries_of(const char *path)
{
	char linker[PATH_MAX], *whole = realpath(path, NULL);
	const char *const words[] = {linker, "--list", whole, NULL};
	const struct question question = {.words = words};
	struct asked asked = {.status = -1};

	/* The linker takes what begins with a dash as its option. */
	if (whole && read_linker(whole, linker))
		ask_all(&question, &asked, 1, LIST_SECONDS);
	free(whole);
	free(asked.complaint);
	return asked.said;
}
