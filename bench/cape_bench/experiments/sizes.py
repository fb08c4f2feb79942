# SPDX-License-Identifier: GPL-2.0-or-later
"""How large checkpoints are: thesis Fig. 2.14, Table 3.3, Fig. 3.7 and Fig. 5.4."""

from .. import readers
from ..experiment import Case, Claim, Experiment, Plot, Table
from ..labels import number, times
from ..tools import EAGER
from ..verdict import about, above, counted

PAGE = 4096
WORD = 4

# structures ------------------------------------------------------------------------------------

SD, SSD_BEST, SSD_WORST = "sd", "ssd_best", "ssd_worst"
MD, EP, OWN_BEST, OWN_WORST = "md", "ep", "compact_best", "compact_worst"
STRUCTURES = (SD, SSD_BEST, SSD_WORST, MD, EP, OWN_BEST, OWN_WORST)


def formula(updates, structure):
    """The thesis' definition of the structure, for UPDATES changed words of a page."""
    words = PAGE // WORD
    pieces = min(updates, words - updates + 1) if updates > words // 2 else updates
    return {
        SD: 8 * updates,
        SSD_BEST: 8 + WORD * updates,
        SSD_WORST: 8 * pieces + WORD * updates,
        MD: 4 + words // 8 + WORD * updates,
        EP: 4 + PAGE,
    }.get(structure)


def structure_cases(tools, settings):
    counts = settings.pick(
        (1, 16, 34, 128, 512, 1024),
        (1, 2, 4, 8, 16, 24, 32, 33, 34, 48, 64, 96, 128, 256, 384, 512, 640, 768, 896, 1024),
        (1, 2, 4, *range(8, 64), *range(64, 1025, 8)),
    )
    return [
        Case({"updates": count}, tools.micro("structures", count), readers.numbers, counted=True)
        for count in counts
    ]


def structure_claims(results):
    good = [row for row in results.rows if row.status == "good"]
    if not good:
        return
    cells = [
        row.estimates[name].median == formula(row.key["updates"], name)
        for row in good
        for name in (SD, SSD_BEST, SSD_WORST, MD, EP)
    ]
    yield Claim(
        "",
        "sizes are those of the definitions of SD, SSD, MD and EP",
        f"{len(cells)} cells",
        f"{sum(cells)} equal",
        magnitude=counted(all(cells), "all equal"),
    )
    wins = {row.key["updates"]: row.estimates[SD].median < row.estimates[MD].median for row in good}
    yield Claim(
        "",
        "few updates are best in SD, many in MD; MD is the smaller from",
        "34 updates",
        f"SD is the smaller up to {max((count for count in wins if wins[count]), default=0)} "
        "of those measured",
        counted(all(wins[count] == (count < 33) for count in wins), "SD the smaller below 33 only"),
    )
    pairs = ((OWN_BEST, SSD_BEST), (OWN_WORST, SSD_WORST))
    kept = [
        row.estimates[own].median <= row.estimates[ssd].median for row in good for own, ssd in pairs
    ]
    yield Claim(
        "",
        "CAPE's own structure is not larger than SSD, best case by best, worst by worst",
        "no claim",
        f"{sum(kept)} of {len(kept)} cells",
        counted(all(kept), "all cells"),
    )


STRUCTURES_EXPERIMENT = Experiment(
    name="structures",
    title="Bytes to store the changed words of a 4-kB page",
    source="thesis Fig. 2.14",
    cases=structure_cases,
    tables=(Table("Bytes by number of updates", ("updates",), "", STRUCTURES, "bytes"),),
    plots=(
        Plot(
            "structures",
            "Bytes to store the changed words of a 4-kB page",
            "updates",
            "changed words in the page",
            "",
            STRUCTURES,
            "bytes",
            theirs=False,
        ),
    ),
    claims=structure_claims,
    theirs=lambda key, value: formula(key["updates"], value),
    note="The papers' column is the definition of the structure: the figure's text has no numbers.",
)

# table3.3, fig3.7 ------------------------------------------------------------------------------

