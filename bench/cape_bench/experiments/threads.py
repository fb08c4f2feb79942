# SPDX-License-Identifier: GPL-2.0-or-later
"""One process with threads: CAPE beside the compiler's own OpenMP."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Table
from ..labels import times
from ..verdict import at_most
from .apps import PROGRAMS

RUN = "run_seconds"
TEAMS = (1, 2)
# What this project wants: at most so many times as long as OpenMP.
LIMIT = {1: 1.03, 2: 1.05}


def threads_cases(tools, settings):
    found = []
    for program, sizes in PROGRAMS.items():
        arguments = settings.pick(*sizes)
        same = (program, *arguments)
        for team in TEAMS:
            for method, run in (
                ("cape", tools.threads(team, program, *arguments)),
                ("openmp", tools.openmp(team, program, *arguments)),
            ):
                key = {"program": program, "threads": team, "method": method}
                found.append(Case(key, run, readers.seconds, same=same))
    return found


def threads_claims(results):
    for row in results.rows:
        if row.key["method"] == "cape":
            limit = LIMIT[row.key["threads"]]
            found = results.ratio(RUN, row.key, row.key | {"method": "openmp"})
            yield Claim(
                f"{row.key['program']}, threads = {row.key['threads']}",
                "time of CAPE's threads over that of OpenMP's",
                f"no claim; at most {limit:g} by this project",
                times(found),
                magnitude=at_most(limit, 1, found),
            )


THREADS = Experiment(
    name="threads",
    title="One node with threads: programs as people run them",
    source="no paper",
    cases=threads_cases,
    tables=(
        Table(
            "Milliseconds",
            ("program", "threads"),
            "method",
            (RUN,),
            "ms",
            1e3,
            reference="openmp",
        ),
    ),
    plots=(),
    claims=threads_claims,
    note="Both are one process on this machine.",
)

EXPERIMENTS = (THREADS,)
