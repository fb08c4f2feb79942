# SPDX-License-Identifier: GPL-2.0-or-later
"""What a generated program uses beside OpenMP: functions that allocate, files, C11's atomics.

Functions of the C library that allocate make texts of numbers in one loop, which others read and
free.  A file is written by one construct of a phase: in the order of iterations, by one thread, or
with records that are all alike.  Atomics of C11 and of the compiler add up what may come in any
order.
"""

from shared import expression

HEAD = """\
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

static char *texts[64];
static FILE *file;
static _Atomic unsigned long counted[4];
static unsigned long synced[4];

/* A number's text, by functions of the C library that allocate. */
static char *text_of(unsigned long number, int way)
{
	char text[64], *made = NULL;
	size_t room = 0;
	FILE *memory;

	snprintf(text, sizeof(text), "%lu and more", number);
	switch (way) {
	case 0:
		return strdup(text);
	case 1:
		return strndup(text, strcspn(text, " "));
	case 2:
		return asprintf(&made, "%lu", number) < 0 ? NULL : made;
	case 3:
		memory = fmemopen(text, strlen(text), "r");
		if (getline(&made, &room, memory) < 0)
			abort();
		break;
	default:
		memory = open_memstream(&made, &room);
		fprintf(memory, "%lu", number);
	}
	fclose(memory);
	return made;
}

static void count_most(unsigned long number)
{
	unsigned long seen = atomic_load(&counted[3]);

	while (seen < number && !atomic_compare_exchange_weak(&counted[3], &seen, number))
		;
}

static void record(unsigned long number)
{
	fprintf(file, "%lx\\n", number);
}

static void show_file(int number)
{
	unsigned long hash = 0;
	int c;

	rewind(file);
	while ((c = getc(file)) != EOF)
		hash = hash * 1000003 + (unsigned long)c;
	printf("%d file of %ld bytes %lx\\n", number, ftell(file), hash);
	fclose(file);
}
"""
NAMES = ("texts", "file", "counted", "synced")


class Library:
    """Mixed into a case, as Constructs; those methods return whether a barrier ends them."""

    def texts(self, phase, scope):
        """Texts are made by some, read by others and freed by others again."""
        trips, name = self.random.randrange(2, 30), self.fresh("k")
        sums = phase.take(self.random, "own", lambda o: o.size > trips)
        if not sums:
            return False
        way = f"{name} % 5" if self.random.random() < 0.5 else self.random.randrange(5)
        head = f"for (int {name} = 0; {name} < {trips}; {name}++)"
        value = expression(self.random, phase, scope.inner(name))
        self.code.pragma("for" + self.clause_list(self.schedule()))
        self.code.add(head)
        self.code.add(f"\ttexts[{name}] = text_of({value}, {way});")
        self.code.pragma("for" + self.clause_list(self.schedule()))
        self.code.add(head)
        number = f"strtoul(texts[{trips - 1} - {name}], NULL, 10)"
        self.code.add(f"\t{sums.at(name)} = {sums.stored(number)};")
        self.code.pragma("for" + self.clause_list(self.schedule()))
        self.code.add(head)
        self.code.add(f"\tfree(texts[{name}]);")
        return True

    def take_file(self, phase, mode):
        """Whether this construct may write to the file now; alike records may come from all."""
        if "files" not in self.features:
            return False
        if mode == "alike" and phase.modes.get("file") == mode:
            return True
        if "file" in phase.modes or self.random.random() < 0.4:
            return False
        phase.modes["file"] = mode
        return True

    def write_records(self, phase, scope):
        """What one thread alone writes."""
        if self.take_file(phase, "exclusive"):
            with self.code.block(f"for (int q = 0; q < {self.random.randrange(1, 9)}; q++)"):
                self.code.add(f"record({expression(self.random, phase, scope.inner('q'), 1)});")

    def task_reduction(self, phase, scope):
        """Tasks of a group reduce one object."""
        thing = phase.take(self.random, "reduction",
                           lambda o: o.size == 1 and not o.member and o.ctype != "_Bool")
        if not thing:
            return False
        operator = self.reduction_operator(thing)
        number = self.fresh("k")
        self.code.pragma("single")
        with self.code.block():
            self.code.pragma(f"taskgroup task_reduction({operator} : {thing.name})")
            head = f"for (int {number} = 0; {number} < {self.random.randrange(1, 20)}; {number}++)"
            with self.code.block(head):
                self.code.pragma(f"task in_reduction({operator} : {thing.name})")
                with self.code.block():
                    inner = scope.without("tp").inner(number)
                    task = self.iteration(phase, inner, number)
                    task.fold(thing, operator, "0")
        return True


class LibraryStatements:
    """Mixed into an iteration."""

    def c11(self):
        """An atomic operation that is not a construct."""
        value = self.expression(1)
        self.code.add(self.random.choice((
            f"atomic_fetch_add(&counted[0], {value});", f"counted[0] += {value};",
            "counted[0]++;", f"atomic_fetch_xor(&counted[1], {value});",
            f"counted[2] |= {value};", f"count_most({value});",
            f"__atomic_fetch_add(&synced[0], {value}, __ATOMIC_SEQ_CST);",
            f"__sync_fetch_and_add(&synced[0], {value});",
            f"__sync_xor_and_fetch(&synced[1], {value});",
            f"__atomic_or_fetch(&synced[2], {value}, __ATOMIC_RELAXED);")))

    def alike(self):
        """A record like all others of this phase, so that their order does not matter."""
        if self.case.take_file(self.phase, "alike"):
            self.code.pragma("critical(file)")
            self.code.add("record(4711);")
