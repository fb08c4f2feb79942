/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service_file.h - node 0's monitor works on its program's open files, for other nodes.
 */
#ifndef CAPE_SERVICE_FILE_H
#define CAPE_SERVICE_FILE_H

#include "channel/file_request.h"
#include "base/node.h"

struct service_file;

/* NULL: out of memory. */
struct service_file *service_file_start(int nodes);
void service_file_stop(struct service_file *files, int nodes);

/*
 * REQUEST of another node, with its PAYLOAD.  0: *REPLY is the answer, and *BYTES what follows it,
 * which stay until that node asks again; LINK_LATER: it must wait; -errno: the program's files
 * cannot be reached.
 */
int service_file_request(struct node *node, const struct cape_service_request *request,
			 const unsigned char *payload, struct cape_service_reply *reply,
			 void **bytes);

#endif
