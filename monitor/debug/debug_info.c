/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_info.c - finding variables and lines in a program's debug information.
 */
#include "debug_info.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls EACH for every compiled source until it gives true. */
static bool each_unit(const struct debug_info *info, bool (*each)(Dwarf_Die *unit, void *context),
		      void *context)
{
	Dwarf_Off offset = 0, next;
	size_t header_size;
	bool done = false;

	while (info->dwarf && !done &&
	       dwarf_nextcu(info->dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;

		done = dwarf_offdie(info->dwarf, offset + header_size, &unit) &&
		       each(&unit, context);
		offset = next;
	}
	return done;
}

void debug_info_open(struct debug_info *info, const char *program)
{
	info->thread_storage = 0;
	info->file = open(program, O_RDONLY | O_CLOEXEC);
	info->dwarf = info->file >= 0 ? dwarf_begin(info->file, DWARF_C_READ) : NULL;
}

void debug_info_close(struct debug_info *info)
{
	dwarf_end(info->dwarf);
	if (info->file >= 0)
		close(info->file);
}

/* What is looked for: a variable at START, or, where that is 0, NAME before LINE of FILE. */
struct search {
	uint64_t start, thread_storage;
	const char *name;
	const char *file;
	int line;
	struct debug_variable *found;
	bool any;
};

static bool is_thread_local(const Dwarf_Op *operation, size_t length)
{
	return length == 2 && (operation[1].atom == DW_OP_GNU_push_tls_address ||
			       operation[1].atom == DW_OP_form_tls_address);
}

/* Where a variable lies whose location is a plain address, or one in THREAD_STORAGE. */
static bool has_address(Dwarf_Die *die, uint64_t thread_storage, uint64_t *start)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operation;
	size_t length;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &operation, &length) != 0)
		return false;
	*start = operation[0].number;
	if (thread_storage && is_thread_local(operation, length)) {
		*start += thread_storage;
		return true;
	}
	return length == 1 && operation[0].atom == DW_OP_addr;
}

static bool is_at(Dwarf_Die *die, const struct search *search)
{
	uint64_t own;

	return has_address(die, search->thread_storage, &own) && own == search->start;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_named(Dwarf_Die *die, const struct search *search)
{
	const char *name = dwarf_diename(die), *file = dwarf_decl_file(die);
	int line;

	return name && file && strcmp(name, search->name) == 0 &&
	       strcmp(base_name(file), base_name(search->file)) == 0 &&
	       dwarf_decl_line(die, &line) == 0 && line <= search->line &&
	       (!search->any || line > search->found->line);
}

static bool describe(Dwarf_Die *die, struct debug_variable *variable)
{
	Dwarf_Attribute attribute;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &variable->type))
		return false;
	variable->name = dwarf_diename(die);
	variable->file = dwarf_decl_file(die);
	return variable->name && variable->file && dwarf_decl_line(die, &variable->line) == 0;
}

static void take(Dwarf_Die *die, struct search *search)
{
	search->any = describe(die, search->found) || search->any;
}

static void look(Dwarf_Die *die, struct search *search)
{
	int tag = dwarf_tag(die);
	Dwarf_Die child;

	if ((tag == DW_TAG_variable && search->start && is_at(die, search)) ||
	    ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && !search->start &&
	     is_named(die, search)))
		take(die, search);
	if (dwarf_child(die, &child) != 0)
		return;
	do
		look(&child, search);
	while (!(search->start && search->any) && dwarf_siblingof(&child, &child) == 0);
}

static bool look_in_unit(Dwarf_Die *unit, void *context)
{
	struct search *search = context;

	look(unit, search);
	return search->any && search->start;
}

bool debug_variable_at(const struct debug_info *info, uint64_t start,
		       struct debug_variable *variable)
{
	struct search search = {
		.start = start, .thread_storage = info->thread_storage, .found = variable};

	each_unit(info, look_in_unit, &search);
	return search.any;
}

struct tour {
	void (*visit)(void *context, uint64_t start, const struct debug_variable *variable);
	void *context;
	uint64_t thread_storage;
};

static void tour_die(Dwarf_Die *die, const struct tour *tour)
{
	struct debug_variable variable;
	Dwarf_Die child;
	uint64_t start;

	if (dwarf_tag(die) == DW_TAG_variable && has_address(die, tour->thread_storage, &start) &&
	    describe(die, &variable))
		tour->visit(tour->context, start, &variable);
	if (dwarf_child(die, &child) != 0)
		return;
	do
		tour_die(&child, tour);
	while (dwarf_siblingof(&child, &child) == 0);
}

