# SPDX-License-Identifier: GPL-2.0-or-later
"""Execution models: equations 3.15 and 3.16 of the thesis, SoICT Figs. 9-11, ScalCom."""

from math import log2
from statistics import mode

from .. import readers
from ..errors import WrongResult
from ..estimate import exact, ratio_of_medians
from ..experiment import Case, Claim, Curve, Experiment, Plot, Table
from ..labels import number, times
from ..verdict import BETTER, about, above, below, between

RUN = "run_seconds"

# comm ------------------------------------------------------------------------------------------

EXCHANGE = "exchange_us"
PATTERNS = ("master", "doubling", "ring")


def model(pattern, nodes, size, message, byte):
    """Microseconds, from those of a MESSAGE and of a further BYTE."""
    if pattern == "master":
        return (nodes - 1) * (2 * message + size * nodes * byte)  # equation 3.15
    steps = log2(nodes) if pattern == "doubling" else nodes - 1
    return steps * message + (nodes - 1) * size * byte  # equation 3.16; the ring likewise


def comm_cases(tools, settings):
    sizes = settings.pick((8000, 64000), (1000, 8000, 64000), (1000, 8000, 64000, 256000, 1000000))
    rounds = settings.pick(1, 2, 3)
    found = [
        Case({"line": "node 1 to 2"}, tools.mpi(2, "exchange", "line", 1, 10), readers.numbers)
    ]
    for nodes in settings.nodes:
        power = nodes & (nodes - 1) == 0
        for size in sizes:
            for pattern in PATTERNS if power else ("master", "ring"):
                command = tools.mpi(nodes, "exchange", pattern, size, rounds)
                key = {"np": nodes, "bytes": size, "pattern": pattern}
                found.append(Case(key, command, readers.numbers))
    return found


def line(results):
    """What a message and a byte take, in microseconds, or None."""
    message = results.number("message_us", line="node 1 to 2")
    byte = results.number("byte_ns", line="node 1 to 2")
    return (message, byte / 1e3) if message and byte else None


def comm_curves(nodes_of):
    """Model curves for a plot against bytes, on as many nodes as NODES_OF says."""

    def curves(results):
        measured = line(results)
        if not measured:
            return
        nodes = nodes_of(results.keys("np"))
        for pattern in PATTERNS:
            points = [
                (size, model(pattern, nodes, size, *measured) / 1e3)
                for size in results.keys("bytes")
            ]
            yield Curve(f"{pattern}, model", tuple(points))

    return curves


def comm_modelled(results):
    """The model's number for each row, to stand beside the measured one."""
    measured = line(results)
    for row in results.rows:
        if measured and "pattern" in row.key:
            key = row.key
            yield key, model(key["pattern"], key["np"], key["bytes"], *measured)


def comm_claims(results):
    for key, expected in comm_modelled(results):
        found = results.get(EXCHANGE, **key)
        if found and key["bytes"] == max(results.keys("bytes")):
            over = ratio_of_medians(found, exact(expected))
            yield Claim(
                f"{key['np']} nodes, {key['bytes']} bytes",
                f"time of {key['pattern']} over the model's",
                f"1; by the model {number(expected / 1e3)} ms",
                times(over),
                magnitude=about(1, over),
            )
    for nodes in (nodes for nodes in results.keys("np") if nodes > 2):
        key = {"np": nodes, "bytes": max(results.keys("bytes"))}
        master = {**key, "pattern": "master"}
        for pattern in ("doubling", "ring"):
            found = results.ratio(EXCHANGE, master, {**key, "pattern": pattern})
            if found:
                yield Claim(
                    f"{nodes} nodes",
                    f"time of master-slave over that of {pattern}",
                    f"{nodes} times for large checkpoints (3.15 over 3.16)",
                    times(found),
                    above(1, found),
                    about(nodes, found),
                )


COMM = Experiment(
    name="comm",
    title="Giving every node every node's checkpoint: master-slave, recursive doubling, ring",
    source="thesis equations 3.15 and 3.16",
    cases=comm_cases,
    tables=(
        Table(
            "Milliseconds",
            ("np", "bytes"),
            "pattern",
            (EXCHANGE,),
            "ms",
            1e-3,
            reference="doubling",
        ),
        Table(
            "The line: a message (us), a further byte (ns)",
            ("line",),
            "",
            ("message_us", "byte_ns"),
        ),
    ),
    plots=tuple(
        Plot(
            f"comm-{which.__name__}",
            f"Exchange on the {name} cluster",
            "bytes",
            "bytes of one node's checkpoint",
            "pattern",
            (EXCHANGE,),
            "time (ms)",
            factor=1e-3,
            log="xy",
            where={"np": which},
            curves=comm_curves(which),
        )
        for which, name in ((min, "smallest"), (max, "largest"))
    ),
    claims=comm_claims,
    note="The models take the line's measured latency and bandwidth; they leave out merging. "
    "Recursive doubling needs a power of two. The emulated line lets bursts of 32 kB pass at once, "
    "so small checkpoints are faster than the model.",
    network=True,
)

