// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * death.c - which thread dies of a signal, in which construct, and whether its stack is full.
 *
 * A monitor, or cape-run, reports it with what debug information knows.  Nobody else does for a
 * program that was started by itself, so that says it on stderr; in a handler, by no function of
 * the C library's that allocates or locks.
 */
#include "threads/death.h"

#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "channel/channel.h"
#include "channel/death_words.h"
#include "memory/area.h"
#include "openmp/constructs.h"
#include "replica/death.h"
#include "system/environment.h"
#include "system/libc.h"
#include "threads/own_stack.h"
#include "threads/process.h"

#define BELOW (64ul << 10) /* a stack's end: who has gone beyond it by no more than that */

/* -- what is known ---------------------------------------------------------------------------- */

/* The thread whose stack goes from START to END has used more, or tried to. */
static void find_full(struct cape_channel_death *death, uint64_t start, uint64_t end,
		      uint64_t pointer, enum cape_stack_full full)
{
	uint64_t lowest = pointer;

	if (pointer >= end || (pointer >= start && (death->reached + BELOW < start ||
						    death->reached >= start + CAPE_PAGE)))
		return;
	if (death->reached < pointer && death->reached + BELOW >= pointer)
		lowest = death->reached;
	if (lowest > start)
		lowest = start;
	death->full = full;
	death->stack_size = end - start;
	death->stack_used = end - lowest;
}

/* After the first frame come the arguments, the environment and the program's name. */
static uint64_t end_of_stack(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);

	return cape_page_ceiling((uint64_t)(uintptr_t)(name + strlen(name) + 1));
}

static void look_at_stack(struct cape_runtime *runtime, const struct cape_worker *worker,
			  uint64_t pointer, struct cape_channel_death *death)
{
	uint64_t end = end_of_stack();
	struct rlimit limit;

	if (worker && worker->stack_end)
		find_full(death, worker->stack_start, worker->stack_end, pointer,
			  CAPE_STACK_SETTING);
	else if (cape_is_initial_thread(runtime) && getrlimit(RLIMIT_STACK, &limit) == 0 &&
		 limit.rlim_cur < end)
		find_full(death, cape_page_ceiling(end - limit.rlim_cur), end, pointer,
			  CAPE_STACK_LIMIT);
}

/* The construct that WORKER is in, or left last. */
static const struct cape_place *place_of(const struct cape_worker *worker)
{
	if (!worker || !worker->capacity)
		return NULL;
	return worker->construct[worker->depth ? worker->depth - 1 : 0].place;
}

static void set_place(struct cape_channel_state *state, const struct cape_place *place)
{
	size_t length = strlen(place->file);

	if (length > sizeof(state->file) - 1)
		length = sizeof(state->file) - 1;
	memcpy(state->file, place->file, length);
	state->file[length] = '\0';
	state->line = place->line;
}

static void note_thread(struct cape_runtime *runtime, struct cape_channel_state *state,
			struct cape_channel_death *death)
{
	const struct cape_worker *worker = cape_worker;
	const struct cape_place *place = place_of(worker);

	state->in_region = worker && worker->depth;
	if (place)
		set_place(state, place);
	if (worker)
		death->thread = worker->number;
	if (worker || cape_is_initial_thread(runtime))
		death->threads = worker ? worker->size : 1;
}

/* -- what is said by the program itself ------------------------------------------------------- */

static const char *name_of(int number)
{
	switch (number) {
	case SIGSEGV:
		return "Segmentation fault";
	case SIGBUS:
		return "Bus error";
	case SIGFPE:
		return "Floating point exception";
	default:
		return "Illegal instruction";
	}
}

/* PATH as one word of the shell's. */
static void say_word(struct cape_death_words *words, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,:@%";

	if (!path[strspn(path, plain)]) {
		cape_death_say(words, "%s", path);
		return;
	}
	cape_death_say(words, "'");
	for (; *path; path++)
		cape_death_say(words, *path == '\'' ? "'\\''" : "%c", *path);
	cape_death_say(words, "'");
}

/* What finds the line, for who has debug information. */
static void say_code(struct cape_death_words *words, const struct cape_runtime *runtime,
		     uint64_t after)
{
	char path[512];
	long length = syscall(SYS_readlink, "/proc/self/exe", path, sizeof(path) - 1);

	if (!after || length < 0)
		return;
	path[length] = '\0';
	cape_death_say(words, "; addr2line -fipe ");
	say_word(words, path);
	cape_death_say(words, " %#llx prints the source line",
		       (unsigned long long)(after - 1 - runtime->death->load_bias));
}

