# SPDX-License-Identifier: GPL-2.0-or-later
"""What CAPE's parts cost by themselves: comparing memory, an empty region, an idle monitor."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Table
from ..labels import spread
from ..tools import STATISTICS
from ..verdict import below

# diff ------------------------------------------------------------------------------------------

CHANGED = {
    "nothing": "nothing",
    "everything": "everything",
    "one word per page": "sparse",
    "10 % random words": "tenth",
}


def diff_cases(tools, settings):
    memory = settings.pick(16, 64, 64)
    return [
        Case(
            {"MB": memory, "changed": name, "against": base},
            tools.micro("diff", memory, 9, change, base),
            readers.numbers,
        )
        for name, change in CHANGED.items()
        for base in ("twin", "zeros")
    ]


DIFF = Experiment(
    name="diff",
    title="cape_diff() against memcmp() over the same bytes",
    source="no paper",
    cases=diff_cases,
    tables=(
        Table("Microseconds", ("changed",), "against", ("diff_us", "memcmp_us"), "us"),
        Table("Times memcmp()", ("changed",), "against", ("ratio",)),
    ),
)

# regions ---------------------------------------------------------------------------------------

TCP = ("--mca", "btl", "self,tcp")


def region_cases(tools, settings):
    repetitions = settings.pick(1000, 5000, 5000)
    found = []
    for nodes in sorted({2, min(settings.nodes)}):
        cape = tools.cape(nodes, "region", repetitions, options=(*STATISTICS, *TCP))
        mpi = tools.mpi(nodes, "barrier", repetitions, options=TCP)
        found.append(Case({"np": nodes, "method": "mpi"}, mpi, readers.numbers))
        found.append(Case({"np": nodes, "method": "tickpt2"}, cape, readers.numbers))
    return found


REGIONS = Experiment(
    name="regions",
    title="An empty parallel region and a barrier against MPI_Barrier",
    source="no paper",
    cases=region_cases,
    tables=(
        Table("Barrier, microseconds", ("np",), "method", ("barrier_us",), "us", reference="mpi"),
        Table("Empty parallel region, microseconds", ("np",), "method", ("region_us",), "us"),
    ),
    network=True,
)

# idle ------------------------------------------------------------------------------------------

SHARE = "monitor_percent"


def idle_cases(tools, settings):
    program = tools.program("cape", "mamult2d")
    watched = settings.pick(2, 5, 10)
    command = tools.module("idle", watched, tools.cape_run, "-np", 2, program, 6000)
    return [Case({"np": 2}, command, readers.numbers)]


def idle_claims(results):
    found = results.get(SHARE, np=2)
    yield Claim(
        "2 nodes",
        "a monitor whose program computes, per cent of a core",
        "no claim; less than 1 by this project",
        spread(found) if found else "",
        magnitude=below(1, found),
    )


IDLE = Experiment(
    name="idle",
    title="Processor time of a monitor while its program computes",
    source="no paper",
    cases=idle_cases,
    tables=(Table("Per cent of a core", ("np",), "", (SHARE,), "%"),),
    claims=idle_claims,
)

EXPERIMENTS = (DIFF, REGIONS, IDLE)
