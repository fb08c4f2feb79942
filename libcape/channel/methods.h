/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * methods.h - the methods (--method: how changes are found) and the models (--model: how work is
 * shared out and results come together): their names, and their numbers, which are places in these
 * lists.
 *
 * What a method does is said by its objects of the same name: in the program struct cape_method
 * (base/method.h), in the monitor struct checkpointer (monitor/capture/checkpointer.h); what a
 * model does by struct cape_model (base/model.h).  Nobody asks for a number but to find these.
 */
#ifndef CAPE_METHODS_H
#define CAPE_METHODS_H

/* METHOD(name, model): with that model, if the user does not say another. */
#define CAPE_METHODS(METHOD)                                                                       \
	METHOD(complete, master_slave)                                                             \
	METHOD(dickpt, master_slave)                                                               \
	METHOD(tickpt1, spmd)                                                                      \
	METHOD(tickpt2, spmd)

/* MODEL(name, text): as C spells it, and as the user does. */
#define CAPE_MODELS(MODEL)                                                                         \
	MODEL(master_slave, "master-slave")                                                        \
	MODEL(scatter, "scatter")                                                                  \
	MODEL(spmd, "spmd")

#define CAPE_METHOD_NUMBER(name, model) CAPE_METHOD_##name,
#define CAPE_MODEL_NUMBER(name, text)	CAPE_MODEL_##name,
#define CAPE_METHOD_TEXT(name, model)	#name,
#define CAPE_MODEL_TEXT(name, text)	text,

enum { CAPE_METHODS(CAPE_METHOD_NUMBER) CAPE_METHODS_COUNT };
enum { CAPE_MODELS(CAPE_MODEL_NUMBER) CAPE_MODELS_COUNT };

/* Their names, as the user gives them. */
static inline const char *cape_method_name(int number)
{
	static const char *const name[] = {CAPE_METHODS(CAPE_METHOD_TEXT)};

	return name[number];
}

static inline const char *cape_model_name(int number)
{
	static const char *const name[] = {CAPE_MODELS(CAPE_MODEL_TEXT)};

	return name[number];
}

#endif
