# SPDX-License-Identifier: GPL-2.0-or-later
"""The constructs of a parallel region, each writing itself into the text of a case."""

from guards import Guards
from iteration import Iteration
from library import Library
from shared import FLOATS, HEAP, Phase, expression

COUNTERS = ("int", "int", "long", "unsigned", "unsigned long", "short", "signed char",
            "unsigned char")


class Loop:
    """The header of a loop, in one of the canonical forms, and the number of its iteration."""

    def __init__(self, random, name, outside, trips):
        self.name, self.trips = name, trips
        ctype = outside or random.choice(COUNTERS)
        self.step = random.choice((1, 1, 1, 2, 3))
        if "char" in ctype and trips > 40:
            self.step = 1
        self.down = random.random() < 0.3
        unsigned = ctype.startswith("unsigned")
        low = 0 if unsigned else random.randrange(-9, 9)
        # The variable goes one step beyond the limit, which must exist for an unsigned one, too.
        if unsigned and self.down:
            low = self.step
        low += random.choice((0, 0, 5))
        high = low + self.step * (trips - 1) if trips else low
        slack = random.randrange(self.step)
        self.first, self.limit, relation = (
            (high, low - slack, ">=") if self.down else (low, high + slack, "<="))
        if not trips:
            self.first, self.limit = (low, low + 1) if self.down else (low + 1, low)
        kind = random.randrange(3)
        if kind == 0:
            self.limit += -1 if self.down else 1
            relation = relation[0]
        elif kind == 1 and self.step == 1 and trips:
            self.limit += -1 if self.down else 1
            relation = "!="
        self.condition = f"{name} {relation} {self.limit}"
        if random.random() < 0.15 and relation != "!=":
            swapped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[relation]
            self.condition = f"{self.limit} {swapped} {name}"
        sign = "-" if self.down else "+"
        steps = [f"{name} {sign}= {self.step}", f"{name} = {name} {sign} {self.step}"]
        if self.step == 1:
            steps += [f"{name}{sign * 2}", f"{sign * 2}{name}"] * 2
        self.increment = random.choice(steps)
        self.declaration = "" if outside else ctype + " "

    def header(self):
        first = f"{self.declaration}{self.name} = {self.first}"
        return f"for ({first}; {self.condition}; {self.increment})"

    def number(self):
        """How many iterations were before this one."""
        distance = (f"({self.first} - (long){self.name})" if self.down
                    else f"((long){self.name} - {self.first})")
        return f"(unsigned long)({distance} / {self.step})"


