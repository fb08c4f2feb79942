# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs as people run them, against OpenMP threads and hand-written MPI: time, bytes, memory."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Plot, Table
from ..labels import times
from ..verdict import at_most

RUN = "run_seconds"
SENT = "sent_bytes"

# Program: arguments of the three scales.
PROGRAMS = {
    "stencil1d": ((2, 3), (16, 5), (256, 5)),
    "jacobi2d": ((256, 3), (1024, 10), (2048, 10)),
    "cg": ((60, 5), (300, 20), (1000, 20)),
    "transpose": ((256, 2), (768, 3), (1536, 3)),
    "nbody": ((400, 2), (2000, 5), (8000, 5)),
    "histogram": ((200000, 256, 2), (1000000, 4096, 5), (16000000, 4096, 5)),
    "p2p": ((60,), (500,), (2000,)),
    "lu": ((96,), (256,), (640,)),
}
# What this project wants: at most so many times as long as the other.
PLAIN_LIMIT = 1.03  # one node, over one thread
THREADS_LIMIT = {"transpose": 1.6}  # two nodes in shared memory, over two threads; others:
USUAL_THREADS_LIMIT = 1.3
MPI_LIMIT = 1.1  # four nodes and more on the papers' network, over MPI, of these:
LIKE_MPI = ("stencil1d", "jacobi2d", "cg", "transpose")


def team_sizes(settings):
    """Numbers of nodes: one and two, where the other experiments begin with four."""
    return sorted({1, 2, *settings.nodes} if settings.scale != "quick" else {1, *settings.nodes})


def cape_sent(output):
    """What the nodes' monitors handed to MPI and to their connections."""
    return {SENT: sum(node[SENT] for node in readers.statistics(output))}


def command(tools, program, arguments, nodes, method):
    """As it is timed: without statistics, for which CAPE looks for changes on one node, too."""
    if method == "mpi":
        return tools.mpi(nodes, program, *arguments)
    if method == "openmp":
        return tools.openmp(nodes, program, *arguments)
    return tools.cape(nodes, program, *arguments, method=method, options=())


def apps_cases(tools, settings):
    found = []
    for program, sizes in PROGRAMS.items():
        arguments = settings.pick(*sizes)
        same = (program, *arguments)
        for nodes in team_sizes(settings):
            key = {"program": program, "np": nodes, "net": settings.network}
            for method in ("tickpt2", "mpi", "openmp"):
                timed = command(tools, program, arguments, nodes, method)
                found.append(Case(key | {"method": method}, timed, readers.seconds, same=same))
            if nodes > 1:
                cape = tools.cape(nodes, program, *arguments)
                mpi = tools.watched("sent", tools.mpi(nodes, program, *arguments))
                for sender, counted, read in (
                    ("tickpt2", cape, cape_sent),
                    ("mpi", mpi, readers.numbers),
                ):
                    who = key | {"sender": sender}
                    found.append(Case(who, counted, read, counted=True, same=same))
    return found


def limit_of(key):
    """The method that a tickpt2 case is judged against, and the limit; None: nothing is claimed."""
    if key["np"] == 1:
        return "openmp", PLAIN_LIMIT
    if key["np"] == 2 and key["net"] == "shm":
        return "openmp", THREADS_LIMIT.get(key["program"], USUAL_THREADS_LIMIT)
    if key["np"] >= 4 and key["net"] == "100mbit" and key["program"] in LIKE_MPI:
        return "mpi", MPI_LIMIT
    return None


def apps_claims(results):
    for row in results.rows:
        judged = limit_of(row.key) if row.key.get("method") == "tickpt2" else None
        if judged:
            other, limit = judged
            found = results.ratio(RUN, row.key, row.key | {"method": other})
            names = {"openmp": "that of OpenMP's threads", "mpi": "MPI's"}
            yield Claim(
                f"{row.key['program']}, np = {row.key['np']}",
                f"time of tickpt2 over {names[other]}",
                f"no claim; at most {limit:g} by this project",
                times(found),
                magnitude=at_most(limit, 1, found),
            )


APPS = Experiment(
    name="apps",
    title="Programs as people run them: time, and bytes that other nodes receive",
    source="no paper",
    cases=apps_cases,
    tables=(
        Table("Milliseconds", ("program", "np"), "method", (RUN,), "ms", 1e3, reference="mpi"),
        Table("Over OpenMP", ("program", "np"), "method", (RUN,), "ms", 1e3, reference="openmp"),
        Table(
            "Megabytes that all nodes sent to others",
            ("program", "np"),
            "sender",
            (SENT,),
            "MB",
            1e-6,
            reference="mpi",
        ),
    ),
    plots=tuple(
        Plot(
            f"apps-{program}",
            program,
            "np",
            "nodes",
            "method",
            (RUN,),
            "execution time (ms)",
            factor=1e3,
            kind="bars",
            where={"program": program},
        )
        for program in PROGRAMS
    ),
    claims=apps_claims,
    note="OpenMP's threads share this machine's memory, whatever the network. Bytes are counted in "
    "runs of their own, over the whole run, its check included, and without what MPI, TCP and the "
    "network add: by CAPE's statistics, and by Open MPI's component pml_monitoring, which sees "
    "what collective operations send, too.",
    network=True,
)

# memory ----------------------------------------------------------------------------------------

MOST, LEAST, MONITOR = "most_bytes", "least_bytes", "monitor_bytes"
MEMORY_LIMIT = 0.35  # of the plain program's, on each of four nodes


def memory_cases(tools, settings):
    arguments = (settings.pick(16, 64, 256), 2)
    found = []
    for nodes in sorted({1, 2, min(settings.nodes)}):
        for method, form in (("tickpt2", "cape"), ("mpi", "mpi"), ("openmp", "openmp")):
            run = command(tools, "stencil1d", arguments, nodes, method)
            watched = tools.watched("resident", run, tools.program(form, "stencil1d"))
            key = {"np": nodes, "method": method}
            found.append(Case(key, watched, readers.numbers, same=arguments))
    return found


def memory_claims(results):
    for row in results.rows:
        if row.key == {"np": 4, "method": "tickpt2"}:
            found = results.ratio(MOST, row.key, row.key | {"method": "openmp"})
            yield Claim(
                "4 nodes",
                "resident memory of the program on one node over the plain program's",
                f"no claim; at most {MEMORY_LIMIT:g} by this project",
                times(found),
                magnitude=at_most(MEMORY_LIMIT, 0.25, found),
            )


MEMORY = Experiment(
    name="memory",
    title="Resident memory of a node: STENCIL1D, whose two arrays are first written in parallel",
    source="no paper",
    cases=memory_cases,
    tables=(
        Table(
            "The program on the node where it has most, megabytes",
            ("np",),
            "method",
            (MOST,),
            "MB",
            1e-6,
            reference="openmp",
        ),
        Table("On the node where it has least, megabytes", ("np",), "method", (LEAST,), "MB", 1e-6),
        Table(
            "The monitor that has most, megabytes",
            ("np",),
            "",
            (MONITOR,),
            "MB",
            1e-6,
            where={"method": "tickpt2"},
        ),
    ),
    plots=(
        Plot(
            "memory",
            "STENCIL1D",
            "np",
            "nodes",
            "method",
            (MOST,),
            "peak resident memory of the program on a node (MB)",
            factor=1e-6,
            kind="bars",
        ),
    ),
    claims=memory_claims,
    note="The greatest resident memory that each process ever had. OpenMP is the plain program, "
    "all its threads in one process.",
    network=True,
)

EXPERIMENTS = (APPS, MEMORY)