static void say_all(const struct cape_runtime *runtime, int number,
		    const struct cape_channel_state *state, const struct cape_channel_death *death)
{
	char text[1536];
	struct cape_death_words words = {text, sizeof(text), 0};

	if (!death->threads)
		cape_death_say(&words, "cape: a thread that the program made itself");
	else if (state->in_region)
		cape_death_say(&words, "cape: thread %u of %u", death->thread, death->threads);
	else
		cape_death_say(&words, "cape: the program");
	cape_death_say(&words, " dies of signal %d (%s)", number, name_of(number));
	if (death->threads)
		cape_death_say_place(&words, state);
	cape_death_say_memory(&words, death, NULL);
	say_code(&words, runtime, death->after);
	cape_death_say(&words, "\n");
	if (write(STDERR_FILENO, text, words.length) < 0)
		return;
}

static void report(struct cape_runtime *runtime, int number, const siginfo_t *information,
		   struct cape_channel_death *death, uint64_t stack_pointer)
{
	struct cape_channel_state own = {.line = 0}, *state = &own;

	/* Somebody has sent it: to the process, which has no thread and no address for that. */
	if (information->si_code <= 0 && information->si_code != SI_TKILL)
		return;
	if (runtime->channel)
		state = &runtime->channel->state;
	else if (runtime->death->note)
		state = &runtime->death->note->state;
	/* Where nothing is addressed that could be one, the processor does not say which. */
	death->has_reached = information->si_code > 0 && information->si_code != SI_KERNEL &&
			     (number == SIGSEGV || number == SIGBUS);
	if (death->has_reached)
		death->reached = (uint64_t)(uintptr_t)information->si_addr;
	if (number == SIGSEGV && information->si_code > 0)
		look_at_stack(runtime, cape_worker, stack_pointer, death);
	note_thread(runtime, state, death);
	if (!runtime->death->note && !runtime->channel)
		say_all(runtime, number, state, death);
	if (!runtime->death->note)
		return;
	state->death = *death;
	runtime->death->note->reported = runtime->failed;
}

/* The program itself comes first. */
static int take_bias(struct dl_phdr_info *info, size_t size, void *context)
{
	struct cape_runtime *runtime = context;

	(void)size;
	runtime->death->load_bias = info->dlpi_addr;
	return 1;
}

void cape_thread_death_start(struct cape_runtime *runtime)
{
	dl_iterate_phdr(take_bias, runtime);
	runtime->death->report = report;
	cape_death_start(runtime);
	cape_own_stack_of_handlers(cape_own_stack_reserve(runtime));
}

/* -- cape-run's note -------------------------------------------------------------------------- */

/* The descriptor that the first variable NAME of ENVIRONMENT gives, which is taken out; or -1. */
static int take_descriptor(char **environment, const char *name)
{
	char **variable = cape_environment_find(environment, name);
	int descriptor = 0;

	if (!variable)
		return -1;
	if ((*variable)[strlen(name) + 1] < '0' || (*variable)[strlen(name) + 1] > '9')
		descriptor = -1;
	for (const char *at = *variable + strlen(name) + 1; *at >= '0' && *at <= '9'; at++)
		descriptor = 10 * (descriptor % 100000) + (*at - '0');
	for (; *variable; variable++)
		variable[0] = variable[1];
	return descriptor;
}

void cape_thread_death_find(struct cape_runtime *runtime, char **environment)
{
	int descriptor = take_descriptor(environment, CAPE_DEATH_VARIABLE);
	struct cape_death_note *note;
	struct stat status;

	/* The user may have set the variable to anything. */
	if (descriptor < 0 || syscall(SYS_fstat, descriptor, &status) < 0 ||
	    status.st_size < (off_t)sizeof(*note))
		return;
	note = mmap(NULL, sizeof(*note), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (note == MAP_FAILED)
		return;
	close(descriptor);
	if (note->magic == CAPE_DEATH_MAGIC)
		runtime->death->note = note;
	else
		munmap(note, sizeof(*note));
}

static void region_run(void (*body)(void *data), void *data)
{
	const struct cape_construct *construct = cape_worker_innermost(cape_worker_get());
	struct cape_death *death = cape_runtime->death;

	if (!construct->active || !death->note) {
		cape_thread_region_run(body, data);
		return;
	}
	if (death->place != construct->place) {
		death->place = construct->place;
		set_place(&death->note->state, construct->place);
	}
	death->note->state.in_region = 1;
	cape_thread_region_run(body, data);
	/* The child of a fork() has none. */
	if (cape_runtime->death->note)
		cape_runtime->death->note->state.in_region = 0;
}

const struct cape_constructs *cape_thread_death_constructs(struct cape_runtime *runtime)
{
	struct cape_constructs *constructs;

	if (!runtime->death->note)
		return &cape_constructs_of_threads;
	runtime->death->note->load_bias = runtime->death->load_bias;
	constructs = cape_must_reserve(runtime, sizeof(*constructs));
	*constructs = cape_constructs_of_threads;
	constructs->region_run = region_run;
	return constructs;
}
