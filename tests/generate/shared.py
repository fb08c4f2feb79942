# SPDX-License-Identifier: GPL-2.0-or-later
"""What a generated program computes with: shared objects, their modes, and expressions.

All expressions have the type unsigned long, so that nothing overflows, and are cast where they are
stored.  Floating types hold whole numbers, small enough to be exact in any order.
"""

INTEGERS = {
    "char": 8, "signed char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16,
    "int": 32, "unsigned": 32, "long": 64, "unsigned long": 64, "long long": 64,
}
FLOATS = ("float", "double")
HEAP = ("heap", "block", "mapped")  # reached by a pointer
UNSIGNED = ("unsigned", "unsigned long")
PRIMES = (31, 53, 61, 101, 127, 211)


class Object:
    """An array that all threads see, or a scalar if its size is 1; a member counts as its own."""

    def __init__(self, name, ctype, size, storage, element="{name}[{index}]", member=""):
        self.name, self.ctype, self.size, self.storage = name, ctype, size, storage
        self.member = member
        self.pattern = "{name}" if size == 1 else element

    def at(self, index):
        return self.pattern.format(name=self.name, index=index)

    def value(self, index):
        """An expression that reads the element."""
        cast = "(unsigned long)(long)" if self.ctype in FLOATS else "(unsigned long)"
        return cast + self.at(index)

    def stored(self, expression):
        """The expression, made fit to be stored in an element."""
        if self.ctype in FLOATS:
            return f"({self.ctype})(({expression}) % 997)"
        if self.ctype == "_Bool":
            return f"({expression}) & 1"
        return f"({self.ctype})({expression})"

    def operand(self, expression):
        """The same for what is added: no sum of a type that is signed may overflow."""
        if self.ctype in FLOATS:
            return f"({self.ctype})(({expression}) % 31)"
        if self.ctype == "_Bool":
            return self.stored(expression)
        if self.ctype in UNSIGNED or INTEGERS[self.ctype] < 32:
            return f"({self.ctype})({expression})"
        return f"({self.ctype})(({expression}) % 1000)"

    def commutative(self, random):
        """Operators that may come in any order, of which one phase uses one."""
        choices = ["+", "+", "-"]
        if self.ctype == "_Bool":
            return random.choice(["|", "&"])
        if self.ctype not in FLOATS:
            choices += ["^", "|", "&"]
        if self.ctype in UNSIGNED:
            choices += ["*"]
        return random.choice(choices)


class Phase:
    """What each object may be used for until the next barrier: in one way by all threads."""

    def __init__(self, objects, kept=()):
        self.objects = objects
        self.modes = dict.fromkeys(kept, "kept")
        self.operators = {}

    def unused(self, wanted=lambda thing: True):
        return [o for o in self.objects if o not in self.modes and wanted(o)]

    def take(self, random, mode, wanted=lambda thing: True):
        """An object for a new use, or None if there is none left."""
        choices = self.unused(wanted)
        if not choices:
            return None
        chosen = random.choice(choices)
        self.modes[chosen] = mode
        return chosen

    def find(self, random, mode, wanted=lambda thing: True):
        """An object in this mode already, or a new one."""
        choices = [o for o in self.objects if self.modes.get(o) == mode and wanted(o)]
        if choices and random.random() < 0.6:
            return random.choice(choices)
        return self.take(random, mode, wanted)


class Scope:
    """The private variables that code may read, each with a value that no schedule changes."""

    def __init__(self, names=()):
        self.names = list(names)

    def inner(self, *names):
        return Scope(self.names + list(names))

    def without(self, name):
        return Scope(n for n in self.names if n != name)


def expression(random, phase, scope, depth=2):
    """An unsigned long, of private variables, constants and objects that nobody writes now."""
    def part():
        return expression(random, phase, scope, depth - 1)

    kind = random.randrange(10) if depth > 0 else random.randrange(4)
    if kind in (0, 1) and scope.names:
        return f"(unsigned long){random.choice(scope.names)}"
    if kind <= 2:
        return f"{random.randrange(1, 500)}UL"
    if kind == 3:
        thing = phase.find(random, "read")
        return thing.value(index(random, thing, scope)) if thing else "7UL"
    if kind == 4:
        return f"helper({part()}, {random.randrange(1, 9)})"
    if kind == 5:
        return f"({part()} >> {random.randrange(1, 8)})"
    if kind == 6:
        return f"({part()} % {random.randrange(2, 99)}UL ? {part()} : {part()})"
    return f"({part()} {random.choice('++-**^&|')} {part()})"


def index(random, thing, scope):
    """An index within the object, that depends on private variables."""
    if thing.size == 1:
        return "0"
    parts = random.sample(scope.names, min(len(scope.names), random.randrange(3)))
    text = " + ".join(f"(unsigned long){p} * {random.randrange(1, 40)}" for p in parts)
    if not text:
        return str(random.randrange(thing.size))
    return f"({text}) % {thing.size}"
