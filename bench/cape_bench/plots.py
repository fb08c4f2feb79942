# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws plots as SVG by gnuplot."""

import re
import shutil
import subprocess

from .errors import UserError
from .labels import label

SIZE = "760,460"
# Told apart by the colour-blind, too (Okabe and Ito).
COLOURS = ("0072B2", "D55E00", "009E73", "CC79A7", "E69F00", "56B4E9", "000000", "999999")
# One method has one colour in all plots.
COLOUR_OF = {
    "tickpt2": "0072B2",
    "mpi": "D55E00",
    "openmp": "009E73",
    "dickpt": "E69F00",
    "tickpt1": "56B4E9",
    "complete": "CC79A7",
    "none": "000000",
}
BAR = 'fs solid 0.7 border lc rgb "#000000"'
NO_INTERVALS = "fewer than 6 repetitions: medians, without intervals"
MOST_MARKS = 8
BARS = 0.8  # of the room between two values of x


def why_not():
    """Why there can be no plots, or nothing."""
    return "" if shutil.which("gnuplot") else "gnuplot is missing (apt-get install gnuplot-nox)"


def _quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', "'") + '"'


class _Script:
    """A gnuplot script that grows: data blocks, and what to plot of them."""

    def __init__(self, has_intervals):
        self.blocks = []
        self.plots = []
        self.has_intervals = has_intervals

    def add(self, rows, using, title, style):
        """Plots ROWS of numbers, if there are any."""
        if rows:
            name = f"$data{len(self.blocks)}"
            lines = "\n".join(" ".join(f"{cell:.10g}" for cell in row) for row in rows)
            self.blocks.append(f"{name} << EOD\n{lines}\nEOD")
            key = f"title {_quoted(title)}" if title else "notitle"
            self.plots.append(f"{name} using {using} {key} {style}")

    def add_line(self, points, title, style):
        """A line of x, median, low, high, with the intervals if they are some."""
        using, kind = ("1:2:3:4", "yerrorlines") if self.has_intervals else ("1:2", "linespoints")
        self.add(points, using, title, f"with {kind} {style}")

    def text(self, settings):
        return "\n".join([*self.blocks, *settings, "plot " + ", \\\n ".join(self.plots), ""])


def _groups(plot, results):
    """Rows by series, and what each series is called."""
    names = (plot.x, plot.series) if plot.series else (plot.x,)
    groups = {}
    for row in results.where(names, plot.where):
        groups.setdefault(row.key[plot.series] if plot.series else "", []).append(row)
    return groups


def _points(plot, rows, value):
    """x, median, low, high of the good rows, in the units of the plot."""
    points = []
    for row in rows:
        found = row.estimates.get(value) if row.status == "good" else None
        if found:
            numbers = (found.median, found.low, found.high)
            points.append((row.key[plot.x], *(number * plot.factor for number in numbers)))
    return [point for point in points if not plot.log or min(point[1:]) > 0]


def _their_points(experiment, plot, rows, value):
    found = [(row.key[plot.x], experiment.theirs(row.key, value)) for row in rows]
    return [(x, y * plot.factor) for x, y in found if y is not None]


def _colour(series, number):
    return COLOUR_OF.get(series, COLOURS[number % len(COLOURS)])


def _names(plot, series, value):
    texts = [label(series)] if plot.series else []
    if len(plot.values) > 1 or not plot.series:
        texts.append(label(value))
    return ", ".join(texts)


def _draw_lines(script, experiment, plot, results):
    number, places = 0, set()
    for series, rows in _groups(plot, results).items():
        for value in plot.values:
            name, colour = _names(plot, series, value), _colour(series, number)
            points = _points(plot, rows, value)
            if "x" in plot.log:
                points = [point for point in points if point[0] > 0]
            style = f'lw 2 pt {number % 13 + 4} ps 0.8 lc rgb "#{colour}"'
            script.add_line(points, name, style)
            theirs = _their_points(experiment, plot, rows, value) if plot.theirs else []
            style = f'with lines dt 2 lw 1.5 lc rgb "#{colour}"'
            script.add(theirs, "1:2", f"{name}, paper", style)
            places |= {point[0] for point in (*points, *theirs)}
            number += 1
    for curve, colour in zip(plot.curves(results), COLOURS * 4):
        points = [point for point in curve.points if not plot.log or point[1] > 0]
        lines = f'lw 1.5 lc rgb "#{colour}"'
        if all(len(point) == 4 for point in points):
            script.add_line(points, curve.label, f"pt 7 ps 0.7 {lines}")
        else:
            script.add(
                [point[:2] for point in points], "1:2", curve.label, f"with lines dt 4 {lines}"
            )
        places |= {point[0] for point in points}
    return _x_axis(plot, places)


def _x_axis(plot, places):
    """The range of x with some room on both sides, and marks where the points are, if few."""
    if not places:
        return []
    least, most = min(places), max(places)
    if "x" in plot.log:
        settings = [f"set xrange [{least / 1.1}:{most * 1.1}]"]
    else:
        room = (most - least) * 0.03 or 1
        settings = [f"set xrange [{least - room}:{most + room}]"]
    if len(places) <= MOST_MARKS:
        marks = ", ".join(f'"{place:g}" {place:.10g}' for place in sorted(places))
        settings.append(f"set xtics ({marks})")
    return settings


