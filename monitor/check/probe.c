/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.c - tries here what a run needs: limits, room, ptrace, the kernel's services, Open MPI.
 *
 * Nothing is guessed from settings where it can be done instead.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ask.h"
#include "common/answer.h"
#include "common/folder.h"
#include "common/hash.h"
#include "common/limits.h"
#include "libraries.h"
#include "quote.h"
#include "uapi/cape.h"

/* <linux/userfaultfd.h> of Linux 6.7. */
#define USER_MODE_ONLY 1
#define WP_ASYNC       (1 << 15)

#define START_SECONDS 15

/* What mends it is MEND, or printf's text of that and what follows. */
static void say(enum answer_kind kind, const char *text, const char *mend, ...)
	__attribute__((format(printf, 3, 4)));

static void say(enum answer_kind kind, const char *text, const char *mend, ...)
{
	char *more;
	va_list list;

	va_start(list, mend);
	if (vasprintf(&more, mend, list) < 0)
		more = NULL;
	va_end(list);
	answer_say(kind, text, more ? more : "");
	free(more);
}

/* The first line that COMMAND prints that is not empty, in LINE; its status, or -1. */
static int first_line(const char *command, char *line, size_t size)
{
	FILE *from = popen(command, "re");
	char rest[256];
	int status;

	line[0] = '\0';
	if (!from)
		return -1;
	while (fgets(line, (int)size, from) && line[0] == '\n')
		;
	line[strcspn(line, "\n")] = '\0';
	while (fgets(rest, sizeof(rest), from))
		;
	status = pclose(from);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void tell_hash(const char *name, const char *path)
{
	char text[32];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash_of_file(path));
	answer_say(ANSWER_SAME, name, text);
}

static void tell_monitor(const struct probe *probe, const struct asked *asked)
{
	const char *line = *asked->complaint ? asked->complaint : asked->said;
	char text[1024];

	line += strspn(line, "\n");
	snprintf(text, sizeof(text), "CAPE cannot start its monitor: %.*s",
		 (int)strcspn(line, "\n"), line);
	if (strstr(text, "shared libraries"))
		say(ANSWER_FAULT, text, "apt-get install openmpi-bin libdw1 libelf1 (on %s)",
		    probe->machine);
	else
		say(ANSWER_FAULT, text, "install the CAPE of this machine there, to the same path");
}

/* SAID is what the monitor says of itself. */
static void tell_version(const char *said)
{
	char text[256];

	snprintf(text, sizeof(text), "the monitor is %.*s, and cape-run is of version %s",
		 (int)strcspn(said, "\n"), said, CAPE_VERSION);
	say(ANSWER_FAULT, text, "install all of one CAPE there");
}

static void look_at_monitor(const struct probe *probe)
{
	const char *const words[] = {probe->monitor, "--version", NULL};
	const struct question question = {.words = words};
	struct asked asked = {.status = -1};

	if (ask_all(&question, &asked, 1, START_SECONDS) == 0) {
		if (asked.status != 0)
			tell_monitor(probe, &asked);
		else if (strcmp(asked.said, "cape-monitor " CAPE_VERSION "\n") != 0)
			tell_version(asked.said);
		else
			tell_hash("cape", probe->monitor);
	}
	free(asked.said);
	free(asked.complaint);
}

/* mpirun starts its daemon where a shell finds it without a path. */
static void look_at_mpi(const struct probe *probe)
{
	char line[256], *version;

	if (first_line("command -v orted || command -v prted", line, sizeof(line)) != 0) {
		say(ANSWER_FAULT, "mpirun's daemon (orted) is not in PATH there",
		    "apt-get install openmpi-bin (on %s), or mpirun's option --prefix",
		    probe->machine);
		return;
	}
	first_line("mpirun --version 2>/dev/null", line, sizeof(line));
	version = strrchr(line, ' ');
	answer_say(ANSWER_SAME, "openmpi", version ? version + 1 : "unknown");
}

static void look_at_limits(const struct probe *probe)
{
	char why[512], *mend;

	if (access("/proc/self/exe", F_OK) < 0)
		say(ANSWER_FAULT, "/proc is not mounted", "mount -t proc proc /proc");
	if (limits_raise(probe->nodes, 1, false, why, sizeof(why)))
		return;
	mend = strstr(why, "; ");
	if (mend) {
		*mend = '\0';
		mend += 2;
	}
	say(ANSWER_FAULT, why, "%s (for what ssh starts: in /etc/security/limits.conf)",
	    mend ? mend : "raise it");
}

static void look_at_room(const struct probe *probe)
{
	enum folder_room room = folder_room(probe->base, probe->nodes);
	char text[512], *word;

	if (room == FOLDER_AMPLE)
		return;
	snprintf(text, sizeof(text), "%s, where a run's files are, has %s for %d node%s",
		 probe->base, room == FOLDER_NO_ROOM ? "no room" : "little room", probe->nodes,
		 probe->nodes == 1 ? "" : "s");
	word = quote_word(probe->base);
	if (word)
		say(room == FOLDER_NO_ROOM ? ANSWER_FAULT : ANSWER_NOTE, text,
		    "remove what is not needed there, or: mount -o remount,size=50%% %s", word);
	free(word);
}

/* Ends at once when it may do what a program's process does before the program begins. */
static void be_traced(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		_exit(1);
	_exit(personality(ADDR_NO_RANDOMIZE) < 0 ? 2 : 0);
}

