/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.c - the program's file over the wire, into the run's folder, which goes with the run.
 *
 * Nodes of one machine write the same file: each one of its own, which it then gives the name.
 */
#include "copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "wire/collective.h"

#define COPY_FOLDER "copy"

char *copy_path(const char *folder, const char *program)
{
	const char *slash = strrchr(program, '/');
	char *path;

	return asprintf(&path, "%s/" COPY_FOLDER "/%s", folder, slash ? slash + 1 : program) < 0
		       ? NULL
		       : path;
}

/* 0 or an errno. */
static int write_file(const char *path, const char *bytes, uint64_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700), error = 0;

	if (file < 0)
		return errno;
	while (size && !error) {
		ssize_t put = write(file, bytes, size);

		if (put <= 0) {
			error = put < 0 ? errno : EIO;
		} else {
			bytes += put;
			size -= (uint64_t)put;
		}
	}
	if (close(file) < 0 && !error)
		error = errno;
	return error;
}

static int place(const struct node *node, const char *bytes, uint64_t size)
{
	const char *path = node->options.program;
	char *folder = strndup(path, (size_t)(strrchr(path, '/') - path)), *own;
	int error;

	if (!folder || asprintf(&own, "%s.%d", path, node->rank) < 0) {
		free(folder);
		return ENOMEM;
	}
	error = mkdir(folder, 0700) < 0 && errno != EEXIST ? errno : 0;
	if (!error)
		error = write_file(own, bytes, size);
	if (!error && rename(own, path) < 0)
		error = errno;
	free(own);
	free(folder);
	return error;
}

/* Node 0: all of the file, to be freed, and its SIZE; or NULL and SIZE 0. */
static char *read_file(const char *path, uint64_t *size)
{
	FILE *file = fopen(path, "re");
	char *bytes = NULL;
	struct stat status;

	*size = 0;
	if (file && fstat(fileno(file), &status) == 0 && status.st_size > 0)
		bytes = malloc((size_t)status.st_size);
	if (bytes && fread(bytes, (size_t)status.st_size, 1, file) == 1)
		*size = (uint64_t)status.st_size;
	if (file)
		fclose(file);
	return bytes;
}

bool copy_program(struct node *node)
{
	const char *source = node->options.source;
	uint64_t size = 0;
	char *bytes = node->rank == 0 ? read_file(source, &size) : NULL;
	int error = 0;

	if (collective_broadcast(node->wire, &size, sizeof(size), NULL) < 0)
		goto out;
	if (!size) {
		if (node->rank == 0)
			node_fail(node, 1, "--copy: node 0 cannot read %s", source);
		goto out;
	}
	if (node->rank != 0)
		bytes = malloc(size);
	if (!bytes)
		error = ENOMEM;
	else if (collective_broadcast(node->wire, bytes, size, NULL) == 0)
		error = place(node, bytes, size);
	if (error)
		node_fail(node, 1, "node %d: --copy: cannot write %s: %s", node->rank,
			  node->options.program, strerror(error));
out:
	free(bytes);
	return size && !node->failed;
}
