/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - values with names, as the members of an object in JSON. */
#ifndef CAPE_MONITOR_JSON_H
#define CAPE_MONITOR_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum json_kind { JSON_NUMBER, JSON_SECONDS, JSON_TEXT, JSON_FLAG };

struct json_field {
	const char *name;
	enum json_kind kind;
	uint64_t number;  /* nanoseconds, if it is shown as seconds; a flag: 0 or not */
	const char *text; /* in any characters */
};

/* Writes the fields without the braces, which hold other members, too. */
void json_fields(FILE *out, const struct json_field *field, size_t count);

/* Writes TEXT, of any characters, in quotes; bytes that are none of UTF-8 become U+FFFD. */
void json_text(FILE *out, const char *text);

#endif
