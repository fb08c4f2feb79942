/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * start.c - how a program begins: finds its monitor and its shared memory, and makes sure that
 * all nodes run the same program at the same addresses.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "base/method.h"
#include "base/model.h"
#include "base/way.h"
#include "message/port.h"
#include "system/environment.h"
#include "system/libc.h"
#include "races/check.h"
#include "sync/log.h"
#include "base/ordering.h"
#include "sync/reduction_list.h"
#include "base/context.h"
#include "memory/apart.h"
#include "memory/frame.h"
#include "openmp/constructs.h"
#include "openmp/settings.h"
#include "replica/streams.h"
#include "sync/sync_point.h"
#include "memory/area.h"
#include "memory/flushed.h"
#include "memory/threadprivate.h"
#include "base/threads.h"
#include "heap/heap_lock.h"
#include "heap/sites.h"
#include "memory/mapping.h"
#include "replica/children.h"
#include "replica/clocks.h"
#include "replica/death.h"
#include "replica/exec.h"
#include "replica/output.h"
#include "profile/profile.h"
#include "mixed/mixed.h"
#include "need/need.h"
#include "save/save.h"
#include "start/stand_ins.h"
#include "start/thread_storage.h"
#include "threads/death.h"
#include "threads/profiled.h"
#include "threads/watched.h"

#define STACK_LIMIT	 (64ull << 30) /* of the stack, how much can be shared */
#define THREAD_STACK	 (8ull << 20)
#define DESCRIPTION_SIZE (1ul << 20)
#define RUNS_LIMIT	 (1ull << 40)

/* Shows cape-run that this program was built by cape-cc; read by monitor/run. */
__attribute__((section(".note.cape"), used, aligned(4))) static const struct {
	uint32_t name_size, value_size, type;
	char name[8];
	uint32_t version;
} note = {5, 4, 1, "CAPE", CAPE_CHANNEL_VERSION};

extern void *__libc_stack_end;

#define METHOD(name, model) &cape_method_##name,
#define MODEL(name, text)   &cape_model_##name,

/* By number. */
static const struct cape_method *const methods[] = {CAPE_METHODS(METHOD)};
static const struct cape_model *const models[] = {CAPE_MODELS(MODEL)};

/* For what nodes exchange. */
static void reserve_runs(struct cape_runtime *runtime)
{
	struct cape_sync *sync = runtime->sync;

	cape_private_array_init(&sync->runs_memory, cape_must_reserve(runtime, RUNS_LIMIT),
				RUNS_LIMIT);
	cape_runs_init(&sync->runs, &sync->runs_memory.memory);
	cape_private_array_init(&sync->merged_memory, cape_must_reserve(runtime, RUNS_LIMIT),
				RUNS_LIMIT);
	cape_runs_init(&sync->merged, &sync->merged_memory.memory);
}

/* Started by mpirun itself, each copy would be a whole run, and write the same files. */
static void refuse_copies(void)
{
	const char *size = getenv("OMPI_COMM_WORLD_SIZE");

	if (!size)
		size = getenv("PMI_SIZE");
	if (!size || atoi(size) < 2)
		return;
	dprintf(STDERR_FILENO,
		"cape: this is one of %s copies of a program that do not work together; start the "
		"program on %s nodes by cape-run -np %s, without mpirun\n",
		size, size, size);
	_exit(1);
}

static void choose_method(struct cape_runtime *runtime)
{
	const struct cape_channel *channel = runtime->channel;
	const struct cape_method *method = methods[channel->method];
	bool asked_for = channel->nodes > 1 ||
			 (!(channel->flags & CAPE_CHANNEL_THREADS) &&
			  (channel->flags & (CAPE_CHANNEL_VERIFY | CAPE_CHANNEL_STATISTICS)));

	runtime->method = asked_for || !method->alone ? method : method->alone;
}

/*
 * Commands that a program starts have its environment, but no channel, and are no part of the run.
 * The program itself is to be ended with the monitor (monitor/node/launch.c), its children are not.
 */
