# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes reports of results in which some, or all, cases failed.

Usage: partial.py PREFIX
"""

import random
import re
import sys

from cape_bench import plots, report, tables
from cape_bench.estimate import estimate
from cape_bench.experiment import Results, Row, Settings
from cape_bench.experiments import ALL
from cape_bench.tools import Tools

VALUES = sorted(
    {value for each in ALL for part in (*each.tables, *each.plots) for value in part.values}
)


def invented(case, failing):
    """A row that failed with the probability FAILING, or has random numbers."""
    if random.random() < failing:
        return Row(case.key, "failed", "a reason")
    estimates = {value: estimate([random.random() for _ in range(6)]) for value in VALUES}
    return Row(case.key, "good", "", {}, estimates)


def check(experiment, results, failing):
    part = report.Part(experiment, results)
    failed = sum(row.status == "failed" for row in results.rows)
    assert len(part.bad) == failed, experiment.name
    assert tables.as_csv(experiment, results, {}).count("a reason") == failed, experiment.name
    drawn = {}
    for plot in experiment.plots:
        text = plots.script(experiment, plot, results)
        assert text or failing, f"{plot.name} is empty"
        # Random numbers are alike only where they are the same.
        data = frozenset(re.findall(r"<< EOD\n(.*?)\nEOD", text, re.DOTALL))
        twice = drawn.setdefault(data, plot.name) if data else plot.name
        assert twice == plot.name, f"{plot.name} draws what {twice} draws"


names = [plot.name for each in ALL for plot in each.plots]
assert len(names) == len(set(names)), "two plots have one name"
random.seed(1)
for share in (0, 0.3, 0.6, 1):
    for scale in ("quick", "default", "full"):
        settings = Settings(scale, 6, (3, 4, 8), "shm")
        for each in ALL:
            cases = each.cases(Tools(sys.argv[1]), settings)
            check(each, Results([invented(case, share) for case in cases]), share)
print("all")
