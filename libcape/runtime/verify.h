/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verify.h - cape-run --verify: is shared memory bit-identical on all nodes?
 */
#ifndef CAPE_VERIFY_H
#define CAPE_VERIFY_H

#include "runtime/runtime.h"

/*
 * Compares shared memory of all nodes; the first difference ends the run with the variable, the
 * place and the values.  ALL as for cape_shared_each().  PLACE: the construct that was just met.
 */
void cape_verify(struct cape_runtime *runtime, bool all, const struct cape_place *place);

/*
 * Notes the frame of a function that holds a region, from STACK (its stack pointer) to FRAME (its
 * base): private variables and their remains lie there, different on each node.  Such frames are
 * left out when regions in functions further down are verified.
 */
void cape_verify_note_frame(struct cape_runtime *runtime, const void *stack, const void *frame);

/*
 * Under --verify, wipes the stack below the caller, and notes what is left up to FRAME (the
 * caller's __builtin_frame_address(0)) as noise.  To be called last where the run time goes back
 * to sequential code after work that differs between nodes.
 */
void cape_verify_wipe(struct cape_runtime *runtime, const void *frame);

#endif
