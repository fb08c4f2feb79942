/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.c - an ELF core file: what the kernel would have written at the instant of the lock.
 */
#include "core.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>
#include "checkpoint/diff.h"
#include "uapi/cape.h"

#define PAGE	4096u
#define AT_ONCE (16 * PAGE)
#define FXSAVE	512 /* bytes of the extended state that are the old ones */

/* One line of maps. */
struct mapping {
	uint64_t start, end, offset;
	char protection[5];
	const char *name; /* within the text */
	int name_length;
	bool kept; /* its bytes are in the file */
};

struct core {
	const struct core_source *source;
	FILE *out;
	bool sparse;
	struct mapping *mapping;
	size_t count;
	char *notes;
	size_t notes_size;
};

static int read_proc(pid_t pid, const char *name, char **text, size_t *size)
{
	char path[64], part[PAGE];
	FILE *file, *to = open_memstream(text, size);
	size_t got;
	int error = to ? 0 : ENOMEM;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "re");
	if (!file)
		error = errno;
	while (!error && (got = fread(part, 1, sizeof(part), file)) > 0)
		fwrite(part, 1, got, to);
	if (file)
		fclose(file);
	if (to && fclose(to) != 0)
		error = ENOMEM;
	return error;
}

int core_save(struct core_facts *facts, pid_t pid)
{
	int error;

	*facts = (struct core_facts){0};
	error = read_proc(pid, "maps", &facts->maps, &facts->maps_size);
	if (!error)
		error = read_proc(pid, "auxv", &facts->auxiliary, &facts->auxiliary_size);
	if (!error)
		error = read_proc(pid, "cmdline", &facts->command, &facts->command_size);
	if (error)
		core_free(facts);
	return error;
}

void core_free(struct core_facts *facts)
{
	free(facts->maps);
	free(facts->auxiliary);
	free(facts->command);
	*facts = (struct core_facts){0};
}

/* Files that are shared are left in their files; the kernel's own pages cannot be read. */
static bool is_kept(const struct mapping *mapping)
{
	if (strncmp(mapping->name, "[vvar", 5) == 0 || strncmp(mapping->name, "[vsys", 5) == 0)
		return false;
	/* Shared memory without a name in the file system is called a deleted file. */
	return mapping->protection[3] == 'p' || mapping->name[0] != '/' ||
	       (mapping->name_length > 10 &&
		strncmp(mapping->name + mapping->name_length - 10, " (deleted)", 10) == 0);
}

static bool parse_line(const char *line, struct mapping *mapping)
{
	int name = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s%n", &mapping->start,
		   &mapping->end, mapping->protection, &mapping->offset, &name) != 4 ||
	    !name)
		return false;
	mapping->name = line + name + strspn(line + name, " ");
	mapping->name_length = (int)strcspn(mapping->name, "\n");
	mapping->kept = is_kept(mapping);
	return true;
}

static int parse_maps(struct core *core)
{
	const char *line = core->source->facts->maps;
	size_t lines = 0;

	for (const char *at = line; (at = strchr(at, '\n')); at++)
		lines++;
	core->mapping = calloc(lines + 1, sizeof(*core->mapping));
	if (!core->mapping)
		return ENOMEM;
	/* What an ELF header can count. */
	if (lines >= PN_XNUM - 1)
		return E2BIG;
	for (; core->count < lines; line = strchr(line, '\n') + 1) {
		if (!parse_line(line, &core->mapping[core->count]))
			return EPROTO;
		core->count++;
	}
	return 0;
}

static void add_note(FILE *notes, const char *owner, uint32_t type, const void *data, size_t size)
{
	const Elf64_Nhdr header = {(uint32_t)strlen(owner) + 1, (uint32_t)size, type};
	static const char padding[4];

	fwrite(&header, sizeof(header), 1, notes);
	fwrite(owner, 1, header.n_namesz, notes);
	fwrite(padding, 1, -header.n_namesz % 4, notes);
	fwrite(data, 1, size, notes);
	fwrite(padding, 1, -size % 4, notes);
}

