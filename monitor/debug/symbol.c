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

/* What is done with each static variable; it returns whether to look on. */
struct visit {
	bool (*at)(struct visit *visit, const char *name, const GElf_Sym *symbol);
	uint64_t thread_storage;
	uint64_t address; /* that is looked for */
	struct symbol *found;
	void (*each)(void *context, uint64_t start, uint64_t size);
	void *context;
};

static bool is_variable(const GElf_Sym *symbol, const struct visit *visit)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return type == STT_OBJECT || (type == STT_TLS && visit->thread_storage);
}

static bool visit_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct visit *visit)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; data && i < count; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) || !is_variable(&symbol, visit))
			continue;
		if (GELF_ST_TYPE(symbol.st_info) == STT_TLS)
			symbol.st_value += visit->thread_storage;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && !visit->at(visit, name, &symbol))
			return false;
	}
	return true;
}

static void visit_symbols(const char *program, struct visit *visit)
{
	int file = open(program, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool more = true;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	while (elf && more && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			more = visit_table(elf, section, &header, visit);
	elf_end(elf);
	if (file >= 0)
		close(file);
}

static bool compare(struct visit *visit, const char *name, const GElf_Sym *symbol)
{
	if (visit->address < symbol->st_value ||
	    visit->address - symbol->st_value >= symbol->st_size)
		return true;
	snprintf(visit->found->name, sizeof(visit->found->name), "%s", name);
	visit->found->start = symbol->st_value;
	visit->found->size = symbol->st_size;
	return false;
}

bool symbol_find(const char *program, uint64_t thread_storage, uint64_t address,
		 struct symbol *symbol)
{
	struct visit visit = {.at = compare,
			      .thread_storage = thread_storage,
			      .address = address,
			      .found = symbol};

	*symbol = (struct symbol){.start = 0};
	visit_symbols(program, &visit);
	return symbol->size > 0;
}

static bool hand_on(struct visit *visit, const char *name, const GElf_Sym *symbol)
{
	(void)name;
	visit->each(visit->context, symbol->st_value, symbol->st_size);
	return true;
}

void symbol_each(const char *program, uint64_t thread_storage,
		 void (*visit)(void *context, uint64_t start, uint64_t size), void *context)
{
	visit_symbols(program, &(struct visit){.at = hand_on,
					       .thread_storage = thread_storage,
					       .each = visit,
					       .context = context});
}

void symbol_name(const char *program, uint64_t address, uint64_t load_bias, char *text, size_t size)
{
	struct debug_variable variable;
	struct debug_info info;
	struct symbol found;
	char declared[160] = "";

	if (!symbol_find(program, 0, address - load_bias, &found)) {
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
