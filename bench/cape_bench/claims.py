# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims and their verdicts as text: a table, counts, and what is not borne out."""

from . import verdict

HEADINGS = ["", "", "papers", "here", "direction", "magnitude"]
NOTHING = "–"
TOLD = (
    "Direction: whether it is more or less, as the papers say; magnitude: whether by as much. In "
    "brackets behind a verdict is what the whole interval must be for it to hold. What the "
    'interval leaves open is "not shown"; "better" is better for CAPE than in the paper; '
    f'{NOTHING}: nothing is claimed. "About" a number is that number give or take '
    f"{verdict.TOLERANCE:.0%}. Limits for what the papers give no number for are this project's."
)


def _text(judged):
    return f"{judged.word} ({judged.criterion})" if judged else NOTHING


def grid(claims):
    """Headings and rows of text."""
    return HEADINGS, [
        [
            claim.case,
            claim.text,
            claim.theirs,
            claim.ours,
            _text(claim.direction),
            _text(claim.magnitude),
        ]
        for claim in claims
    ]


def count(judged):
    """How many of the verdicts, some of them None, have which word."""
    words = [verdict.FAILS if each.is_broken else each.word for each in judged if each]
    return ", ".join(f"{word}: {words.count(word)}" for word in dict.fromkeys(words)) or NOTHING


def _short(judged):
    return judged.word if judged else NOTHING


def _beside(claim):
    """What the papers have for the claim's case, and what is here."""
    where = f"{claim.case}: " if claim.case else ""
    return f"{where}papers {claim.theirs}, here {claim.ours}"


def open_ones(name, claims):
    """Lines that say what of an experiment's claims is broken or not shown, like with like."""
    found = {}
    for claim in claims:
        if any(each.is_broken or each.word == verdict.UNSHOWN for each in claim.verdicts):
            said = f"direction {_short(claim.direction)}, magnitude {_short(claim.magnitude)}"
            found.setdefault(f"{name}: {claim.text}: {said}: ", []).append(claim)
    return [what + "; ".join(map(_beside, some)) for what, some in found.items()]