TABLE_3_3 = {
    (10, "tickpt1"): 408,
    (10, "tickpt2"): 408,
    (100, "tickpt1"): 40088,
    (100, "tickpt2"): 40008,
    (1000, "tickpt1"): 4007824,
    (1000, "tickpt2"): 4000008,
    (2000, "tickpt1"): 16031256,
    (2000, "tickpt2"): 16000008,
    (3000, "tickpt1"): 36070320,
    (3000, "tickpt2"): 36000008,
    (4000, "tickpt1"): 64125008,
    (4000, "tickpt2"): 64000008,
    (6000, "tickpt1"): 144281256,
    (6000, "tickpt2"): 144000008,
    (8000, "tickpt1"): 256500008,
    (8000, "tickpt2"): 256000008,
}
# Where malloc() puts C, and a place in the page that fits every cell of the paper's table.
OFFSETS = {"malloc": (), "2048": (1, 2048)}


def matrix_sizes(settings):
    return settings.pick(
        (10, 100, 1000), (10, 100, 1000, 2000, 3000), (10, 100, 1000, 2000, 3000, 4000, 6000, 8000)
    )


def size_case(tools, key, *arguments, method):
    command = tools.cape(1, "matsum", *arguments, method=method)
    return Case(key, command, readers.checkpoint_size, counted=True)


def table_3_3_cases(tools, settings):
    return [
        size_case(
            tools,
            {"n": n, "offset": offset, "method": method},
            n,
            *OFFSETS[offset],
            method=method,
        )
        for n in matrix_sizes(settings)
        for offset in OFFSETS
        for method in ("tickpt1", "tickpt2")
    ]


