// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * children.c - processes that sequential code starts: every node starts its own, under node 0's
 * number, and learns from node 0 which has ended, and how.
 *
 * The functions take the place of the C library's in the program.  A number that is kept in shared
 * memory is the same on all nodes, and stays so after a region; what is asked of the kernel is
 * asked about this node's own process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "system/libc.h"
#include "heap/heap.h"
#include "memory/directory.h"
#include "memory/frame.h"
#include "message/one_truth.h"
#include "need/need.h"
#include "replica/children.h"
#include "replica/exec.h"
#include "replica/files.h"

/* At once; more than Linux lets a user have by default. */
#define CHILDREN_LIMIT 65536u

/* For a child when node 0's has ended, and between looks at it, in nanoseconds. */
#define PATIENCE_NS  10000000000ull
#define SHORTEST_NAP 100000
#define LONGEST_NAP  10000000

/* A process, on a node other than 0. */
struct child {
	pid_t number; /* node 0's; 0: free */
	pid_t own;
};

/* Of this process: what has one number for the whole program. */
enum { SELF, GROUP, SESSION, PARENT, KNOWN };

/* A child of fork() has its parent's. */
struct cape_children {
	struct child *child;
	size_t end; /* after the last in use */
	struct child known[KNOWN];
};

static void start(struct cape_runtime *runtime)
{
	runtime->children->child =
		cape_must_reserve(runtime, CHILDREN_LIMIT * sizeof(struct child));
}

CAPE_PART_OF_NODES(children, start);

void cape_children_start(struct cape_runtime *runtime)
{
	struct cape_children *children = runtime->children;
	pid_t number[KNOWN] = {
		[SELF] = (pid_t)syscall(SYS_getpid),
		[GROUP] = (pid_t)syscall(SYS_getpgid, 0),
		[SESSION] = (pid_t)syscall(SYS_getsid, 0),
		[PARENT] = (pid_t)syscall(SYS_getppid),
	};

	if (runtime->nodes == 1)
		return;
	for (int i = 0; i < KNOWN; i++)
		children->known[i].own = number[i];
	cape_one_truth(runtime, number, sizeof(number), "the start of the program");
	for (int i = 0; i < KNOWN; i++)
		children->known[i].number = number[i];
}

pid_t __fork(void);

/* -- numbers ------------------------------------------------------------------------------ */

/* Below 0: of a group, which has the number of its first process. */
static pid_t to_own(pid_t number)
{
	const struct cape_children *children = cape_runtime_get()->children;
	pid_t sign = number < 0 ? -1 : 1;

	for (int i = 0; number && i < KNOWN; i++)
		if (number == sign * children->known[i].number)
			return sign * children->known[i].own;
	for (size_t i = 0; number && i < children->end; i++)
		if (number == sign * children->child[i].number)
			return sign * children->child[i].own;
	return number;
}

static pid_t to_number(pid_t own)
{
	const struct cape_children *children = cape_runtime_get()->children;

	for (int i = 0; own > 0 && i < KNOWN; i++)
		if (children->known[i].own == own)
			return children->known[i].number;
	for (size_t i = 0; i < children->end; i++)
		if (children->child[i].number && children->child[i].own == own)
			return children->child[i].number;
	return own;
}

static void forget(pid_t number, pid_t own)
{
	struct cape_children *children = cape_runtime_get()->children;

	for (size_t i = 0; i < children->end; i++)
		if (children->child[i].number == number || children->child[i].own == own)
			children->child[i].number = 0;
	while (children->end && !children->child[children->end - 1].number)
		children->end--;
}

/* A handler may ask in between: the number comes last. */
static void add(struct cape_runtime *runtime, pid_t number, pid_t own)
{
	struct cape_children *children = runtime->children;
	size_t i = 0;

	if (runtime->node == 0)
		return;
	/* Where nobody waits, numbers come again. */
	forget(number, own);
	while (i < children->end && children->child[i].number)
		i++;
	if (i == CHILDREN_LIMIT)
		cape_fail(runtime, 0, "the program has more than %u processes", CHILDREN_LIMIT);
	children->child[i].own = own;
	if (i == children->end)
		children->end++;
	__atomic_store_n(&children->child[i].number, number, __ATOMIC_RELEASE);
}

