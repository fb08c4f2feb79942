# SPDX-License-Identifier: GPL-2.0-or-later
"""Two runs beside each other: two commits, or two machines."""

import json
from pathlib import Path

from . import tables
from .errors import UserError
from .estimate import WANTED_CONFIDENCE
from .labels import key_text, label, number

HEADINGS = ["case", "value", "A", "B", "B / A", "verdict"]
TOLD = (
    "B is smaller or larger where the 95 % intervals do not meet, and alike where they do: no "
    "difference is shown then, which is not that there is none."
)
MACHINE = ("commit", "processor", "processors", "kernel", "compiler", "load")


def _read(folder):
    """{experiment: its JSON}."""
    found = {}
    for path in sorted(Path(folder).glob("*.json")):
        try:
            whole = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"cannot read {path}: {error}") from None
        if "rows" in whole:
            found[whole["experiment"]] = whole
    if not found:
        raise UserError(
            f"{folder} has no results of cape-bench run (EXPERIMENT.json); published tables cannot "
            "be compared",
            2,
        )
    return found


def _verdict(one, other):
    if min(one["confidence"], other["confidence"]) < WANTED_CONFIDENCE:
        return "too few repetitions"
    if other["high"] < one["low"]:
        return "smaller"
    return "larger" if other["low"] > one["high"] else "alike"


def _spread(found):
    middle = number(found["median"])
    if found["low"] == found["high"]:
        return middle
    return f"{middle} ({number(found['low'])} to {number(found['high'])})"


def _rows(one, other):
    """Of two experiments' JSON the cells of what both have."""
    theirs = {json.dumps(row["key"], sort_keys=True): row for row in other["rows"]}
    for row in one["rows"]:
        beside = theirs.get(json.dumps(row["key"], sort_keys=True), {"values": {}})
        for name, found in row["values"].items():
            there = beside["values"].get(name)
            if there:
                ratio = number(there["median"] / found["median"]) if found["median"] else "–"
                yield [
                    key_text(row["key"]),
                    label(name),
                    _spread(found),
                    _spread(there),
                    ratio,
                    _verdict(found, there),
                ]


def text(first, second):
    """What the folders FIRST and SECOND have in common, in Markdown."""
    ones, others = _read(first), _read(second)
    common = [name for name in ones if name in others]
    if not common:
        raise UserError(f"{first} and {second} have no experiment in common", 2)
    lines = []
    for letter, folder, whole in (("A", first, ones), ("B", second, others)):
        machine = whole[common[0]]["machine"]
        known = "; ".join(f"{name} {machine[name]}" for name in MACHINE if name in machine)
        lines.append(f"{letter}: {folder}: {known}")
    for name in common:
        cells = list(_rows(ones[name], others[name]))
        count = {word: sum(row[-1] == word for row in cells) for word in ("smaller", "larger")}
        lines += ["", f"## {name}: {ones[name]['title']}", ""]
        lines += [tables.markdown(HEADINGS, cells) if cells else "No case in common.\n"]
        lines += [f"Smaller: {count['smaller']}, larger: {count['larger']}, of {len(cells)}."]
    return "\n".join([*lines, "", TOLD])