static bool is_command(void)
{
	int signal = 0;

	return fcntl(CAPE_CHANNEL_FD, F_GETFD) < 0 &&
	       syscall(SYS_prctl, PR_GET_PDEATHSIG, &signal, 0, 0, 0) == 0 && signal != SIGKILL;
}

/*
 * Before any constructor, those of shared libraries too: a program that was started by itself keeps
 * no state in libcape that the C library has.  Nor has the C library found its environment yet.
 */
static void begin(int count, char **words, char **environment)
{
	struct cape_runtime *runtime = cape_runtime_get();

	(void)count, (void)words;
	runtime->ordering = &cape_ordering_of_nodes;
	cape_thread_death_find(runtime, environment);
	if (!runtime->death->note && cape_environment_find(environment, CAPE_CHANNEL_VARIABLE) &&
	    !is_command())
		return;
	runtime->by_itself = runtime->by_threads = true;
	cape_heap_leave_to_libc(runtime);
	cape_stand_ins_leave(__start_cape_stand_ins, __stop_cape_stand_ins);
	cape_death_stand_between(runtime, __start_cape_stand_ins, __stop_cape_stand_ins);
}

static void (*const begins)(int, char **, char **)
	__attribute__((section(".preinit_array"), used)) = begin;

/* Maps the channel that the monitor left open. */
static void open_channel(struct cape_runtime *runtime)
{
	void *got;
	int error;

	got = mmap((void *)CAPE_CHANNEL_ADDRESS, CAPE_CHANNEL_SIZE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, CAPE_CHANNEL_FD, 0);
	if (got == MAP_FAILED)
		cape_fail_for_addresses(runtime, "map the monitor's memory", -errno);
	runtime->channel = got;
	if (runtime->channel->magic != CAPE_CHANNEL_MAGIC ||
	    runtime->channel->version != CAPE_CHANNEL_VERSION) {
		runtime->channel = NULL;
		cape_fail(runtime, 0,
			  "the monitor has another version than this program; build the program "
			  "again with cape-cc");
	}
	cape_exec_keep(false);
	cape_port_open(runtime);
	cape_log_resume(runtime);
	choose_method(runtime);
	runtime->model = models[runtime->channel->model];
	runtime->way = &cape_way_eager;
	if (runtime->method->start)
		runtime->method->start(runtime);
	if ((runtime->channel->flags & CAPE_CHANNEL_RACES) && cape_sites_start(runtime) < 0)
		cape_fail(runtime, 0, "no memory to note where blocks are allocated");
	runtime->node = runtime->channel->node;
	runtime->nodes = runtime->channel->nodes;
	if (runtime->nodes > 1 && runtime->channel->threads > 1)
		runtime->threads = runtime->channel->threads;
	runtime->sync->time_stamp = runtime->nodes - 1 - runtime->node;
	cape_profiling_start(runtime);
	error = cape_heap_start(runtime->heap, runtime->node, runtime->nodes);
	if (error < 0)
		cape_fail_for_addresses(runtime, "start the heap", error);
}

/* What is known of one loaded object. */
struct object {
	struct cape_runtime *runtime;
	bool first; /* the program itself comes first */
	char *description;
	size_t described;
};

/* A line of what nodes compare; what has no room is left out. */
static void describe(struct object *object, const char *what, uint64_t address, const char *build)
{
	size_t room = DESCRIPTION_SIZE - object->described;
	int length = snprintf(object->description + object->described, room, "%s%s at %#llx\n",
			      what, build, (unsigned long long)address);

	if (length > 0 && (size_t)length < room)
		object->described += (size_t)length;
}

/* The notes at START: writes which build of an object this is to TEXT, if they say so. */
static void read_build(const char *start, uint64_t size, char *text, size_t room)
{
	const char *end = start + size;
	ElfW(Nhdr) header;

	for (const char *at = start; at + sizeof(header) <= end;) {
		const unsigned char *bytes;

		memcpy(&header, at, sizeof(header));
		at += sizeof(header) + ((header.n_namesz + 3) & ~3u);
		bytes = (const unsigned char *)at;
		at += (header.n_descsz + 3) & ~3u;
		if (at > end || header.n_type != NT_GNU_BUILD_ID ||
		    header.n_namesz != sizeof("GNU") || 3 * header.n_descsz + 16 > room)
			continue;
		text += snprintf(text, room, ", build ");
		for (uint32_t i = 0; i < header.n_descsz; i++)
			text += snprintf(text, 3, "%02x", bytes[i]);
		return;
	}
}

