/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming.c - names addresses by symbol tables and debug information, with libdwfl.
 */
#include "naming.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "system/ranges.h"

/* The mappings may name anything: no device is opened, and nothing that would have to be awaited.
 */
static int find_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
		     char **path, Elf **elf)
{
	struct stat status;
	int file;

	(void)module;
	(void)data;
	(void)start;
	*elf = NULL;
	if (name[0] != '/' || stat(name, &status) < 0 || !S_ISREG(status.st_mode))
		return -1;
	file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file >= 0)
		*path = strdup(name);
	return file;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_file,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static int report_files(Dwfl *files, const char *text)
{
	FILE *lines = *text ? fmemopen((void *)text, strlen(text), "r") : NULL;
	int error = lines ? 0 : EPROTO;

	dwfl_report_begin(files);
	if (lines && dwfl_linux_proc_maps_report(files, lines) != 0)
		error = EPROTO;
	if (lines)
		fclose(lines);
	return dwfl_report_end(files, NULL, NULL) != 0 ? EPROTO : error;
}

int naming_open(struct naming *naming, const char *maps)
{
	int error = maps_parse(&naming->maps, maps);

	naming->files = NULL;
	if (error)
		return error;
	naming->files = dwfl_begin(&callbacks);
	error = naming->files ? report_files(naming->files, maps) : ENOMEM;
	if (error)
		naming_close(naming);
	return error;
}

void naming_close(struct naming *naming)
{
	dwfl_end(naming->files);
	maps_free(&naming->maps);
}

static const struct maps_line *find_line(const struct naming *naming, uint64_t address)
{
	const struct maps *maps = &naming->maps;
	size_t i = cape_ranges_find(maps->line, maps->count, sizeof(*maps->line), address);

	return i < maps->count && maps->line[i].start <= address ? &maps->line[i] : NULL;
}

static void put_mapping(const struct maps_line *line, FILE *out)
{
	if (!line)
		fputs("(mapped later)", out);
	else if (line->name_length == 0)
		fputs("(anonymous)", out);
	else
		fprintf(out, "%.*s", line->name_length, line->name);
}

/* False: there is no debug information. */
static bool put_line(Dwfl_Module *module, uint64_t address, FILE *out)
{
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	const char *file, *slash;
	int number;

	file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (!file)
		return false;
	slash = strrchr(file, '/');
	fprintf(out, " (%s:%d)", slash ? slash + 1 : file, number);
	return true;
}

/* The function that ADDRESS is in, or NULL, and how far it is in there. */
static const char *find_function(Dwfl_Module *module, uint64_t address, GElf_Off *offset)
{
	GElf_Sym symbol;

	return module ? dwfl_module_addrinfo(module, address, offset, &symbol, NULL, NULL, NULL)
		      : NULL;
}

void naming_code(const struct naming *naming, uint64_t address, FILE *out)
{
	Dwfl_Module *module = dwfl_addrmodule(naming->files, address);
	const struct maps_line *line = find_line(naming, address);
	GElf_Off offset = 0;
	const char *name = find_function(module, address, &offset);

	if (name)
		fputs(name, out);
	else if (line)
		fprintf(out, "0x%" PRIx64, address - line->start + line->offset);
	else
		fprintf(out, "0x%" PRIx64, address);
	if (name && !put_line(module, address, out))
		fprintf(out, "+0x%" PRIx64, (uint64_t)offset);
	fputc(' ', out);
	put_mapping(line, out);
}

/* Who reads it takes what is in parentheses, without a blank. */
static void put_word(const char *text, int length, FILE *out)
{
	for (int i = 0; i < length; i++)
		fputc(text[i] == ' ' || text[i] == ')' ? '_' : text[i], out);
}

void naming_frame(const struct naming *naming, uint64_t address, FILE *out)
{
	Dwfl_Module *module = dwfl_addrmodule(naming->files, address);
	const struct maps_line *line = find_line(naming, address);
	GElf_Off offset = 0;
	const char *name = find_function(module, address, &offset);

	if (name)
		fprintf(out, "%s+0x%" PRIx64 " (", name, (uint64_t)offset);
	else
		fputs("[unknown] (", out);
	if (line && line->name_length)
		put_word(line->name, line->name_length, out);
	else
		fputs("[unknown]", out);
	fputc(')', out);
}

/* What is after a file's mapping without a gap and has no name has its variables that were zero.
 */
static const struct maps_line *find_variables(const struct naming *naming, uint64_t address)
{
	const struct maps_line *line = find_line(naming, address);

	if (line && line->name_length == 0 && line > naming->maps.line &&
	    line[-1].end == line->start && line[-1].name[0] == '/')
		return line - 1;
	return line;
}

Dwfl_Module *naming_variables(const struct naming *naming, uint64_t address)
{
	const struct maps_line *line = find_variables(naming, address);

	return line ? dwfl_addrmodule(naming->files, line->start) : NULL;
}

/* The name of the variable in LINE, by find_variables(), that ADDRESS is in, or NULL. */
static const char *find_variable(const struct naming *naming, const struct maps_line *line,
				 uint64_t address, GElf_Off *offset)
{
	Dwfl_Module *module = line ? dwfl_addrmodule(naming->files, line->start) : NULL;
	const char *name = NULL;
	GElf_Sym symbol;

	if (module)
		name = dwfl_module_addrinfo(module, address, offset, &symbol, NULL, NULL, NULL);
	return name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && *offset < symbol.st_size
		       ? name
		       : NULL;
}

void naming_variable(const struct naming *naming, uint64_t address, FILE *out)
{
	const struct maps_line *line = find_variables(naming, address);
	GElf_Off offset;
	const char *name = find_variable(naming, line, address, &offset);

	if (name)
		fputs(name, out);
	if (name && offset)
		fprintf(out, "+%" PRIu64, (uint64_t)offset);
}

void naming_data(const struct naming *naming, uint64_t address, FILE *out)
{
	const struct maps_line *line = find_variables(naming, address);
	GElf_Off offset;
	const char *name = find_variable(naming, line, address, &offset);

	if (name)
		fprintf(out, "%s ", name);
	else
		line = find_line(naming, address);
	put_mapping(line, out);
}

#define CALL(name)                                                                                 \
	{                                                                                          \
		SYS_##name, #name                                                                  \
	}

void naming_call(int number, FILE *out)
{
	static const struct {
		int number;
		const char *name;
	} call[] = {
		CALL(read),	    CALL(readv),	  CALL(pread64),     CALL(preadv),
		CALL(preadv2),	    CALL(recvfrom),	  CALL(recvmsg),     CALL(recvmmsg),
		CALL(stat),	    CALL(fstat),	  CALL(lstat),	     CALL(newfstatat),
		CALL(statx),	    CALL(getdents64),	  CALL(getcwd),	     CALL(readlink),
		CALL(readlinkat),   CALL(poll),		  CALL(ppoll),	     CALL(select),
		CALL(pselect6),	    CALL(epoll_wait),	  CALL(epoll_pwait), CALL(wait4),
		CALL(waitid),	    CALL(ioctl),	  CALL(nanosleep),   CALL(clock_nanosleep),
		CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(clone),	     CALL(clone3),
		CALL(pipe2),	    CALL(getrandom),	  CALL(accept4),     CALL(process_vm_readv),
		CALL(uname),	    CALL(getrusage)};

	for (size_t i = 0; i < sizeof(call) / sizeof(call[0]); i++)
		if (call[i].number == number) {
			fputs(call[i].name, out);
			return;
		}
	fprintf(out, "system call %d", number);
}

void naming_clean(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 127)
			text[i] = '?';
}
