/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.c - reads host files and lists of hosts.
 *
 * A machine that is named several times is one, with as many slots more.
 */
#include "machines.h"

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "common/complain.h"

const char *machines_setting(char *const *options, const char *name, const char *variable)
{
	for (; *options; options++)
		if ((strcmp(*options, "--mca") == 0 || strcmp(*options, "-mca") == 0) &&
		    strcmp(options[1], name) == 0)
			return options[2];
	return getenv(variable);
}

/* The value of the first of mpirun's options --NAME or -NAME, or NULL. */
static const char *option_value(char *const *options, const char *name)
{
	for (; *options; options++)
		if (**options == '-' && strcmp(*options + 1 + ((*options)[1] == '-'), name) == 0)
			return options[1];
	return NULL;
}

/* Whether one of this machine's interfaces has the address. */
static bool is_own_address(const struct sockaddr *address, const struct ifaddrs *own)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

	for (; own; own = own->ifa_next) {
		const struct sockaddr *other = own->ifa_addr;

		if (!other || other->sa_family != address->sa_family)
			continue;
		if (address->sa_family == AF_INET &&
		    four->sin_addr.s_addr == ((const struct sockaddr_in *)other)->sin_addr.s_addr)
			return true;
		if (address->sa_family == AF_INET6 &&
		    memcmp(&six->sin6_addr, &((const struct sockaddr_in6 *)other)->sin6_addr,
			   sizeof(six->sin6_addr)) == 0)
			return true;
	}
	return false;
}

/* Whether NAME is this machine, so that mpirun needs no ssh for it. */
static bool is_here(const char *name)
{
	char own[HOST_NAME_MAX + 1] = "";
	struct addrinfo *found = NULL;
	struct ifaddrs *interfaces = NULL;
	bool here = false;

	gethostname(own, sizeof(own) - 1);
	if (strcmp(name, "localhost") == 0 || strcmp(name, own) == 0)
		return true;
	if (getaddrinfo(name, NULL, NULL, &found) == 0 && getifaddrs(&interfaces) == 0)
		for (const struct addrinfo *at = found; at && !here; at = at->ai_next)
			here = is_own_address(at->ai_addr, interfaces);
	if (interfaces)
		freeifaddrs(interfaces);
	if (found)
		freeaddrinfo(found);
	return here;
}

/* Such a name goes to ssh as an option, or into a command. */
static bool is_name(const char *name, size_t length)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._:@%-";

	return name[0] != '-' && strspn(name, letters) >= length;
}

/* The machine of that name, which is added if it is not there; NULL: no memory. */
static struct machine *find(struct machines *machines, const char *name, size_t length)
{
	struct machine *more;

	for (size_t i = 0; i < machines->count; i++)
		if (strncasecmp(machines->machine[i].name, name, length) == 0 &&
		    !machines->machine[i].name[length])
			return &machines->machine[i];
	more = realloc(machines->machine, (machines->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	machines->machine = more;
	more += machines->count;
	*more = (struct machine){.name = strndup(name, length)};
	machines->count += more->name != NULL;
	return more->name ? more : NULL;
}

/* SLOTS: how many more it has, or NULL. */
static int add(struct machines *machines, const char *name, size_t length, const char *slots)
{
	struct machine *machine = find(machines, name, length);
	long more = slots ? strtol(slots, NULL, 10) : 0;

	if (!machine)
		return -ENOMEM;
	if (more < 1)
		machine->bare++;
	else if (more < MACHINES_SLOTS - machine->slots)
		machine->slots += (int)more;
	else
		machine->slots = MACHINES_SLOTS;
	return 0;
}

/* The value of slots=, and not of max_slots=, in TEXT, or NULL. */
static const char *find_slots(const char *text)
{
	for (; *text; text += strcspn(text, " \t")) {
		text += strspn(text, " \t");
		if (strncmp(text, "slots=", strlen("slots=")) == 0)
			return text + strlen("slots=");
	}
	return NULL;
}

/* "name slots=2 ..." or "name:2"; what stands after # is a comment. */
static int read_line(struct machines *machines, char *line, const char *path, int number)
{
	const char *slots;
	size_t length;

	line[strcspn(line, "#\r\n")] = '\0';
	line += strspn(line, " \t");
	length = strcspn(line, " \t:");
	if (!length)
		return 0;
	if (!is_name(line, length)) {
		complain("%s:%d: this is not the name of a machine", path, number);
		return -EINVAL;
	}
	slots = find_slots(line + length);
	if (!slots && line[length] == ':')
		slots = line + length + 1;
	return add(machines, line, length, slots);
}

int machines_add_file(struct machines *machines, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int error = file ? 0 : -errno;

	for (int number = 1; !error && getline(&line, &room, file) >= 0; number++)
		error = read_line(machines, line, path, number);
	if (!error && ferror(file))
		error = -errno;
	free(line);
	if (file)
		fclose(file);
	return error;
}

int machines_add_list(struct machines *machines, const char *list)
{
	int error = 0;

	while (*list && !error) {
		size_t length = strcspn(list, ",:"), all = strcspn(list, ",");

		if (length && !is_name(list, length)) {
			complain("-H: a machine's name does not begin with a dash, and has only "
				 "letters, digits and ._@%%-");
			return -EINVAL;
		}
		if (length)
			error = add(machines, list, length,
				    list[length] == ':' ? list + length + 1 : "1");
		list += all + (list[all] == ',');
	}
	return error;
}

/* Of one that is named once, and no slots, mpirun finds out how many it has; else each is one. */
static void settle(struct machine *machine)
{
	if (machine->slots || machine->bare > 1)
		machine->slots += machine->bare;
	machine->here = is_here(machine->name);
}

/* Slots first; what is left goes round. */
void machines_place(struct machines *machines, int nodes)
{
	bool given = nodes != 0;

	for (size_t i = 0; i < machines->count && !given; i++)
		nodes += machines->machine[i].slots;
	for (size_t i = 0; i < machines->count; i++) {
		struct machine *machine = &machines->machine[i];

		machine->nodes = nodes < machine->slots ? nodes : machine->slots;
		nodes -= machine->nodes;
	}
	for (size_t i = 0; machines->count && nodes > 0; nodes--, i++)
		machines->machine[i % machines->count].nodes++;
}

int machines_find(struct machines *machines, char *const *options, const char *job)
{
	static const char *const files[] = {"hostfile", "machinefile", "default-hostfile"};
	const char *list = option_value(options, "H"), *file = NULL;
	int error = 0;

	*machines = (struct machines){.count = 0};
	if (!list)
		list = option_value(options, "host");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !file; i++)
		file = option_value(options, files[i]);
	if (!file)
		file = machines_setting(options, "orte_default_hostfile",
					"OMPI_MCA_orte_default_hostfile");
	if (list)
		error = machines_add_list(machines, list);
	else if (file)
		error = machines_add_file(machines, file);
	else if (job)
		error = machines_add_list(machines, job);
	if (!error && file && !list && !machines->count) {
		complain("hostfile %s names no machine", file);
		error = -EINVAL;
	}
	if (!error && !machines->count)
		error = add(machines, "localhost", strlen("localhost"), NULL);
	for (size_t i = 0; i < machines->count && !error; i++)
		settle(&machines->machine[i]);
	/* Of a name that is none a message was printed. */
	if (error && error != -EINVAL && file && !list)
		complain("hostfile %s: %s", file, strerror(-error));
	else if (error && error != -EINVAL)
		complain("out of memory");
	return error;
}

void machines_free(struct machines *machines)
{
	for (size_t i = 0; i < machines->count; i++)
		free(machines->machine[i].name);
	free(machines->machine);
}
