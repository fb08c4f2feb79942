/* SPDX-License-Identifier: GPL-2.0-or-later */
/* translate.h - one preprocessed C file through all stages. */
#ifndef CAPE_TRANSLATOR_TRANSLATE_H
#define CAPE_TRANSLATOR_TRANSLATE_H

#include <stdbool.h>

#include "read/text.h"

/* What becomes of the text. */
enum translation_form {
	FORM_COMPILER,
	FORM_READER,	  /* --emit-c */
	FORM_EXPLANATION, /* --explain */
	FORM_EXPLANATION_JSON,
};

struct translation {
	const char *main_file;	 /* as the user names it */
	const char *standard;	 /* his -std= option, or NULL */
	const char *cape_header; /* path of cape.h as #include <cape.h> finds it */
	enum translation_form form;
	bool tells_sets;  /* --check-sets */
	bool tells_plans; /* not --no-plan */
	bool spreads;	  /* not --no-spread */
	/*
	 * Called when libclang takes the C text for wrong, before anything is reported: whether the
	 * real compiler accepts it.  It prints its own errors.
	 */
	bool (*compiler_accepts)(void *context);
	void *context;
};

enum translate_result {
	TRANSLATE_DONE,
	TRANSLATE_NOTHING, /* no OpenMP in it: to be compiled as it is */
	TRANSLATE_FAILED,  /* errors were reported */
};

/* Makes of PREPROCESSED (taken over) what stands in OUT then. */
enum translate_result translate(const struct translation *translation, struct text *preprocessed,
				struct text *out);

#endif
