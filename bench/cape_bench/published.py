# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads results back from EXPERIMENT.csv: what published folders hold in place of single runs."""

import csv
from pathlib import Path

from .errors import UserError
from .estimate import Estimate
from .experiment import Results, Row, known_ratio


def _estimate(cells, column, confidence, count):
    """The Estimate in COLUMN and its neighbours, or None if they are empty."""
    texts = [cells.get(f"{column}{end}") for end in ("", "_low", "_high")]
    if not all(texts):
        return None
    return Estimate(*map(float, texts), confidence, (), count)


def _row(experiment, key, cells):
    row = Row(key, cells["status"], cells["reason"])
    if row.status != "good":
        return row
    confidence, count = float(cells["confidence"]), int(cells["repetitions"])
    for name in cells:
        if f"{name}_low" in cells and "/" not in name:
            found = _estimate(cells, name, confidence, count)
            if found:
                row.estimates[name] = found
    for table, value, reference in experiment.ratios(key):
        found = _estimate(cells, table.ratio_column(value), confidence, count)
        if found:
            row.ratios[known_ratio(value, reference)] = found
    return row


def _row_of(experiment, case, parts, found):
    """CASE's Row; FOUND are the file's rows by the values of the PARTS of their keys."""
    cells = found.get(tuple(str(case.key.get(name, "")) for name in parts))
    if cells is None:
        return Row(case.key, "not run", "it is not among what was published")
    return _row(experiment, case.key, cells)


def results(experiment, cases, folder):
    """The Results of EXPERIMENT, whose CSV file is in FOLDER."""
    path = Path(folder) / f"{experiment.name}.csv"
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
        parts = list(dict.fromkeys(name for case in cases for name in case.key))
        found = {tuple(cells[name] for name in parts): cells for cells in rows}
        return Results([_row_of(experiment, case, parts, found) for case in cases])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
