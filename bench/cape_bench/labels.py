# SPDX-License-Identifier: GPL-2.0-or-later
"""How values and numbers are called and written in tables and plots."""

from math import floor, log10

NAMES = {
    "none": "no checkpoints",
    "mpi": "MPI",
    "openmp": "OpenMP",
    "sd": "SD",
    "ssd_best": "SSD min",
    "ssd_worst": "SSD max",
    "md": "MD",
    "ep": "EP",
    "compact_best": "CAPE min",
    "compact_worst": "CAPE max",
    "np": "nodes",
}
SUFFIXES = ("_seconds", "_us", "_ns", "_bytes", "_percent")


def label(name):
    """The word for a value or a part of a key."""
    name = str(name)
    if name in NAMES:
        return NAMES[name]
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name.replace("_", " ")


def number(value):
    """A measured number with four digits, at least; never with an exponent."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.{3 - floor(log10(abs(value)))}f}"


def spread(estimate, factor=1):
    """The median with its interval, or the number alone if it is exact.

    In square brackets: the least and the most of too few repetitions for an interval.
    """
    median = number(estimate.median * factor)
    if estimate.low == estimate.high:
        return median
    low, high = number(estimate.low * factor), number(estimate.high * factor)
    return f"{median} ({low} to {high})" if estimate.is_sure else f"{median} [{low} to {high}]"


def times(estimate):
    """A ratio in words, or nothing for None."""
    return f"{spread(estimate)} times" if estimate else ""


def key_text(key):
    """A case's key in words."""
    return ", ".join(f"{label(name)} {label(value)}" for name, value in key.items())