/* The system call ASK about a process, which has its own number here, and node 0's in the program.
 */
static pid_t number_of(long ask, pid_t process)
{
	return to_number((pid_t)syscall(ask, to_own(process)));
}

CAPE_CALLED_FUNCTION_IS(pid_t, getpid, (void), number_of(SYS_getpid, 0))
CAPE_CALLED_FUNCTION_IS(pid_t, getppid, (void), number_of(SYS_getppid, 0))
CAPE_CALLED_FUNCTION_IS(pid_t, getpgid, (pid_t process), number_of(SYS_getpgid, process))
CAPE_CALLED_FUNCTION_IS(pid_t, getpgrp, (void), cape_getpgid(0))
CAPE_CALLED_FUNCTION_IS(pid_t, getsid, (pid_t process), number_of(SYS_getsid, process))
CAPE_FUNCTION_IS(pid_t, setsid, (void), to_number((pid_t)syscall(SYS_setsid)))

/* Threads of a region have numbers of their own. */
CAPE_CALLED_FUNCTION(pid_t, gettid, (void))
{
	if (cape_is_concurrent(cape_runtime_get()))
		return (pid_t)syscall(SYS_gettid);
	return number_of(SYS_gettid, 0);
}

/* After a call that has left this node's own number on the stack. */
static int wiped(long result)
{
	cape_frame_wipe();
	return (int)result;
}

CAPE_CALLED_FUNCTION_IS(int, kill, (pid_t process, int signal),
			wiped(syscall(SYS_kill, to_own(process), signal)))

CAPE_FUNCTION(int, killpg, (pid_t group, int signal))
{
	if (group < 0) {
		errno = EINVAL;
		return -1;
	}
	return cape_kill(-group, signal);
}

CAPE_CALLED_FUNCTION_IS(int, tgkill, (pid_t process, pid_t thread, int signal),
			wiped(syscall(SYS_tgkill, to_own(process), to_own(thread), signal)))
CAPE_FUNCTION_IS(int, sigqueue, (pid_t process, int signal, const union sigval value),
		 wiped(CAPE_OWN_FUNCTION(sigqueue)(to_own(process), signal, value)))
CAPE_FUNCTION_IS(int, pidfd_open, (pid_t process, unsigned int flags),
		 (int)syscall(SYS_pidfd_open, to_own(process), flags))
CAPE_FUNCTION_IS(int, setpgrp, (void), (int)syscall(SYS_setpgid, 0, 0))
CAPE_FUNCTION_IS(int, setpgid, (pid_t process, pid_t group),
		 (int)syscall(SYS_setpgid, to_own(process), to_own(group)))

/* -- starting ----------------------------------------------------------------------------- */

/*
 * OWN is this node's new process, or below 0; ERROR is why.  The number, or -1 and errno.  Not
 * inlined: fork() wipes its frame.
 */
static __attribute__((noinline)) pid_t agree_on_child(struct cape_runtime *runtime, pid_t own,
						      int error, const char *what)
{
	struct {
		pid_t number;
		int error;
	} child = {own, error};

	cape_one_truth(runtime, &child, sizeof(child), what);
	if (child.number >= 0 && own < 0)
		cape_fail(runtime, 0, "node %u: %s failed (%s), but succeeded on node 0",
			  runtime->node, what, strerror(error));
	if (child.number >= 0) {
		add(runtime, child.number, own);
	} else if (own >= 0) {
		syscall(SYS_kill, own, SIGKILL);
		waitpid(own, NULL, 0);
	}
	errno = child.number < 0 ? child.error : errno;
	return child.number;
}

CAPE_FUNCTION(pid_t, fork, (void))
{
	struct cape_runtime *runtime = cape_runtime_get();
	pid_t own;

	/* A child reads files, and writes them. */
	cape_files_await_master(runtime);
	own = __fork();
	if (own == 0 || !cape_is_replicated(runtime))
		return own;
	own = agree_on_child(runtime, own, errno, "fork()");
	cape_frame_wipe();
	return own;
}

/* A program that may call it can as well call fork(); a function of ours could not return twice. */
CAPE_FUNCTION_IS(pid_t, vfork, (void), fork())

