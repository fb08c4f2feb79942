// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folder.c - why a run has failed, noted in its folder: whoever finds the note finds all of it,
 * though the monitor that writes it may be killed meanwhile, as one is when another has ended.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
/* A part of the monitor. */
#include "common/folder.c"

#define TRIALS 300
#define REASON "cannot start a monitor on here: CAPE is of another version there"

static const struct fault none = {.kind = FAULT_NONE};

/* Notes it and takes it away again, until it is killed. */
static void __attribute__((noreturn)) write_notes(int folder)
{
	for (;;) {
		folder_note_failure(folder, &none, 1, REASON);
		unlinkat(folder, FOLDER_FAILED, 0);
	}
}

static void test_whole(void **state)
{
	char path[] = "/dev/shm/cape-unit-XXXXXX", text[256];
	int folder, found = 0;

	(void)state;
	assert_non_null(mkdtemp(path));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder >= 0);
	for (int i = 0; i < TRIALS; i++) {
		pid_t writer = fork();

		if (!writer)
			write_notes(folder);
		usleep((useconds_t)(i % 50) * 20);
		kill(writer, SIGKILL);
		assert_int_equal(waitpid(writer, NULL, 0), writer);
		if (!folder_is_noted(path, FOLDER_FAILED))
			continue;
		found++;
		assert_int_equal(folder_failure(path, NULL, text, sizeof(text)), 1);
		assert_string_equal(text, REASON);
		unlinkat(folder, FOLDER_FAILED, 0);
	}
	assert_true(found > 0);
	assert_true(folder_note_failure(folder, &none, 1, REASON));
	assert_false(folder_note_failure(folder, &none, 2, "another"));
	assert_int_equal(folder_failure(path, NULL, text, sizeof(text)), 1);
	close(folder);
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
