# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes of measurements EXPERIMENT.csv, .json, .md and .tex, summary.md and report.html."""

import html
import json
import os
import re
import shutil
from dataclasses import asdict
from pathlib import Path

from . import claims, machine, plots, published, tables
from .errors import UserError
from .experiments import ALL, find
from .experiment import NARROW, Settings
from .runner import results as results_of
from .store import IDENTITY, write_whole, writing

INTERVAL = (
    "Numbers are medians of interleaved repetitions, with the 95 % confidence interval of order "
    "statistics in round brackets. Fewer than 6 repetitions have no such interval: [least to most] "
    "of them is in square brackets, and nothing is judged by it. Ratios are medians of the "
    "repetitions' ratios. Papers' numbers are theirs, on their machines."
)
OF_MEDIANS = (
    " Where only medians were published, a ratio that no table shows is that of the medians, "
    "between the furthest ends of their intervals."
)
STYLE = """
body { font-family: sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0; font-size: 90% }
th, td { border: 1px solid #ccc; padding: .25em .6em; text-align: right }
th { background: #f2f2f2 }
td.text, th.text { text-align: left }
svg { max-width: 100%; height: auto }
.bad { color: #a00 }
"""


class Part:
    """One experiment of a run, with all that is shown of it."""

    def __init__(self, experiment, results):
        self.experiment = experiment
        self.results = results
        self.claims = list(experiment.claims(results))
        self.bad = tables.bad_rows(results)
        made = ((table, *tables.grid(experiment, results, table)) for table in experiment.tables)
        self.grids = [(table, headings, cells) for table, headings, cells in made if cells]


def parts(store, tools):
    """The run's experiments, in order."""
    identity = store.identity
    settings = Settings(**{**identity["settings"], "nodes": tuple(identity["settings"]["nodes"])})
    for experiment in find(identity["experiments"]):
        cases = experiment.cases(tools, settings)
        if store.is_published:
            results = published.results(experiment, cases, store.folder)
        else:
            results = results_of(experiment.name, cases, store.measurements, settings)
        yield Part(experiment, results)


def _remarks(store, shown):
    """What a reader must know of the numbers of the Parts that are SHOWN."""
    found = [INTERVAL + (OF_MEDIANS if store.is_published else "")]
    truth = store.identity["machine"]
    loaded = machine.why_loaded(truth)
    if loaded:
        found.append(f"Measured on a loaded machine: {loaded}")
    rows = [row for part in shown if part.experiment.network for row in part.results.rows]
    nodes = max((row.key.get("np", 1) for row in rows), default=1)
    if nodes > int(truth["processors"]):
        found.append(
            f"Up to {nodes} nodes shared {truth['processors']} processors: times are not those of "
            "as many machines, and programs that poll while they wait, as MPI's do, lose more by "
            "that than CAPE, whose monitors sleep."
        )
    return found


