/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch_text.h - the calls before sequential code touches memory. */
#ifndef CAPE_TRANSLATOR_TOUCH_TEXT_H
#define CAPE_TRANSLATOR_TOUCH_TEXT_H

struct unit;

void touch_text_write(struct unit *unit);

#endif
