/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.c - finding the program and the note that cape-cc leaves in it.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "channel/channel.h"
#include "common/complain.h"

#define NOTE_SECTION ".note.cape"

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *program_in_path(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *candidate;

	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (asprintf(&candidate, "%.*s/%s", (int)(end - path), path, name) < 0)
			return NULL;
		if (is_file(candidate) && access(candidate, X_OK) == 0)
			return candidate;
		free(candidate);
	}
	return NULL;
}

/* The version in the note that cape-cc's library leaves in a program; 0: there is none. */
static uint32_t note_version(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		size_t name_at, at;
		Elf_Data *data;
		GElf_Shdr header;
		GElf_Nhdr note;
		const char *name;
		uint32_t version;

		if (!gelf_getshdr(section, &header) ||
		    !(name = elf_strptr(elf, names, header.sh_name)) ||
		    strcmp(name, NOTE_SECTION) != 0)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !gelf_getnote(data, 0, &note, &name_at, &at) ||
		    note.n_descsz != sizeof(version))
			return 0;
		memcpy(&version, (const char *)data->d_buf + at, sizeof(version));
		return version;
	}
	return 0;
}

static uint32_t program_version(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	uint32_t version = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	if (elf) {
		version = elf_kind(elf) == ELF_K_ELF ? note_version(elf) : 0;
		elf_end(elf);
	}
	if (file >= 0)
		close(file);
	return version;
}

static bool is_script(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char begin[2] = "";
	bool script = file >= 0 && read(file, begin, sizeof(begin)) == (ssize_t)sizeof(begin) &&
		      memcmp(begin, "#!", sizeof(begin)) == 0;

	if (file >= 0)
		close(file);
	return script;
}

static bool is_ours(const char *path)
{
	uint32_t version = program_version(path);

	if (version == CAPE_CHANNEL_VERSION)
		return true;
	if (version)
		return complain("%s was built by another version of CAPE (%u, this is %u); build "
				"it again with cape-cc",
				path, version, CAPE_CHANNEL_VERSION);
	if (is_script(path))
		return complain("%s is a script, and was not built by cape-cc; write cape-run "
				"into it, before the program that was",
				path);
	return complain("%s was not built by cape-cc; build it with: cape-cc -o %s ...", path,
			path);
}

/* What the kernel, for its own reasons, does not let a monitor look after. */
static bool is_usable(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return true;
	if (access(path, R_OK) < 0)
		return complain("%s: it cannot be read, but all nodes compare it; make it "
				"readable: chmod +r %s",
				path, path);
	if (status.st_mode & (S_ISUID | S_ISGID))
		return complain("%s has the set-user-ID or set-group-ID bit, with which a program "
				"cannot be traced; remove the bit: chmod ug-s %s",
				path, path);
	return true;
}

char *program_find(const char *name, int *status)
{
	char *path = strchr(name, '/') ? strdup(name) : program_in_path(name);

	*status = 127;
	if (!path) {
		complain("%s: not found in PATH%s", name,
			 is_file(name)
				 ? "; for a program in this directory write ./ before its name"
				 : "");
		return NULL;
	}
	if (access(path, F_OK) < 0) {
		complain("%s: %s", path, strerror(errno));
		goto refuse;
	}
	*status = 126;
	if (!is_usable(path))
		goto refuse;
	if (!is_file(path)) {
		complain("%s: not an executable file, but a directory or a device", path);
		goto refuse;
	}
	if (access(path, X_OK) < 0) {
		complain("%s: not an executable file; if cape-cc built it: chmod +x %s", path,
			 path);
		goto refuse;
	}
	if (!is_ours(path))
		goto refuse;
	return path;

refuse:
	free(path);
	return NULL;
}
