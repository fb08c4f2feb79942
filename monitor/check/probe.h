/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - what this machine is like, for a check on another one.
 */
#ifndef CAPE_CHECK_PROBE_H
#define CAPE_CHECK_PROBE_H

#include <stdbool.h>

struct probe {
	const char *machine;   /* the user's name for this one */
	int nodes;	       /* that are to run here */
	bool driver;	       /* cape.ko is needed */
	const char *monitor;   /* path of cape-monitor */
	const char *base;      /* where the run's files are to lie */
	const char *directory; /* in which the nodes are to run */
	const char *program;   /* its path; NULL: none is named */
};

/* Looks, and prints lines (answer.h) to stdout. */
void probe_here(const struct probe *probe);

#endif
