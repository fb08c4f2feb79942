# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether measurements bear out what is claimed; every verdict carries the criterion it tests.

A ratio is judged by its whole interval, not by its median: what the interval leaves open is "not
shown".  Direction (which is larger) and magnitude (by how much) are two verdicts.
"""

from dataclasses import dataclass

HOLDS = "holds"
BETTER = "better"  # than the paper, for CAPE
FAILS = "does not hold"
SMALLER = f"{FAILS}: smaller"
LARGER = f"{FAILS}: larger"
UNSHOWN = "not shown"
MISSING = "not measured"
TOO_FEW = "too few repetitions"

TOLERANCE = 0.1  # of a paper's number, for "about" that number


@dataclass(frozen=True)
class Verdict:
    """One of the words above, and the test that led to it."""

    word: str
    criterion: str

    @property
    def is_broken(self):
        return self.word.startswith(FAILS)


def _judge(found, criterion, judge):
    if found is None:
        return Verdict(MISSING, criterion)
    if not found.is_sure:
        return Verdict(TOO_FEW, criterion)
    return Verdict(judge(found), criterion)


def above(limit, found):
    """FOUND, an Estimate or None, is larger than LIMIT."""
    return _judge(
        found,
        f"> {limit:g}",
        lambda each: HOLDS if each.low > limit else FAILS if each.high <= limit else UNSHOWN,
    )


def below(limit, found):
    """FOUND is smaller than LIMIT."""
    return _judge(
        found,
        f"< {limit:g}",
        lambda each: HOLDS if each.high < limit else FAILS if each.low >= limit else UNSHOWN,
    )


def between(least, most, found, under=SMALLER, over=LARGER):
    """FOUND lies between LEAST and MOST; UNDER and OVER are the words for what lies outside."""

    def judge(each):
        if each.high < least:
            return under
        if each.low > most:
            return over
        return HOLDS if least <= each.low and each.high <= most else UNSHOWN

    better = {under: f"; better: < {least:.4g}", over: f"; better: > {most:.4g}"}.get(BETTER, "")
    return _judge(found, f"{least:.4g} to {most:.4g}{better}", judge)


def about(value, found, under=SMALLER, over=LARGER):
    """FOUND is a paper's VALUE, give or take TOLERANCE."""
    return between(value * (1 - TOLERANCE), value * (1 + TOLERANCE), found, under, over)


def at_most(limit, better, found):
    """FOUND, of which less is better, is at most LIMIT; below BETTER it is better."""

    def judge(each):
        if each.high < better:
            return BETTER
        return HOLDS if each.high <= limit else FAILS if each.low > limit else UNSHOWN

    return _judge(found, f"<= {limit:g}; better: < {better:g}", judge)


def counted(is_so, criterion):
    """What was counted fulfils the CRITERION or not; None: nothing was counted."""
    word = MISSING if is_so is None else HOLDS if is_so else FAILS
    return Verdict(word, criterion)
