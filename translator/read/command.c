/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - knows the options of gcc and clang that are not for every step. */
#include "command.h"

#include <stdio.h>
#include <string.h>

struct option {
	const char *name;
	enum argument_class class;
};

/* A value follows, in the same argument or in the next. */
static const struct option with_value[] = {
	{"-include", ARGUMENT_PREPROCESS},
	{"-imacros", ARGUMENT_PREPROCESS},
	{"-isystem", ARGUMENT_PREPROCESS},
	{"-iquote", ARGUMENT_PREPROCESS},
	{"-idirafter", ARGUMENT_PREPROCESS},
	{"-iprefix", ARGUMENT_PREPROCESS},
	{"-iwithprefixbefore", ARGUMENT_PREPROCESS},
	{"-iwithprefix", ARGUMENT_PREPROCESS},
	{"-isysroot", ARGUMENT_PREPROCESS},
	{"-imultilib", ARGUMENT_PREPROCESS},
	{"-Xpreprocessor", ARGUMENT_PREPROCESS},
	{"-Xlinker", ARGUMENT_LINK},
	{"-MF", ARGUMENT_DEPENDENCY},
	{"-MT", ARGUMENT_DEPENDENCY},
	{"-MQ", ARGUMENT_DEPENDENCY},
	{"-D", ARGUMENT_PREPROCESS},
	{"-U", ARGUMENT_PREPROCESS},
	{"-I", ARGUMENT_PREPROCESS},
	{"-A", ARGUMENT_PREPROCESS},
	{"-L", ARGUMENT_LINK},
	{"-l", ARGUMENT_LINK},
	{"-T", ARGUMENT_LINK},
	{"-u", ARGUMENT_LINK},
	{"-z", ARGUMENT_LINK},
	{"-e", ARGUMENT_LINK},
	{"-B", ARGUMENT_COMMON},
	{"-o", ARGUMENT_OWN},
	{"-x", ARGUMENT_OWN},
};

/* A value follows in the next argument only. */
static const struct option with_next[] = {
	{"--param", ARGUMENT_COMMON},	{"-Xassembler", ARGUMENT_COMMON},
	{"-Xclang", ARGUMENT_COMMON},	{"-mllvm", ARGUMENT_COMMON},
	{"-target", ARGUMENT_COMMON},	{"-arch", ARGUMENT_COMMON},
	{"-aux-info", ARGUMENT_COMMON}, {"-dumpbase", ARGUMENT_COMMON},
	{"-dumpdir", ARGUMENT_COMMON},	{"-wrapper", ARGUMENT_COMMON},
	{"--sysroot", ARGUMENT_COMMON}, {"-G", ARGUMENT_COMMON},
};

static const struct option alone[] = {
	{"-shared", ARGUMENT_LINK},
	{"-pie", ARGUMENT_LINK},
	{"-no-pie", ARGUMENT_LINK},
	{"-rdynamic", ARGUMENT_LINK},
	{"-s", ARGUMENT_LINK},
	{"-r", ARGUMENT_LINK},
	{"-nostdlib", ARGUMENT_LINK},
	{"-nodefaultlibs", ARGUMENT_LINK},
	{"-nostartfiles", ARGUMENT_LINK},
	{"-static-libgcc", ARGUMENT_LINK},
	{"-nostdinc", ARGUMENT_PREPROCESS},
	{"-undef", ARGUMENT_PREPROCESS},
	{"-MD", ARGUMENT_DEPENDENCY},
	{"-MMD", ARGUMENT_DEPENDENCY},
	{"-MP", ARGUMENT_DEPENDENCY},
	{"-MG", ARGUMENT_DEPENDENCY},
	/* cape-cc is the one that knows OpenMP */
	{"-fopenmp", ARGUMENT_OWN},
	{"-fopenmp-simd", ARGUMENT_OWN},
	{"-qopenmp", ARGUMENT_OWN},
	{"-lgomp", ARGUMENT_OWN},
	{"-lomp", ARGUMENT_OWN},
	{"-liomp5", ARGUMENT_OWN},
	{"-P", ARGUMENT_OWN},
};