static void add_process(FILE *notes, const struct core_source *source)
{
	const struct core_facts *facts = source->facts;
	struct elf_prpsinfo process = {.pr_sname = 'R', .pr_pid = source->tracee->pid};
	size_t length = facts->command_size < sizeof(process.pr_psargs) - 1
				? facts->command_size
				: sizeof(process.pr_psargs) - 1;
	const char *slash = facts->command_size ? strrchr(facts->command, '/') : NULL;

	snprintf(process.pr_fname, sizeof(process.pr_fname), "%.15s",
		 slash		       ? slash + 1
		 : facts->command_size ? facts->command
				       : "");
	for (size_t i = 0; i < length; i++)
		process.pr_psargs[i] = (char)(facts->command[i] ? facts->command[i] : ' ');
	add_note(notes, "CORE", NT_PRPSINFO, &process, sizeof(process));
	add_note(notes, "CORE", NT_AUXV, facts->auxiliary, facts->auxiliary_size);
}

static void add_thread(FILE *notes, const struct registers_thread *thread)
{
	struct elf_prstatus status = {
		.pr_pid = thread->id,
		.pr_sighold = thread->blocked,
		.pr_fpvalid = 1,
	};

	_Static_assert(sizeof(status.pr_reg) == sizeof(thread->general), "the same registers");
	memcpy(&status.pr_reg, &thread->general, sizeof(status.pr_reg));
	add_note(notes, "CORE", NT_PRSTATUS, &status, sizeof(status));
	add_note(notes, "CORE", NT_PRFPREG, thread->extended, FXSAVE);
	add_note(notes, "LINUX", NT_X86_XSTATE, thread->extended, thread->extended_size);
}

/* Which files are mapped where: counts, three numbers each, and then the names. */
static int add_files(FILE *notes, const struct core *core)
{
	uint64_t head[2] = {0, PAGE};
	char *data = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&data, &size);

	if (!file)
		return ENOMEM;
	for (size_t i = 0; i < core->count; i++)
		head[0] += core->mapping[i].name[0] == '/';
	fwrite(head, sizeof(head), 1, file);
	for (size_t i = 0; i < core->count; i++) {
		const struct mapping *mapping = &core->mapping[i];
		const uint64_t place[3] = {mapping->start, mapping->end, mapping->offset / PAGE};

		if (mapping->name[0] == '/')
			fwrite(place, sizeof(place), 1, file);
	}
	for (size_t i = 0; i < core->count; i++)
		if (core->mapping[i].name[0] == '/')
			fprintf(file, "%.*s%c", core->mapping[i].name_length, core->mapping[i].name,
				0);
	if (fclose(file) != 0)
		return ENOMEM;
	add_note(notes, "CORE", NT_FILE, data, size);
	free(data);
	return 0;
}

static int make_notes(struct core *core)
{
	const struct registers *registers = core->source->registers;
	FILE *notes = open_memstream(&core->notes, &core->notes_size);
	int error;

	if (!notes)
		return ENOMEM;
	add_process(notes, core->source);
	error = add_files(notes, core);
	for (size_t i = 0; i < registers->count; i++)
		add_thread(notes, &registers->thread[i]);
	if (fclose(notes) != 0)
		error = ENOMEM;
	return error;
}

/* A segment of memory, whose bytes are at OFFSET of the file. */
static Elf64_Phdr segment(const struct mapping *mapping, uint64_t offset)
{
	const char *protection = mapping->protection;

	return (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = (protection[0] == 'r' ? PF_R : 0u) | (protection[1] == 'w' ? PF_W : 0u) |
			   (protection[2] == 'x' ? PF_X : 0u),
		.p_offset = offset,
		.p_vaddr = mapping->start,
		.p_filesz = mapping->kept ? mapping->end - mapping->start : 0,
		.p_memsz = mapping->end - mapping->start,
		.p_align = PAGE,
	};
}

