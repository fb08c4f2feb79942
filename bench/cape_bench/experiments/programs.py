# SPDX-License-Identifier: GPL-2.0-or-later
"""The thesis' five programs on clusters, against hand-written MPI: Figs. 4.20 to 4.25."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Plot, Table
from ..labels import times
from ..tools import EAGER, STATISTICS
from ..verdict import about, above, at_most

RUN = "run_seconds"
CLOSE = 1.02  # a limit that needs many repetitions to be judged


def case(tools, program, arguments, nodes, method, key, narrow=False):
    """PROGRAM by a METHOD of CAPE, "mpi" or "openmp"; they must all print the same."""
    same = (program, *arguments)
    if method == "mpi":
        command = tools.mpi(nodes, program, *arguments)
        return Case(key, command, readers.seconds, narrow=narrow, same=same)
    if method == "openmp":
        return Case(key, tools.openmp(nodes, program, *arguments), readers.seconds, same=same)
    options = EAGER if method == "tickpt2" else STATISTICS
    command = tools.cape(nodes, program, *arguments, method=method, options=options)
    return Case(key, command, readers.cape, narrow=narrow, same=same)


def cases_by_nodes(program, methods, narrow, *arguments):
    """Cases of PROGRAM by nodes and method; ARGUMENTS are those of the three scales."""

    def cases(tools, settings):
        chosen = settings.pick(*arguments)
        return [
            case(tools, program, chosen, nodes, method, {"np": nodes, "method": method}, narrow)
            for nodes in settings.nodes
            for method in methods
        ]

    return cases


def within(limit, shown, theirs):
    """Claims that tickpt2 takes at most LIMIT times as long as MPI, for each value of SHOWN.

    The papers give no number for "close"; the limit is this project's.
    """

    def claims(results):
        for at in results.keys(shown):
            keys = [row.key for row in results.rows if row.key[shown] == at]
            cape, mpi = (
                next(key for key in keys if key["method"] == method)
                for method in ("tickpt2", "mpi")
            )
            found = results.ratio(RUN, cape, mpi)
            yield Claim(
                f"{shown} = {at}",
                "time of tickpt2 over MPI's",
                theirs,
                times(found),
                magnitude=at_most(limit, 1, found),
            )

    return claims


def by_nodes(
    name,
    source,
    title,
    program,
    limit,
    sizes,
    note,
    methods=("tickpt2", "mpi", "openmp"),
    theirs="close to MPI; no number",
):
    """The experiment that runs PROGRAM on different numbers of nodes."""
    return Experiment(
        name=name,
        title=title,
        source=source,
        cases=cases_by_nodes(program, methods, limit <= CLOSE, *sizes),
        tables=(Table("Milliseconds", ("np",), "method", (RUN,), "ms", 1e3, reference="mpi"),),
        plots=(
            Plot(
                name,
                title,
                "np",
                "nodes",
                "method",
                (RUN,),
                "execution time (ms)",
                factor=1e3,
                kind="bars",
            ),
        ),
        claims=within(limit, "np", theirs),
        note=note,
        network=True,
    )


MATRIX_METHODS = ("dickpt", "tickpt2", "mpi")


def figure_4_20_cases(tools, settings):
    nodes = max(settings.nodes)
    sizes = settings.pick((200, 400), (400, 1000), (800, 1600, 3200, 6400))
    methods = (*MATRIX_METHODS, "tickpt1", "complete", "openmp")
    return [
        case(tools, "mamult2d", (n,), nodes, method, {"n": n, "np": nodes, "method": method})
        for n in sizes
        for method in methods
    ]


def figure_4_20_claims(results):
    yield from within(1.05, "n", "roughly equal; no number")(results)
    for row in results.rows:
        if row.key["method"] == "dickpt":
            found = results.ratio(RUN, row.key, row.key | {"method": "tickpt2"})
            yield Claim(
                f"n = {row.key['n']}",
                "time of dickpt over tickpt2's",
                "around 35 % longer",
                times(found),
                above(1, found),
                about(1.35, found),
            )


FIGURE_4_20 = Experiment(
    name="fig4.20",
    title="MAMULT2D by matrix size, on the largest cluster",
    source="thesis Fig. 4.20",
    cases=figure_4_20_cases,
    tables=(Table("Milliseconds", ("n",), "method", (RUN,), "ms", 1e3, reference="mpi"),),
    plots=(
        Plot(
            "fig4.20",
            "MAMULT2D",
            "n",
            "matrix size",
            "method",
            (RUN,),
            "execution time (ms)",
            factor=1e3,
            kind="bars",
            log="y",
        ),
    ),
    claims=figure_4_20_claims,
    network=True,
)

EXPERIMENTS = (
    FIGURE_4_20,
    by_nodes(
        "fig4.21",
        "thesis Fig. 4.21",
        "MAMULT2D by nodes",
        "mamult2d",
        1.05,
        ((400,), (1000,), (6400,)),
        "The papers multiply 6400 x 6400; without --full smaller matrices stand for them.",
        MATRIX_METHODS,
    ),
    by_nodes(
        "fig4.22",
        "thesis Fig. 4.22",
        "PRIME by nodes",
        "prime",
        CLOSE,
        ((40000,), (150000,), (1000000,)),
        "The paper counts up to N = 10^6.",
        theirs="around 1 % longer",
    ),
    by_nodes(
        "fig4.23",
        "thesis Fig. 4.23",
        "PI by nodes",
        "pi",
        CLOSE,
        ((100000000,), (1000000000,), (100000000,)),
        "The paper takes 10^8 steps.",
    ),
    by_nodes(
        "fig4.24",
        "thesis Fig. 4.24",
        "VECTOR-1 by nodes",
        "vector1",
        1.05,
        ((40000,), (100000,), (1000000,)),
        "The paper has N = 10^6. Two sections, so two nodes compute, whatever their number.",
    ),
    by_nodes(
        "fig4.25",
        "thesis Fig. 4.25",
        "VECTOR-2 by nodes",
        "vector2",
        1.05,
        ((30000, 48000), (80000, 128000), (1000000, 1600000)),
        "The paper has N = 10^6 and M = 1.6 x 10^6.",
    ),
)
