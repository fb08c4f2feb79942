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
#include "common/list.h"
#include "maps.h"
#include "present.h"
#include "uapi/cape.h"

#define PAGE	4096u
#define AT_ONCE (16 * PAGE)

/* What is smaller becomes a hole of the file, which may have some terabytes. */
#define LARGE_HOLE (1ull << 30)
#define SEGMENTS   (PN_XNUM - 2u)
#define FXSAVE	   512 /* bytes of the extended state that are the old ones */

/* A part of a mapping; after FILLED it has nothing but zeros, which are not in the file. */
struct segment {
	const struct maps_line *line;
	uint64_t start, filled, end;
};

struct core {
	const struct core_source *source;
	FILE *out;
	bool sparse;
	uint64_t position; /* in OUT */
	struct maps maps;
	struct present present;
	struct segment *segment;
	size_t count, capacity;
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
static bool is_kept(const struct maps_line *line)
{
	if (strncmp(line->name, "[vvar", 5) == 0 || strncmp(line->name, "[vsys", 5) == 0)
		return false;
	/* Shared memory without a name in the file system is called a deleted file. */
	return line->protection[3] == 'p' || line->name[0] != '/' ||
	       (line->name_length > 10 &&
		strncmp(line->name + line->name_length - 10, " (deleted)", 10) == 0);
}

static struct segment *add_segment(struct core *core, const struct maps_line *line, uint64_t start)
{
	struct segment *list =
		list_room(core->segment, core->count, &core->capacity, sizeof(*list));

	if (!list)
		return NULL;
	core->segment = list;
	list[core->count] = (struct segment){line, start, start, line->end};
	return &core->segment[core->count++];
}

/* May there be a segment more, with one for each line from LINE on to come? */
static bool has_room(const struct core *core, const struct maps_line *line)
{
	return core->count + (size_t)(core->maps.line + core->maps.count - line) < SEGMENTS;
}

/* A mapping is one segment, but where it has a hole that files of some file systems cannot have. */
static int add_segments(struct core *core, const struct maps_line *line)
{
	struct segment *segment = add_segment(core, line, line->start);
	uint64_t at = is_kept(line) ? line->start : line->end;
	int error = segment ? 0 : ENOMEM;

	for (struct present_part part; !error && at < line->end; at = part.end) {
		error = present_next(&core->present, line, at, &part);
		if (error || part.start == part.end)
			continue;
		if (part.start - segment->filled >= LARGE_HOLE && has_room(core, line)) {
			segment->end = part.start;
			segment = add_segment(core, line, part.start);
			if (!segment)
				return ENOMEM;
		}
		segment->filled = part.end;
		tracee_attend(core->source->tracee);
	}
	return error;
}

static int make_segments(struct core *core)
{
	int error = 0;

	/* What an ELF header can count. */
	if (core->maps.count > SEGMENTS)
		return E2BIG;
	for (size_t i = 0; !error && i < core->maps.count; i++)
		error = add_segments(core, &core->maps.line[i]);
	return error;
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
	const struct maps_line *line = core->maps.line, *end = line + core->maps.count;
	uint64_t head[2] = {0, PAGE};
	char *data = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&data, &size);

	if (!file)
		return ENOMEM;
	for (; line < end; line++)
		head[0] += line->name[0] == '/';
	fwrite(head, sizeof(head), 1, file);
	for (line = core->maps.line; line < end; line++) {
		const uint64_t place[3] = {line->start, line->end, line->offset / PAGE};

		if (line->name[0] == '/')
			fwrite(place, sizeof(place), 1, file);
	}
	for (line = core->maps.line; line < end; line++)
		if (line->name[0] == '/')
			fprintf(file, "%.*s%c", line->name_length, line->name, 0);
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

/* SEGMENT, whose bytes are at OFFSET of the file. */
static Elf64_Phdr header_of(const struct segment *segment, uint64_t offset)
{
	const char *protection = segment->line->protection;

	return (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = (protection[0] == 'r' ? PF_R : 0u) | (protection[1] == 'w' ? PF_W : 0u) |
			   (protection[2] == 'x' ? PF_X : 0u),
		.p_offset = offset,
		.p_vaddr = segment->start,
		.p_filesz = segment->filled - segment->start,
		.p_memsz = segment->end - segment->start,
		.p_align = PAGE,
	};
}

/* 0 or, as from all that write, a negative errno. */
static int put(struct core *core, const void *bytes, size_t length)
{
	if (length && fwrite(bytes, length, 1, core->out) != 1)
		return -errno;
	core->position += length;
	return 0;
}

/* Zeros up to POSITION of the file, or a hole. */
static int skip(struct core *core, uint64_t position)
{
	static const unsigned char zeros[AT_ONCE];
	int error = 0;

	if (core->sparse && core->position < position) {
		if (fseeko(core->out, (off_t)position, SEEK_SET) < 0)
			return -errno;
		core->position = position;
	}
	while (!error && core->position < position) {
		uint64_t left = position - core->position;

		error = put(core, zeros, left < AT_ONCE ? left : AT_ONCE);
	}
	return error;
}

static uint64_t headers_end(const struct core *core)
{
	uint64_t end = sizeof(Elf64_Ehdr) + (core->count + 1) * sizeof(Elf64_Phdr);

	return (end + core->notes_size + PAGE - 1) / PAGE * PAGE;
}

static int write_headers(struct core *core)
{
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
		.p_offset = sizeof(header) + (core->count + 1) * sizeof(notes),
		.p_filesz = core->notes_size,
		.p_align = 4,
	};
	uint64_t offset = headers_end(core);
	int error = put(core, &header, sizeof(header));

