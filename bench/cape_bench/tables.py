# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as tables: wide ones to read, as Markdown or HTML, and one row a case, as CSV."""

import csv
import html
import io

from .labels import key_text, label, number, spread

MISSING = "–"


def _series(table, rows):
    """The values of the part of the key that columns stand for."""
    if not table.series:
        return [None]
    return list(dict.fromkeys(row.key[table.series] for row in rows))


def _find(rows, table, index, series):
    wanted = dict(zip(table.index, index))
    if series is not None:
        wanted[table.series] = series
    return next((row for row in rows if wanted.items() <= row.key.items()), None)


def _cell(row, value, factor):
    if row is None:
        return MISSING
    if row.status != "good":
        return row.status
    found = row.estimates.get(value)
    return spread(found, factor) if found else MISSING


def _theirs(experiment, rows, table, value, series):
    """The papers' numbers of one column, or nothing if they have none."""
    theirs = {}
    for row in rows:
        if series is None or row.key[table.series] == series:
            theirs[tuple(row.key[name] for name in table.index)] = experiment.theirs(row.key, value)
    return theirs if any(found is not None for found in theirs.values()) else {}


def _ratio(results, row, table, value):
    found = row and results.ratio(value, row.key, row.key | {table.series: table.reference})
    return spread(found) if found else MISSING


def _columns(experiment, results, table, rows):
    """Pairs of a heading and a function from a row's index to its text."""

    def column(value, series):
        return lambda index: _cell(_find(rows, table, index, series), value, table.factor)

    def theirs_column(theirs):
        def text(index):
            found = theirs.get(index)
            return MISSING if found is None else number(found * table.factor)

        return text

    def ratio_column(value, series):
        return lambda index: _ratio(results, _find(rows, table, index, series), table, value)

    many = _series(table, rows)
    for value in table.values:
        for series in many:
            names = ([label(series)] if series is not None else []) + (
                [label(value)] if len(table.values) > 1 or series is None else []
            )
            heading = ", ".join(names)
            yield heading, column(value, series)
            theirs = _theirs(experiment, rows, table, value, series)
            if theirs:
                yield f"{heading}, paper", theirs_column(theirs)
        for series in many if table.reference in many else ():
            if series != table.reference:
                heading = f"{label(series)} / {label(table.reference)}"
                yield heading, ratio_column(value, series)


def grid(experiment, results, table):
    """Headings and rows of text; no rows if nothing belongs there."""
    names = (*table.index, table.series) if table.series else table.index
    rows = results.where(names, table.where)
    indices = list(dict.fromkeys(tuple(row.key[name] for name in table.index) for row in rows))
    columns = list(_columns(experiment, results, table, rows)) if rows else []
    headings = [label(name) for name in table.index] + [heading for heading, _ in columns]
    cells = [
        [str(part) for part in index] + [text(index) for _, text in columns] for index in indices
    ]
    return headings, cells


def markdown(headings, cells):
    """A table in Markdown; numbers to the right."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---:|" * len(headings)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
    return "\n".join(lines) + "\n"


def as_html(headings, cells):
    """A table in HTML."""

    def line(tag, texts):
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

    return "<table>" + line("th", headings) + "".join(line("td", row) for row in cells) + "</table>"


LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "–": "--",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"$<$",
        ">": r"$>$",
    }
)


def latex(title, headings, cells):
    """A table for LaTeX, with nothing but its own commands; numbers to the right."""

    def line(texts):
        return " & ".join(text.translate(LATEX) for text in texts) + r" \\"

    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{title.translate(LATEX)}}}",
            rf"\begin{{tabular}}{{{'r' * len(headings)}}}",
            r"\hline",
            line(headings),
            r"\hline",
            *(line(row) for row in cells),
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def bad_rows(results):
    """What has no numbers, and why."""
    return [
        f"{key_text(row.key)}: {row.status}: {row.reason}"
        for row in results.rows
        if row.status != "good"
    ]


def as_csv(experiment, results, truth):
    """One row a case; lines that begin with # say what machine it was."""
    keys = list(dict.fromkeys(name for row in results.rows for name in row.key))
    values = list(dict.fromkeys(value for row in results.rows for value in row.estimates))
    out = io.StringIO()
    for name, text in truth.items():
        print(f"# {name}: {text}", file=out)
    writer = csv.writer(out, lineterminator="\n")
    parts = [f"{value}{end}" for value in values for end in ("", "_low", "_high", "_paper")]
    ratios = _csv_ratios(experiment, results)
    parts += [f"{column}{end}" for column in ratios for end in ("", "_low", "_high")]
    writer.writerow([*keys, "status", "repetitions", "confidence", *parts, "reason"])
    for row in results.rows:
        numbers = _csv_row(experiment, row, keys, values)
        for found in (column.get(tuple(row.key.items())) for column in ratios.values()):
            numbers += [found.median, found.low, found.high] if found else ["", "", ""]
        writer.writerow([*numbers, row.reason])
    return out.getvalue()


def _csv_ratios(experiment, results):
    """Column -> a case's key -> the Estimate of the ratio that the tables show."""
    columns = {}
    for row in results.rows:
        for table, value, reference in experiment.ratios(row.key):
            found = results.ratio(value, row.key, reference)
            if found:
                column = columns.setdefault(table.ratio_column(value), {})
                column[tuple(row.key.items())] = found
    return columns


def _csv_row(experiment, row, keys, values):
    some = next(iter(row.estimates.values()), None) if row.status == "good" else None
    cells = [row.key.get(name, "") for name in keys] + [row.status]
    cells += [some.count, f"{some.confidence:.4f}"] if some else ["", ""]
    for value in values:
        found = row.estimates.get(value) if row.status == "good" else None
        theirs = experiment.theirs(row.key, value)
        numbers = [found.median, found.low, found.high] if found else ["", "", ""]
        cells += [*numbers, "" if theirs is None else theirs]
    return cells
