/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parcel.h - a file descriptor, from one process of a machine to another.
 */
#ifndef CAPE_COMMON_PARCEL_H
#define CAPE_COMMON_PARCEL_H

/* FILE over the Unix socket SOCKET; stays the caller's, too.  0 or -errno. */
int parcel_send(int socket, int file);

/* Waits for one: the descriptor, the caller's, which exec() closes; or -errno. */
int parcel_take(int socket);

#endif
