# SPDX-License-Identifier: GPL-2.0-or-later
"""What an experiment is: cases to run, tables and plots to make of them, claims to check."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .estimate import Estimate, exact, ratio, ratio_of_medians
from .tools import Command
from .verdict import Verdict

NARROW = 3  # times as many repetitions


@dataclass(frozen=True)
class Settings:
    """What the user chose: how large, how often, on how many nodes, over which network."""

    scale: str  # quick, default or full
    repetitions: int
    nodes: tuple
    network: str  # shm, or a rate of scripts/cluster

    def pick(self, quick, default, full):
        """The one of the three that belongs to the scale."""
        return {"quick": quick, "default": default, "full": full}[self.scale]

    def repetitions_of(self, case):
        """How often a Case runs, without the warm-up."""
        if case.counted:
            return 1
        return self.repetitions * (NARROW if case.narrow and self.scale == "default" else 1)


@dataclass(frozen=True)
class Case:
    """One row: a command, what it is called, and how its values are read from its output."""

    key: dict  # for example {"n": 1000, "np": 4, "method": "tickpt2"}
    command: Command
    read: Callable  # takes Output, returns {name: number}; raises WrongResult
    counted: bool = False  # sizes: the same every time, so once is enough
    narrow: bool = False  # short, with a claim about a few per cent: repeated more often
    same: tuple = ()  # cases with an equal SAME must print the same result

    @property
    def name(self):
        return ", ".join(f"{name} {value}" for name, value in self.key.items())


@dataclass
class Row:
    """What became of a case."""

    key: dict
    status: str  # good, failed, not run
    reason: str = ""
    samples: dict = field(default_factory=dict)  # value name -> its measurements
    estimates: dict = field(default_factory=dict)  # value name -> Estimate
    ratios: dict = field(default_factory=dict)  # (value name, another case's key) -> Estimate


def known_ratio(value, reference):
    """What a Row's ratios are found by; REFERENCE is the other case's key."""
    return value, tuple(reference.items())


class Results:
    """The rows of one experiment, found by their keys."""

    def __init__(self, rows):
        self.rows = rows

    def row(self, **key):
        """The row with exactly this key, or None."""
        return next((row for row in self.rows if row.key == key), None)

    def get(self, value, **key) -> Estimate | None:
        row = self.row(**key)
        return row.estimates.get(value) if row and row.status == "good" else None

    def number(self, value, **key):
        """The median, or None."""
        found = self.get(value, **key)
        return found.median if found else None

    def ratio(self, value, key, reference) -> Estimate | None:
        """Of two cases, repetition by repetition, as they ran one beside the other.

        Without the repetitions: the one that was published, or that of the medians.
        """
        over, under = self.get(value, **key), self.get(value, **reference)
        if not over or not under or 0 in (under.median, under.low, *under.samples):
            return None
        if over.confidence == under.confidence == 1:
            return exact(over.median / under.median)
        if over.samples and under.samples:
            return ratio(over.samples, under.samples)
        known = self.row(**key).ratios.get(known_ratio(value, reference))
        return known or ratio_of_medians(over, under)

    def keys(self, name):
        """All values of one part of the keys, in the order of the cases."""
        return list(dict.fromkeys(row.key[name] for row in self.rows if name in row.key))

    def where(self, names, parts):
        """The rows whose keys have all NAMES, and of PARTS the given values.

        A value may be a function that chooses one of those that there are, as max() does.
        """
        rows = [row for row in self.rows if all(name in row.key for name in (*names, *parts))]
        for name, value in parts.items():
            if callable(value):
                value = value([row.key[name] for row in rows]) if rows else None
            rows = [row for row in rows if row.key[name] == value]
        return rows


@dataclass(frozen=True)
class Table:
    """Rows by the parts INDEX of the key, a column for each value of SERIES and each of VALUES.

    SERIES may be "": no part of the key.  With REFERENCE, one value of SERIES, further columns show
    the others' ratios to it.  WHERE chooses rows (Results.where()).
    """

    title: str
    index: tuple
    series: str
    values: tuple
    unit: str = ""
    factor: float = 1  # from the stored unit to the shown one
    reference: str = ""
    where: dict = field(default_factory=dict)

    def ratio_column(self, value):
        """What the CSV file calls the ratios of VALUE to the reference."""
        return f"{value}/{self.reference}"


@dataclass(frozen=True)
class Curve:
    """Points that are not a case's values: a model's (x, y), or the measured (x, y, low, high)."""

    label: str
    points: tuple  # in the units of the plot


@dataclass(frozen=True)
class Plot:
    """VALUES against X, one line (or bar at each x) for each value of SERIES."""

    name: str
    title: str
    x: str
    x_label: str
    series: str
    values: tuple
    y_label: str
    factor: float = 1
    kind: str = "lines"  # or bars, or stacked: one bar for each x and series, made of the VALUES
    log: str = ""  # "x", "y", "xy"
    where: dict = field(default_factory=dict)
    curves: Callable = lambda results: ()
    theirs: bool = True  # draw the papers' numbers, too


@dataclass(frozen=True)
class Claim:
    """Something that the papers, or this project, say of one CASE or more.

    DIRECTION and MAGNITUDE are None where nothing is said of them.
    """

    case: str
    text: str
    theirs: str
    ours: str
    direction: Verdict | None = None
    magnitude: Verdict | None = None

    @property
    def verdicts(self):
        return [each for each in (self.direction, self.magnitude) if each]


@dataclass(frozen=True)
class Experiment:
    """One table or figure."""

    name: str
    title: str
    source: str
    cases: Callable  # (Tools, Settings) -> [Case]
    tables: tuple
    plots: tuple = ()
    claims: Callable = lambda results: []
    theirs: Callable = lambda key, value: None  # the papers' number for a case's value
    note: str = ""
    network: bool = False  # runs on several nodes

    def ratios(self, key):
        """The ratios that its tables show of a case: Table, value, key of the case it is over."""
        for table in self.tables:
            own = table.reference and all(name in key for name in (*table.index, table.series))
            if own and key[table.series] != table.reference:
                for value in table.values:
                    yield table, value, key | {table.series: table.reference}