class Constructs(Library, Guards):
    """Mixed into a case: methods that write one construct each, given the phase and the scope.

    Each returns whether a barrier ends it.
    """

    def iteration(self, phase, scope, number):
        return Iteration(self, phase, scope, number, 1)

    def clause_list(self, *clauses):
        chosen = [c for c in clauses if c]
        self.random.shuffle(chosen)
        return "".join(" " + c for c in chosen)

    def schedule(self):
        kinds = ["static", "static", "static"]
        if "dynamic" in self.features:
            kinds += ["dynamic", "dynamic", "guided", "runtime", "auto"]
        kind = self.random.choice(kinds)
        if kind not in ("runtime", "auto") and self.random.random() < 0.6:
            kind += f", {self.random.choice((1, 1, 2, 3, 7, 50))}"
        return f"schedule({kind})" if self.random.random() < 0.7 else ""

    def reduction_clause(self, phase, iteration):
        """Objects that the construct reduces; known to the iteration, with those of the region."""
        text = []
        iteration.reductions += self.reduced
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            thing = phase.take(self.random, "reduction",
                               lambda o: o.size < 10 and o.storage not in HEAP and not o.member)
            if not thing:
                continue
            operator = self.reduction_operator(thing)
            iteration.reductions.append((thing, operator))
            section = f"[:{thing.size}]" if thing.size > 1 and self.random.random() < 0.5 else ""
            text.append(f"reduction({operator} : {thing.name}{section})")
        return " ".join(text)

    def reduction_operator(self, thing):
        if thing.ctype == "_Bool":
            return self.random.choice(["&&", "||", "|", "&"])
        # Only a _Bool is what && and || leave, where an element met none of them.
        operators = ["+", "+", "max", "min"]
        if thing.ctype in FLOATS:
            operators.append("*")
        else:
            operators += ["^", "|", "&"]
        if thing.ctype in ("unsigned", "unsigned long"):
            operators.append("*")
        return self.random.choice(operators)

    def data_clauses(self, phase, iteration, last):
        """private, firstprivate and lastprivate; returns the clauses and how the body begins."""
        clauses, begin, end, written = [], [], [], []
        if self.random.random() < 0.3:
            name = self.random.choice(self.privates)
            self.defined.discard(name)
            iteration.scope.names = [n for n in iteration.scope.names if n != name]
            written.append(name)
            clauses.append(f"private({name})")
        if self.random.random() < 0.3:
            thing = phase.find(self.random, "read",
                               lambda o: o.storage not in HEAP and not o.member)
            if thing:
                clauses.append(f"firstprivate({thing.name})")
                if thing.ctype not in FLOATS and thing.ctype != "_Bool":
                    place = thing.at(str(thing.size // 2))
                    begin.append(f"{place} ^= 5;")
                    end.append(f"{place} ^= 5;")
        if last and self.random.random() < 0.35:
            thing = phase.take(self.random, "last",
                               lambda o: o.size < 10 and o.storage not in HEAP and not o.member)
            if thing:
                clauses.append(f"lastprivate({thing.name})")
                for element in range(thing.size):
                    begin.append(f"{thing.at(str(element))} = "
                                 f"{thing.stored(f'{iteration.number} + {element}')};")
        return clauses, begin, end, written

    def loop(self, phase, scope, directive="for", more=()):
        """A loop construct; DIRECTIVE may be a combined one, with MORE clauses."""
        nest = self.random.choice((1, 1, 1, 1, 2, 3))
        inside = "parallel" not in directive
        sizes = [self.random.choice((0, 1, 2, 5, 13, 30) if nest == 1 and self.random.random() < 0.3
                                    else (7, 19, 29, 30) if nest == 1 else (3, 4, 2, 5)[:5 - nest])
                 for _ in range(nest)]
        trips = 1
        loops = []
        for depth, size in enumerate(sizes):
            trips *= size
            outside = self.random.random() < 0.3 and self.counters[depth]
            name = f"i{depth}" if outside else f"j{depth}"
            loops.append(Loop(self.random, name, outside, size))
        number = self.fresh("k")
        iteration = Iteration(self, phase, scope.inner(), number, trips)
        reductions = self.reduction_clause(phase, iteration)
        data, begin, end, written = self.data_clauses(phase, iteration, trips > 0)
        ordered = "ordered" in self.features and self.random.random() < 0.2
        nowait = inside and self.random.random() < 0.4
        with_schedule = self.schedule()
        self.code.pragma(directive + self.clause_list(
            *more, *data, reductions, with_schedule, f"collapse({nest})" if nest > 1 else "",
            "ordered" if ordered else "", "nowait" if nowait else ""))
        for depth, header in enumerate(loops[:-1]):
            self.code.add(header.header())
            self.code.depth += 1
        with self.code.block(loops[-1].header()):
            text = loops[0].number()
            for header in loops[1:]:
                text = f"({text}) * {header.trips} + {header.number()}"
            self.code.add(f"const unsigned long {number} = {text};")
            for name in written:
                self.code.add(f"{name} = {self.private_types[name][1].format(number)};")
            for line in begin:
                self.code.add(line)
            iteration.scope = iteration.scope.inner(number, *written)
            if self.random.random() < 0.15 and not end:
                self.code.add(f"if ({number} % 7 == 3)")
                self.code.add("\tcontinue;")
            iteration.statements(self.random.randrange(1, 5))
            if ordered:
                iteration.ordered()
                iteration.statements(1)
            for line in end:
                self.code.add(line)
        self.code.depth -= nest - 1
        return not nowait

    def sections(self, phase, scope, directive="sections", more=()):
        nowait = "parallel" not in directive and self.random.random() < 0.4
        reducing = Iteration(self, phase, scope.inner(), "0", 1)
        reductions = self.reduction_clause(phase, reducing)
        data, begin, end, written = self.data_clauses(phase, reducing, False)
        last = phase.take(self.random, "last", lambda o: o.size == 1 and o.storage not in HEAP and
                          not o.member) if self.random.random() < 0.4 else None
        self.code.pragma(directive + self.clause_list(
            *more, *data, reductions, f"lastprivate({last.name})" if last else "",
            "nowait" if nowait else ""))
        count = self.random.randrange(1, 5)
        with self.code.block():
            for number in range(count):
                if number > 0 or self.random.random() < 0.7:
                    self.code.pragma("section")
                with self.code.block():
                    inner = reducing.scope.inner()
                    for name in written:
                        self.code.add(f"{name} = {self.private_types[name][1].format(number)};")
                        inner = inner.inner(name)
                    for line in begin:
                        self.code.add(line)
                    if last:
                        self.code.add(f"{last.name} = {last.stored(str(number + 40))};")
                    section = Iteration(self, phase, inner, f"{number}UL", 1)
                    section.reductions = reducing.reductions
                    section.statements(self.random.randrange(1, 4))
                    self.exclusive(phase, section.scope)
                    for line in end:
                        self.code.add(line)
        return not nowait

    def exclusive(self, phase, scope):
        """What one thread alone does: a loop over an object that nobody else uses now."""
        self.write_records(phase, scope)
        thing = phase.take(self.random, "exclusive")
        if not thing:
            return
        with self.code.block(f"for (int q = 0; q < {thing.size}; q++)"):
            value = f"{thing.value('q')} * 3 + {expression(self.random, phase, scope.inner('q'))}"
            self.code.add(f"{thing.at('q')} = {thing.stored(value)};")

    def single(self, phase, scope):
        copied = self.random.random() < 0.3 and [n for n in scope.names if n in self.locals]
        nowait = not copied and self.random.random() < 0.4
        self.code.pragma("single" + self.clause_list(
            f"copyprivate({copied[-1]})" if copied else "", "nowait" if nowait else ""))
        with self.code.block():
            self.exclusive(phase, scope)
            iteration = Iteration(self, phase, scope, "0UL", 1)
            iteration.statements(self.random.randrange(3))
            if copied:
                self.code.add(f"{copied[-1]} = {iteration.expression()};")
        return not nowait

    def master(self, phase, scope):
        self.code.pragma("master")
        with self.code.block():
            self.exclusive(phase, scope)
        return False

    def replicated(self, phase, scope):
        """What all threads do alike: private variables, and updates that may be repeated."""
        name = self.remember(scope, expression(self.random, phase, scope))
        if self.random.random() < 0.3:
            self.code.pragma("flush")
        if "critical" in self.features and self.random.random() < 0.5:
            thing = phase.find(self.random, "idempotent", lambda o: o.ctype not in FLOATS)
            if thing:
                operator = phase.operators.setdefault(thing, self.random.choice(["|", "&"]))
                self.code.pragma("critical(repeated)")
                place = self.random.randrange(thing.size)
                self.code.add(f"{thing.at(place)} {operator}= {thing.stored(name)};")
        return False

    def nested(self, phase, scope):
        """A parallel region inside, that shares what is private outside, but for tp: the region
        around it may be of one thread, and this one of several, each with a tp of its own."""
        name = self.fresh("n")
        self.code.add(f"unsigned long {name}[5];")
        self.code.pragma("parallel for" + self.clause_list(self.schedule()))
        with self.code.block("for (int q = 0; q < 5; q++)"):
            inner = scope.without("tp").inner("q")
            self.code.add(f"{name}[q] = {expression(self.random, phase, inner)};")
        self.remember(scope, f"{name}[3] ^ {name}[0]")
        return False

    def remember(self, scope, value):
        """A private variable of the region; returns its name."""
        name = self.fresh("r")
        self.code.add(f"unsigned long {name} = {value};")
        self.code.add(f"(void){name};")
        scope.names.append(name)
        self.locals.add(name)
        return name

    def ticket(self, phase, scope):
        """Slots are given out by an atomic capture or in a critical, and sorted afterwards."""
        bag = phase.take(self.random, "bag", lambda o: o.size > 40 and o.ctype == "unsigned long")
        if not bag:
            return False
        trips = self.random.randrange(10, 40)
        number, slot = self.fresh("k"), self.fresh("slot")
        self.code.pragma("single")
        self.code.add("tickets = 0;")
        self.code.pragma("for" + self.clause_list(self.schedule()))
        with self.code.block(f"for (int {number} = 0; {number} < {trips}; {number}++)"):
            self.code.add(f"int {slot};")
            if self.random.random() < 0.3 and "critical" in self.features:
                self.code.pragma("critical(tickets)")
                self.code.add(f"{slot} = tickets++;")
            else:
                self.code.pragma("atomic capture")
                self.code.add(self.random.choice((
                    f"{slot} = tickets++;", f"{{ {slot} = tickets; tickets += 1; }}",
                    f"{{ {slot} = tickets; tickets++; }}")))
            inner = scope.inner(number)
            self.code.add(f"{bag.at(slot)} = {expression(self.random, phase, inner)};")
        self.code.pragma("single")
        self.code.add(f"sort({bag.name}, {trips});")
        return True

    def turns(self, phase, scope):
        """Threads wait for their turn by flush; the steps do not commute."""
        thing = phase.take(self.random, "turns")
        if not thing:
            return False
        steps, name = self.random.randrange(2, 9), self.fresh("step")
        self.code.pragma("single")
        self.code.add("turn = 0;")
        with self.code.block(f"for (int {name} = 0; {name} < {steps}; {name}++)"):
            self.code.add(f"if ({name} % omp_get_num_threads() != omp_get_thread_num())")
            self.code.add("\tcontinue;")
            by = self.random.choice(("flushed", "atomically"))
            with self.code.block(f"while ({by}(&turn) != {name})"):
                self.code.add("sched_yield();")
            self.code.pragma("flush")
            with self.code.block(f"for (int q = 0; q < {thing.size}; q++)"):
                value = f"{thing.value('q')} * 5 + (unsigned long)({name} + q)"
                self.code.add(f"{thing.at('q')} = {thing.stored(value)};")
            self.code.pragma("flush")
            self.code.pragma("atomic write")
            self.code.add(f"turn = {name} + 1;")
            self.code.pragma(self.random.choice(["flush", "flush(turn)"]))
        self.code.pragma("barrier")
        return True

    def tasks(self, phase, scope):
        """Tasks, made by one thread: each has its element; some are a chain; some are recursive."""
        trips, number = self.random.randrange(1, 25), self.fresh("k")
        where = self.random.choice(["single", "single", "single nowait", "master"])
        self.code.pragma(where)
        with self.code.block():
            group = self.random.random() < 0.2
            if group:
                self.code.pragma("taskgroup")
            with self.code.block(f"for (unsigned long {number} = 0; {number} < {trips}; "
                                 f"{number}++)"):
                clauses = [c for c in (f"firstprivate({number})", "untied", "mergeable",
                                       f"if ({number} % 3)", f"final({number} > 9)")
                           if self.random.random() < 0.2]
                chain = self.random.random() < 0.3 and phase.take(
                    self.random, "chain", lambda o: o.size == 1 and not o.member)
                if chain:
                    clauses.append(f"depend(inout : {chain.name})")
                self.code.pragma("task" + self.clause_list(*clauses))
                with self.code.block():
                    if chain:
                        value = f"{chain.value('0')} * 3 + {number}"
                        self.code.add(f"{chain.name} = {chain.stored(value)};")
                    inner = scope.without("tp").inner(number)
                    task = Iteration(self, phase, inner, number, trips)
                    task.statements(self.random.randrange(1, 3))
            thing = self.random.random() < 0.4 and phase.take(
                self.random, "exclusive", lambda o: o.ctype == "unsigned long")
            if thing:
                self.code.pragma("taskwait")
                self.code.add(f"{thing.at('0')} += tree({self.random.randrange(4, 11)}, "
                              f"{expression(self.random, phase, scope)});")
        return where == "single"

    def taskloop(self, phase, scope):
        """A loop that one thread cuts into tasks."""
        trips, number = self.random.randrange(1, 25), self.fresh("k")
        self.code.pragma("single")
        with self.code.block():
            grain = self.random.choice(("grainsize", "num_tasks"))
            grain += f"({self.random.randrange(1, 9)})"
            clauses = [c for c in ("nogroup", "untied", grain) if self.random.random() < 0.4]
            self.code.pragma("taskloop" + self.clause_list(*clauses))
            with self.code.block(f"for (int {number} = 0; {number} < {trips}; {number}++)"):
                inner = scope.without("tp").inner(number)
                Iteration(self, phase, inner, number, trips).statements(2)
        return True

    def heap(self, phase, scope):
        """Blocks are made by some, read by others and freed by others again."""
        trips, name = self.random.randrange(2, 30), self.fresh("k")
        sums = phase.take(self.random, "own", lambda o: o.size > trips)
        if not sums:
            return False
        schedules = [self.schedule() for _ in range(3)]
        self.code.pragma("for" + self.clause_list(schedules[0]))
        with self.code.block(f"for (int {name} = 0; {name} < {trips}; {name}++)"):
            self.code.add(f"blocks[{name}] = malloc(sizeof(*blocks[0]) * (unsigned)({name} + 1));")
            with self.code.block(f"for (int q = 0; q <= {name}; q++)"):
                inner = scope.inner("q", name)
                self.code.add(f"blocks[{name}][q] = {expression(self.random, phase, inner)};")
        self.code.pragma("for" + self.clause_list(schedules[1]))
        with self.code.block(f"for (int {name} = 0; {name} < {trips}; {name}++)"):
            value = f"blocks[{trips - 1} - {name}][({trips - 1} - {name}) / 2] + " \
                    f"blocks[{name}][{name}]"
            self.code.add(f"{sums.at(name)} = {sums.stored(value)};")
        self.code.pragma("for" + self.clause_list(schedules[2]))
        with self.code.block(f"for (int {name} = {trips - 1}; {name} >= 0; {name}--)"):
            self.code.add(f"free(blocks[{name}]);")
        return True

    def orphan(self, phase, scope):
        """A function with a construct of its own on what is static; it is given what is private."""
        caller, names = self.code, list(scope.names)
        inner = Phase([o for o in phase.objects if o.storage in ("static", "heap")])
        inner.modes, inner.operators = phase.modes, phase.operators
        name = self.fresh(f"orphan{self.number}_")
        construct = self.random.choice([self.loop, self.loop, self.sections, self.single])
        parameters = ", ".join(f"unsigned long {n}" for n in names) or "void"
        saved = (self.privates, self.counters, self.locals, self.reduced)
        self.privates, self.counters, self.locals = ["o0", "o1"], [False] * 3, set(names)
        self.reduced = []
        self.code = self.new_code(1)
        self.code.add("int o0 = 0;")
        self.code.add("unsigned char o1 = 0;")
        ended = construct(inner, scope.inner())
        self.code.add("(void)o0;")
        self.code.add("(void)o1;")
        body, self.code = self.code.text(), caller
        self.privates, self.counters, self.locals, self.reduced = saved
        self.functions.append(f"static void {name}({parameters})\n{{\n{body}}}\n")
        self.code.add(f"{name}({', '.join(names)});")
        return ended
