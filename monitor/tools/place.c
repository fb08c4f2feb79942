/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.c - looks a name up in the symbol tables of what is mapped, by libelf.
 */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core.h"
#include "maps.h"

#define PAGE 4096u

/* A variable or a function that is there, not thread-local: those have no address of their own. */
static bool is_placed(const GElf_Sym *symbol)
{
	const int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF &&
	       (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE);
}

static bool find_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name,
			  GElf_Sym *symbol)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; data && i < count && gelf_getsym(data, (int)i, symbol); i++) {
		const char *found = elf_strptr(elf, header->sh_link, symbol->st_name);

		if (found && is_placed(symbol) && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* What is to be added to the addresses of a file that begins at START in memory. */
static bool find_bias(Elf *elf, uint64_t start, uint64_t *bias)
{
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count;

	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &segment); i++)
		if (segment.p_type == PT_LOAD && segment.p_offset < PAGE) {
			*bias = start - segment.p_vaddr / PAGE * PAGE;
			return true;
		}
	return false;
}

/* What was found: where in memory, and how large. */
struct place {
	uint64_t address, size;
};

static bool find_in_elf(Elf *elf, uint64_t start, const char *name, struct place *place)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	uint64_t bias;

	if (!find_bias(elf, start, &bias))
		return false;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    find_in_table(elf, section, &header, name, &symbol)) {
			*place = (struct place){bias + symbol.st_value, symbol.st_size};
			return true;
		}
	return false;
}

/* The file as the process knows it, which may have another root; no device is opened. */
static bool find_in_file(pid_t pid, const struct maps_line *line, const char *name,
			 struct place *place)
{
	char path[PATH_MAX];
	struct stat status;
	bool found = false;
	Elf *elf;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/root%.*s", pid, line->name_length, line->name);
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return false;
	elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		found = find_in_elf(elf, line->start, name, place);
	elf_end(elf);
	close(file);
	return found;
}

static int find_name(pid_t pid, const char *name, struct place *place)
{
	struct core_facts facts;
	struct maps maps;
	int error = core_save(&facts, pid);

	if (error)
		return error;
	elf_version(EV_CURRENT);
	error = maps_parse(&maps, facts.maps);
	if (!error) {
		error = ENOENT;
		for (size_t i = 0; error && i < maps.count; i++)
			if (maps.line[i].name[0] == '/' && maps.line[i].offset == 0 &&
			    find_in_file(pid, &maps.line[i], name, place))
				error = 0;
		maps_free(&maps);
	}
	core_free(&facts);
	return error;
}

int place_find(pid_t pid, const char *text, uint64_t *address, uint64_t *size)
{
	const char *plus = strchr(text, '+');
	struct place place = {0};
	uint64_t bytes = 0;
	char *name, *end;
	int error;

	if (plus) {
		errno = 0;
		bytes = strtoull(plus + 1, &end, 0);
		if (plus[1] < '0' || plus[1] > '9' || *end || errno)
			return ENOENT;
	}
	name = strndup(text, plus ? (size_t)(plus - text) : strlen(text));
	if (!name)
		return ENOMEM;
	error = *name ? find_name(pid, name, &place) : ENOENT;
	free(name);
	if (error)
		return error;
	*address = place.address + bytes;
	if (size)
		*size = place.size > bytes ? place.size - bytes : 0;
	return 0;
}
