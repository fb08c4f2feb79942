/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow.h - the requests of /dev/slow: see slow.c. */
#ifndef TESTS_SLOW_H
#define TESTS_SLOW_H

#define SLOW_NEXT   0x5301
#define SLOW_INSIDE 0x5302
#define SLOW_GO_ON  0x5303
#define SLOW_SLEEP  0x5304

#endif /* TESTS_SLOW_H */
