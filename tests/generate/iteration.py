# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements of one iteration, section or task: whatever threads do at the same time, they may."""

from guards import GuardStatements
from library import LibraryStatements
from shared import FLOATS, expression, index

EXTREMES = ("max", "min")


class Iteration(LibraryStatements, GuardStatements):
    """One iteration of a loop that threads share, or one task.

    NUMBER names a variable that no two iterations have the same value of, below TRIPS.
    """

    def __init__(self, case, phase, scope, number, trips):
        self.case, self.random, self.code = case, case.random, case.code
        self.phase, self.scope, self.number, self.trips = phase, scope, number, trips
        self.own = {}
        self.reductions = []

    def expression(self, depth=2):
        return expression(self.random, self.phase, self.scope, depth)

    def statements(self, count):
        """Some statements; those in an if or a loop are among them."""
        kinds = [self.write_own, self.write_own, self.compute]
        if self.reductions:
            kinds += [self.reduce, self.reduce]
        for name in ("atomic", "critical", "lock", "c11", "nest_lock", "queue"):
            if name in self.case.features:
                kinds += [getattr(self, name)]
        if "files" in self.case.features:
            kinds += [self.alike]
        for _ in range(count):
            shape = self.random.randrange(10)
            if shape == 0:
                with self.code.block(f"if ({self.expression(1)} % 3 == 0)"):
                    self.random.choice(kinds)()
            else:
                self.random.choice(kinds)()

    def write_own(self):
        """An element that belongs to this iteration."""
        owned = [o for o in self.own]
        if owned and self.random.random() < 0.4:
            thing = self.random.choice(owned)
        else:
            thing = self.phase.take(self.random, "own", lambda o: o.size > max(self.trips, 1))
            if not thing:
                return
            self.own[thing] = (self.random.randrange(1, thing.size), self.random.randrange(99))
        factor, offset = self.own[thing]
        place = f"({self.number} * {factor} + {offset}) % {thing.size}"
        value = self.expression()
        if self.random.random() < 0.4:
            value = f"{thing.value(place)} * 3 + {value}"
        self.code.add(f"{thing.at(place)} = {thing.stored(value)};")

    def compute(self):
        """A private array, filled and summed up."""
        name = self.case.fresh("t")
        length = self.random.randrange(2, 9)
        self.code.add(f"unsigned long {name}[{length}];")
        with self.code.block(f"for (int q = 0; q < {length}; q++)"):
            inner = self.scope.inner("q")
            self.code.add(f"{name}[q] = {expression(self.random, self.phase, inner, 1)};")
        total = self.case.fresh("u")
        self.code.add(f"unsigned long {total} = {name}[0] + {name}[{length - 1}] * 5;")
        thing = self.phase.take(self.random, "own", lambda o: o.size > max(self.trips, 1))
        if thing:
            self.own[thing] = (1, 0)
            self.code.add(f"{thing.at(f'{self.number} % {thing.size}')} = {thing.stored(total)};")
        else:
            self.code.add(f"(void){total};")

    def reduce(self):
        thing, operator = self.random.choice(self.reductions)
        self.fold(thing, operator, index(self.random, thing, self.scope))

    def fold(self, thing, operator, place):
        """One element is changed by an operator that commutes."""
        value = self.expression()
        name = thing.at(place)
        if operator in ("max", "min"):
            sign = ">" if operator == "max" else "<"
            with self.code.block():
                self.code.add(f"{thing.ctype} v = {thing.stored(value)};")
                self.code.add(f"if (v {sign} {name})")
                self.code.add(f"\t{name} = v;")
        elif operator in ("&&", "||"):
            self.code.add(f"{name} = {name} {operator} ({value} % 11 != 3);")
        elif operator == "*" and thing.ctype in FLOATS:
            self.code.add(f"{name} *= {value} % 17 == 3 ? -1 : 1;")
        else:
            self.code.add(f"{name} {operator}= {thing.operand(value)};")

    def operator_of(self, thing, others=()):
        """The one operator that changes it in this phase."""
        if thing not in self.phase.operators:
            choices = [thing.commutative(self.random)] * 2 + list(others)
            self.phase.operators[thing] = self.random.choice(choices)
        return self.phase.operators[thing]

    def atomic(self):
        thing = self.phase.find(self.random, "atomic", lambda o: o.ctype != "_Bool")
        if not thing:
            return
        operator = self.operator_of(thing)
        name = thing.at(index(self.random, thing, self.scope))
        value = thing.operand(self.expression(1))
        forms = [f"{name} {operator}= {value};", f"{name} {operator}= {value};",
                 f"{name} = {name} {operator} {value};"]
        if operator != "-":
            forms += [f"{name} = {value} {operator} {name};"]
        if operator in "+-":
            forms += [f"{name}{operator * 2};", f"{operator * 2}{name};"]
        if self.random.random() < 0.3:
            self.capture(thing, name, forms[0])
            return
        self.code.pragma(self.random.choice(["atomic", "atomic", "atomic update"]))
        self.code.add(self.random.choice(forms))

    def capture(self, thing, name, update):
        """What it was, or has become, is seen, but nothing depends on it: others come between."""
        with self.code.block():
            self.code.add(f"{thing.ctype} v;")
            self.code.pragma("atomic capture" + self.random.choice(("", " seq_cst", " acq_rel")))
            self.code.add(self.random.choice((f"v = {update}", f"{{ v = {name}; {update} }}",
                                              f"{{ {update} v = {name}; }}")))
            self.code.add("(void)v;")

    def critical(self, above=-1):
        """A critical construct, in which another of a later name may stand."""
        names = [n for n in range(4) if n > above]
        guard = self.random.choice(names) if names else None
        thing = guard is not None and self.guarded(("critical", guard))
        if not thing:
            return
        self.code.pragma("critical" if guard == 0 else f"critical(name{guard})")
        with self.code.block():
            self.fold_guarded(thing)
            if self.random.random() < 0.2:
                self.critical(guard)

    def guarded(self, guard):
        """An object that only this critical name or lock protects."""
        return self.phase.find(self.random, guard)

    def fold_guarded(self, thing):
        self.fold(thing, self.operator_of(thing, EXTREMES), index(self.random, thing, self.scope))

    def ordered(self):
        """A block that does not commute, on an object that only these blocks touch."""
        thing = self.phase.take(self.random, "ordered")
        if not thing:
            return
        self.code.pragma("ordered")
        with self.code.block():
            if self.case.take_file(self.phase, "ordered"):
                self.code.add(f"record({self.expression(1)});")
            place = index(self.random, thing, self.scope)
            value = f"{thing.value(place)} * 3 + {self.expression(1)}"
            self.code.add(f"{thing.at(place)} = {thing.stored(value)};")
