/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - the lock of a folder that a run is saved to, which ends with the process that has it:
 * the file cape-lock, which says who that is.
 */
#ifndef CAPE_SAVE_LOCK_H
#define CAPE_SAVE_LOCK_H

#define LOCK_HOLDER_SIZE 512

/*
 * Takes the lock of FOLDER for a run of PROGRAM.  For one that another has it waits for a while: a
 * run that has just died may not be gone yet.  0: *LOCK is a descriptor.  -EBUSY: HOLDER says who
 * has it, if that is known; -ENOLCK: there are no locks; or another -errno.
 */
int lock_take(const char *folder, const char *program, int *lock, char holder[LOCK_HOLDER_SIZE]);

/*
 * Whether a run that lives is saved to FOLDER; for its end this waits as long.  0: none is known.
 * -EBUSY: HOLDER as above.
 */
int lock_look(const char *folder, char holder[LOCK_HOLDER_SIZE]);

/* Gives it back, if it is one (not below 0), and removes its file. */
void lock_leave(const char *folder, int *lock);

#endif
