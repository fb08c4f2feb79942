# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what is said of invented measurements: verdicts, brackets, plots, load."""

from cape_bench import machine, plots, verdict
from cape_bench.estimate import estimate
from cape_bench.experiment import Results, Row
from cape_bench.experiments import find
from cape_bench.labels import spread

(TABLE_3_4,) = find(["table3.4"])


def row(method, *milliseconds):
    samples = [each / 1e3 for each in milliseconds]
    key = {"n": 1000, "method": method}
    return Row(key, "good", estimates={"run_seconds": estimate(samples)})


def tell(results):
    for claim in TABLE_3_4.claims(results):
        direction, magnitude = claim.direction, claim.magnitude
        print(direction.word, direction.criterion, magnitude.word, magnitude.criterion, sep="|")


def ratios(low, high):
    return estimate([low, high] * 3)


def main():
    none = row("none", 10, 10, 10, 10, 10, 10)
    tickpt = row("tickpt2", 10.5, 10.6, 10.6, 10.7, 10.8, 10.9)
    dickpt = row("dickpt", 14, 14.1, 14.2, 14.3, 14.4, 14.5)
    tell(Results([none, tickpt, dickpt]))
    tell(Results([row("none", 10, 10), row("tickpt2", 11, 12), row("dickpt", 50, 60)]))
    print(verdict.above(1, ratios(0.9, 1.5)).word, verdict.above(1, ratios(0.8, 0.9)).word)
    print(verdict.at_most(1.05, 1, ratios(0.7, 0.9)).word, end=" ")
    print(*(verdict.at_most(1.05, 1, ratios(*ends)).word for ends in ((0.9, 1.01), (1.0, 1.1))))
    print(spread(estimate([1, 2])), spread(estimate([1, 2, 1, 2, 1, 2])))
    for rows in ([none, tickpt, dickpt], [row("none", 10, 10), row("dickpt", 50, 60)]):
        text = plots.script(TABLE_3_4, TABLE_3_4.plots[0], Results(rows))
        print("yerrorlines" in text, plots.NO_INTERVALS in text)
    print([bool(machine.why_loaded({"load": load, "processors": "4"})) for load in ("2.0", "2.1")])


main()