def may_be_moved(n, size):
    """Whether a matrix at some place of a page makes method 1 cut it into pieces of this SIZE."""
    data = n * n * WORD
    pieces = (size - data) / 8
    return -(-data // PAGE) <= pieces <= -(-(data + PAGE - WORD) // PAGE)


def table_3_3_claims(results):
    for offset in OFFSETS:
        moved, wrong, equal = [], [], 0
        for row in results.rows:
            if row.key["offset"] != offset or row.status != "good":
                continue
            n, method = row.key["n"], row.key["method"]
            ours, theirs = row.estimates["checkpoint_bytes"].median, TABLE_3_3[n, method]
            if ours == theirs:
                equal += 1
            elif method == "tickpt1" and may_be_moved(n, ours):
                moved.append(f"N = {n}, method 1: {ours:.0f} instead of {theirs}")
            else:
                wrong.append(f"N = {n}, {method}: {ours:.0f} instead of {theirs}")
        count = equal + len(moved) + len(wrong)
        where = f"{offset} bytes into its page" if offset != "malloc" else "where malloc() puts it"
        yield Claim(
            f"C {where}",
            "every cell is the paper's",
            "Table 3.3",
            "; ".join(
                [f"{equal} of {count} equal"]
                + (["moved by page alignment: " + ", ".join(moved)] if moved else [])
                + (["WRONG: " + ", ".join(wrong)] if wrong else [])
            ),
            magnitude=counted(equal == count if count else None, "all equal"),
        )


TABLE_3_3_EXPERIMENT = Experiment(
    name="table3.3",
    title="Size of the checkpoint's memory members with methods 1 and 2 of TICKPT",
    source="thesis Table 3.3",
    cases=table_3_3_cases,
    tables=tuple(
        Table(title, ("n",), "method", ("checkpoint_bytes",), "bytes", where={"offset": offset})
        for offset, title in (
            ("malloc", "C where malloc() puts it"),
            ("2048", "C 2048 bytes into its page"),
        )
    ),
    claims=table_3_3_claims,
    theirs=lambda key, value: (
        TABLE_3_3.get((key["n"], key["method"])) if value == "checkpoint_bytes" else None
    ),
    note="Counted as the paper counts: SSD with 4 bytes for an address and 4 for a length. "
    "Method 1 ends a run where a page ends, so its size depends on where in a page C begins; "
    "an offset of 1796 to 3072 bytes gives every cell of the paper.",
)


def figure_3_7_cases(tools, settings):
    return [
        size_case(tools, {"n": n, "method": method}, n, method=method)
        for n in matrix_sizes(settings)
        for method in ("dickpt", "tickpt2")
    ]


def figure_3_7_claims(results):
    for n in results.keys("n"):
        key = {"n": n, "method": "dickpt"}
        found = results.ratio("checkpoint_bytes", key, {"n": n, "method": "tickpt2"})
        if n >= 100:
            yield Claim(
                f"N = {n}",
                "size of DICKPT's checkpoint over TICKPT's",
                "3 times",
                times(found),
                above(1, found),
                about(3, found),
            )


FIGURE_3_7_EXPERIMENT = Experiment(
    name="fig3.7",
    title="Size of the checkpoint's memory members with DICKPT and TICKPT",
    source="thesis Fig. 3.7",
    cases=figure_3_7_cases,
    tables=(
        Table(
            "Bytes by matrix size",
            ("n",),
            "method",
            ("checkpoint_bytes",),
            "bytes",
            reference="tickpt2",
        ),
    ),
    plots=(
        Plot(
            "fig3.7",
            "Checkpoint of MATSUM",
            "n",
            "N",
            "method",
            ("checkpoint_bytes",),
            "checkpoint (MB)",
            factor=1e-6,
            kind="bars",
        ),
    ),
    claims=figure_3_7_claims,
)

# fig5.4 ----------------------------------------------------------------------------------------


def figure_5_4_cases(tools, settings):
    nodes = max(settings.nodes)
    sizes = settings.pick(
        (2000, 8000, 14000), tuple(range(2000, 14001, 2000)), tuple(range(2000, 14001, 2000))
    )
    ways = {"with": {"options": EAGER}, "without": {"method": "dickpt", "model": "spmd"}}
    return [
        Case(
            {"n": n, "np": nodes, "sharing": sharing},
            tools.cape(nodes, "vector2", n, n, **way),
            readers.checkpoint_size,
            counted=True,
            same=(n,),
        )
        for n in sizes
        for sharing, way in ways.items()
    ]


def figure_5_4_claims(results):
    pairs = [
        (
            results.number("checkpoint_bytes", n=n, np=np, sharing="with"),
            results.number("checkpoint_bytes", n=n, np=np, sharing="without"),
        )
        for n in results.keys("n")
        for np in results.keys("np")
    ]
    measured = [pair for pair in pairs if None not in pair]
    yield Claim(
        "",
        "with data-sharing attributes the checkpoint is smaller",
        "always; no number",
        f"at {sum(a < b for a, b in measured)} of {len(measured)} sizes"
        + (f"; {number(min(b / a for a, b in measured))} times or more" if measured else ""),
        counted(all(a < b for a, b in measured) if measured else None, "at all sizes"),
    )


FIGURE_5_4_EXPERIMENT = Experiment(
    name="fig5.4",
    title="Checkpoint size of VECTOR-2 with data-sharing attributes and without",
    source="thesis Fig. 5.4",
    cases=figure_5_4_cases,
    tables=(
        Table(
            "Bytes by vector size",
            ("n",),
            "sharing",
            ("checkpoint_bytes",),
            "bytes",
            reference="with",
        ),
    ),
    plots=(
        Plot(
            "fig5.4",
            "Checkpoint of VECTOR-2",
            "n",
            "N = M",
            "sharing",
            ("checkpoint_bytes",),
            "checkpoint (kB)",
            factor=1e-3,
        ),
    ),
    claims=figure_5_4_claims,
    note="Without: dickpt, which knows no sharing attributes, so it saves the private vectors A "
    "and Z as well. The sum of all nodes' checkpoints.",
    network=True,
)

EXPERIMENTS = (
    STRUCTURES_EXPERIMENT,
    TABLE_3_3_EXPERIMENT,
    FIGURE_3_7_EXPERIMENT,
    FIGURE_5_4_EXPERIMENT,
)