# phases ----------------------------------------------------------------------------------------


def checkpoint_seconds(node):
    """What a node spent at sync points."""
    return node["diff_seconds"] + node["exchange_seconds"] + node["inject_seconds"]


def fork_compute_join(output):
    """SoICT's phases on the master node."""
    values = readers.cape(output)
    master = readers.statistics(output)[0]
    values["fork_seconds"] = master.get("fork_seconds", 0.0)
    values["join_seconds"] = checkpoint_seconds(master)
    spent = values["fork_seconds"] + values["join_seconds"]
    values["compute_seconds"] = max(0.0, values[RUN] - spent)
    return values


def master_and_slaves(output):
    """ScalCom's phases of the master, and of the slave that needed longest."""
    values = readers.cape(output)
    nodes = readers.statistics(output)
    if len(nodes) < 2:
        raise WrongResult("there is no slave")
    for who, some in (("master", nodes[:1]), ("slave", nodes[1:])):
        before = max(node.get("fork_seconds", 0.0) for node in some)
        update = max(map(checkpoint_seconds, some))
        values[f"{who}_init_seconds"] = values["init_seconds"]
        values[f"{who}_before_seconds"] = before
        values[f"{who}_update_seconds"] = update
        values[f"{who}_compute_seconds"] = max(0.0, values[RUN] - before - update)
    return values


# soict -----------------------------------------------------------------------------------------

MODELS = {"old": "master-slave", "new": "scatter"}
PHASES = ("fork_seconds", "compute_seconds", "join_seconds")


def soict_cases(tools, settings):
    sizes = settings.pick((200, 400), (400, 800, 1200), (1600, 3200, 4800, 6400, 8000, 9600))
    return [
        Case(
            {"np": nodes, "n": n, "model": name},
            tools.cape(nodes, "mamult2d", n, method="dickpt", model=model_name),
            fork_compute_join,
            same=(n,),
        )
        for nodes in sorted({min(settings.nodes), max(settings.nodes)})
        for n in sizes
        for name, model_name in MODELS.items()
    ]


def soict_claims(results):
    for nodes in results.keys("np"):
        for n in results.keys("n"):
            key = {"np": nodes, "n": n}
            found = results.ratio(RUN, {**key, "model": "new"}, {**key, "model": "old"})
            yield Claim(
                f"{nodes} nodes, n = {n}",
                "time of the new model over the old one's",
                "at least 10 % less",
                times(found),
                below(1, found),
                below(0.9, found),
            )


SOICT = Experiment(
    name="soict",
    title="The execution models of CAPE-2 (old) and of 2017 (new), with dickpt",
    source="SoICT 2017, Figs. 9 to 11",
    cases=soict_cases,
    tables=(
        Table("Seconds", ("np", "n"), "model", (RUN,), "s", reference="old"),
        Table("Phases of the master, seconds", ("np", "n"), "model", PHASES, "s"),
    ),
    plots=(
        *(
            Plot(
                f"soict-{which.__name__}",
                f"MAMULT2D on the {name} cluster",
                "n",
                "matrix size",
                "model",
                (RUN,),
                "execution time (s)",
                kind="bars",
                where={"np": which},
            )
            for which, name in ((min, "smallest"), (max, "largest"))
        ),
        Plot(
            "soict-phases",
            "Phases of the master on the largest cluster",
            "n",
            "matrix size",
            "model",
            PHASES,
            "time (s)",
            kind="stacked",
            where={"np": max},
        ),
    ),
    claims=soict_claims,
    network=True,
)

# scalcom ---------------------------------------------------------------------------------------

TABLE_2 = {
    (3000, "sequential"): 258.9,
    (3000, "openmp"): 142.4,
    (6000, "sequential"): 1852.7,
    (6000, "openmp"): 1048.7,
    (9000, "sequential"): 7314.5,
    (9000, "openmp"): 3986.2,
    (12000, "sequential"): 14990.5,
    (12000, "openmp"): 8999.4,
}
THREADS = {"sequential": 1, "openmp": 2}
WHO = ("master", "slave")
STEPS = ("init", "before", "compute", "update")


