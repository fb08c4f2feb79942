/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address_space.c - what the user is told when addresses cannot be reserved.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>
#include "system/address_space.h"

#define MODE "/proc/sys/vm/overcommit_memory"

static void expect(int error, const char *words)
{
	char text[512];

	if (!strstr(cape_address_space_why(error, text, sizeof(text)), words))
		fail_msg("'%s' has no '%s'", text, words);
}

static void set_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(resource, &limit), 0);
	limit.rlim_cur = value;
	assert_int_equal(setrlimit(resource, &limit), 0);
}

static void test_limits(void **state)
{
	(void)state;
	set_limit(RLIMIT_DATA, 3ul << 40);
	expect(ENOMEM, "ulimit -d is 3221225472 kB");
	set_limit(RLIMIT_AS, 2ul << 40);
	expect(ENOMEM, "ulimit -v is 2147483648 kB");
	expect(ENOMEM, "lift it: ulimit -v unlimited");
	expect(EEXIST, strerror(EEXIST));
	set_limit(RLIMIT_AS, RLIM_INFINITY);
	set_limit(RLIMIT_DATA, RLIM_INFINITY);
}

/* The kernel's own setting is everybody's: this process is shown another one. */
static void test_overcommit(void **state)
{
	char name[] = "/tmp/cape-overcommit-XXXXXX";
	int file = mkstemp(name);

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(write(file, "2\n", 2), 2);
	close(file);
	if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(name, MODE, NULL, MS_BIND, NULL) < 0) {
		unlink(name);
		skip();
	}
	expect(ENOMEM, "sysctl vm.overcommit_memory=0");
	expect(EAGAIN, strerror(EAGAIN));
	umount(MODE);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_overcommit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