static void write_headers(const struct core *core)
{
	const size_t headers = sizeof(Elf64_Ehdr) + (core->count + 1) * sizeof(Elf64_Phdr);
	uint64_t offset = (headers + core->notes_size + PAGE - 1) / PAGE * PAGE;
	const uint64_t padding = offset - headers - core->notes_size;
	static const char zeros[PAGE];
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)(core->count + 1),
	};
	const Elf64_Phdr notes = {
		.p_type = PT_NOTE,
		.p_offset = headers,
		.p_filesz = core->notes_size,
		.p_align = 4,
	};

	fwrite(&header, sizeof(header), 1, core->out);
	fwrite(&notes, sizeof(notes), 1, core->out);
	for (size_t i = 0; i < core->count; i++) {
		const Elf64_Phdr memory = segment(&core->mapping[i], offset);

		fwrite(&memory, sizeof(memory), 1, core->out);
		offset += memory.p_filesz;
	}
	fwrite(core->notes, 1, core->notes_size, core->out);
	fwrite(zeros, 1, padding, core->out);
}

/*
 * The bytes of then.  Of memory that the driver does not lock (shared memory, or none of the
 * ranges) those of now; what cannot be read at all is left zero.
 */
static int read_piece(int descriptor, uint64_t address, unsigned char *bytes, size_t length)
{
	static const unsigned long request[2] = {CAPE_READ_LOCKED, CAPE_READ_RANGE};
	struct cape_access access = {.address = address, .length = length};

	for (int i = 0; i < 2; i++) {
		access.buffer = (uintptr_t)bytes;
		if (ioctl(descriptor, request[i], &access) == 0)
			return 0;
		if (errno != EFAULT)
			return errno;
		/* One page may be all that is not locked, or cannot be read. */
		if (length > PAGE)
			return EFAULT;
	}
	memset(bytes, 0, length);
	return 0;
}

static int read_memory(int descriptor, uint64_t address, unsigned char *bytes, size_t length)
{
	int error = read_piece(descriptor, address, bytes, length);

	if (error != EFAULT)
		return error;
	error = 0;
	for (size_t at = 0; !error && at < length; at += PAGE)
		error = read_piece(descriptor, address + at, bytes + at, PAGE);
	return error;
}

static void write_bytes(const struct core *core, const unsigned char *bytes, size_t length)
{
	if (!core->sparse || !cape_is_zero(bytes, length) ||
	    fseeko(core->out, (off_t)length, SEEK_CUR) < 0)
		fwrite(bytes, 1, length, core->out);
}

static int write_mapping(const struct core *core, const struct mapping *mapping)
{
	static unsigned char bytes[AT_ONCE];
	int error = 0;

	for (uint64_t at = mapping->start; !error && at < mapping->end; at += AT_ONCE) {
		size_t length = mapping->end - at < AT_ONCE ? mapping->end - at : AT_ONCE;

		error = read_memory(core->source->descriptor, at, bytes, length);
		if (!error)
			write_bytes(core, bytes, length);
		if (ferror(core->out))
			error = errno;
		/* The process runs on, with its signals. */
		tracee_attend(core->source->tracee);
	}
	return error;
}

static bool is_empty_file(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size == 0 && ftello(file) == 0;
}

int core_write(const struct core_source *source, FILE *out)
{
	struct core core = {.source = source, .out = out, .sparse = is_empty_file(out)};
	int error = parse_maps(&core);

	if (!error)
		error = make_notes(&core);
	if (!error)
		write_headers(&core);
	for (size_t i = 0; !error && i < core.count; i++)
		if (core.mapping[i].kept)
			error = write_mapping(&core, &core.mapping[i]);
	if (!error && fflush(out) != 0)
		error = errno;
	if (!error && core.sparse && ftruncate(fileno(out), ftello(out)) < 0)
		error = errno;
	free(core.mapping);
	free(core.notes);
	return error;
}
