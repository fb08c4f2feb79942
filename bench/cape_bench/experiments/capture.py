# SPDX-License-Identifier: GPL-2.0-or-later
"""What finding and saving changes costs, by method, memory and share of it that changed."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Plot, Table
from ..tools import CAPE_METHODS

ROUNDS = 3
# Name: changed pages of 1000, changed words of each.
DENSITIES = {
    "nothing": (0, 0),
    "1 word a page": (1000, 1),
    "10 % of the words": (1000, 102),
    "everything": (1000, 1024),
}
SHARES = (10, 30, 100, 300)  # pages of 1000, all words of them
COST = "interval_seconds"


def read(output):
    """Seconds of one parallel region with everything that CAPE does at its end."""
    reader = readers.cape if '{"method"' in output.stderr else readers.seconds
    return {COST: reader(output)["run_seconds"] / ROUNDS}


def case(tools, key, megabytes, pages, words, method):
    arguments = (megabytes, pages, words, ROUNDS)
    if method == "none":
        command = tools.openmp(1, "dirty", *arguments)
    else:
        command = tools.cape(1, "dirty", *arguments, method=method)
    return Case(key | {"method": method}, command, read, same=arguments)


def sweep_memory(settings):
    """How much memory the sweep over shares of pages has."""
    return settings.pick(16, 64, 64)


def cases(tools, settings):
    memory = settings.pick((16,), (4, 64), (4, 16, 64, 256))
    methods = ("none", *CAPE_METHODS)
    found = [
        case(tools, {"MB": size, "changed": name}, size, *DENSITIES[name], method)
        for size in memory
        for name in DENSITIES
        for method in methods
    ]
    swept = sweep_memory(settings)
    return found + [
        case(tools, {"swept MB": swept, "pages %": share / 10}, swept, share, 1024, method)
        for share in settings.pick(SHARES[::3], SHARES, SHARES)
        for method in methods
    ]


def cross_overs(results):
    """Shares of pages below which a method that tracks is faster than tickpt2."""
    for method in ("tickpt1", "dickpt", "complete"):
        faster, slower = [], []
        for row in results.rows:
            if row.key["method"] != method or "pages %" not in row.key:
                continue
            found = results.ratio(COST, row.key, row.key | {"method": "tickpt2"})
            if found:
                (faster if found.median < 1 else slower).append(row.key["pages %"])
        if faster or slower:
            least = f"{max(faster):g} %" if faster else "no share"
            yield Claim(
                "",
                f"Changed pages up to which {method} costs less than tickpt2, by medians",
                "no claim",
                f"{least} of those measured",
            )


EXPERIMENTS = (
    Experiment(
        name="capture",
        title="Time of a parallel region by method, memory and changed share",
        source="thesis 3.4.2 and 3.4.3 compare methods for one program; here by what it changes",
        cases=cases,
        tables=(
            Table(
                "Milliseconds", ("MB", "changed"), "method", (COST,), "ms", 1e3, reference="none"
            ),
            Table("Milliseconds", ("swept MB", "pages %"), "method", (COST,), "ms", 1e3),
        ),
        plots=(
            *(
                Plot(
                    f"capture-{number}",
                    f"Changed: {name}",
                    "MB",
                    "shared memory (MB)",
                    "method",
                    (COST,),
                    "time of a region (ms)",
                    factor=1e3,
                    log="xy",
                    where={"changed": name},
                )
                for number, name in enumerate(DENSITIES, 1)
            ),
            Plot(
                "capture-cross-over",
                "Changed pages of the sweep's memory",
                "pages %",
                "changed pages (%)",
                "method",
                (COST,),
                "time of a region (ms)",
                factor=1e3,
                log="xy",
            ),
        ),
        claims=cross_overs,
        note="One node; the program's own work is in the column none, which runs without CAPE.",
    ),
)