static void look_at_ptrace(void)
{
	int line[2], status = -1;
	bool traced;
	pid_t child;

	if (pipe2(line, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		be_traced(line[0]);
	traced = child > 0 && ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
	if (child > 0 && write(line[1], "", 1) == 1)
		waitpid(child, &status, 0);
	close(line[0]);
	close(line[1]);
	if (!traced)
		say(ANSWER_FAULT, "a process may not trace its child here (ptrace)",
		    "sysctl kernel.yama.ptrace_scope=1; in a container: --cap-add SYS_PTRACE");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		say(ANSWER_FAULT, "addresses cannot be fixed here (personality(2) is refused)",
		    "in a container: --security-opt seccomp=unconfined");
}

static void look_at_tracking(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC};
	int file = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
	int error = file < 0 ? errno : ioctl(file, UFFDIO_API, &api) < 0 ? EINVAL : 0;
	char text[256];

	if (file >= 0)
		close(file);
	if (!error)
		return;
	snprintf(text, sizeof(text),
		 "the kernel does not report written pages (userfaultfd: %s): a region with many "
		 "sync points compares all its memory",
		 error == EINVAL ? "Linux is older than 6.7" : strerror(error));
	if (error == EINVAL)
		say(ANSWER_NOTE, text, "a kernel of 6.7 or later");
	else if (error == ENOSYS)
		say(ANSWER_NOTE, text, "a kernel of 6.7 or later with CONFIG_USERFAULTFD");
	else
		say(ANSWER_NOTE, text, "in a container: --security-opt seccomp=unconfined");
}

static void look_at_driver(const struct probe *probe)
{
	int device = probe->driver ? open(CAPE_DEVICE, O_RDWR | O_CLOEXEC) : -1, error = errno;
	char text[256];

	if (device >= 0)
		close(device);
	if (!probe->driver || device >= 0)
		return;
	snprintf(text, sizeof(text), "cape.ko does not serve here: " CAPE_DEVICE ": %s",
		 strerror(error));
	if (error == EACCES || error == EPERM)
		say(ANSWER_FAULT, text,
		    "make -C kmod udev_install, and join the group that it "
		    "names");
	else
		say(ANSWER_FAULT, text, "make -C kmod modules_install && modprobe cape");
}

static void look_at_processors(const struct probe *probe)
{
	char text[256], line[256];
	cpu_set_t set;
	int count = 1;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
	first_line("sed -n 's/^MemAvailable: *//p' /proc/meminfo", line, sizeof(line));
	snprintf(text, sizeof(text), "%d processor%s, %.1f GB of memory free", count,
		 count == 1 ? "" : "s", strtod(line, NULL) / (1 << 20));
	answer_say(ANSWER_ABOUT, text, "");
	if (count >= probe->nodes)
		return;
	snprintf(text, sizeof(text), "%d nodes share %d processor%s: right, but no faster",
		 probe->nodes, count, count == 1 ? "" : "s");
	say(ANSWER_NOTE, text, "fewer nodes (-np), or more machines");
}

/* What libm and memcpy() choose their code by, and with that a result's last bits. */
static void look_at_kind(void)
{
	struct utsname name;
	char flags[8192];

	if (uname(&name) < 0)
		return;
	answer_say(ANSWER_SAME, "architecture", name.machine);
	answer_say(ANSWER_SAME, "kernel", name.release);
	first_line("sed -n '/^flags/{s/^[^:]*: *//p;q}' /proc/cpuinfo", flags, sizeof(flags));
	answer_say(ANSWER_SAME, "processor", flags);
}

/* "	libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f...)", or "=> not found" */
static void look_at_library(const struct probe *probe, char *line)
{
	char *name = line + strspn(line, " \t"), *path = strstr(name, " => "), text[512];

	if (!path)
		return;
	*path = '\0';
	path += strlen(" => ");
	if (strncmp(path, "not found", strlen("not found")) == 0) {
		snprintf(text, sizeof(text), "the program's library %s is missing", name);
		say(ANSWER_FAULT, text, "install it on %s as on the others", probe->machine);
		return;
	}
	path[strcspn(path, " ")] = '\0';
	snprintf(text, sizeof(text), "library %s", name);
	tell_hash(text, path);
}

static void look_at_libraries(const struct probe *probe, const char *path)
{
	char *lines = libraries_of(path), *rest = lines, *line;

	while ((line = strsep(&rest, "\n")))
		look_at_library(probe, line);
	free(lines);
}

static void look_at_program(const struct probe *probe)
{
	char text[4200], *word;

	if (!probe->program) {
		look_at_libraries(probe, probe->monitor);
		return;
	}
	if (access(probe->program, R_OK | X_OK) < 0) {
		snprintf(text, sizeof(text), "the program %s: %s", probe->program, strerror(errno));
		word = quote_word(probe->program);
		if (word)
			say(ANSWER_FAULT, text, "scp -p %s %s:%s", word, probe->machine, word);
		free(word);
		return;
	}
	tell_hash("program", probe->program);
	look_at_libraries(probe, probe->program);
}

static void look_at_directory(const struct probe *probe)
{
	char text[4200], *word;

	if (chdir(probe->directory) == 0) {
		look_at_program(probe);
		return;
	}
	snprintf(text, sizeof(text), "the working directory %s: %s", probe->directory,
		 strerror(errno));
	word = quote_word(probe->directory);
	if (word)
		say(ANSWER_FAULT, text, "mkdir -p %s (on %s), or mount the shared folder there",
		    word, probe->machine);
	free(word);
}

void probe_here(const struct probe *probe)
{
	look_at_processors(probe);
	look_at_kind();
	look_at_limits(probe);
	look_at_room(probe);
	look_at_ptrace();
	look_at_tracking();
	look_at_driver(probe);
	look_at_mpi(probe);
	look_at_monitor(probe);
	look_at_directory(probe);
	answer_say(ANSWER_END, "", "");
	fflush(stdout);
}
