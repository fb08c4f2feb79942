#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Between a program that is started by itself and the C library there is nothing of libcape's.
. "$(dirname "$0")/../tap.sh"
plan 12

cat >"$work/calls.c" <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef EARLY
static char *early;

static int one(void) { return 1; }

/* Runs before any constructor, and before libcape knows how the program was started. */
static int (*resolve(void))(void)
{
	early = malloc(100);
	early[99] = 7;
	return one;
}

int chosen(void) __attribute__((ifunc("resolve")));
#endif

int main(void)
{
	struct timespec now;
	char words[] = "b c", *large;
	int members = 0;

	printf("getpid %d\n", getpid() == 42);
	clock_gettime(CLOCK_REALTIME, &now);
	printf("clock %ld\n", (long)now.tv_sec);
	printf("rand %d\n", rand());
	printf("strtok %s\n", getenv("LD_PRELOAD") ? strtok(NULL, " ") : "-");
	printf("strtok %s\n", strtok(words, " "));
#ifdef EARLY
	early = realloc(early, 200);
	printf("early %d %d\n", chosen(), early[99]);
	free(early);
#endif
#pragma omp parallel reduction(+ : members) num_threads(3)
	{
		char *mine = malloc(1000);

		mine[999] = 1;
		members += mine[999];
		free(mine);
	}
	large = calloc(1 << 20, 1);
	large = realloc(large, 1 << 21);
	free(large);
	printf("members %d\n", members);
	return 0;
}
END_OF_C
# Loaded before the C library, as some programs' own allocators are; and it uses that, too.
cat >"$work/loaded.c" <<'END_OF_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long allocated;
static char words[] = "x a";

pid_t getpid(void) { return 42; }

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){43, 0};
	return 0;
}

void *malloc(size_t size)
{
	static void *(*next)(size_t size);

	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	allocated += size == 1000;
	return next(size);
}

__attribute__((constructor)) static void start(void)
{
	srand(5);
	strtok(words, " ");
}

__attribute__((destructor)) static void end(void)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "allocated %ld\n", allocated);

	if (write(1, text, (size_t)length) < 0)
		abort();
}
END_OF_C

run gcc -O2 -fPIC -shared "$work/loaded.c" -o "$work/loaded.so"
for build in calls early; do
	flags=(-O2)
	[ $build = calls ] || flags+=(-DEARLY)
	run gcc "${flags[@]}" -fopenmp "$work/calls.c" -o "$work/$build.gcc"
	run cape-cc "${flags[@]}" "$work/calls.c" -o "$work/$build.cape"
	is_status 0 "$build: it is built"
	LD_PRELOAD=$work/loaded.so "$work/$build.gcc" >"$work/expected"
	run env LD_PRELOAD="$work/loaded.so" "$work/$build.cape"
	# Who asks whose a block is, calls the C library by other names.
	[ $build = calls ] || sed -i /^allocated/d "$work/expected" "$work/stdout"
	check "$build: what is loaded before the C library is called, and keeps its state" \
		diff "$work/expected" "$work/stdout"
	"$work/$build.gcc" | grep -v getpid >"$work/expected"
	run "$work/$build.cape"
	sed -i -E '/getpid|clock/d' "$work/stdout" "$work/expected"
	check "$build: without it, too" diff "$work/expected" "$work/stdout"
done

# Addresses are reserved by who has nodes alone.
run prlimit --as=400000000 "$work/calls.cape"
stdout_has '^members 3$' "it runs where addresses are few"
run prlimit --as=400000000 cape-run --threads 2 "$work/calls.cape"
stdout_has '^members 3$' "by cape-run, too"
run env CAPE_CHANNEL=1 "$work/calls.cape"
stdout_has '^members 3$' "a command of a run is by itself"

# What the program defines itself wins.
cat >"$work/own.c" <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>

int getpid(void) { return 44; }

int main(void)
{
	int members = 0;

#pragma omp parallel num_threads(2) reduction(+ : members)
	members++;
	printf("%d %d\n", getpid(), members);
	return 0;
}
END_OF_C
run cape-cc "$work/own.c" -o "$work/own"
run "$work/own"
stdout_is "44 2" "a function of the program's own"
run cape-run -np 1 "$work/own"
stdout_is "44 1" "on a node, too"

# An error that was none of the program's is not told.
cat >"$work/error.c" <<'END_OF_C'
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

int main(void)
{
	printf("%d %s\n", errno, dlerror() ? "told" : "none");
	return 0;
}
END_OF_C
run cape-cc "$work/error.c" -o "$work/error"
run "$work/error"
stdout_is "0 none" "errno and dlerror() tell nothing"
