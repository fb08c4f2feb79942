// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tickpt2.c - method tickpt2: the program compares its memory with twins of its own.
 */
#include "checkpointer.h"

const struct checkpointer checkpointer_tickpt2 = {.protects = false};
