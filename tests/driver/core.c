/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core.c - core files that capectl writes of a process that runs on: memory and registers of one
 * instant, no larger than what there is, and none at all if it cannot be written whole.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "module.h"

#define VAST	     (16ul << 40)
#define RING	     256
#define CORE	     "/tmp/core"
#define SMALL	     "/tmp/small"
#define OUT_OF_RANGE (16ul << 30)

static unsigned char *vast, *layout;
static volatile uint64_t *ring; /* one number on each page, written in turn */
static volatile bool *ready;
static size_t vast_length = VAST;
/* Named to capectl. */
volatile uint64_t known_number;

static void *sleep_on(void *unused)
{
	(void)unused;
	*ready = true;
	for (;;)
		pause();
	return NULL;
}

/* Page 1: a guard with bytes; 2: never touched; 3, 4: a file, with one byte over it. */
static void make_layout(void)
{
	int file = make_file();

	memset(layout, 'a', 2 * PAGE);
	mprotect(layout + PAGE, PAGE, PROT_NONE);
	mmap(layout + 3 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
	layout[3 * PAGE] = 'F';
	close(file);
}

/* For ever: the next round's number to all pages in turn, the round and the page in registers. */
static void go_round(void)
{
	register uint64_t round __asm__("r12") = 0;
	register volatile uint64_t *at __asm__("rbx") = ring;

	__asm__ volatile("1: inc %0\n"
			 "   mov %2, %1\n"
			 "2: mov %0, (%1)\n"
			 "   add $4096, %1\n"
			 "   cmp %3, %1\n"
			 "   jb 2b\n"
			 "   jmp 1b\n"
			 : "+r"(round), "+r"(at)
			 : "r"(ring), "r"(ring + RING * PAGE / sizeof(*ring))
			 : "memory", "cc");
}

static pid_t start(void)
{
	pthread_t thread;
	pid_t child;

	*ready = false;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		munmap(vast, VAST);
		mmap(vast, vast_length, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		madvise(vast, vast_length, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < 4; i++)
			memset(vast + vast_length / 4 * i + PAGE, 't', PAGE);
		make_layout();
		known_number = 0x0011223344556677;
		mmap((void *)(uintptr_t)ring, RING * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		pthread_create(&thread, NULL, sleep_on, NULL);
		go_round();
	}
	while (!*ready)
		usleep(10000);
	return child;
}

/* What a command says, on either stream; returns its exit status. */
static int run(char *said, size_t size, const char *format, ...)
{
	char command[512];
	va_list arguments;
	size_t length;
	FILE *stream;
	int status;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	stream = popen(command, "r");
	length = fread(said, 1, size - 1, stream);
	said[length] = '\0';
	status = pclose(stream);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct core {
	const unsigned char *bytes;
	size_t size;
	off_t blocks; /* that the file takes, of 512 bytes */
};

static bool open_core(struct core *core, const char *name)
{
	int file = open(name, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (file < 0 || fstat(file, &status) < 0 || status.st_size == 0) {
		close(file);
		return false;
	}
	core->size = (size_t)status.st_size;
	core->blocks = status.st_blocks;
	core->bytes = mmap(NULL, core->size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	return core->bytes != MAP_FAILED;
}

static const Elf64_Phdr *headers(const struct core *core, size_t *count)
{
	const Elf64_Ehdr *header = (const void *)core->bytes;

	*count = header->e_phnum;
	return (const void *)(core->bytes + header->e_phoff);
}

/* The bytes of a page, zeros if it has none in the file; NULL if it is in no segment. */
static const unsigned char *page_of(const struct core *core, const volatile void *address)
{
	static const unsigned char zeros[PAGE];
	uint64_t at = (uintptr_t)address;
	size_t count;
	const Elf64_Phdr *segment = headers(core, &count);

	for (; count--; segment++) {
		if (segment->p_type != PT_LOAD || at - segment->p_vaddr >= segment->p_memsz)
			continue;
		at -= segment->p_vaddr;
		return at < segment->p_filesz ? core->bytes + segment->p_offset + at : zeros;
	}
	return NULL;
}

/* The NUMBERth note of a type; NULL if there are not so many. */
static const void *note(const struct core *core, uint32_t type, size_t number, size_t *size)
{
	size_t count;
	const Elf64_Phdr *notes = headers(core, &count);
	const unsigned char *at = core->bytes + notes->p_offset, *end = at + notes->p_filesz;

	while (notes->p_type == PT_NOTE && at < end) {
		const Elf64_Nhdr *header = (const void *)at;

		at += sizeof(*header) + (header->n_namesz + 3u) / 4 * 4;
		*size = header->n_descsz;
		if (header->n_type == type && number-- == 0)
			return at;
		at += (header->n_descsz + 3u) / 4 * 4;
	}
	return NULL;
}

static const struct user_regs_struct *registers(const struct core *core, pid_t thread)
{
	const struct elf_prstatus *status;
	size_t size;

	for (size_t i = 0; (status = note(core, NT_PRSTATUS, i, &size)); i++)
		if (status->pr_pid == thread)
			return (const void *)&status->pr_reg;
	return NULL;
}

/* Between two instructions: what is below the page in rbx is of the round in r12. */
static bool is_one_instant(const struct core *core, pid_t child)
{
	const struct user_regs_struct *general = registers(core, child);
	const uint64_t end = (uintptr_t)ring + RING * PAGE;
	size_t wrong = 0, behind = 0;

	for (size_t i = 0; general && i < RING; i++) {
		uint64_t at = (uintptr_t)ring + i * PAGE;
		const uint64_t *number = (const void *)page_of(core, (void *)at);

		if (!number)
			return false;
		behind += *number == general->r12 - 1;
		wrong += at < general->rbx   ? *number != general->r12
			 : at > general->rbx ? *number != general->r12 - 1
					     : general->r12 - *number > 1;
	}
	return general && (wrong == 0 || (general->rbx == end && behind == RING));
}

static bool filled(const unsigned char *page, int value, size_t from, size_t to)
{
	for (size_t i = from; page && i < to; i++)
		if (page[i] != value)
			return false;
	return page;
}

static void check_memory(const struct core *core, const char *how)
{
	const unsigned char *file = page_of(core, layout + 3 * PAGE);
	size_t right = 0;

	for (size_t i = 0; i < 4; i++)
		right += filled(page_of(core, vast + vast_length / 4 * i + PAGE), 't', 0, PAGE);
	check(right == 4 && filled(page_of(core, vast), 0, 0, PAGE) &&
		      filled(page_of(core, vast + vast_length - PAGE), 0, 0, PAGE),
	      "%s: the pages of a vast mapping, and zeros", how);
	check(filled(page_of(core, layout), 'a', 0, PAGE) &&
		      filled(page_of(core, layout + 2 * PAGE), 0, 0, PAGE),
	      "%s: memory", how);
	check(file && file[0] == 'F' && filled(file, 'f', 1, 2 * PAGE), "%s: a file", how);
	check(core->blocks < (32 << 20) / 512 && core->size < 4ul << 30,
	      "%s: it takes no more than there is (%ld kB, of %zu)", how, core->blocks / 2,
	      core->size / 1024);
}

static void check_notes(const struct core *core, pid_t child)
{
	const Elf64_Ehdr *header = (const void *)core->bytes;
	const struct elf_prpsinfo *process;
	size_t size, threads = 0;
	const uint64_t *files;

	check(memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_type == ET_CORE &&
		      header->e_machine == EM_X86_64,
	      "it is an ELF core file");
	while (note(core, NT_PRSTATUS, threads, &size))
		threads++;
	check(threads == 2, "it has the registers of both threads (%zu)", threads);
	process = note(core, NT_PRPSINFO, 0, &size);
	check(process && process->pr_pid == child && strcmp(process->pr_fname, "core") == 0,
	      "and tells of the process");
	check(note(core, NT_AUXV, 0, &size) && size >= 2 * sizeof(Elf64_auxv_t),
	      "auxiliary vector");
	files = note(core, NT_FILE, 0, &size);
	check(files && files[0] >= 2 && files[1] == PAGE &&
		      memmem(files, size, "/bin/core", sizeof("/bin/core")) &&
		      memmem(files, size, "/tmp/bytes", sizeof("/tmp/bytes")),
	      "and the files that were mapped");
}

static bool exists(const char *name)
{
	return access(name, F_OK) == 0;
}

/* Names in a folder that are not its own or its parent's. */
static size_t names_in(const char *folder)
{
	DIR *opened = opendir(folder);
	struct dirent *entry;
	size_t count = 0;

	while (opened && (entry = readdir(opened)))
		count += entry->d_name[0] != '.';
	if (opened)
		closedir(opened);
	return count;
}

static void check_running(pid_t child)
{
	size_t wrong = 0, told = 0;
	struct core core;
	char said[512];

	for (int i = 0; i < 5; i++) {
		int status = run(said, sizeof(said), "capectl core %d -o " CORE " 2>&1", child);

		told += strstr(said, "was stopped for ") != NULL;
		if (status || !open_core(&core, CORE) || !is_one_instant(&core, child))
			wrong++;
	}
	if (!check(wrong == 0, "memory and registers are of one instant (%zu not)", wrong))
		printf("# %s", said);
	check(told == 5, "it tells how long the process stood");
	check_memory(&core, "running");
	check_notes(&core, child);
}

static void check_locked(pid_t child)
{
	struct core core;
	char said[512];

	check(run(said, sizeof(said), "capectl lock %d 2>&1", child) == 0, "lock");
	check(run(said, sizeof(said), "capectl --json read %d known_number+1 7 --then 2>&1",
		  child) == 0 &&
		      strstr(said, "\"bytes\": \"66554433221100\""),
	      "a variable is read by its name");
	check(run(said, sizeof(said), "capectl read %d unknown_number 8 2>&1", child) == 2 &&
		      strstr(said, "nor a symbol"),
	      "one that there is not is not");
	usleep(100000);
	check(run(said, sizeof(said), "capectl core %d -o " CORE " 2>&1", child) == 0 &&
		      said[0] == '\0' && open_core(&core, CORE) && is_one_instant(&core, child),
	      "a core file of a locked process, which does not stand still for it");
	check_memory(&core, "locked");
	check(run(said, sizeof(said), "capectl core %d | cmp - " CORE " 2>&1", child) == 0,
	      "through a pipe it is the same");
}

/* What has its name is whole. */
static void check_full(pid_t child)
{
	char said[512];

	mkdir(SMALL, 0700);
	mount("none", SMALL, "tmpfs", 0, "size=64k");
	check(run(said, sizeof(said), "capectl core %d -o " SMALL "/core 2>&1", child) == 1 &&
		      strstr(said, "No space left on device") && names_in(SMALL) == 0,
	      "without room for it: an error, and no file");
	run(said, sizeof(said), "echo before >" SMALL "/core");
	check(run(said, sizeof(said), "capectl core %d -o " SMALL "/core 2>&1", child) == 1 &&
		      run(said, sizeof(said), "cat " SMALL "/core") == 0 &&
		      strcmp(said, "before\n") == 0 && names_in(SMALL) == 1,
	      "or the one that was there");
	check(run(said, sizeof(said), "capectl core %d -o /dev/full 2>&1", child) == 1 &&
		      strstr(said, "No space left on device") && exists("/dev/full"),
	      "nor to a device that is full");
	check(run(said, sizeof(said), "capectl core %d -o " SMALL "/no/core 2>&1", child) == 1 &&
		      strstr(said, "No such file"),
	      "nor to a folder that is not there");
	symlink(CORE, SMALL "/link");
	unlink(CORE);
	check(run(said, sizeof(said), "echo before >" CORE "; capectl core %d -o " SMALL "/link",
		  child) == 0 &&
		      run(said, sizeof(said), "test -L " SMALL "/link && head -c 4 " CORE) == 0 &&
		      strcmp(said, ELFMAG) == 0,
	      "what a symbolic link leads to is replaced");
	umount(SMALL);
}

/* In a mapping of which one page is locked, the others are as they are now. */
static void check_ranges(void)
{
	char said[512];
	struct core core;
	pid_t child;

	vast_length = OUT_OF_RANGE;
	child = start();
	check(run(said, sizeof(said), "capectl lock %d --range %lu-%lu 2>&1", child,
		  (unsigned long)(uintptr_t)layout,
		  (unsigned long)(uintptr_t)(layout + PAGE)) == 0 &&
		      run(said, sizeof(said), "capectl core %d -o " CORE " 2>&1", child) == 0 &&
		      open_core(&core, CORE),
	      "a core file of a process of which one page is locked");
	check_memory(&core, "ranges");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check(run(said, sizeof(said), "capectl core %d -o /tmp/none 2>&1", child) == 1 &&
		      !exists("/tmp/none"),
	      "of a process that has ended there is none");
}

int main(void)
{
	pid_t child;

	/* Places, which the children fill. */
	vast = mmap(NULL, VAST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	layout = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ring = mmap(NULL, RING * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ready = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = start();
	check_running(child);
	check_full(child);
	check_locked(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_ranges();
	return finish();
}
