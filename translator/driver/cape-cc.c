/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cape-cc.c - the compiler wrapper: preprocesses, translates, compiles and links with the real
 * compiler, so that to its caller it is that compiler.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile.h"
#include "read/response.h"
#include "shim.h"

static const char help[] =
	"Usage: cape-cc [option]... file...\n"
	"Compiles OpenMP C programs for cape-run.  Takes the options of the C compiler, and:\n"
	"\n"
	"  --emit-c     write the translated C text to standard output, or to the file of -o\n"
	"  --explain[=json]  write what is known of what each loop reads and writes\n"
	"  --check-races  build a program that reports its data races to cape-run\n"
	"  --check-sets  build a program that holds its accesses against what --explain says\n"
	"  --no-plan    do not plan the exchange by what loops are known to access\n"
	"  --no-spread  do not share out loops that are met outside of parallel regions\n"
	"  --shim DIR   make gcc, cc and clang in the folder DIR, which call cape-cc\n"
	"  --help       print this\n"
	"  --version    print the version\n"
	"\n"
	"Environment:\n"
	"  CAPE_CC      the C compiler to use (default: gcc)\n";

static const char version[] = "cape-cc " CAPE_VERSION "\n";

/* Descriptors that the caller closed would become somebody's files; to write to them fails. */
static void fill_standard_descriptors(void)
{
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (fcntl(i, F_GETFD) < 0)
			open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* PATH gets the name of this program, PATH_MAX + 1 bytes at most. */
static bool find_itself(char *path)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	if (length < 0) {
		fprintf(stderr, "cape-cc: cannot find its own path in /proc: %s\n",
			strerror(errno));
		return false;
	}
	path[length] = '\0';
	return true;
}

static int make_shims(int count, char **arguments)
{
	char path[PATH_MAX + 1];

	if (count != 3) {
		fputs("cape-cc: --shim takes the name of a folder, and no other arguments\n",
		      stderr);
		return EXIT_FAILURE;
	}
	return find_itself(path) ? shim_make(arguments[2], path) : EXIT_FAILURE;
}

static bool find_installation(struct driver *driver)
{
	char path[PATH_MAX + 1], *slash;

	if (!find_itself(path))
		return false;
	slash = strrchr(path, '/');
	*slash = '\0';
	slash = strrchr(path, '/'); /* bin */
	if (slash)
		*slash = '\0';
	driver->include = format_text("%s/include/cape", path);
	driver->library = format_text("%s/lib/libcape.a", path);
	return true;
}

static void find_compiler(struct driver *driver)
{
	const char *name = getenv("CAPE_CC");
	char *word;

	driver->compiler_text = format_text("%s", name && *name ? name : "gcc");
	for (word = strtok(driver->compiler_text, " "); word; word = strtok(NULL, " "))
		add_argument(&driver->compiler, word);
}

static bool is_readable(const char *name)
{
	if (!strcmp(name, "-") || !access(name, R_OK))
		return true;
	fprintf(stderr, "cape-cc: cannot read '%s': %s\n", name, strerror(errno));
	return false;
}

/* Every source in turn; OBJECTS gets their results, to be freed. */
static int build_sources(struct driver *driver, argument_list *objects)
{
	int status = 0, one;
	size_t i;

	for (i = 0; i < driver->command.arguments.count; i++) {
		const struct argument *argument = &driver->command.arguments.items[i];
		char *result = NULL;

		if (argument->class != ARGUMENT_SOURCE)
			continue;
		if (!is_readable(argument->text)) {
			status = EXIT_FAILURE;
			continue;
		}
		one = compile_source(driver, argument->text, argument->language, &result);
		if (one)
			status = one;
		add_argument(objects, result);
	}
	return status;
}

/* -c and -S with files that are no C source: assembly and the like. */
static int compile_files(struct driver *driver)
{
	argument_list list = {0};
	int status;
	size_t i;

	add_compiler(driver, &list);
	add_argument(&list, driver->command.mode == MODE_ASSEMBLY ? "-S" : "-c");
	command_add(&driver->command, ARGUMENT_COMMON, &list);
	command_add(&driver->command, ARGUMENT_PREPROCESS, &list);
	for (i = 0; i < driver->command.arguments.count; i++)
		if (driver->command.arguments.items[i].class == ARGUMENT_FILE)
			add_file(driver->command.arguments.items[i].text,
				 driver->command.arguments.items[i].language, &list);
	if (driver->command.output) {
		add_argument(&list, "-o");
		add_argument(&list, driver->command.output);
	}
	status = process_run(&list, NULL);
	list_free(&list);
	return status;
}

static void add_link_arguments(const struct driver *driver, const argument_list *objects,
			       argument_list *list)
{
	size_t i, object = 0;

	for (i = 0; i < driver->command.arguments.count; i++) {
		const struct argument *argument = &driver->command.arguments.items[i];

		switch (argument->class) {
		case ARGUMENT_SOURCE:
			add_argument(list, objects->items[object++]);
			break;
		case ARGUMENT_FILE:
			add_file(argument->text, argument->language, list);
			break;
		case ARGUMENT_COMMON:
		case ARGUMENT_LINK:
			add_argument(list, argument->text);
			if (argument->value)
				add_argument(list, argument->value);
			break;
		default:
			break;
		}
	}
}