/*
 * The child shares the program's memory until it is another program, and has no handler.  What is
 * in the list of ACTIONS is the C library's; words that are addresses of the heap are those of
 * paths.
 */
static void touch_actions(const struct cape_runtime *runtime,
			  const posix_spawn_file_actions_t *actions)
{
	const char *const *words;
	size_t size;

	cape_need_touch(actions, sizeof(*actions));
	if (!runtime->directory->count || !actions || actions->__allocated <= 0)
		return;
	words = (const char *const *)actions->__actions;
	size = cape_heap_usable(runtime->heap, words);
	cape_need_touch(words, size);
	size = size / (size_t)actions->__allocated * (size_t)actions->__used;
	for (size_t i = 0; i < size / sizeof(*words); i++)
		if (cape_heap_owns(runtime->heap, words[i]))
			cape_need_touch_text(words[i]);
}

typedef int (*spawner)(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const *words,
		       char *const *environment);

static int spawn(const char *name, pid_t *process, const char *file,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const *words, char *const *environment)
{
	spawner own = (spawner)dlsym(RTLD_NEXT, name);
	struct cape_runtime *runtime = cape_runtime_get();
	int saved_errno = errno, error;
	pid_t child = -1;

	touch_actions(runtime, actions);
	cape_need_touch(attributes, sizeof(*attributes));
	cape_need_touch_text(file);
	cape_need_touch_texts(words);
	cape_need_touch_texts(environment);
	cape_files_await_master(runtime);
	cape_exec_limit(runtime);
	error = own(&child, file, actions, attributes, words, environment);
	cape_exec_limit_end(runtime);
	if (cape_is_replicated(runtime)) {
		child = agree_on_child(runtime, error ? -1 : child, error, "posix_spawn()");
		error = child < 0 ? errno : 0;
	}
	if (process && !error)
		*process = child;
	errno = saved_errno;
	return error;
}

