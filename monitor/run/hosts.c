// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hosts.c - host files and lists of machines, as Open MPI reads them: copies without a machine.
 */
#include "hosts.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Where the machines are named if not on the command line: Open MPI 4's, and 5's. */
static const char *const variable[] = {"OMPI_MCA_orte_default_hostfile",
				       "PRTE_MCA_prte_default_hostfile"};

static struct addrinfo *addresses_of(const char *name)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;

	return getaddrinfo(name, NULL, &hints, &list) == 0 ? list : NULL;
}

/* The machine that is left out; its addresses are looked up when a name is not enough. */
struct lost {
	const char *name;
	struct addrinfo *address;
	bool known;
};

static bool share_address(struct lost *lost, const char *other)
{
	struct addrinfo *list = addresses_of(other);
	bool same = false;

	if (!lost->known)
		lost->address = addresses_of(lost->name);
	lost->known = true;
	for (const struct addrinfo *a = lost->address; a; a = a->ai_next)
		for (const struct addrinfo *b = list; b; b = b->ai_next)
			same |= a->ai_addrlen == b->ai_addrlen &&
				memcmp(a->ai_addr, b->ai_addr, a->ai_addrlen) == 0;
	if (list)
		freeaddrinfo(list);
	return same;
}

/* Whether WORD, "[USER@]NAME[:SLOTS]", of SIZE bytes, names LOST, if with no or another domain. */
static bool names(const char *word, size_t size, struct lost *lost)
{
	const char *host = lost->name, *user = memchr(word, '@', size);
	char name[256];

	if (user) {
		size -= (size_t)(user + 1 - word);
		word = user + 1;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(size < sizeof(name) ? size : sizeof(name)),
		 word);
	name[strcspn(name, ":")] = '\0';
	if (!*name)
		return false;
	if (strcasecmp(name, host) == 0)
		return true;
	if (strcspn(name, ".") == strcspn(host, ".") &&
	    strncasecmp(name, host, strcspn(name, ".")) == 0 &&
	    !strchr(name, '.') != !strchr(host, '.'))
		return true;
	return share_address(lost, name);
}

/* "A,B:2", without LOST; NULL: it is not in there, or alone. */
static char *list_without(const char *list, struct lost *lost)
{
	char *left = calloc(1, strlen(list) + 1), *to = left;
	bool found = false;

	while (left && *list) {
		size_t size = strcspn(list, ",");

		if (names(list, size, lost))
			found = true;
		else
			to += sprintf(to, "%s%.*s", to > left ? "," : "", (int)size, list);
		list += size + (list[size] == ',');
	}
	if (found && *left)
		return left;
	free(left);
	return NULL;
}

/* Copies lines; how many name machines, and whether one of them was left out. */
static int copy_lines(FILE *from, FILE *to, struct lost *lost, bool *found)
{
	char *line = NULL;
	size_t room = 0;
	int others = 0;

	while (getline(&line, &room, from) >= 0) {
		const char *word = line + strspn(line, " \t");
		size_t size = strcspn(word, " \t\r\n#");

		if (size && names(word, size, lost)) {
			*found = true;
			continue;
		}
		others += size > 0;
		fputs(line, to);
	}
	free(line);
	return others;
}

/*
 * A copy of the host file without LOST, that mpirun finds as long as this process lives; NULL: it
 * is not in there, or alone.
 */
static char *file_without(const char *path, struct lost *lost)
{
	int copy = memfd_create("cape-hosts", MFD_CLOEXEC);
	FILE *from = fopen(path, "re"), *to = copy < 0 ? NULL : fdopen(copy, "w");
	char *name = NULL;
	bool found = false;

	if (!to && copy >= 0)
		close(copy);
	if (from && to && copy_lines(from, to, lost, &found) > 0 && found && fflush(to) == 0 &&
	    asprintf(&name, "/proc/%d/fd/%d", (int)getpid(), copy) < 0)
		name = NULL;
	if (from)
		fclose(from);
	if (to && !name)
		fclose(to);
	return name;
}

static bool is_file(const char *option)
{
	return strstr(option, "hostfile") || strstr(option, "machinefile");
}

static bool is_list(const char *option)
{
	option += strspn(option, "-");
	return strcmp(option, "H") == 0 || strcmp(option, "host") == 0;
}

static bool leave_out_of_default(struct run_options *options, struct lost *lost)
{
	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
		const char *path = getenv(variable[i]);
		char *file = path ? file_without(path, lost) : NULL;

		if (!file)
			continue;
		options->mpirun[options->mpirun_count++] = "--hostfile";
		options->mpirun[options->mpirun_count++] = file;
		return true;
	}
	return false;
}

static bool leave_out(struct run_options *options, struct lost *lost)
{
	bool any = false, done = false;

	for (int i = 0; i + 1 < options->mpirun_count; i++) {
		const char *option = options->mpirun[i];
		char *other = NULL;

		if (option[0] != '-' || (!is_file(option) && !is_list(option)))
			continue;
		any = true;
		other = is_file(option) ? file_without(options->mpirun[i + 1], lost)
					: list_without(options->mpirun[i + 1], lost);
		done |= other != NULL;
		if (other)
			options->mpirun[i + 1] = other;
	}
	return any ? done : leave_out_of_default(options, lost);
}

bool hosts_count(const struct run_options *options, struct slots *slots)
{
	for (int i = 0; i + 1 < options->mpirun_count; i++) {
		const char *option = options->mpirun[i], *value = options->mpirun[i + 1];

		if (option[0] == '-' && is_file(option))
			return slots_of_file(slots, value, 0) == 0;
		if (option[0] == '-' && is_list(option))
			return slots_of_list(slots, value) == 0;
	}
	return false;
}

bool hosts_leave_out(struct run_options *options, const char *host)
{
	struct lost lost = {.name = host};
	bool done = leave_out(options, &lost);

	if (lost.address)
		freeaddrinfo(lost.address);
	return done;
}
