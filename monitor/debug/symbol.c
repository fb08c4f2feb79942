/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol.c - names for addresses, from the symbol table (libelf) and debug information.
 */
#include "symbol.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "debug_info.h"

static void look_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t address,
			  struct symbol *found)
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
		found->size = symbol.st_size;
		return;
	}
}

static void look_in_symbols(Elf *elf, uint64_t address, struct symbol *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (!found->size && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			look_in_table(elf, section, &header, address, found);
}

bool symbol_find(const char *program, uint64_t address, struct symbol *symbol)
{
	int file = open(program, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	*symbol = (struct symbol){.start = 0};
	elf_version(EV_CURRENT);
	elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	if (elf)
		look_in_symbols(elf, address, symbol);
	elf_end(elf);
	if (file >= 0)
		close(file);
	return symbol->size > 0;
}

void symbol_name(const char *program, uint64_t address, uint64_t load_bias, char *text, size_t size)
{
	struct debug_variable variable;
	struct debug_info info;
	struct symbol found;
	char declared[160] = "";

	if (!symbol_find(program, address - load_bias, &found)) {
		snprintf(text, size, "memory at %#llx", (unsigned long long)address);
		return;
	}
	debug_info_open(&info, program);
	if (debug_variable_at(&info, found.start, &variable))
		snprintf(declared, sizeof(declared), " (declared at %s:%d)", variable.file,
			 variable.line);
	debug_info_close(&info);
	if (address - load_bias == found.start)
		snprintf(text, size, "variable '%s'%s", found.name, declared);
	else
		snprintf(text, size, "variable '%s' + %llu%s", found.name,
			 (unsigned long long)(address - load_bias - found.start), declared);
}
