/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchanges.h - the ways to exchange at sync points (--exchange): their names, and their numbers,
 * which are places in this list.
 */
#ifndef CAPE_EXCHANGES_H
#define CAPE_EXCHANGES_H

#include "channel/channel.h"

/* EXCHANGE(name, flags of the channel) */
#define EXCHANGES(EXCHANGE)                                                                        \
	EXCHANGE(eager, 0)                                                                         \
	EXCHANGE(need, CAPE_CHANNEL_NEED | CAPE_CHANNEL_REPLICATE)                                 \
	EXCHANGE(stress, CAPE_CHANNEL_NEED | CAPE_CHANNEL_STRESS | CAPE_CHANNEL_REPLICATE)

#define EXCHANGE_NUMBER(name, flags) EXCHANGE_##name,
#define EXCHANGE_TEXT(name, flags)   #name,
#define EXCHANGE_FLAGS(name, flags)  flags,

enum { EXCHANGES(EXCHANGE_NUMBER) EXCHANGES_COUNT };

static inline const char *exchange_name(int number)
{
	static const char *const name[] = {EXCHANGES(EXCHANGE_TEXT)};

	return name[number];
}

static inline uint32_t exchange_flags(int number)
{
	static const uint32_t flags[] = {EXCHANGES(EXCHANGE_FLAGS)};

	return flags[number];
}

#endif