#define SPAWNS(name)                                                                               \
	CAPE_FUNCTION_IS(int, name,                                                                \
			 (pid_t * process, const char *file,                                       \
			  const posix_spawn_file_actions_t *actions,                               \
			  const posix_spawnattr_t *attributes, char *const *words,                 \
			  char *const *environment),                                               \
			 spawn(#name, process, file, actions, attributes, words, environment))

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* -- waiting ------------------------------------------------------------------------------ */

/*
 * Whether node 0 is to be asked.  Not in a handler, which runs on each node when its own process
 * ends: its signal is blocked there.
 */
static bool is_agreed_upon(const struct cape_runtime *runtime)
{
	uint64_t blocked = 0;

	if (!cape_is_replicated(runtime))
		return false;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof(blocked));
	return !(blocked & 1ul << (SIGCHLD - 1));
}

/* What became of a child, on node 0 or here. */
struct ending {
	pid_t child; /* as the call returns it */
	int error;
	int status;
	struct rusage usage;
};

static bool has_ended(int status)
{
	return WIFEXITED(status) || WIFSIGNALED(status);
}

static struct ending wait_here(pid_t which, int options, bool usage)
{
	struct ending ending = {.child = -1};

	/* The C library's waitpid() is where a thread may be cancelled. */
	if (usage)
		ending.child = (pid_t)syscall(SYS_wait4, to_own(which), &ending.status, options,
					      &ending.usage);
	else
		ending.child = waitpid(to_own(which), &ending.status, options);
	ending.error = errno;
	if (ending.child > 0) {
		pid_t own = ending.child;

		ending.child = to_number(own);
		if (has_ended(ending.status))
			forget(ending.child, own);
	}
	return ending;
}

/* Waits for it, as long as it may take after the one on node 0. */
static bool ends_soon(pid_t own)
{
	struct timespec nap = {.tv_nsec = SHORTEST_NAP};
	uint64_t limit = cape_now() + PATIENCE_NS;
	pid_t ended;

	while ((ended = waitpid(own, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
		if (cape_now() > limit)
			return false;
		syscall(SYS_nanosleep, &nap, NULL);
		if (nap.tv_nsec < LONGEST_NAP)
			nap.tv_nsec *= 2;
	}
	return true;
}

static void end_own(struct cape_runtime *runtime, pid_t child, pid_t own, bool killed)
{
	/* The signal may have come from elsewhere, to that one alone. */
	if (killed)
		syscall(SYS_kill, own, SIGKILL);
	if (!ends_soon(own))
		dprintf(CAPE_STDERR_FD,
			"cape: node %u: its process %d is not waited for any longer; that of node "
			"0, %d, has ended long ago\n",
			runtime->node, own, child);
	forget(child, own);
}

/*
 * Node 0's process CHILD has ended, perhaps of a signal, and was waited for: this node's does, too.
 * Nobody goes on before: another node's may still write a file.
 */
static void wait_for_own(struct cape_runtime *runtime, pid_t child, bool killed)
{
	pid_t own = to_own(child);

	if (runtime->node > 0 && own != child)
		end_own(runtime, child, own, killed);
	cape_one_truth(runtime, &child, sizeof(child), "wait()");
}

static struct ending wait_alike(struct cape_runtime *runtime, pid_t which, int options)
{
	struct ending ending = {.child = -1};

	if (runtime->node == 0)
		ending = wait_here(which, options, true);
	cape_one_truth(runtime, &ending, sizeof(ending), "wait()");
	if (ending.child > 0 && has_ended(ending.status))
		wait_for_own(runtime, ending.child, WIFSIGNALED(ending.status));
	return ending;
}

static pid_t wait_for(pid_t which, int *status, int options, struct rusage *usage)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct ending ending;
	int saved_errno = errno;

	if (is_agreed_upon(runtime)) {
		ending = wait_alike(runtime, which, options);
	} else {
		ending = wait_here(which, options, usage != NULL);
	}
	if (ending.child > 0 && status)
		*status = ending.status;
	if (ending.child > 0 && usage)
		*usage = ending.usage;
	errno = ending.child < 0 ? ending.error : saved_errno;
	return ending.child;
}

CAPE_FUNCTION_IS(pid_t, waitpid, (pid_t which, int *status, int options),
		 wait_for(which, status, options, NULL))
CAPE_FUNCTION_IS(pid_t, wait, (int *status), wait_for(-1, status, 0, NULL))
CAPE_FUNCTION_IS(pid_t, wait3, (int *status, int options, struct rusage *usage),
		 wait_for(-1, status, options, usage))
CAPE_FUNCTION_IS(pid_t, wait4, (pid_t which, int *status, int options, struct rusage *usage),
		 wait_for(which, status, options, usage))

/* As struct ending, of waitid(). */
struct event {
	int result, error;
	siginfo_t info;
};

static bool is_end(const siginfo_t *info)
{
	return info->si_pid && (info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
				info->si_code == CLD_DUMPED);
}

static struct event await_here(idtype_t type, id_t id, int options)
{
	struct event event = {.result = -1};
	pid_t own;

	if (type == P_PID || type == P_PGID)
		id = (id_t)to_own((pid_t)id);
	event.result = (int)syscall(SYS_waitid, type, id, &event.info, options, NULL);
	event.error = errno;
	own = event.info.si_pid;
	event.info.si_pid = to_number(own);
	if (event.result == 0 && is_end(&event.info) && !(options & WNOWAIT))
		forget(event.info.si_pid, own);
	return event;
}

static struct event await_alike(struct cape_runtime *runtime, idtype_t type, id_t id, int options)
{
	struct event event = {.result = -1};

	if (runtime->node == 0)
		event = await_here(type, id, options);
	cape_one_truth(runtime, &event, sizeof(event), "waitid()");
	if (event.result == 0 && is_end(&event.info) && !(options & WNOWAIT))
		wait_for_own(runtime, event.info.si_pid, event.info.si_code != CLD_EXITED);
	return event;
}

CAPE_FUNCTION(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options))
{
	struct cape_runtime *runtime = cape_runtime_get();
	int saved_errno = errno;
	struct event event;

	if (is_agreed_upon(runtime)) {
		event = await_alike(runtime, type, id, options);
	} else {
		event = await_here(type, id, options);
	}
	if (event.result == 0 && info)
		*info = event.info;
	errno = event.result < 0 ? event.error : saved_errno;
	return event.result;
}