/* The kernel's own object is no file: nodes may have other builds of it. */
static void describe_object(struct object *object, const struct dl_phdr_info *info,
			    const char *name)
{
	bool kernels = info->dlpi_name[0] && !strchr(info->dlpi_name, '/');
	char build[256] = "";

	for (int i = 0; i < info->dlpi_phnum && !build[0] && !kernels; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			read_build((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				   info->dlpi_phdr[i].p_memsz, build, sizeof(build));
	describe(object, name, info->dlpi_addr, build);
}

static void add_area(struct cape_runtime *runtime, enum cape_area_kind kind, uint64_t start,
		     uint64_t end, uint64_t initialised, const char *name)
{
	char what[256];
	int error;

	if (start >= end)
		return;
	error = cape_areas_add(runtime->areas, kind, start, end, initialised, name);
	if (!error)
		return;
	snprintf(what, sizeof(what), "make a twin of %s", name);
	cape_fail_for_addresses(runtime, what, error);
}

static void add_thread_storage(struct cape_runtime *runtime, const struct dl_phdr_info *info,
			       const ElfW(Phdr) * header, bool program)
{
	uint64_t start = (uint64_t)(uintptr_t)info->dlpi_tls_data;

	if (!start || !header->p_memsz)
		return;
	add_area(runtime, CAPE_AREA_MASTER, start, start + header->p_memsz, start + header->p_memsz,
		 "thread-local storage");
	cape_thread_storage_add(runtime, start, header->p_memsz, true);
	if (program)
		runtime->channel->thread_storage = start;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_c_library(const char *path)
{
	const char *name = file_name(path);

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0;
}

static bool is_loader(const char *path)
{
	const char *name = file_name(path);

	return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-2", 4) == 0 ||
	       strncmp(name, "linux-vdso", 10) == 0;
}

/* The writable memory of one loaded object, less what is read-only after relocation. */
static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct object *object = context;
	struct cape_runtime *runtime = object->runtime;
	bool program = object->first;
	enum cape_area_kind kind =
		is_c_library(info->dlpi_name) ? CAPE_AREA_MASTER : CAPE_AREA_STATIC;
	uint64_t relro_end = 0;

	(void)size;
	object->first = false;
	describe_object(object, info, program ? "the program" : info->dlpi_name);
	if (program)
		runtime->channel->load_bias = info->dlpi_addr;
	if (!program && is_loader(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			relro_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				    info->dlpi_phdr[i].p_memsz;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr;
		uint64_t end = start + header->p_memsz;

		if (header->p_type == PT_TLS && (program || cape_has_threadprivate(info)))
			add_thread_storage(runtime, info, header, program);
		else if (header->p_type == PT_TLS && info->dlpi_tls_data)
			cape_save_keep(runtime, (uint64_t)(uintptr_t)info->dlpi_tls_data,
				       header->p_memsz);
		if (header->p_type != PT_LOAD || !(header->p_flags & PF_W))
			continue;
		/* Nothing else is on the last page, which would stay common. */
		if (kind == CAPE_AREA_STATIC)
			end = cape_page_ceiling(end);
		if (relro_end > start && relro_end < end)
			start = relro_end;
		add_area(runtime, kind, start, end,
			 info->dlpi_addr + header->p_vaddr + header->p_filesz,
			 program ? "the program" : info->dlpi_name);
		if (kind == CAPE_AREA_MASTER && start < end)
			cape_areas_find(runtime->areas, start, 1)->of_library = true;
	}
	return 0;
}

/* After the first frame come the arguments and the environment, then the program's name. */
static uint64_t top_of_stack(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	uint64_t end = (uint64_t)(uintptr_t)(name + strlen(name) + 1);

	return cape_page_ceiling(end);
}

/* Threads that the program makes itself would get a stack as large as the limit is. */
static void limit_threads(const struct cape_runtime *runtime)
{
	uint64_t outside = runtime->channel->stack_limit, size = THREAD_STACK;
	pthread_attr_t attributes;

	if (pthread_getattr_default_np(&attributes) != 0)
		return;
	/* Those that run regions have what they have without cape-run. */
	if ((runtime->channel->flags & CAPE_CHANNEL_THREADS) && outside != RLIM_INFINITY)
		size = outside;
	pthread_attr_setstacksize(&attributes, size);
	pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

static uint64_t stack_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_LIMIT)
		return limit.rlim_cur;
	return STACK_LIMIT;
}

static void add_stack(struct cape_runtime *runtime)
{
	uint64_t end = top_of_stack();
	struct rlimit limit;
	uint64_t size = stack_limit();

	if (getrlimit(RLIMIT_STACK, &limit) == 0) {
		runtime->stack->limit = limit.rlim_cur;
		runtime->stack->limit_outside = runtime->channel->stack_limit;
	}
	if (size > THREAD_STACK)
		limit_threads(runtime);
	runtime->stack->stack_start = cape_page_floor(end - size);
	runtime->stack->stack_end = end;
	add_area(runtime, CAPE_AREA_STACK, runtime->stack->stack_start, end, 0, "the stack");
}

/* All nodes must have loaded the same things at the same addresses. */
static void compare_nodes(struct cape_runtime *runtime, const struct object *object)
{
	static const struct cape_place place = {"the start of the program", 0};
	const struct cape_message *master;

	cape_exchange(runtime, CAPE_SYNC_START, object->description, object->described, &place);
	if (runtime->node == 0 || runtime->nodes == 1)
		return;
	master = cape_exchange_message(runtime, 0);
	for (size_t i = 0, line = 0; i < object->described; i++) {
		const char *theirs = (const char *)cape_message_get(master, CAPE_SECTION_FREE);

		if (i < master->size[CAPE_SECTION_FREE] && theirs[i] == object->description[i]) {
			if (theirs[i] == '\n')
				line = i + 1;
			continue;
		}
		cape_fail(runtime, 0,
			  "node %u has other libraries or another kernel than node 0, from '%.*s' "
			  "on; all nodes need the same kernel, C library and shared libraries",
			  runtime->node, (int)strcspn(object->description + line, "\n"),
			  object->description + line);
	}
}

static void find_shared_memory(struct cape_runtime *runtime)
{
	struct object object = {
		.runtime = runtime,
		.first = true,
		.description = cape_must_reserve(runtime, DESCRIPTION_SIZE),
	};

	cape_areas_start(runtime->areas, &runtime->private, runtime->method->base);
	add_area(runtime, CAPE_AREA_HEAP, CAPE_HEAP_START, CAPE_HEAP_END, 0, "the heap");
	add_area(runtime, CAPE_AREA_MAPPED, CAPE_MAPPED_START, CAPE_MAPPED_END, 0, "mapped memory");
	add_stack(runtime);
	dl_iterate_phdr(add_object, &object);
	cape_flushed_start(runtime);
	describe(&object, "stack", (uint64_t)(uintptr_t)__libc_stack_end, "");
	cape_save_loaded(runtime, object.description, object.described);
	compare_nodes(runtime, &object);
	cape_children_start(runtime);
	cape_random_start(runtime);
	cape_profiling_zero(runtime);
}

static void at_exit(void)
{
	struct cape_runtime *runtime = cape_runtime;

	if (!runtime->channel)
		return; /* a child of fork() */
	runtime->channel->state.exited = 1;
	cape_need_end();
	cape_profiling_stop(runtime);
	cape_profiled_stop(runtime);
	runtime->channel->statistics.end_time = cape_now();
}

/* A run by threads that is only watched has the C library's own heap, too. */
static void choose_constructs(struct cape_runtime *runtime)
{
	const struct cape_channel *channel = runtime->channel;

	if (runtime->threads > 1)
		cape_constructs = &cape_constructs_of_mixed;
	runtime->watched->constructs = cape_constructs;
	if (!(channel->flags & CAPE_CHANNEL_THREADS))
		return;
	runtime->by_threads = true;
	cape_constructs = cape_watched_start(runtime);
	runtime->watched->constructs = cape_constructs;
	/* Who goes on from a save may be nodes, and finds what the program knows at that time. */
	if (channel->flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_RESTORE))
		return;
	cape_program_by_threads = 1;
	cape_heap_leave_to_libc(runtime);
}

/* Regions' blocks have as much as the program's stack can be, or what the user wants for them. */
static void make_stack_apart(struct cape_runtime *runtime)
{
	int error = cape_apart_map(runtime, stack_limit());

	if (error < 0)
		cape_fail_for_addresses(runtime, "make the stack of regions", error);
	error = cape_apart_map(runtime, runtime->openmp->stack_size);
	if (error < 0)
		cape_fail_for_addresses(
			runtime, "make the stack of regions as large as OMP_STACKSIZE says", error);
}

/* The hooks are those of --check-sets, too. */
static bool checks_races(const struct cape_runtime *runtime)
{
	return runtime->check_asked && !runtime->sets_asked;
}

static void say_what_is_not_checked(const struct cape_runtime *runtime)
{
	if (checks_races(runtime))
		dprintf(STDERR_FILENO,
			"%s: built with --check-races, the program finds races between nodes, and "
			"none with one node; cape-run -np N makes N nodes\n",
			runtime->by_itself ? "cape" : "cape-run");
}

static void start(struct cape_runtime *runtime)
{
	int error;

	runtime->clock_gettime =
		(int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	cape_threads_start(runtime);
	cape_heap_lock_start();
	cape_parts_start(runtime);
	if (runtime->by_itself) {
		say_what_is_not_checked(runtime);
		refuse_copies();
		cape_constructs = &cape_constructs_of_threads;
		cape_program_by_threads = 1;
		cape_settings_start(runtime);
		cape_thread_death_start(runtime);
		cape_constructs = cape_thread_death_constructs(runtime);
		return;
	}
	/* Defined beside malloc(), which so is linked with programs that never name it, too. */
	if (!cape_program_heap())
		cape_fail_for_addresses(runtime, "start the heap", -ENOMEM);
	open_channel(runtime);
	choose_constructs(runtime);
	if (runtime->nodes == 1)
		say_what_is_not_checked(runtime);
	cape_settings_start(runtime);
	make_stack_apart(runtime);
	cape_stand_ins_choose(runtime);
	if (runtime->threads > 1)
		cape_mixed_prepare(runtime);
	reserve_runs(runtime);
	find_shared_memory(runtime);
	if (checks_races(runtime) && runtime->threads > 1)
		cape_fail(runtime, 0,
			  "built with --check-races, the program runs on nodes of one thread: "
			  "leave --threads out, or build it without");
	if (checks_races(runtime) && cape_check_start(runtime) < 0)
		cape_fail(runtime, 0, "no memory for --check-races");
	cape_output_start(runtime);
	error = cape_streams_start(runtime);
	if (error < 0)
		cape_fail(runtime, 0, "cannot take over the C library's streams: %s",
			  strerror(-error));
	if (runtime->by_threads)
		cape_thread_death_start(runtime);
	else
		cape_death_start(runtime);
	cape_profiled_zero(runtime);
	if (runtime->threads > 1)
		cape_mixed_start(runtime);
	runtime->channel->statistics.start_time = cape_now();
	atexit(at_exit);
	(void)at_quick_exit(cape_need_end);
}

/* Before every other constructor; cape-cc makes the linker keep it (-u cape_start). */
CAPE_EXPORT __attribute__((constructor(101))) void cape_start(void);

CAPE_APART_VOID(cape_start_all, (struct cape_runtime * runtime))
{
	start(runtime);
	runtime->started = true;
	if (runtime->channel && (runtime->channel->flags & CAPE_CHANNEL_RESTORE))
		cape_restore(runtime);
}

void cape_start(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->started)
		return;
	/* What it leaves differs between nodes. */
	if (!runtime->by_itself)
		cape_apart_map(runtime, stack_limit());
	cape_start_all(runtime);
	/* The loader of programs leaves the time. */
	if (!runtime->by_itself)
		cape_frame_wipe();
	errno = 0;
}
