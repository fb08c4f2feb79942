# SPDX-License-Identifier: GPL-2.0-or-later
"""Locks of all kinds: OpenMP's, nested ones, those of the heap, and one that is made of atomics."""

from shared import expression

LOCKS = 4
HEAD = """
static omp_lock_t locks[4], *made;
static omp_nest_lock_t nests[4];
static struct {
	int drawn, served;
} queues[4];

/* A lock that the program makes of atomics: who draws a number waits until it is served. */
static void enter(int queue)
{
	int mine, seen;

#pragma omp atomic capture seq_cst
	mine = queues[queue].drawn++;
	do {
#pragma omp atomic read seq_cst
		seen = queues[queue].served;
		if (seen != mine)
			sched_yield();
	} while (seen != mine);
}

static void leave(int queue)
{
#pragma omp atomic update seq_cst
	queues[queue].served++;
}
"""
NAMES = ("locks", "made", "nests", "queues")


class Guards:
    """Mixed into a case, as Constructs; those methods return whether a barrier ends them."""

    def made_locks(self, phase, scope):
        """Locks on the heap for parts of an object: made by some, destroyed by others."""
        thing = phase.take(self.random, "made", lambda o: o.size > 20)
        if not thing:
            return False
        count, number, place = self.random.choice((1, 3, 20)), self.fresh("k"), self.fresh("at")
        head = f"for (int {number} = 0; {number} < {{}}; {number}++)"
        self.code.pragma("single")
        self.code.add(f"made = malloc({count} * sizeof(*made));")
        self.code.pragma("for" + self.clause_list(self.schedule()))
        self.code.add(head.format(count))
        self.code.add(f"\tomp_init_lock(&made[{number}]);")
        operator = thing.commutative(self.random)
        self.code.pragma("for" + self.clause_list(self.schedule()))
        with self.code.block(head.format(40)):
            inner = scope.inner(number)
            where = expression(self.random, phase, inner)
            self.code.add(f"const unsigned long {place} = ({where}) % {thing.size};")
            self.code.add(f"omp_set_lock(&made[{place} % {count}]);")
            self.iteration(phase, inner, number).fold(thing, operator, place)
            self.code.add(f"omp_unset_lock(&made[{place} % {count}]);")
        self.code.pragma("for" + self.clause_list(self.schedule()))
        self.code.add(head.format(count))
        self.code.add(f"\tomp_destroy_lock(&made[{number}]);")
        self.code.pragma("single")
        self.code.add("free(made);")
        return True


class GuardStatements:
    """Mixed into an iteration: each object is changed under one lock, in any order."""

    def lock(self):
        """One lock or two, in the order of their numbers, set or tried, given back in any order."""
        held = {}
        for guard in sorted(self.random.sample(range(LOCKS), self.random.choice((1, 1, 2)))):
            thing = self.guarded(("lock", guard))
            if thing:
                held[guard] = thing
        for guard, thing in held.items():
            if self.random.random() < 0.25:
                self.code.add(f"while (!omp_test_lock(&locks[{guard}]))")
                self.code.add("\tsched_yield();")
            else:
                self.code.add(f"omp_set_lock(&locks[{guard}]);")
            self.fold_guarded(thing)
        for guard in self.random.sample(list(held), len(held)):
            self.code.add(f"omp_unset_lock(&locks[{guard}]);")

    def nest_lock(self):
        guard = self.random.randrange(LOCKS)
        thing = self.guarded(("nest", guard))
        if not thing:
            return
        self.code.add(f"omp_set_nest_lock(&nests[{guard}]);")
        self.fold_guarded(thing)
        if self.random.random() < 0.5:
            with self.code.block(f"if (omp_test_nest_lock(&nests[{guard}]))"):
                self.fold_guarded(thing)
                self.code.add(f"omp_unset_nest_lock(&nests[{guard}]);")
        self.fold_guarded(thing)
        self.code.add(f"omp_unset_nest_lock(&nests[{guard}]);")

    def queue(self):
        guard = self.random.randrange(LOCKS)
        thing = self.guarded(("queue", guard))
        if not thing:
            return
        self.code.add(f"enter({guard});")
        self.fold_guarded(thing)
        self.code.add(f"leave({guard});")
