# SPDX-License-Identifier: GPL-2.0-or-later
"""A case: a function of its own objects, regions over them, and a checksum of each."""

import re

from constructs import Constructs
from guards import NAMES as GUARDS
from iteration import Iteration
from library import NAMES as LIBRARY
from shared import FLOATS, HEAP, INTEGERS, PRIMES, Object, Phase, Scope, expression
from surroundings import NAMES as SEEN
from surroundings import Surroundings
from text import Code

FEATURES = ("critical", "atomic", "lock", "ordered", "dynamic", "turns", "ticket", "tasks", "heap",
            "nested", "orphan", "taskloop", "texts", "c11", "files", "task_reduction", "mmap",
            "nest_lock", "queue", "made_locks", "seen_files", "kin", "frames")


# Where objects live, and how their names begin: block is the heap through a local pointer.
NAMES = {"static": "s{}_", "auto": "a", "heap": "h{}_", "block": "b",
         "mapped": "g{}_"}


class Case(Constructs, Surroundings):
    """TEXT is complete once the object is made."""

    def __init__(self, random, number, features):
        self.random, self.number, self.features = random, number, features
        self.code, self.functions, self.counts = Code(1), [], {}
        self.privates = ["p0", "p1", "p2"]
        self.private_types = {"p0": ("int", "(int)({} % 77)"), "p1": ("long", "(long){} * 3"),
                              "p2": ("unsigned char", "(unsigned char)({} + 9)"),
                              "o0": ("int", "(int){}"),
                              "o1": ("unsigned char", "(unsigned char){}")}
        self.defined, self.locals, self.reduced = set(self.privates), set(), []
        self.counters = [random.choice(("int", "long", "unsigned", "short")) for _ in range(3)]
        self.objects = []
        for _ in range(random.randrange(8, 14)):
            self.make_object()
        self.make_members()
        self.body()
        self.text = "\n".join(self.functions) + "\n" + self.function()

    @staticmethod
    def new_code(depth):
        return Code(depth)

    def fresh(self, prefix):
        self.counts[prefix] = self.counts.get(prefix, -1) + 1
        return f"{prefix}{self.counts[prefix]}"

    def make_object(self):
        ctype = self.random.choice([*INTEGERS, "unsigned long", *FLOATS, "_Bool"])
        size = self.random.choice((1, 1, 1, 5, *PRIMES, *PRIMES))
        storage = self.random.choice([n for n in NAMES if n != "mapped" or "mmap" in self.features])
        if size == 1 and storage in HEAP:
            storage = "static"
        name = self.fresh(NAMES[storage].format(self.number))
        self.objects.append(Object(name, ctype, size, storage))

    def make_members(self):
        """A structure whose members lie in one word and are different objects."""
        size = self.random.choice(PRIMES)
        for letter in "uvw":
            ctype = self.random.choice(("char", "short", "unsigned char", "int", "unsigned short"))
            self.objects.append(Object(f"m{self.number}", ctype, size, "static",
                                       "{name}[{index}]." + letter, letter))

    def body(self):
        self.begin_surroundings()
        for _ in range(self.random.randrange(1, 5)):
            self.sequential()
            shape = self.random.randrange(10)
            if shape < 2:
                self.combined()
            elif shape == 2:
                with self.code.block(f"for (int round = 0; round < {self.random.randrange(2, 4)}; "
                                     "round++)"):
                    self.sequential()
                    self.region(Scope(["round"]))
            else:
                self.region(Scope())
        self.sequential()

    def sequential(self):
        """Code outside of regions changes shared memory, too."""
        self.change_surroundings()
        for name in self.privates:
            self.code.add(f"{name} = {self.random.randrange(100)};")
        self.defined = set(self.privates)
        phase = Phase(self.objects)
        for _ in range(self.random.randrange(3)):
            self.exclusive(phase, Scope(self.defined_list()))

    def defined_list(self):
        return sorted(self.defined)

    def team_clauses(self, phase, scope):
        clauses = []
        if self.random.random() < 0.2:
            clauses.append(f"num_threads({self.random.randrange(1, 6)})")
        if self.random.random() < 0.15:
            clauses.append(f"if ({expression(self.random, phase, scope, 1)} % 4)")
        return clauses

    def combined(self):
        phase, scope = Phase(self.objects), Scope(self.defined_list())
        clauses = self.team_clauses(phase, scope)
        if self.random.random() < 0.7:
            self.loop(phase, scope, "parallel for", clauses)
        else:
            self.sections(phase, scope, "parallel sections", clauses)

    def region(self, scope):
        scope = scope.inner(*self.defined_list())
        phase, clauses = Phase(self.objects), []
        clauses += self.team_clauses(phase, scope)
        self.locals = set()
        reducing = Iteration(self, phase, scope, "0", 1)
        if self.random.random() < 0.3:
            clauses.append(self.reduction_clause(phase, reducing))
        self.reduced = reducing.reductions
        kept = [thing for thing, _ in self.reduced]
        if self.random.random() < 0.3:
            name = self.random.choice(self.defined_list())
            clauses.append(f"firstprivate({name})")
            self.locals.add(name)
        if self.random.random() < 0.25:
            self.code.add(f"tp = {self.random.randrange(1000)};")
            clauses.append("copyin(tp)")
            scope.names.append("tp")
        mark = self.code.mark()
        self.code.pragma("parallel")
        with self.code.block():
            if self.random.random() < 0.2:
                clauses.append(self.own_variable(scope))
            for _ in range(self.random.randrange(1, 5)):
                self.phase(Phase(self.objects, kept), scope)
        self.reduced = []
        self.close_region(mark, clauses)

    def own_variable(self, scope):
        """A variable that is private to the region, and set at its begin; returns the clause."""
        names = [n for n in self.privates if n not in self.locals]
        name = self.random.choice(names)
        self.code.add(f"{name} = {self.random.randrange(100)};")
        self.locals.add(name)
        return f"private({name})"

    def close_region(self, mark, clauses):
        """The clauses of the region, one of which may name all that its text uses."""
        text = self.code.since(mark)
        if self.random.random() < 0.25 and not re.search(r"\bi[0-2]\b", text):
            private = " ".join(c for c in clauses if "private" in c or "reduction" in c)
            names = sorted({o.name for o in self.objects} | set(self.privates) |
                           {"tickets", "turn", "blocks", "round"} | set(GUARDS) |
                           set(LIBRARY) | set(SEEN))
            used = [n for n in names if re.search(rf"\b{n}\b", text) and
                    not re.search(rf"\b{n}\b", private)]
            clauses = clauses + ["default(none)"] + [f"shared({n})" for n in used]
        self.code.lines[mark] += self.clause_list(*clauses)

    def phase(self, phase, scope):
        """Constructs up to a barrier."""
        kinds = [self.loop, self.loop, self.loop, self.sections, self.single, self.master,
                 self.replicated]
        for name in ("tasks", "turns", "ticket", "heap", "nested", "orphan",
                     "taskloop", "texts", "task_reduction", "made_locks", "seen_files", "kin"):
            if name in self.features:
                kinds.append(getattr(self, name))
        ended = False
        for _ in range(self.random.randrange(1, 4)):
            scope.names = [n for n in scope.names if n not in self.privates or n in self.defined]
            ended = self.random.choice(kinds)(phase, scope)
        scope.names = [n for n in scope.names if n not in self.privates or n in self.defined]
        if not ended:
            self.code.pragma("barrier")

    def declaration(self, thing):
        """Its declaration at file scope and in the function."""
        array = f"[{thing.size}]" if thing.size > 1 else ""
        if thing.storage in ("heap", "mapped"):
            return f"static {thing.ctype} *{thing.name};\n", ""
        if thing.storage == "block":
            return "", f"\t{thing.ctype} *{thing.name};\n"
        if thing.storage == "static":
            return f"static {thing.ctype} {thing.name}{array};\n", ""
        return "", f"\t{thing.ctype} {thing.name}{array};\n"

    def allocation(self, thing):
        """The calls that make and free what a pointer leads to."""
        size = f"{thing.size} * sizeof(*{thing.name})"
        if thing.storage != "mapped":
            return f"malloc({size})", f"free({thing.name})"
        kind = self.random.choice(("PRIVATE", "SHARED"))
        return (f"mmap(NULL, {size}, PROT_READ | PROT_WRITE, MAP_{kind} | MAP_ANONYMOUS, -1, 0)",
                f"munmap({thing.name}, {size})")

    def function(self):
        outside, inside, begin, end = "", "", "", ""
        members = ""
        for thing in self.objects:
            if thing.member:
                members += f"\t{thing.ctype} {thing.member};\n"
            else:
                declared = self.declaration(thing)
                outside, inside = outside + declared[0], inside + declared[1]
            if thing.storage in HEAP:
                made, freed = self.allocation(thing)
                begin += f"\t{thing.name} = {made};\n"
                end += f"\t{freed};\n"
            value = thing.stored(f"(unsigned long)q * {self.random.randrange(1, 300)}")
            begin += (f"\tfor (int q = 0; q < {thing.size}; q++)\n"
                      f"\t\t{thing.at('q')} = {value};\n")
            label = f"{self.number} {thing.name}{thing.member}"
            end = (f"\thash = 0;\n\tfor (int q = 0; q < {thing.size}; q++)\n"
                   f"\t\thash = hash * 1000003 + {thing.value('q')};\n"
                   f'\tprintf("{label} %lx\\n", hash);\n') + end
            if thing is self.objects[-1]:
                outside += f"static struct {{\n{members}}} m{self.number}[{thing.size}];\n"
        for name in self.privates:
            inside += f"\t{self.private_types[name][0]} {name} = 0;\n"
        for depth, ctype in enumerate(self.counters):
            inside += f"\t{ctype} i{depth} = 0;\n"
        begin += "".join(f"\t(void){n};\n" for n in ("i0", "i1", "i2", *self.privates))
        inside += "\tunsigned long hash;\n"
        if "files" in self.features:
            begin = f'\tfile = fopen("file-{self.number}", "w+");\n' + begin
            end += f"\tshow_file({self.number});\n"
        if "c11" in self.features:
            for name in ("counted", "synced"):
                each = ", ".join(f"{name}[{q}]" for q in range(4))
                end += f'\tprintf("{self.number} {name} %lx %lx %lx %lx\\n", {each});\n'
        if {"seen_files", "kin"} & set(self.features):
            end += f'\tprintf("{self.number} strangers %d\\n", strangers);\n'
        self.file_scope = outside
        return (f"static void case{self.number}(void)\n{{\n{inside}\n{begin}{self.code.text()}"
                f"{end}}}\n")
