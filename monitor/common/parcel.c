// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parcel.c - one byte that a descriptor travels with.
 */
#include "parcel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

struct parcel {
	char byte;
	struct iovec piece;
	struct msghdr message;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
};

static void open_parcel(struct parcel *parcel)
{
	memset(parcel, 0, sizeof(*parcel));
	parcel->piece = (struct iovec){&parcel->byte, 1};
	parcel->message = (struct msghdr){
		.msg_iov = &parcel->piece,
		.msg_iovlen = 1,
		.msg_control = parcel->control,
		.msg_controllen = sizeof(parcel->control),
	};
}

int parcel_send(int socket, int file)
{
	struct parcel parcel;
	struct cmsghdr *control;

	open_parcel(&parcel);
	control = CMSG_FIRSTHDR(&parcel.message);
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(file));
	memcpy(CMSG_DATA(control), &file, sizeof(file));
	return sendmsg(socket, &parcel.message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

int parcel_take(int socket)
{
	struct pollfd poll_list = {.fd = socket, .events = POLLIN};
	const struct cmsghdr *control;
	struct parcel parcel;
	ssize_t got;
	int file;

	open_parcel(&parcel);
	while (poll(&poll_list, 1, -1) < 0)
		if (errno != EINTR)
			return -errno;
	got = recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC);
	if (got <= 0)
		return got < 0 ? -errno : -ECONNRESET;
	control = CMSG_FIRSTHDR(&parcel.message);
	/* The kernel leaves out what there is no number for. */
	if (!control || control->cmsg_type != SCM_RIGHTS)
		return -EMFILE;
	memcpy(&file, CMSG_DATA(control), sizeof(file));
	return file;
}
