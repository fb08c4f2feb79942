// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_file.c - files of node 0's program, by pidfd_getfd(): the same description, not a copy.
 */
#include "service_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "service_link.h"
#include "service_state.h"

/* What a node's last answer lies in. */
struct answer {
	void *bytes;
	uint64_t size;
};

struct service_file {
	int program; /* pidfd, or -1 */
	struct answer answer[];
};

struct service_file *service_file_start(int nodes)
{
	struct service_file *files =
		calloc(1, sizeof(*files) + (size_t)nodes * sizeof(*files->answer));

	if (files)
		files->program = -1;
	return files;
}

void service_file_stop(struct service_file *files, int nodes)
{
	if (!files)
		return;
	for (int i = 0; i < nodes; i++)
		free(files->answer[i].bytes);
	if (files->program >= 0)
		close(files->program);
	free(files);
}

static bool has_entered(const struct node *node, uint64_t region)
{
	return __atomic_load_n(&node->channel->state.entered, __ATOMIC_ACQUIRE) >= region;
}

/* The program's DESCRIPTOR, or -errno. */
static int get(struct node *node, uint64_t descriptor)
{
	struct service_file *files = node->service->files;
	int got;

	if (files->program < 0)
		files->program = (int)syscall(SYS_pidfd_open, node->program, 0);
	if (files->program < 0)
		return -errno;
	got = (int)syscall(SYS_pidfd_getfd, files->program, (int)descriptor, 0);
	return got < 0 ? -errno : got;
}

static int make_room(struct answer *answer, uint64_t size)
{
	void *more;

	if (answer->size >= size)
		return 0;
	more = realloc(answer->bytes, size);
	if (!more)
		return -ENOMEM;
	answer->bytes = more;
	answer->size = size;
	return 0;
}

/*
 * As the program would do it, whose limit on the size of files is not the monitor's.  SIGXFSZ is
 * ignored here; the program that has asked raises it.
 */
static struct cape_service_reply perform_limited(const struct node *node, int descriptor,
						 const struct cape_service_request *request,
						 void *bytes)
{
	struct cape_service_reply reply;
	struct rlimit limit, own;
	bool is_limited = prlimit(node->program, RLIMIT_FSIZE, NULL, &limit) == 0 &&
			  limit.rlim_cur != RLIM_INFINITY && getrlimit(RLIMIT_FSIZE, &own) == 0;

	if (is_limited)
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit.rlim_cur, own.rlim_max});
	reply = cape_file_perform(descriptor, request, bytes);
	if (is_limited)
		setrlimit(RLIMIT_FSIZE, &own);
	return reply;
}

static int perform(struct node *node, int descriptor, const struct cape_service_request *request,
		   const unsigned char *payload, struct cape_service_reply *reply, void **bytes)
{
	struct answer *answer = &node->service->files->answer[request->node];
	int error = make_room(answer, cape_file_answer_size(request));

	if (error)
		return error;
	if (!cape_file_is_ready(descriptor, request))
		return LINK_LATER;
	*bytes = answer->bytes;
	*reply = perform_limited(node, descriptor, request,
				 request->size ? (void *)payload : answer->bytes);
	return 0;
}

int service_file_request(struct node *node, const struct cape_service_request *request,
			 const unsigned char *payload, struct cape_service_reply *reply,
			 void **bytes)
{
	int descriptor, result;

	if (!has_entered(node, request->file.regions))
		return LINK_LATER;
	*reply = (struct cape_service_reply){.seen = request->seen};
	if (request->file.operation == CAPE_FILE_ENTERED)
		return 0;
	descriptor = get(node, request->id);
	if (descriptor == -EBADF) {
		reply->result = (uint64_t)-1;
		reply->file.error = EBADF;
		return 0;
	}
	/* The program is about to end, which is reported with the reason, and not by this. */
	if (descriptor == -ESRCH)
		return LINK_LATER;
	if (descriptor < 0)
		return descriptor;
	result = perform(node, descriptor, request, payload, reply, bytes);
	close(descriptor);
	return result;
}