static const struct {
	const char *name;
	enum command_mode mode;
} modes[] = {
	{"-c", MODE_OBJECT},
	{"-S", MODE_ASSEMBLY},
	{"-E", MODE_PREPROCESS},
	{"-M", MODE_PREPROCESS},
	{"-MM", MODE_PREPROCESS},
	{"-fsyntax-only", MODE_CHECK},
	{"--emit-c", MODE_EMIT_C},
	{"--explain", MODE_EXPLAIN},
	{"--explain=json", MODE_EXPLAIN_JSON},
	{"--help", MODE_HELP},
	{"--version", MODE_VERSION},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), wanted = strlen(ending);

	return length > wanted && !strcmp(text + length - wanted, ending);
}

static bool is_c_plus_plus(const char *name, const char *language)
{
	static const char *const endings[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".ii"};
	size_t i;

	if (language)
		return !strncmp(language, "c++", 3);
	for (i = 0; i < COUNT(endings); i++)
		if (ends_with(name, endings[i]))
			return true;
	return false;
}

static bool is_c(const char *name, const char *language)
{
	if (language)
		return !strcmp(language, "c") || !strcmp(language, "cpp-output");
	return ends_with(name, ".c") || ends_with(name, ".i");
}

static bool take_file(struct command *command, const char *name, const char *language)
{
	struct argument *argument = list_add(&command->arguments);

	if (is_c_plus_plus(name, language)) {
		fprintf(stderr,
			"cape-cc: '%s' is C++; CAPE translates C only (C in a file with such a "
			"name: cape-cc -x c %s)\n",
			name, name);
		return false;
	}
	argument->text = name;
	argument->language = language;
	argument->class = is_c(name, language) ? ARGUMENT_SOURCE : ARGUMENT_FILE;
	if (argument->class == ARGUMENT_SOURCE)
		command->sources++;
	else
		command->files++;
	return true;
}

/* What cape-cc itself has to know of an option. */
static void note_option(struct command *command, const struct argument *argument)
{
	const char *text = argument->text;

	if (!strncmp(text, "-std=", 5))
		command->standard = text;
	else if (!strcmp(text, "-ansi"))
		command->standard = "-std=c90";
	else if (!strncmp(text, "-o", 2) && argument->class == ARGUMENT_OWN)
		command->output = argument->value ? argument->value : text + 2;
	else if (!strncmp(text, "-MF", 3))
		command->dependency_file = argument->value ? argument->value : text + 3;
	else if (!strcmp(text, "-MD") || !strcmp(text, "-MMD"))
		command->writes_dependencies = true;
	else if (!strncmp(text, "-MT", 3) || !strncmp(text, "-MQ", 3))
		command->names_dependency_target = true;
	else if (!strcmp(text, "-shared") || !strcmp(text, "-r"))
		command->shared = true;
	else if (!strcmp(text, "-rdynamic"))
		command->opens_libraries = true;
}

/* The class of an option; VALUE is set when the next argument belongs to it. */
static enum argument_class classify(const char *text, bool *value)
{
	size_t i;

	*value = false;
	for (i = 0; i < COUNT(alone); i++)
		if (!strcmp(text, alone[i].name))
			return alone[i].class;
	if (!strncmp(text, "-fopenmp=", 9))
		return ARGUMENT_OWN;
	if (!strncmp(text, "-Wp,", 4))
		return ARGUMENT_PREPROCESS;
	if (!strncmp(text, "-Wl,", 4) || !strncmp(text, "-fuse-ld=", 9))
		return ARGUMENT_LINK;
	for (i = 0; i < COUNT(with_next); i++)
		if (!strcmp(text, with_next[i].name)) {
			*value = true;
			return with_next[i].class;
		}
	for (i = 0; i < COUNT(with_value); i++)
		if (!strncmp(text, with_value[i].name, strlen(with_value[i].name))) {
			*value = text[strlen(with_value[i].name)] == '\0';
			return with_value[i].class;
		}
	return ARGUMENT_COMMON;
}

static bool set_mode(struct command *command, const char *text)
{
	size_t i;

	for (i = 0; i < COUNT(modes); i++)
		if (!strcmp(text, modes[i].name)) {
			if (command->mode < modes[i].mode)
				command->mode = modes[i].mode;
			return true;
		}
	return false;
}

/* Whether WORD is in the list that an option's value is, separated by commas. */
static bool is_listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (;; list++) {
		if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
	}
}