def scalcom_cases(tools, settings):
    sizes = settings.pick((300, 500), (600, 900, 1200), (3000, 6000, 9000, 12000))
    found = [
        Case(
            {"n": n, "program": name},
            tools.openmp(threads, "mamult2d", n),
            readers.seconds,
            same=(n,),
        )
        for n in sizes
        for name, threads in THREADS.items()
    ]
    by_nodes = [(sizes[-2], nodes) for nodes in scalcom_nodes(settings)]
    by_size = [(n, max(scalcom_nodes(settings))) for n in sizes]
    for n, nodes in dict.fromkeys(by_nodes + by_size):
        key = {"n": n, "np": nodes}
        cape = tools.cape(nodes, "mamult2d", n, method="dickpt", model="master-slave")
        mpi = tools.mpi(nodes, "mamult2d_master", n)
        found.append(Case({**key, "by": "CAPE"}, cape, master_and_slaves, same=(n,)))
        found.append(Case({**key, "by": "MPI"}, mpi, readers.seconds, same=(n,)))
    return found


def scalcom_nodes(settings):
    """The paper has 3 to 31."""
    return sorted({3, *settings.nodes} | settings.pick(set(), set(), {31}))


def speed_up(results, key):
    """The Estimate of the sequential program's time over that on the nodes, or None."""
    return results.ratio(RUN, {"n": key["n"], "program": "sequential"}, key)


def scalcom_claims(results):
    for row in results.rows:
        if row.key.get("by") != "CAPE":
            continue
        n, nodes = row.key["n"], row.key["np"]
        where = f"n = {n}, {nodes} nodes"
        found = results.ratio(RUN, row.key, row.key | {"by": "MPI"})
        yield Claim(
            where,
            "time of CAPE over MPI's",
            "about 1.1 times; 1.3 for n = 3000",
            times(found),
            magnitude=about(1.3 if n == 3000 else 1.1, found, under=BETTER),
        )
        reached = speed_up(results, row.key)
        yield Claim(
            where,
            "speed-up over the sequential program",
            "75 to 90 % of the number of nodes",
            times(reached) + (f", {reached.median / nodes:.0%}" if reached else ""),
            above(1, reached),
            between(0.75 * nodes, 0.9 * nodes, reached, over=BETTER),
        )


def speed_up_curves(results):
    """Fig. 6: speed-up by nodes."""
    rows = [row for row in results.rows if row.key.get("by") in ("CAPE", "MPI")]
    for by in ("CAPE", "MPI"):
        for n in dict.fromkeys(row.key["n"] for row in rows):
            found = [
                (row.key["np"], speed_up(results, row.key))
                for row in rows
                if row.key["by"] == by and row.key["n"] == n
            ]
            points = [(nodes, each.median, each.low, each.high) for nodes, each in found if each]
            if len(points) > 1:
                yield Curve(f"{by}, n = {n}", tuple(points))
    nodes = results.keys("np")
    if nodes:
        yield Curve("number of nodes", ((min(nodes), min(nodes)), (max(nodes), max(nodes))))


def phases(who):
    return tuple(f"{who}_{step}_seconds" for step in STEPS)


SCALCOM = Experiment(
    name="scalcom",
    title="Matrix product by CAPE-2 (dickpt, master-slave) and by MPI with a master",
    source="ScalCom 2016, Table II and Figs. 4 to 6",
    cases=scalcom_cases,
    tables=(
        Table("Seconds on one machine (Table II)", ("n",), "program", (RUN,), "s"),
        Table("Seconds", ("n", "np"), "by", (RUN,), "s", reference="MPI"),
        *(
            Table(f"Phases of the {who}, seconds", ("n", "np"), "by", phases(who), "s")
            for who in WHO
        ),
    ),
    plots=(
        *(
            Plot(
                f"scalcom-{name}-{who}",
                f"Phases of the {who}, {title}",
                x,
                x_label,
                "by",
                phases(who),
                "time (s)",
                kind="stacked",
                where=where,
            )
            for who in WHO
            for name, title, x, x_label, where in (
                ("nodes", "by nodes", "np", "nodes", {"n": mode}),
                ("size", "by size", "n", "matrix size", {"np": mode}),
            )
        ),
        Plot(
            "scalcom-speed-up",
            "Speed-up",
            "np",
            "nodes",
            "by",
            (),
            "speed-up over the sequential program",
            curves=speed_up_curves,
        ),
    ),
    claims=scalcom_claims,
    theirs=lambda key, value: (
        TABLE_2.get((key["n"], key["program"])) if value == RUN and "program" in key else None
    ),
    note="The nodes share this machine's processors, so the speed-up cannot exceed their number. "
    "The slave's phases are those of the slave that needed longest.",
    network=True,
)

EXPERIMENTS = (COMM, SOICT, SCALCOM)