def _all_x(plot, groups):
    return sorted({row.key[plot.x] for rows in groups.values() for row in rows})


def _draw_bars(script, experiment, plot, results):
    """Bars of equal width side by side at each x; x need not be at scale."""
    groups = _groups(plot, results)
    places = {x: place for place, x in enumerate(_all_x(plot, groups))}
    width = BARS / max(1, len(groups))
    theirs = []
    for number, (series, rows) in enumerate(groups.items()):
        shift = (number - (len(groups) - 1) / 2) * width
        value = plot.values[0]
        points = _points(plot, rows, value)
        bars = [(places[x] + shift, y, low, high, width * 0.9) for x, y, low, high in points]
        using, kind = ("1:2:3:4:5", "boxerrorbars") if script.has_intervals else ("1:2:5", "boxes")
        style = f'with {kind} {BAR} lc rgb "#{_colour(series, number)}"'
        script.add(bars, using, _names(plot, series, value), style)
        found = _their_points(experiment, plot, rows, value)
        theirs += [(places[x] + shift, y) for x, y in found]
    script.add(theirs, "1:2", "paper", 'with points pt 12 ps 1.2 lw 2 lc rgb "#000000"')
    tics = ", ".join(f"{_quoted(x)} {place}" for x, place in places.items())
    return [f"set xtics ({tics})", f"set xrange [-0.6:{len(places) - 0.4}]"]


def _stack(row, values, factor):
    """Bottom, top, and the top's interval, of each part of a bar."""
    bottom, parts = 0.0, []
    for value in values:
        found = row.estimates[value]
        top = bottom + found.median * factor
        parts.append((bottom, top, bottom + found.low * factor, bottom + found.high * factor))
        bottom = top
    return parts


def _draw_stacked(script, experiment, plot, results):
    """A bar for each x and series, made of the values one on the other."""
    groups = _groups(plot, results)
    xs = _all_x(plot, groups)
    width = BARS / max(1, len(groups))
    tics, parts = [], [[] for _ in plot.values]
    for number, (series, rows) in enumerate(groups.items()):
        for row in rows:
            place = xs.index(row.key[plot.x]) + (number - (len(groups) - 1) / 2) * width
            tics.append(f"{_quoted(f'{label(series)} {row.key[plot.x]}')} {place:.4g}")
            if row.status == "good" and all(value in row.estimates for value in plot.values):
                for part, edges in zip(parts, _stack(row, plot.values, plot.factor)):
                    part.append((place, *edges, width * 0.45))
    for number, (value, part) in enumerate(zip(plot.values, parts)):
        colour = COLOURS[number % len(COLOURS)]
        style = f'with boxxyerror fs solid 0.7 lc rgb "#{colour}"'
        script.add(part, "1:3:($1-$6):($1+$6):2:3", label(value), style)
    for part in parts if script.has_intervals else ():
        style = 'with vectors heads size screen 0.005,90 lw 1.2 lc rgb "#000000"'
        script.add(part, "1:4:(0):($5-$4)", "", style)
    return [
        f"set xtics rotate by 40 right ({', '.join(tics)})",
        f"set xrange [-0.6:{len(xs) - 0.4}]",
    ]


DRAW = {"lines": _draw_lines, "bars": _draw_bars, "stacked": _draw_stacked}


def _has_intervals(results):
    """Whether all numbers have intervals of confidence: only such are drawn."""
    return all(found.is_sure for row in results.rows for found in row.estimates.values())


def script(experiment, plot, results):
    """The gnuplot script for a plot; empty if there is nothing to draw."""
    made = _Script(_has_intervals(results))
    special = DRAW[plot.kind](made, experiment, plot, results)
    if not made.plots:
        return ""
    settings = [
        f'set terminal svg size {SIZE} noenhanced font "sans-serif,13" background "#ffffff"',
        f"set title {_quoted(plot.title + ('' if made.has_intervals else f' ({NO_INTERVALS})'))}",
        f"set xlabel {_quoted(plot.x_label)}",
        f"set ylabel {_quoted(plot.y_label)}",
        "set key outside right top",
        'set grid ytics lc rgb "#dddddd"',
        "set border 3",
        "set tics nomirror",
        "set bars 0.6",
    ]
    if plot.log:
        settings.append(f"set logscale {plot.log}")
    else:
        settings.append("set yrange [0:*]")
    return made.text([*settings, *special])


def draw(experiment, plot, results):
    """The plot as an SVG element for a page, or nothing if there is nothing to draw."""
    text = script(experiment, plot, results)
    if not text:
        return ""
    done = subprocess.run(
        ["gnuplot"], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        raise UserError(f"gnuplot failed on {plot.name}: {done.stderr.strip()[-500:]}")
    return re.sub(r"^.*?(?=<svg)", "", done.stdout, flags=re.DOTALL)