static bool sanitizes(const char *text, const char *sanitizer)
{
	return !strncmp(text, "-fsanitize=", 11) && is_listed(text + 11, sanitizer);
}

static bool replaces_malloc(const char *text)
{
	return sanitizes(text, "address") || sanitizes(text, "hwaddress") ||
	       sanitizes(text, "kernel-address") || sanitizes(text, "leak") ||
	       sanitizes(text, "memory");
}

static bool refuse(const char *text)
{
	if (replaces_malloc(text))
		fprintf(stderr,
			"cape-cc: '%s' is not supported: it puts its own memory between the "
			"program's variables, which the nodes cannot share; look for such errors "
			"with 'gcc -fopenmp %s', or run the program under valgrind\n",
			text, text);
	else if (sanitizes(text, "thread"))
		fprintf(stderr,
			"cape-cc: '%s' is not supported: it uses the addresses at which CAPE puts "
			"shared memory; find races with 'cape-cc --check-races' and cape-run -np "
			"2, or with 'gcc -fopenmp %s'\n",
			text, text);
	else if (!strcmp(text, "-static") || !strcmp(text, "-static-pie"))
		fprintf(stderr,
			"cape-cc: '%s' is not supported: the run time must distinguish the C "
			"library's own memory from the program's, which is not possible in a "
			"static program\n",
			text);
	else
		return false;
	return true;
}

bool command_read(struct command *command, int count, char **arguments)
{
	const char *language = NULL;
	int i;

	for (i = 1; i < count; i++) {
		const char *text = arguments[i];
		struct argument *argument;
		bool value;

		if (text[0] != '-' || !text[1]) {
			if (!take_file(command, text, language))
				return false;
			continue;
		}
		if (refuse(text))
			return false;
		if (!strcmp(text, "--check-races")) {
			command->check_races = true;
			continue;
		}
		if (!strcmp(text, "--check-sets")) {
			command->check_sets = true;
			continue;
		}
		if (!strcmp(text, "--plan") || !strcmp(text, "--no-plan")) {
			command->unplanned = text[2] == 'n';
			continue;
		}
		if (!strcmp(text, "--spread") || !strcmp(text, "--no-spread")) {
			command->unspread = text[2] == 'n';
			continue;
		}
		if (set_mode(command, text) && strcmp(text, "-M") && strcmp(text, "-MM"))
			continue;
		argument = list_add(&command->arguments);
		argument->text = text;
		argument->class = classify(text, &value);
		if (value && i + 1 == count) {
			fprintf(stderr, "cape-cc: the option '%s' needs an argument\n", text);
			return false;
		}
		if (value)
			argument->value = arguments[++i];
		if (!strncmp(text, "-x", 2) && argument->class == ARGUMENT_OWN) {
			language = argument->value ? argument->value : text + 2;
			if (!strcmp(language, "none"))
				language = NULL;
		}
		note_option(command, argument);
	}
	return true;
}

void command_free(struct command *command)
{
	list_free(&command->arguments);
}

void command_add(const struct command *command, enum argument_class class, argument_list *list)
{
	size_t i;

	for (i = 0; i < command->arguments.count; i++) {
		const struct argument *argument = &command->arguments.items[i];

		if (argument->class != class)
			continue;
		*list_add(list) = argument->text;
		if (argument->value)
			*list_add(list) = argument->value;
	}
}

static bool has_option(const struct command *command, const char *beginning)
{
	size_t i;

	for (i = 0; i < command->arguments.count; i++)
		if (!strncmp(command->arguments.items[i].text, beginning, strlen(beginning)))
			return true;
	return false;
}

bool command_makes_threads(const struct command *command)
{
	return has_option(command, "-ftree-parallelize-loops=");
}

bool command_names_linker(const struct command *command)
{
	return has_option(command, "-fuse-ld=");
}

bool command_is_lto(const struct command *command)
{
	bool lto = false;
	size_t i;

	for (i = 0; i < command->arguments.count; i++) {
		const char *text = command->arguments.items[i].text;

		if (!strcmp(text, "-flto") || !strncmp(text, "-flto=", 6))
			lto = true;
		else if (!strcmp(text, "-fno-lto"))
			lto = false;
	}
	return lto;
}