static int link_program(const struct driver *driver, const argument_list *objects)
{
	argument_list list = {0};
	int status = EXIT_FAILURE;

	if (!driver->command.shared && access(driver->library, R_OK) < 0) {
		fprintf(stderr,
			"cape-cc: the run time '%s' is missing: %s; build or install CAPE\n",
			driver->library, strerror(errno));
		return status;
	}
	add_compiler(driver, &list);
	/* Arrays are aligned more than scalars, which so have pages of their own: add_layout(). */
	if (!command_names_linker(&driver->command))
		add_argument(&list, "-Wl,--sort-section=alignment");
	add_link_arguments(driver, objects, &list);
	if (driver->command.output) {
		add_argument(&list, "-o");
		add_argument(&list, driver->command.output);
	}
	if (!driver->command.shared) {
		add_argument(&list, "-Wl,-u,cape_start");
		/* A library that the program calls may allocate what nodes share. */
		add_argument(&list, "-Wl,-u,malloc");
		/* Which then must be found before libcape. */
		if (command_makes_threads(&driver->command))
			add_argument(&list, "-lgomp");
		if (driver->command.opens_libraries)
			add_argument(&list, "-Wl,--whole-archive");
		add_argument(&list, driver->library);
		if (driver->command.opens_libraries)
			add_argument(&list, "-Wl,--no-whole-archive");
		add_argument(&list, "-lm");
		add_argument(&list, "-ldl");
	}
	status = process_run(&list, NULL);
	list_free(&list);
	return status;
}

/* Steps that the compiler does alone: -E, or a question such as -dumpmachine. */
static int pass_through(const struct driver *driver, int count, char **arguments)
{
	argument_list list = {0};
	int i, status;

	add_compiler(driver, &list);
	if (driver->command.mode == MODE_PREPROCESS) {
		add_preprocessing(driver, &list);
		command_add(&driver->command, ARGUMENT_DEPENDENCY, &list);
		for (i = 0; i < (int)driver->command.arguments.count; i++) {
			const struct argument *argument = &driver->command.arguments.items[i];

			if (argument->class == ARGUMENT_SOURCE || argument->class == ARGUMENT_FILE)
				add_file(argument->text, argument->language, &list);
			else if (!strcmp(argument->text, "-P"))
				add_argument(&list, "-P");
		}
		if (driver->command.output) {
			add_argument(&list, "-o");
			add_argument(&list, driver->command.output);
		}
	} else {
		for (i = 1; i < count; i++)
			add_argument(&list, arguments[i]);
	}
	status = process_run(&list, NULL);
	list_free(&list);
	return status;
}

/* As the compiler refuses it: by whatever path, the result would take the place of its source. */
static bool overwrites_input(const struct command *command)
{
	struct stat output, input;
	size_t i;

	if (!command->output || stat(command->output, &output) < 0 || !S_ISREG(output.st_mode))
		return false;
	for (i = 0; i < command->arguments.count; i++) {
		const struct argument *argument = &command->arguments.items[i];

		if ((argument->class != ARGUMENT_SOURCE && argument->class != ARGUMENT_FILE) ||
		    stat(argument->text, &input) < 0 || input.st_dev != output.st_dev ||
		    input.st_ino != output.st_ino)
			continue;
		fprintf(stderr,
			"cape-cc: the input file '%s' is the same as the output file '%s'\n",
			argument->text, command->output);
		return true;
	}
	return false;
}

static int build(struct driver *driver)
{
	const struct command *command = &driver->command;
	argument_list objects = {0};
	int status = 0;
	size_t i;

	if (command->output && command->mode != MODE_LINK &&
	    command->sources + command->files > 1) {
		fputs("cape-cc: -o cannot name the result of several files without linking\n",
		      stderr);
		return EXIT_FAILURE;
	}
	if (overwrites_input(command))
		return EXIT_FAILURE;
	status = build_sources(driver, &objects);
	if (!status && command->mode == MODE_LINK)
		status = link_program(driver, &objects);
	else if (!status && command->files &&
		 (command->mode == MODE_OBJECT || command->mode == MODE_ASSEMBLY))
		status = compile_files(driver);
	for (i = 0; i < objects.count; i++)
		free((char *)objects.items[i]);
	list_free(&objects);
	return status;
}

static int run(struct driver *driver, int count, char **arguments)
{
	const struct command *command = &driver->command;

	if (count > 1 && !strcmp(arguments[1], "--shim"))
		return make_shims(count, arguments);
	if (!command_read(&driver->command, count, arguments))
		return EXIT_FAILURE;
	if (command->mode == MODE_HELP)
		return write_answer(help, sizeof(help) - 1);
	if (command->mode == MODE_VERSION)
		return write_answer(version, sizeof(version) - 1);
	find_compiler(driver);
	if (!driver->compiler.count || !strcmp(base_name(driver->compiler.items[0]), "cape-cc")) {
		fprintf(stderr,
			"cape-cc: CAPE_CC names %s; set it to the C compiler that cape-cc is to "
			"use, or to nothing for gcc\n",
			driver->compiler.count ? "cape-cc itself" : "no compiler");
		return EXIT_FAILURE;
	}
	if (!find_installation(driver))
		return EXIT_FAILURE;
	if (!command->sources && !command->files) {
		if (command->arguments.count)
			return pass_through(driver, count, arguments);
		fputs("cape-cc: no input files; see cape-cc --help\n", stderr);
		return EXIT_FAILURE;
	}
	if (command->mode == MODE_PREPROCESS)
		return pass_through(driver, count, arguments);
	return build(driver);
}

int main(int count, char **arguments)
{
	struct driver driver = {0};
	struct response response = {0};
	int status = EXIT_FAILURE;

	fill_standard_descriptors();
	process_catch_signals();
	if (response_expand(&response, count, arguments))
		status = run(&driver, (int)response.arguments.count, response.arguments.items);
	command_free(&driver.command);
	list_free(&driver.compiler);
	free(driver.compiler_text);
	free(driver.include);
	free(driver.library);
	response_free(&response);
	return status;
}