def _as_json(part, store):
    rows = [
        {
            "key": row.key,
            "status": row.status,
            "reason": row.reason,
            "values": {
                name: {
                    "median": found.median,
                    "low": found.low,
                    "high": found.high,
                    "confidence": round(found.confidence, 4),
                    "samples": found.samples,
                    "paper": part.experiment.theirs(row.key, name),
                }
                for name, found in (row.estimates if row.status == "good" else {}).items()
            },
        }
        for row in part.results.rows
    ]
    whole = {
        "experiment": part.experiment.name,
        "title": part.experiment.title,
        "source": part.experiment.source,
        "machine": store.identity["machine"],
        "settings": store.identity["settings"],
        "rows": rows,
        "claims": [asdict(claim) for claim in part.claims],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _machine_line(store):
    machine = store.identity["machine"]
    settings = store.identity["settings"]
    more = f" ({NARROW} times as many of short runs)" if settings["scale"] == "default" else ""
    return (
        "; ".join(f"{name} {text}" for name, text in machine.items() if name != "mitigations")
        + f"; {settings['repetitions']} repetitions{more}, {settings['scale']} sizes, "
        + f"network {settings['network']}"
    )


def _markdown(part, store):
    experiment = part.experiment
    lines = [f"## {experiment.name}: {experiment.title}", "", f"After {experiment.source}.", ""]
    for table, headings, cells in part.grids:
        lines += [f"**{table.title}**", "", tables.markdown(headings, cells)]
    if part.claims:
        lines += [tables.markdown(*claims.grid(part.claims)), claims.TOLD, ""]
    if experiment.note:
        lines += [experiment.note, ""]
    lines += [f"- {text}" for text in part.bad] + ([""] if part.bad else [])
    for remark in (*_remarks(store, [part]), f"Measured on: {_machine_line(store)}."):
        lines += [remark, ""]
    mitigations = store.identity["machine"].get("mitigations", "")
    return "\n".join([*lines, f"Mitigations: {mitigations}.", ""])


def _latex(part):
    return "\n".join(
        tables.latex(f"{part.experiment.name}: {table.title}", headings, cells)
        for table, headings, cells in part.grids
    )


def summary(all_parts, store):
    """One line for each experiment; what a README shows."""
    headings = ["experiment", "", "after", "direction", "magnitude", "cases", "failed or not run"]
    cells = [
        [
            f"[{part.experiment.name}]({part.experiment.name}.md)",
            part.experiment.title,
            part.experiment.source,
            claims.count(claim.direction for claim in part.claims),
            claims.count(claim.magnitude for claim in part.claims),
            str(len(part.results.rows)),
            str(len(part.bad)),
        ]
        for part in all_parts
    ]
    shown = tables.markdown(headings, cells).replace("---:|" * 5, ":---|" * 5, 1)
    lines = [shown, claims.TOLD, ""]
    left_open = [
        line for part in all_parts for line in claims.open_ones(part.experiment.name, part.claims)
    ]
    if left_open:
        lines += ["What does not hold, or is not shown:", ""]
        lines += [*(f"- {line}" for line in left_open), ""]
    for remark in (*_remarks(store, all_parts), f"Measured on: {_machine_line(store)}."):
        lines += [remark, ""]
    return "\n".join(lines)


def _html_part(part, pictures):
    experiment = part.experiment
    text = html.escape
    out = [
        f'<h2 id="{text(experiment.name)}">{text(experiment.name)}: {text(experiment.title)}</h2>',
        f"<p>After {text(experiment.source)}.</p>",
        *pictures,
    ]
    for table, headings, cells in part.grids:
        out += [f"<h3>{text(table.title)}</h3>", tables.as_html(headings, cells)]
    if part.claims:
        out += ["<h3>What the papers say, and here</h3>", tables.as_html(*claims.grid(part.claims))]
    if experiment.note:
        out.append(f"<p>{text(experiment.note)}</p>")
    if part.bad:
        items = "".join(f'<li class="bad">{text(line)}</li>' for line in part.bad)
        out.append(f"<h3>Failed or not run</h3><ul>{items}</ul>")
    return "\n".join(out)


def _html_verdicts(all_parts):
    """All verdicts in a line for each experiment, and what is open."""
    text = html.escape
    rows = "".join(
        f'<tr><td class="text"><a href="#{text(part.experiment.name)}">'
        f"{text(part.experiment.name)}</a></td>"
        f'<td class="text">{text(part.experiment.title)}</td>'
        f'<td class="text">{text(claims.count(claim.direction for claim in part.claims))}</td>'
        f'<td class="text">{text(claims.count(claim.magnitude for claim in part.claims))}</td>'
        f"<td>{len(part.bad)} of {len(part.results.rows)}</td></tr>"
        for part in all_parts
    )
    left_open = "".join(
        f"<li>{text(line)}</li>"
        for part in all_parts
        for line in claims.open_ones(part.experiment.name, part.claims)
    )
    headings = ("experiment", "", "direction", "magnitude", "failed or not run")
    return (
        "<h2>Verdicts</h2><table><tr>"
        + "".join(f'<th class="text">{heading}</th>' for heading in headings)
        + f"</tr>{rows}</table>"
        + (f"<h3>What does not hold, or is not shown</h3><ul>{left_open}</ul>" if left_open else "")
    )


def _html(all_parts, store, pictures, missing):
    text = html.escape
    machine = store.identity["machine"].items()
    rows = "".join(
        f'<tr><th class="text">{text(name)}</th><td class="text">{text(value)}</td></tr>'
        for name, value in machine
    )
    settings = store.identity["settings"]
    chosen = ", ".join(f"{name} {value}" for name, value in settings.items())
    return "\n".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f"<title>CAPE: measurements</title><style>{STYLE}</style></head><body>",
            "<h1>CAPE: measurements</h1>",
            _html_verdicts(all_parts),
            *(f"<p>{text(remark)}</p>" for remark in _remarks(store, all_parts)),
            "<p>Error bars are the 95 % intervals; without them there are none.</p>",
            f"<p>{text(claims.TOLD)}</p>",
            f'<p class="bad">No plots: {text(missing)}.</p>' if missing else "",
            f"<table>{rows}</table><p>Settings: {text(chosen)}.</p>",
            *(_html_part(part, pictures.get(part.experiment.name, ())) for part in all_parts),
            "</body></html>",
            "",
        ]
    )