/* The run time is linked into the program, but is none of it. */
static bool is_run_time(Dwarf_Die *unit)
{
	const char *name = dwarf_diename(unit);

	return name && strncmp(name, "libcape/", strlen("libcape/")) == 0;
}

static bool tour_unit(Dwarf_Die *unit, void *context)
{
	if (!is_run_time(unit))
		tour_die(unit, context);
	return false;
}

void debug_each_variable(const struct debug_info *info,
			 void (*visit)(void *context, uint64_t start,
				       const struct debug_variable *variable),
			 void *context)
{
	struct tour tour = {visit, context, info->thread_storage};

	each_unit(info, tour_unit, &tour);
}

bool debug_variable_named(const struct debug_info *info, const char *name, const char *file,
			  int line, struct debug_variable *variable)
{
	struct search search = {.name = name, .file = file, .line = line, .found = variable};

	each_unit(info, look_in_unit, &search);
	return search.any;
}

struct place {
	uint64_t code;
	char *text;
	size_t size;
};

static bool line_in_unit(Dwarf_Die *unit, void *context)
{
	const struct place *place = context;
	Dwarf_Line *line;
	const char *file;
	int number;

	if (dwarf_haspc(unit, place->code) != 1)
		return false;
	line = dwarf_getsrc_die(unit, place->code);
	file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) != 0)
		return false;
	snprintf(place->text, place->size, "%s:%d", base_name(file), number);
	return true;
}

/*
 * The innermost function below DIE, be it inlined there, that has CODE.  What a compiler makes of a
 * region's block is below the function around it, whose code has other addresses.
 */
static bool find_function(Dwarf_Die *die, Dwarf_Addr code, Dwarf_Die *found)
{
	bool any = false;
	Dwarf_Die child;
	int more = dwarf_child(die, &child);

	for (; more == 0; more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;

		if (is_function && dwarf_haspc(&child, code) > 0) {
			*found = child;
			any = true;
		}
		if (is_function || tag == DW_TAG_lexical_block)
			any |= find_function(&child, code, found);
	}
	return any;
}

static bool function_in_unit(Dwarf_Die *unit, void *context)
{
	const struct place *place = context;
	const char *name, *end;
	Dwarf_Die function;

	if (dwarf_haspc(unit, place->code) <= 0 || !find_function(unit, place->code, &function))
		return false;
	name = dwarf_diename(&function);
	if (!name)
		return false;
	end = strstr(name, "._omp_fn.");
	snprintf(place->text, place->size, "%.*s", (int)(end ? end - name : (long)strlen(name)),
		 name[0] == '.' ? "" : name);
	return true;
}

bool debug_function(const struct debug_info *info, uint64_t code, char *text, size_t size)
{
	struct place place = {code - 1, text, size};

	return each_unit(info, function_in_unit, &place);
}

struct large {
	uint64_t code, size;
	struct debug_variable *variable;
};

static void find_large(Dwarf_Die *die, struct large *large)
{
	struct debug_variable variable;
	Dwarf_Word size;
	Dwarf_Die child;

	if (dwarf_tag(die) == DW_TAG_variable && !has_address(die, 0, &(uint64_t){0}) &&
	    describe(die, &variable) && dwarf_aggregate_size(&variable.type, &size) == 0 &&
	    size > large->size) {
		*large->variable = variable;
		large->size = size;
	}
	if (dwarf_child(die, &child) != 0)
		return;
	do
		find_large(&child, large);
	while (dwarf_siblingof(&child, &child) == 0);
}

static bool large_in_unit(Dwarf_Die *unit, void *context)
{
	struct large *large = context;
	Dwarf_Die function;

	if (dwarf_haspc(unit, large->code) <= 0 || !find_function(unit, large->code, &function))
		return false;
	find_large(&function, large);
	return true;
}

bool debug_large_variable(const struct debug_info *info, uint64_t code,
			  struct debug_variable *variable, uint64_t *size)
{
	struct large large = {.code = code - 1, .variable = variable};

	each_unit(info, large_in_unit, &large);
	*size = large.size;
	return large.size > 0;
}

bool debug_line(const struct debug_info *info, uint64_t code, char *text, size_t size)
{
	struct place place = {code - 1, text, size};

	return each_unit(info, line_in_unit, &place);
}
