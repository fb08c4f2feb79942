# SPDX-License-Identifier: GPL-2.0-or-later
"""What sequential code does that regions see not in memory: files, processes, clocks; and frames.

Sequential code writes a file, which a region reads at once.  All threads have one process.  What a
clock says is the same for all threads, though no oracle knows it.  Large frames have arrays in
block scopes, private in one region and shared in the next, in the same slots.
"""

HEAD = """\
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int strangers; /* how often something was seen otherwise than it is */
static unsigned long moment, spread, written;
static pid_t process, group;

/* What every run sees otherwise, and every thread of one alike. */
static void look_around(int way)
{
	struct timespec precise = {0};
	struct timeval exact = {0};

	process = getpid();
	group = getpgrp();
	switch (way) {
	case 0:
		clock_gettime(CLOCK_MONOTONIC, &precise);
		break;
	case 1:
		timespec_get(&precise, TIME_UTC);
		break;
	case 2:
		gettimeofday(&exact, NULL);
		break;
	default:
		precise.tv_nsec = getpid() + getppid();
	}
	moment = (unsigned long)precise.tv_nsec + (unsigned long)exact.tv_usec;
}

/* The file has as many bytes as WRITTEN says, and each tells the number. */
static void rewrite(const char *name, unsigned long number, int way)
{
	char text[257], other[40];
	size_t length = 1 + number % 250;
	FILE *file;
	int to;

	memset(text, 'a' + (int)(number % 26), length);
	text[length] = 0;
	written = number;
	snprintf(other, sizeof(other), "%s.new", name);
	if (way == 0) {
		file = fopen(name, "w");
		fprintf(file, "%s", text);
		fclose(file);
		return;
	}
	to = open(way == 3 ? other : name, O_RDWR | O_CREAT | (way == 1 ? O_TRUNC : 0), 0600);
	if (way == 2 ? pwrite(to, text, length, 0) < 0 : write(to, text, length) < 0)
		abort();
	if (ftruncate(to, (off_t)length) < 0)
		abort();
	close(to);
	if (way == 3 && rename(other, name) < 0)
		abort();
}

/* Whether the file is what was written last. */
static int is_written(const char *name, int way)
{
	size_t length = 1 + written % 250, got = 0;
	char text[300] = {0}, *mapped;
	struct stat status;
	FILE *file;
	int from;

	if (way == 0) {
		file = fopen(name, "r");
		got = fread(text, 1, sizeof(text), file);
		fclose(file);
	} else {
		from = open(name, O_RDONLY);
		if (fstat(from, &status) < 0)
			abort();
		if (way == 1)
			got = (size_t)read(from, text, sizeof(text));
		else if (way == 2)
			got = (size_t)pread(from, text, sizeof(text), 0);
		else if (stat(name, &status) == 0 && status.st_size == (off_t)length) {
			mapped = mmap(NULL, length, PROT_READ, MAP_SHARED, from, 0);
			memcpy(text, mapped, got = length);
			munmap(mapped, length);
		}
		close(from);
	}
	return got == length && text[0] == 'a' + (int)(written % 26) && text[length - 1] == text[0];
}

static void fill(int *numbers, int count, int value)
{
	for (int q = 0; q < count; q++)
		numbers[q] = value;
}
"""
NAMES = ("strangers", "moment", "spread", "written", "process", "group")
FRAME = """
static unsigned long frame{name}(int x)
{{
	unsigned long sum = 0;
	int large[{large}];

	fill(large, {large}, x);
	{{
#pragma omp parallel
		{{
			int own[{size}];

			fill(own, {size}, omp_get_thread_num() + x);
#pragma omp atomic
			sum += (unsigned)own[5] * 0;
		}}
	}}
	{{
		int shared[{size}];

#pragma omp parallel for{first}
		for (int q = 0; q < {size}; q++)
			shared[q] = q + x;
#pragma omp parallel for{second} reduction(+ : sum)
		for (int q = 0; q < {size}; q++)
			sum += (unsigned)shared[{size} - 1 - q] * (unsigned)(q % 7 + 1);
	}}
	return sum + (unsigned)large[{large} / 2];
}}
"""


class Surroundings:
    """Mixed into a case: what its sequential code does, and what its regions see of that."""

    def seen_files(self, phase, scope):
        """Regions read what sequential code has written."""
        return self.count_strangers(
            phase, f'!is_written("seen-{self.number}", {self.random.randrange(4)})')

    def kin(self, phase, scope):
        """All threads have one process, and saw the clock say the same."""
        if "spread" in phase.modes:
            return False
        phase.modes["spread"] = "own"
        self.count_strangers(phase, "getpid() != process || getpgrp() != group")
        trips, name = self.random.randrange(1, 40), self.fresh("k")
        self.code.pragma("for reduction(+ : spread)" + self.clause_list(self.schedule()))
        with self.code.block(f"for (int {name} = 0; {name} < {trips}; {name}++)"):
            self.code.add("spread += moment;")
        self.code.pragma("single")
        with self.code.block():
            self.code.add(f"strangers += spread != {trips} * moment;")
            self.code.add("spread = 0;")
        return True

    def count_strangers(self, phase, what):
        name = self.fresh("k")
        self.code.pragma("for reduction(+ : strangers)" + self.clause_list(self.schedule()))
        with self.code.block(f"for (int {name} = 0; {name} < {self.random.randrange(1, 20)}; "
                             f"{name}++)"):
            self.code.add(f"strangers += {what};")
        return True

    def change_surroundings(self):
        """In sequential code."""
        if "seen_files" in self.features and self.random.random() < 0.5:
            self.write_seen_file(self.random.randrange(10000))
        if "kin" in self.features and self.random.random() < 0.5:
            self.code.add(f"look_around({self.random.randrange(4)});")
        if "frames" in self.features and self.random.random() < 0.2:
            self.call_frame()

    def begin_surroundings(self):
        if "seen_files" in self.features:
            self.write_seen_file(1)
        if "kin" in self.features:
            self.code.add("look_around(0);")

    def write_seen_file(self, number):
        self.code.add(f'rewrite("seen-{self.number}", {number}, {self.random.randrange(4)});')

    def call_frame(self):
        name = self.fresh(f"{self.number}_")
        self.functions.append(FRAME.format(
            name=name, large=self.random.choice((100, 5000, 300000, 500000)),
            size=self.random.choice((10, 1000, 3000)), first=self.clause_list(self.schedule()),
            second=self.clause_list(self.schedule())))
        self.code.add(f'printf("{self.number} frame %lx\\n", '
                      f"frame{name}({self.random.randrange(100)}));")