def _pictures(part):
    drawn = (plots.draw(part.experiment, plot, part.results) for plot in part.experiment.plots)
    return [f"<figure>{svg}</figure>" for svg in drawn if svg]


def write(store, tools):
    """Writes every output into the run's folder; returns the Parts and why there are no plots.

    Published results have tables only, and their CSV files are all that was measured.
    """
    all_parts = list(parts(store, tools))
    if store.is_published:
        for part in all_parts:
            write_whole(store.folder / f"{part.experiment.name}.md", _markdown(part, store))
        write_whole(store.folder / "summary.md", summary(all_parts, store))
        return all_parts, ""
    for part in all_parts:
        base = store.folder / part.experiment.name
        truth = store.identity["machine"]
        write_whole(f"{base}.csv", tables.as_csv(part.experiment, part.results, truth))
        write_whole(f"{base}.json", _as_json(part, store))
        write_whole(f"{base}.md", _markdown(part, store))
        write_whole(f"{base}.tex", _latex(part))
    write_whole(store.folder / "summary.md", summary(all_parts, store))
    missing = plots.why_not()
    pictures = {part.experiment.name: _pictures(part) for part in all_parts if not missing}
    write_whole(store.folder / "report.html", _html(all_parts, store, pictures, missing))
    return all_parts, missing


def publish(store, folder):
    """Copies the tables, not the pictures, to FOLDER; older ones there go."""
    folder = Path(folder)
    names = [f"{each.name}{end}" for each in ALL for end in (".csv", ".md")]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in (IDENTITY, "summary.md", *names):
            if (store.folder / name).exists():
                shutil.copyfile(store.folder / name, folder / name)
            else:
                (folder / name).unlink(missing_ok=True)


def put_into_readme(folder, readme):
    """Puts FOLDER/summary.md between the markers of the file README."""
    begin, end = "<!-- results: begin -->", "<!-- results: end -->"
    try:
        results = (Path(folder) / "summary.md").read_text(encoding="utf-8")
        text = Path(readme).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {error.filename}: {error.strerror}") from None
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise UserError(f'{readme} has no lines "{begin}" and "{end}"')
    there = os.path.relpath(folder, Path(readme).parent)
    results = re.sub(r"\]\((?=[\w.]+\.md\))", f"]({there}/", results)
    write_whole(readme, f"{before}{begin}\n{results}{end}{after}")
