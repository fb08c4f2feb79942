/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol.c - names for addresses, from the symbol table (libelf) and DWARF (libdw).
 */
#include "symbol.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct found {
	char name[128];
	uint64_t start;
	bool known;
};

static void look_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t address,
			  struct found *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; data && i < count; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || address < symbol.st_value ||
		    address - symbol.st_value >= symbol.st_size)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name)
			continue;
		snprintf(found->name, sizeof(found->name), "%s", name);
		found->start = symbol.st_value;
		found->known = true;
		return;
	}
}

static void look_in_symbols(Elf *elf, uint64_t address, struct found *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (!found->known && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			look_in_table(elf, section, &header, address, found);
}

/* A variable whose location is the plain address START. */
static bool is_at(Dwarf_Die *die, uint64_t start)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operation;
	size_t length;

	return dwarf_tag(die) == DW_TAG_variable && dwarf_attr(die, DW_AT_location, &attribute) &&
	       dwarf_getlocation(&attribute, &operation, &length) == 0 && length == 1 &&
	       operation[0].atom == DW_OP_addr && operation[0].number == start;
}

/* Where the variable is declared: at file scope, or static in a block. */
static bool find_line(Dwarf_Die *die, uint64_t start, const char **file, int *line)
{
	Dwarf_Die child;

	if (is_at(die, start)) {
		*file = dwarf_decl_file(die);
		return dwarf_decl_line(die, line) == 0 && *file;
	}
	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		if (find_line(&child, start, file, line))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool find_declaration(Elf *elf, uint64_t start, char *text, size_t size)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_Off offset = 0, next;
	size_t header_size;
	const char *file;
	bool found = false;
	int line;

	while (dwarf && !found &&
	       dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
		Dwarf_Die die;

		found = dwarf_offdie(dwarf, offset + header_size, &die) &&
			find_line(&die, start, &file, &line);
		offset = next;
	}
	if (found)
		snprintf(text, size, " (declared at %s:%d)", file, line);
	dwarf_end(dwarf);
	return found;
}

void symbol_name(const char *program, uint64_t address, uint64_t load_bias, char *text, size_t size)
{
	struct found found = {.known = false};
	char declared[160] = "";
	int file = open(program, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	if (elf) {
		look_in_symbols(elf, address - load_bias, &found);
		if (found.known)
			find_declaration(elf, found.start, declared, sizeof(declared));
	}
	if (!found.known)
		snprintf(text, size, "memory at %#llx", (unsigned long long)address);
	else if (address - load_bias == found.start)
		snprintf(text, size, "variable '%s'%s", found.name, declared);
	else
		snprintf(text, size, "variable '%s' + %llu%s", found.name,
			 (unsigned long long)(address - load_bias - found.start), declared);
	elf_end(elf);
	if (file >= 0)
		close(file);
}
