/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch_text.c - the calls before sequential code touches memory: all of it, or what it reads. */
#include "touch_text.h"

#include <string.h>

#include "model/value.h"
#include "read/unit.h"

static void print_read(struct text *text, const struct syntax *object)
{
	text_print(text, "cape_touch_read(");
	value_print(text, object, NULL, NULL);
	text_print(text, ")");
}

/* Each once, with AFTER after it. */
static char *reads_of(const struct touch *touch, const char *after)
{
	struct text text = {0}, one;

	for (size_t i = 0; i < touch->reads.count; i++) {
		one = (struct text){0};
		print_read(&one, touch->reads.items[i]);
		if (!text.data || !strstr(text.data, one.data))
			text_print(&text, "%s%s", one.data, after);
		text_free(&one);
	}
	return text.data;
}

void touch_text_write(struct unit *unit)
{
	for (size_t i = 0; i < unit->touches.count; i++) {
		const struct touch *touch = &unit->touches.items[i];

		if (touch->inside)
			edit_before(&unit->source, touch->offset, touch->offset,
				    reads_of(touch, ", "));
		else
			edit_before_statement(&unit->source, touch->offset,
					      touch->reads.count ? reads_of(touch, ";\n")
								 : format_text("cape_touch();\n"));
	}
}
