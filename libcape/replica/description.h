/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * description.h - working on a file that the nodes of a region share: on node 0's description.
 *
 * What stdio writes waits until this node lets others go on (a release, a sync point) or asks for
 * something that could show it: so what one call of the program writes is never torn apart by
 * another node, as it is not by another thread.
 */
#ifndef CAPE_DESCRIPTION_H
#define CAPE_DESCRIPTION_H

#include <sys/types.h>
#include "channel/file_request.h"
#include "base/context.h"

/* Whether the caller is in a region, and DESCRIPTOR was opened before it. */
bool cape_is_shared_file(struct cape_runtime *runtime, int descriptor);

/* As the system call, result and errno alike.  OUT: room for what is read. */
long cape_description_do(struct cape_runtime *runtime, int descriptor,
			 struct cape_service_request request, void *out);

long cape_description_read(struct cape_runtime *runtime, int descriptor, void *to, size_t size);
long cape_description_read_at(struct cape_runtime *runtime, int descriptor, void *to, size_t size,
			      off_t offset);
long cape_description_write(struct cape_runtime *runtime, int descriptor, const void *from,
			    size_t size);
long cape_description_write_at(struct cape_runtime *runtime, int descriptor, const void *from,
			       size_t size, off_t offset);
long cape_description_seek(struct cape_runtime *runtime, int descriptor, off_t offset, int whence);

/* Keeps what stdio writes until cape_description_drain(). */
void cape_description_keep(struct cape_runtime *runtime, int descriptor, const void *from,
			   size_t size);
void cape_description_drain(struct cape_runtime *runtime);

/* The program closes DESCRIPTOR, and STREAM if there is one: that happens after the region. */
void cape_description_close(struct cape_runtime *runtime, int descriptor, const void *stream);

/*
 * In a region, waits until node 0 is in it, too: what it printed and wrote before has come out
 * then.  Only the first call in a region costs anything.
 */
void cape_description_await_master(struct cape_runtime *runtime);

#endif
