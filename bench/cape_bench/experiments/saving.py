# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs to save a run, and to go on from there."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Plot, Table
from ..labels import spread
from ..verdict import below

STEPS = 10  # of which each changes a tenth of the memory
EXCHANGES = ("need", "eager")  # what a node holds at a save: its share, or all of it
BYTES_OF_MB = 1 << 20


def _reader(megabytes):
    def read(output):
        values = readers.numbers(output)
        return values | {"size_ratio": values["set_bytes"] / (megabytes * BYTES_OF_MB)}

    return read


def restart_cases(tools, settings):
    megabytes = settings.pick(16, 128, 1000)
    passes = settings.pick(2000, 1200, 1000)
    step_bytes = megabytes * BYTES_OF_MB // STEPS
    program = tools.program("cape", "saved")
    found = []
    for nodes in settings.nodes:
        for exchange in EXCHANGES:
            options = ("-np", nodes, "--exchange", exchange, "--", program)
            watched = tools.module(
                "restart", step_bytes, tools.cape_run, *options, megabytes, STEPS, passes
            )
            key = {"MB": megabytes, "np": nodes, "exchange": exchange}
            found.append(Case(key, watched, _reader(megabytes)))
    return found


LARGE = 1000  # megabytes, from which on a run's own start is not what a restart takes
LIMITS = (
    ("added_percent", "a save every 30 s adds, per cent of the run", 2),
    ("size_ratio", "bytes of the first save for each byte of memory", 1.05),
    ("increment_ratio", "bytes of the others for each byte that changed", 1.05),
    ("restart_reads", "going on takes, as often as reading the files", 2),
)


def restart_claims(results):
    for row in results.rows:
        for value, text, limit in LIMITS:
            if value == "restart_reads" and row.key["MB"] < LARGE:
                continue
            found = results.get(value, **row.key)
            yield Claim(
                f"{row.key['MB']} MB, {row.key['np']} nodes, {row.key['exchange']}",
                text,
                f"no claim; less than {limit:g} by this project",
                spread(found) if found else "",
                magnitude=below(limit, found),
            )


TIMES = ("save_seconds", "restart_seconds", "read_seconds")

RESTART = Experiment(
    name="restart",
    title="Saving a run, and going on from there",
    source="no paper",
    cases=restart_cases,
    tables=(
        Table(
            "Time to save, to start again until the first line, and to read the files",
            ("MB", "np"),
            "exchange",
            TIMES,
            "ms",
            factor=1e3,
        ),
        Table(
            "Size of the first save, and of all that the run goes on from",
            ("MB", "np"),
            "exchange",
            ("set_bytes", "chain_bytes"),
            "MB",
            factor=1e-6,
        ),
        Table("A save every 30 s adds", ("MB", "np"), "exchange", ("added_percent",), "%"),
    ),
    plots=(
        *(
            Plot(
                name,
                title,
                "np",
                "nodes",
                "exchange",
                (value,),
                unit,
                factor=factor,
                kind="bars",
            )
            for name, title, value, unit, factor in (
                ("restart-save", "a save", "save_seconds", "time (ms)", 1e3),
                ("restart", "until the first line", "restart_seconds", "time (ms)", 1e3),
                ("restart-size", "size of the first save", "set_bytes", "size (MB)", 1e-6),
            )
        ),
    ),
    claims=restart_claims,
    note="A tenth of the memory, which nothing can make shorter, changes from save to save; the "
    "first has all memory. Files are read from the machine's cache; the start of the run is in the "
    "time to start again.",
)

EXPERIMENTS = (RESTART,)