	if (!error)
		error = put(core, &notes, sizeof(notes));
	for (size_t i = 0; !error && i < core->count; i++) {
		const Elf64_Phdr memory = header_of(&core->segment[i], offset);

		error = put(core, &memory, sizeof(memory));
		offset += memory.p_filesz;
	}
	if (!error)
		error = put(core, core->notes, core->notes_size);
	return error ? error : skip(core, headers_end(core));
}

/*
 * The bytes of then.  Of memory that the driver does not lock (shared memory, or none of the
 * ranges) those of now; what cannot be read at all is left zero.
 */
static int read_piece(const struct core_source *source, uint64_t address, unsigned char *bytes,
		      size_t length)
{
	struct cape_read_epoch then = {
		.address = address,
		.length = length,
		.buffer = (uintptr_t)bytes,
		.epoch = source->epoch,
	};
	struct cape_access now = {
		.address = address,
		.length = length,
		.buffer = (uintptr_t)bytes,
	};

	if (ioctl(source->descriptor, CAPE_READ_EPOCH, &then) == 0)
		return 0;
	/* One page may be all that is not locked, or cannot be read. */
	if (errno != EFAULT || length > PAGE)
		return errno;
	if (ioctl(source->descriptor, CAPE_READ_RANGE, &now) == 0)
		return 0;
	if (errno != EFAULT)
		return errno;
	memset(bytes, 0, length);
	return 0;
}

static int read_memory(const struct core_source *source, uint64_t address, unsigned char *bytes,
		       size_t length)
{
	int error = read_piece(source, address, bytes, length);

	if (error != EFAULT)
		return error;
	error = 0;
	for (size_t at = 0; !error && at < length; at += PAGE)
		error = read_piece(source, address + at, bytes + at, PAGE);
	return error;
}

/* Pages of nothing but zeros are left out. */
static int write_bytes(struct core *core, const unsigned char *bytes, size_t length)
{
	int error = 0;

	for (size_t at = 0; !error && at < length; at += PAGE)
		if (cape_is_zero(bytes + at, PAGE))
			error = skip(core, core->position + PAGE);
		else
			error = put(core, bytes + at, PAGE);
	return error;
}

static int write_part(struct core *core, const struct present_part *part)
{
	static unsigned char bytes[AT_ONCE];
	int error = 0;

	for (uint64_t at = part->start; !error && at < part->end; at += AT_ONCE) {
		size_t length = part->end - at < AT_ONCE ? part->end - at : AT_ONCE;

		error = read_memory(core->source, at, bytes, length);
		if (!error)
			error = write_bytes(core, bytes, length);
		/* The process runs on, with its signals. */
		tracee_attend(core->source->tracee);
	}
	return error;
}

static int write_segment(struct core *core, const struct segment *segment)
{
	const uint64_t begin = core->position;
	struct present_part part;
	int error = 0;

	for (uint64_t at = segment->start; !error && at < segment->filled; at = part.end) {
		error = present_next(&core->present, segment->line, at, &part);
		/* Memory that is as it is now may have grown. */
		if (part.start > segment->filled)
			part.start = segment->filled;
		if (part.end > segment->filled)
			part.end = segment->filled;
		if (!error && part.start < part.end)
			error = skip(core, begin + (part.start - segment->start));
		if (!error)
			error = write_part(core, &part);
	}
	return error ? error : skip(core, begin + (segment->filled - segment->start));
}

static bool is_empty_file(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size == 0 && ftello(file) == 0;
}

static int write_all(struct core *core)
{
	int error = write_headers(core);

	for (size_t i = 0; !error && i < core->count; i++)
		error = write_segment(core, &core->segment[i]);
	if (!error && fflush(core->out) != 0)
		error = -errno;
	if (!error && core->sparse && ftruncate(fileno(core->out), (off_t)core->position) < 0)
		error = -errno;
	return error;
}

int core_write(const struct core_source *source, FILE *out)
{
	struct core core = {.source = source, .out = out, .sparse = is_empty_file(out)};
	int error =
		present_open(&core.present, source->descriptor, source->tracee->pid, source->epoch);

	if (!error)
		error = maps_parse(&core.maps, source->facts->maps);
	if (!error)
		error = make_segments(&core);
	if (!error)
		error = make_notes(&core);
	if (!error)
		error = write_all(&core);
	present_close(&core.present);
	maps_free(&core.maps);
	free(core.segment);
	free(core.notes);
	return error;
}
