# SPDX-License-Identifier: GPL-2.0-or-later
"""What checkpoints cost a program on one node: thesis Fig. 3.6 and Table 3.4."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Plot, Table
from ..labels import times
from ..verdict import BETTER, about, above, between
from .sizes import matrix_sizes

RUN = "run_seconds"
TABLE_3_4 = {
    (1000, "none"): 0.036,
    (1000, "tickpt2"): 0.045,
    (1000, "dickpt"): 0.142,
    (2000, "none"): 0.136,
    (2000, "tickpt2"): 0.168,
    (2000, "dickpt"): 1.528,
    (3000, "none"): 0.307,
    (3000, "tickpt2"): 0.391,
    (3000, "dickpt"): 8.210,
    (4000, "none"): 0.536,
    (4000, "tickpt2"): 0.649,
    (4000, "dickpt"): 38.790,
}


def case(tools, n, method, narrow=False):
    """MATSUM on one node; method "none" is the plain program."""
    key = {"n": n, "method": method}
    if method == "none":
        command, read = tools.openmp(1, "matsum", n), readers.seconds
    else:
        command, read = tools.cape(1, "matsum", n, method=method), readers.cape
    return Case(key, command, read, narrow=narrow, same=(n,))


def figure_3_6_cases(tools, settings):
    return [
        case(tools, n, method) for n in matrix_sizes(settings) for method in ("tickpt1", "tickpt2")
    ]


def figure_3_6_claims(results):
    for n in results.keys("n"):
        one, two = ({"n": n, "method": method} for method in ("tickpt1", "tickpt2"))
        found = results.ratio(RUN, one, two)
        if n >= 1000:
            yield Claim(
                f"N = {n}",
                "time of method 1 over method 2's",
                "much higher; no number",
                times(found),
                above(1, found),
            )


def table_3_4_cases(tools, settings):
    sizes = settings.pick((1000, 2000), (1000, 2000, 3000, 4000), (1000, 2000, 3000, 4000))
    methods = ("none", "tickpt2", "tickpt1", "dickpt", "complete")
    close = ("none", "tickpt2", "dickpt")
    return [case(tools, n, method, method in close) for n in sizes for method in methods]


def table_3_4_claims(results):
    for n in results.keys("n"):
        none, tickpt, dickpt = ({"n": n, "method": name} for name in ("none", "tickpt2", "dickpt"))
        where = f"N = {n}"
        found = results.ratio(RUN, tickpt, none)
        yield Claim(
            where,
            "time of tickpt2 over that without checkpoints",
            "20 to 25 % longer",
            times(found),
            above(1, found),
            between(1.2, 1.25, found, under=BETTER),
        )
        found = results.ratio(RUN, dickpt, none)
        yield Claim(
            where,
            "time of dickpt over that without checkpoints",
            "more than 3.9 times",
            times(found),
            above(1, found),
            above(3.9, found),
        )
        found = results.ratio(RUN, dickpt, tickpt)
        theirs = TABLE_3_4[n, "dickpt"] / TABLE_3_4[n, "tickpt2"]
        yield Claim(
            where,
            "time of dickpt over tickpt2's",
            f"{theirs:.1f} times",
            times(found),
            above(1, found),
            about(theirs, found),
        )


EXPERIMENTS = (
    Experiment(
        name="fig3.6",
        title="Execution time of MATSUM with methods 1 and 2 of TICKPT",
        source="thesis Fig. 3.6",
        cases=figure_3_6_cases,
        tables=(Table("Milliseconds", ("n",), "method", (RUN,), "ms", 1e3, reference="tickpt2"),),
        plots=(
            Plot(
                "fig3.6",
                "MATSUM, one node",
                "n",
                "N",
                "method",
                (RUN,),
                "execution time (ms)",
                factor=1e3,
                kind="bars",
            ),
        ),
        claims=figure_3_6_claims,
    ),
    Experiment(
        name="table3.4",
        title="Execution time of MATSUM without checkpoints and with each method",
        source="thesis Table 3.4",
        cases=table_3_4_cases,
        tables=(Table("Milliseconds", ("n",), "method", (RUN,), "ms", 1e3, reference="none"),),
        plots=(
            Plot(
                "table3.4",
                "MATSUM, one node",
                "n",
                "N",
                "method",
                (RUN,),
                "execution time (ms)",
                factor=1e3,
                log="y",
            ),
        ),
        claims=table_3_4_claims,
        theirs=lambda key, value: (
            TABLE_3_4.get((key["n"], key["method"])) if value == RUN else None
        ),
    ),
)
