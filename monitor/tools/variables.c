/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variables.c - the static variables of one file at a time, sorted.
 */
#include "variables.h"

#include <stdbool.h>
#include <stdlib.h>
#include "common/list.h"

static int compare(const void *one, const void *other)
{
	const struct variable *left = one, *right = other;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->end < right->end ? 1 : left->end > right->end ? -1 : 0;
}

/* False: without memory. */
static bool add(struct variables *variables, const struct variable *variable)
{
	struct variable *list =
		list_room(variables->list, variables->count, &variables->capacity, sizeof(*list));

	if (!list)
		return false;
	variables->list = list;
	list[variables->count++] = *variable;
	return true;
}

/* A second name of a variable, or a part of it that has a name, says nothing more. */
static void leave_out_parts(struct variables *variables)
{
	size_t kept = 0;

	for (size_t i = 0; i < variables->count; i++)
		if (kept == 0 || variables->list[i].start >= variables->list[kept - 1].end)
			variables->list[kept++] = variables->list[i];
	variables->count = kept;
}

static void load(struct variables *variables, Dwfl_Module *module)
{
	const int symbols = module ? dwfl_module_getsymtab(module) : 0;

	variables->module = module;
	variables->count = 0;
	for (int i = 1; i < symbols; i++) {
		struct variable variable;
		GElf_Sym symbol;

		variable.name = dwfl_module_getsym_info(module, i, &symbol, &variable.start, NULL,
							NULL, NULL);
		variable.end = variable.start + symbol.st_size;
		if (variable.name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
		    symbol.st_shndx != SHN_UNDEF && variable.end > variable.start &&
		    !add(variables, &variable))
			break;
	}
	if (variables->count)
		qsort(variables->list, variables->count, sizeof(*variables->list), compare);
	leave_out_parts(variables);
}

/* The first that ends after ADDRESS. */
static size_t first_after(const struct variables *variables, uint64_t address)
{
	size_t low = 0, high = variables->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (variables->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct variable *variables_find(struct variables *variables, uint64_t start, uint64_t end,
				      size_t *count)
{
	Dwfl_Module *module = variables->naming ? naming_variables(variables->naming, start) : NULL;
	size_t first, last;

	if (module != variables->module)
		load(variables, module);
	first = last = first_after(variables, start);
	while (last < variables->count && variables->list[last].start < end)
		last++;
	*count = last - first;
	return variables->list + first;
}

void variables_free(struct variables *variables)
{
	free(variables->list);
	*variables = (struct variables){0};
}
