/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compile.c - the steps for one C source, all in a folder of its own below process_folder():
 *
 *	a.i   the compiler's -E, as the user called it
 *	a.c   translated (or nothing to translate: then the user's file is compiled)
 *	a.ii  the calls' macros of cape.h expanded; it begins with the user's line marker
 *	a.o   compiled from that as preprocessed text
 */
#include "compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "macros.h"
#include "read/stack.h"
#include "translate.h"

/* The files of one source on its way; all owned. */
struct source_files {
	const struct driver *driver;
	const char *name;
	char *preprocessed;
	char *translated;
	char *expanded;
	char *result; /* object, assembly or C */
	int messages; /* of the preprocessor: in memory, since there may be no room elsewhere */
};

void add_compiler(const struct driver *driver, argument_list *list)
{
	size_t i;

	for (i = 0; i < driver->compiler.count; i++)
		*list_add(list) = driver->compiler.items[i];
}

void add_argument(argument_list *list, const char *text)
{
	*list_add(list) = text;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "dir/a.c" -> "a" + ENDING */
static char *result_name(const char *source, const char *ending)
{
	const char *base = base_name(source), *dot = strrchr(base, '.');

	return format_text("%.*s%s", dot ? (int)(dot - base) : (int)strlen(base), base, ending);
}

static bool open_files(struct source_files *files, struct driver *driver, const char *name)
{
	const char *folder = process_folder();
	const char *output = driver->command.output;
	char *own, *base = result_name(name, "");

	if (!folder) {
		free(base);
		return false;
	}
	own = format_text("%s/%u", folder, driver->source_count++);
	files->driver = driver;
	files->name = name;
	files->preprocessed = format_text("%s/%s.i", own, base);
	files->translated = format_text("%s/%s.c", own, base);
	files->expanded = format_text("%s/%s.ii", own, base);
	if (driver->command.mode == MODE_LINK || driver->command.mode == MODE_CHECK)
		files->result = format_text("%s/%s.o", own, base);
	else if (output)
		files->result = format_text("%s", output);
	else
		files->result =
			result_name(name, driver->command.mode == MODE_ASSEMBLY ? ".s" : ".o");
	if (mkdir(own, 0700) < 0) {
		fprintf(stderr, "cape-cc: cannot make '%s': %s\n", own, strerror(errno));
		free(own);
		free(base);
		return false;
	}
	free(own);
	free(base);
	return true;
}

/* What a compiler says may be shown later or not at all.  0: it is shown at once. */
static int open_messages(void)
{
	int messages = memfd_create("messages", MFD_CLOEXEC);

	return messages < 0 ? 0 : messages;
}

static void close_messages(int messages)
{
	if (messages)
		close(messages);
}

static void show_messages(int messages)
{
	char bytes[4096];
	off_t at = 0;
	ssize_t got;

	while (messages && (got = pread(messages, bytes, sizeof bytes, at)) > 0) {
		fwrite(bytes, 1, (size_t)got, stderr);
		at += got;
	}
}

static void close_files(struct source_files *files)
{
	free(files->preprocessed);
	free(files->translated);
	free(files->expanded);
	close_messages(files->messages);
	free(files->result);
}

/* -MD: the names that the compiler would have chosen, which it cannot from our command. */
static void add_dependencies(const struct source_files *files, argument_list *list, char **file,
			     char **target)
{
	const struct command *command = &files->driver->command;
	const char *output = command->output;

	command_add(command, ARGUMENT_DEPENDENCY, list);
	if (!command->writes_dependencies)
		return;
	if (!command->dependency_file) {
		const char *dot = output ? strrchr(base_name(output), '.') : NULL;
		char *base = result_name(files->name, ".d");

		if (output)
			*file = format_text(
				"%.*s.d", dot ? (int)(dot - output) : (int)strlen(output), output);
		else
			*file = format_text("%s%s", command->mode == MODE_LINK ? "a-" : "", base);
		free(base);
		add_argument(list, "-MF");
		add_argument(list, *file);
	}
	if (!command->names_dependency_target) {
		*target = output ? format_text("%s", output) : result_name(files->name, ".o");
		add_argument(list, "-MT");
		add_argument(list, *target);
	}
}

static void add_own_headers(const struct driver *driver, argument_list *list)
{
	add_argument(list, "-isystem");
	add_argument(list, driver->include);
}

/* -fopenmp: only with it compilers expand macros in pragmas.  The version is CAPE's own. */
void add_preprocessing(const struct driver *driver, argument_list *list)
{
	add_argument(list, "-E");
	add_argument(list, "-fopenmp");
	add_argument(list, "-U_OPENMP");
	add_argument(list, "-D_OPENMP=201107");
	command_add(&driver->command, ARGUMENT_COMMON, list);
	command_add(&driver->command, ARGUMENT_PREPROCESS, list);
	add_own_headers(driver, list);
}

void add_file(const char *name, const char *language, argument_list *list)
{
	if (language) {
		add_argument(list, "-x");
		add_argument(list, language);
	}
	add_argument(list, name);
	if (language) {
		add_argument(list, "-x");
		add_argument(list, "none");
	}
}

static bool mentions(const struct text *text, const char *word)
{
	return text->data && memmem(text->data, text->length, word, strlen(word));
}

/* A source that asks for a later OpenMP by #error may use nothing of it. */
static void explain_version(const struct source_files *files)
{
	struct text source = {0}, messages = {0};
	char *path = format_text("/proc/self/fd/%d", files->messages);

	if (text_read(&source, files->name) == 0 && text_read(&messages, path) == 0 &&
	    mentions(&source, "_OPENMP") && mentions(&messages, "#error"))
		fprintf(stderr, "cape-cc: _OPENMP is 201107 here: CAPE supports all of OpenMP 3.1, "
				"and much of later versions (see cape-cc(1)); if that is enough "
				"for this source, set the version that it asks for, such as "
				"-U_OPENMP -D_OPENMP=201511\n");
	text_free(&source);
	text_free(&messages);
	free(path);
}

static int preprocess(const struct source_files *files, const char *language)
{
	struct redirection redirection = {.output = files->preprocessed, .error = files->messages};
	char *dependency_file = NULL, *dependency_target = NULL;
	argument_list list = {0};
	int status;

	add_compiler(files->driver, &list);
	add_preprocessing(files->driver, &list);
	add_argument(&list, "-g0"); /* with -g3, -E writes every #define too */
	add_dependencies(files, &list, &dependency_file, &dependency_target);
	add_file(files->name, language, &list);
	status = process_run(&list, &redirection);
	if (status) {
		show_messages(files->messages);
		explain_version(files);
	}
	list_free(&list);
	free(dependency_file);
	free(dependency_target);
	return status;
}

static bool is_clang(const struct driver *driver)
{
	return strstr(base_name(driver->compiler.items[0]), "clang") != NULL;
}

/*
 * Since version 15 clang takes the lines of a preprocessor that say where the text is from for an
 * extension of GNU's; older ones do not know that warning.
 */
static void add_preprocessed(const struct driver *driver, const char *path, argument_list *list)
{
	if (is_clang(driver)) {
		add_argument(list, "-Wno-unknown-warning-option");
		add_argument(list, "-Wno-gnu-line-marker");
	}
	add_argument(list, "-x");
	add_argument(list, "cpp-output");
	add_argument(list, path);
}

/* Whether the real compiler takes the C text that libclang stumbled over. */
static bool compiler_accepts(void *context)
{
	const struct source_files *files = context;
	int messages = open_messages();
	struct redirection redirection = {.error = messages};
	argument_list list = {0};
	int status;

	add_compiler(files->driver, &list);
	command_add(&files->driver->command, ARGUMENT_COMMON, &list);
	add_argument(&list, "-fsyntax-only");
	add_argument(&list, "-Wno-unknown-pragmas");
	add_preprocessed(files->driver, files->preprocessed, &list);
	status = process_run(&list, &redirection);
	list_free(&list);
	if (status)
		show_messages(messages);
	close_messages(messages);
	return !status;
}

static void add_result(const struct source_files *files, argument_list *list)
{
	switch (files->driver->command.mode) {
	case MODE_ASSEMBLY:
		add_argument(list, "-S");
		break;
	case MODE_CHECK:
		add_argument(list, "-fsyntax-only");
		return;
	default:
		add_argument(list, "-c");
		break;
	}
	add_argument(list, "-o");
	add_argument(list, files->result);
}

/*
 * --check-races, --check-sets: libcape takes the calls that the compiler puts to each access.
 * gcc is not to make one call of two that are alike, whose lines it would mix up.
 */
static void add_hooks(const struct driver *driver, argument_list *list)
{
	if (!driver->command.check_races && !driver->command.check_sets)
		return;
	add_argument(list, "-g");
	add_argument(list, "-fsanitize=thread");
	if (driver->command.check_sets) /* compilers also read what the source does not */
		add_argument(list, "-O0");
	if (is_clang(driver))
		return;
	add_argument(list, "-fno-tree-tail-merge");
	add_argument(list, "-fno-crossjumping");
}

/*
 * Each variable is in a section of its own, so that the linker can put arrays together: scalars on
 * their pages would be shared by who writes those and who writes the arrays.
 */
static void add_layout(argument_list *list)
{
	add_argument(list, "-fdata-sections");
}

static int compile_as_it_is(const struct source_files *files, const char *language)
{
	argument_list list = {0};
	int status;

	add_compiler(files->driver, &list);
	add_layout(&list);
	add_argument(&list, "-D_OPENMP=201107");
	command_add(&files->driver->command, ARGUMENT_COMMON, &list);
	command_add(&files->driver->command, ARGUMENT_PREPROCESS, &list);
	add_own_headers(files->driver, &list);
	add_hooks(files->driver, &list);
	add_result(files, &list);
	/* Standard input has been read. */
	if (!strcmp(files->name, "-"))
		add_preprocessed(files->driver, files->preprocessed, &list);
	else
		add_file(files->name, language, &list);
	status = process_run(&list, NULL);
	list_free(&list);
	return status;
}

static int write_file(const char *name, const char *data, size_t length)
{
	FILE *file = fopen(name, "wb");
	bool failed = !file || fwrite(data, 1, length, file) != length;

	if (file && fclose(file))
		failed = true;
	if (failed)
		fprintf(stderr, "cape-cc: cannot write '%s': %s\n", name, strerror(errno));
	return failed;
}

/*
 * Expands the macros of cape.h.  -undef: the rest of the text has been preprocessed before.  The
 * line on top is what debuggers take the name of the file from.
 */
static int expand(const struct source_files *files, const struct text *translated)
{
	struct redirection redirection = {.input = files->translated, .output = files->expanded};
	argument_list list = {0};
	struct text marker = {0};
	int status = write_file(files->translated, translated->data, translated->length);

	text_print(&marker, "# 1 \"");
	text_add_file_name(&marker, files->name);
	text_print(&marker, "\"\n");
	if (!status)
		status = write_file(files->expanded, marker.data, marker.length);
	text_free(&marker);
	if (status)
		return status;
	add_compiler(files->driver, &list);
	add_argument(&list, "-E");
	add_argument(&list, "-undef");
	if (is_clang(files->driver))
		add_argument(&list, "-D__clang__"); /* cape_outlined.h asks for both */
	if (command_is_lto(&files->driver->command))
		add_argument(&list, "-DCAPE_LTO");
	if (files->driver->command.standard)
		add_argument(&list, files->driver->command.standard);
	add_own_headers(files->driver, &list);
	add_argument(&list, "-x");
	add_argument(&list, "c");
	add_argument(&list, "-");
	status = process_run(&list, &redirection);
	list_free(&list);
	return status;
}

/* The threads of a region are libcape's: nothing else may call what cape_outlined.h renames. */
static void add_outlining(const struct driver *driver, argument_list *list)
{
	add_argument(list, "-fopenmp");
	if (command_makes_threads(&driver->command) && !is_clang(driver))
		add_argument(list, "-ftree-parallelize-loops=1");
}

static int compile_translated(const struct source_files *files, const struct text *translated)
{
	argument_list list = {0};
	int status = expand(files, translated);

	if (status)
		return status;
	add_compiler(files->driver, &list);
	add_layout(&list);
	command_add(&files->driver->command, ARGUMENT_COMMON, &list);
	add_hooks(files->driver, &list);
	add_outlining(files->driver, &list);
	add_result(files, &list);
	add_preprocessed(files->driver, files->expanded, &list);
	status = process_run(&list, NULL);
	list_free(&list);
	return status;
}

int write_answer(const char *data, size_t length)
{
	if (fwrite(data, 1, length, stdout) == length && !fflush(stdout))
		return 0;
	fprintf(stderr, "cape-cc: cannot write to standard output: %s\n", strerror(errno));
	return 1;
}

static int write_readable(const struct source_files *files, const struct text *translated)
{
	const char *output = files->driver->command.output;

	return output ? write_file(output, translated->data, translated->length)
		      : write_answer(translated->data, translated->length);
}

static int read_preprocessed(const struct source_files *files, const char *language,
			     struct text *text)
{
	const char *name = files->preprocessed;
	size_t length = strlen(files->name);
	int error;

	if ((language && !strcmp(language, "cpp-output")) ||
	    (!language && length > 2 && !strcmp(files->name + length - 2, ".i")))
		name = files->name; /* it is preprocessed already */
	else if ((error = preprocess(files, language)))
		return error;
	error = text_read(text, name);
	if (error) {
		fprintf(stderr, "cape-cc: cannot read '%s': %s\n", name, strerror(-error));
		return 1;
	}
	return name == files->name ? 0 : macros_expand(files->driver, files->name, name, text);
}

static enum translation_form form_of(enum command_mode mode)
{
	switch (mode) {
	case MODE_EMIT_C:
		return FORM_READER;
	case MODE_EXPLAIN:
		return FORM_EXPLANATION;
	case MODE_EXPLAIN_JSON:
		return FORM_EXPLANATION_JSON;
	default:
		return FORM_COMPILER;
	}
}

static int build_source(const struct source_files *files, const char *language)
{
	const struct driver *driver = files->driver;
	char *header = format_text("%s/cape.h", driver->include);
	struct translation translation = {
		.main_file = files->name,
		.standard = driver->command.standard,
		.cape_header = header,
		.form = form_of(driver->command.mode),
		.tells_sets = driver->command.check_sets,
		.tells_plans = !driver->command.unplanned && !driver->command.check_races,
		.spreads = !driver->command.unspread,
		.compiler_accepts = compiler_accepts,
		.context = (void *)files,
	};
	struct text preprocessed = {0}, translated = {0};
	enum translate_result result;
	int status = read_preprocessed(files, language, &preprocessed);

	if (status)
		goto out;
	stack_enlarge(files->name);
	result = translate(&translation, &preprocessed, &translated);
	stack_restore();
	switch (result) {
	case TRANSLATE_FAILED:
		status = EXIT_FAILURE;
		break;
	case TRANSLATE_NOTHING:
		status = compile_as_it_is(files, language);
		break;
	case TRANSLATE_DONE:
		show_messages(files->messages); /* #warning and the like */
		if (translation.form != FORM_COMPILER)
			status = write_readable(files, &translated);
		else
			status = compile_translated(files, &translated);
		break;
	}
out:
	text_free(&preprocessed);
	text_free(&translated);
	free(header);
	return status;
}

int compile_source(struct driver *driver, const char *name, const char *language, char **result)
{
	struct source_files files = {.messages = open_messages()};
	int status = EXIT_FAILURE;

	if (open_files(&files, driver, name)) {
		status = build_source(&files, language);
		*result = files.result;
		files.result = NULL;
	}
	if (status)
		process_tell_room();
	close_files(&files);
	return status;
}
