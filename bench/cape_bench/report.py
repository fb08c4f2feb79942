# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes of a run's measurements: EXPERIMENT.csv, .json and .md, summary.md and report.html."""

import html
import json
import os
import re
import shutil
from pathlib import Path

from . import plots, tables
from .errors import UserError
from .experiments import ALL, find
from .experiment import NARROW, Settings
from .runner import results as results_of
from .store import write_whole, writing

INTERVAL = (
    "Numbers are medians of interleaved repetitions, with the 95 % confidence interval of order "
    "statistics (below 6 repetitions: all values, at the confidence that the CSV names). Ratios "
    "are medians of the repetitions' ratios. Papers' numbers are theirs, on their machines."
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
        yield Part(
            experiment,
            results_of(experiment.name, cases, store.measurements, settings),
        )


def verdict(holds):
    return {True: "yes", False: "NO", None: "not judged"}[holds]


def _claim_grid(part):
    headings = ["", "papers", "here", "holds"]
    return headings, [
        [claim.text, claim.theirs, claim.ours, verdict(claim.holds)] for claim in part.claims
    ]


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
        "claims": [vars(claim) for claim in part.claims],
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
        lines += [tables.markdown(*_claim_grid(part))]
    if experiment.note:
        lines += [experiment.note, ""]
    lines += [f"- {text}" for text in part.bad] + ([""] if part.bad else [])
    lines += [INTERVAL, "", f"Measured on: {_machine_line(store)}.", ""]
    mitigations = store.identity["machine"].get("mitigations", "")
    return "\n".join([*lines, f"Mitigations: {mitigations}.", ""])


def _count(part, holds):
    return sum(claim.holds is holds for claim in part.claims)


def summary(all_parts, store):
    """One line for each experiment; what a README shows."""
    headings = ["experiment", "", "after", "holds", "does not", "cases", "failed or not run"]
    cells = [
        [
            f"[{part.experiment.name}]({part.experiment.name}.md)",
            part.experiment.title,
            part.experiment.source,
            str(_count(part, True)),
            str(_count(part, False)),
            str(len(part.results.rows)),
            str(len(part.bad)),
        ]
        for part in all_parts
    ]
    lines = [tables.markdown(headings, cells).replace("---:|---:|---:", ":---|:---|:---", 1)]
    broken = [
        f"- {part.experiment.name}: {claim.text}: "
        f"papers {claim.theirs or 'none'}, here {claim.ours}"
        for part in all_parts
        for claim in part.claims
        if claim.holds is False
    ]
    if broken:
        lines += ["What does not hold:", "", *broken, ""]
    return "\n".join([*lines, INTERVAL, "", f"Measured on: {_machine_line(store)}.", ""])


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
        out += ["<h3>What the papers say, and here</h3>", tables.as_html(*_claim_grid(part))]
    if experiment.note:
        out.append(f"<p>{text(experiment.note)}</p>")
    if part.bad:
        items = "".join(f'<li class="bad">{text(line)}</li>' for line in part.bad)
        out.append(f"<h3>Failed or not run</h3><ul>{items}</ul>")
    return "\n".join(out)


def _html(all_parts, store, pictures, missing):
    text = html.escape
    machine = store.identity["machine"].items()
    rows = "".join(
        f'<tr><th class="text">{text(name)}</th><td class="text">{text(value)}</td></tr>'
        for name, value in machine
    )
    index = "".join(
        f'<li><a href="#{text(part.experiment.name)}">{text(part.experiment.name)}</a>: '
        f"{text(part.experiment.title)}</li>"
        for part in all_parts
    )
    settings = store.identity["settings"]
    chosen = ", ".join(f"{name} {value}" for name, value in settings.items())
    return "\n".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f"<title>CAPE: measurements</title><style>{STYLE}</style></head><body>",
            "<h1>CAPE: measurements</h1>",
            f"<p>{text(INTERVAL)} Error bars are these intervals.</p>",
            f'<p class="bad">No plots: {text(missing)}.</p>' if missing else "",
            f"<table>{rows}</table><p>Settings: {text(chosen)}.</p><ul>{index}</ul>",
            *(_html_part(part, pictures.get(part.experiment.name, ())) for part in all_parts),
            "</body></html>",
            "",
        ]
    )


def _pictures(part):
    drawn = (plots.draw(part.experiment, plot, part.results) for plot in part.experiment.plots)
    return [f"<figure>{svg}</figure>" for svg in drawn if svg]


def write(store, tools):
    """Writes every output into the run's folder; returns the Parts and why there are no plots."""
    all_parts = list(parts(store, tools))
    for part in all_parts:
        base = store.folder / part.experiment.name
        truth = store.identity["machine"]
        write_whole(f"{base}.csv", tables.as_csv(part.experiment, part.results, truth))
        write_whole(f"{base}.json", _as_json(part, store))
        write_whole(f"{base}.md", _markdown(part, store))
    write_whole(store.folder / "summary.md", summary(all_parts, store))
    missing = plots.why_not()
    pictures = {part.experiment.name: _pictures(part) for part in all_parts if not missing}
    write_whole(store.folder / "report.html", _html(all_parts, store, pictures, missing))
    return all_parts, missing


def publish(store, folder):
    """Copies the tables, not the pictures, to FOLDER; older ones there go."""
    folder = Path(folder)
    names = ["summary.md"] + [f"{each.name}{end}" for each in ALL for end in (".csv", ".md")]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
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
