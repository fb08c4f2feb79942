/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epochs.h - capectl's orders about several instants of one locked process.
 */
#ifndef CAPE_EPOCHS_H
#define CAPE_EPOCHS_H

#include "tools/attached.h"

/* Forgets what was saved of epochs that the driver does not have any more. */
void epochs_keep_known(struct attached *attached);

/* The orders epoch, drop, and diff with an epoch.  An exit status. */
int epochs_begin(struct attached *attached, const struct attached_order *order,
		 const struct attached_streams *streams);
int epochs_drop(struct attached *attached, const struct attached_order *order,
		const struct attached_streams *streams);
int epochs_diff(struct attached *attached, const struct attached_order *order,
		const struct attached_streams *streams);

#endif
