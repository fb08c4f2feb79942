# SPDX-License-Identifier: GPL-2.0-or-later
"""The median of a few measurements and how well it is known.

The interval is that of order statistics: it needs no assumption about the distribution.  Between
the k-th smallest and the k-th largest of n values lies the true median with the probability
1 - 2 P(B < k), B binomial (n, 1/2).  Below 6 values no interval reaches 95 %; then it spans all of
them, and its own confidence is told.
"""

from dataclasses import dataclass
from math import comb
from statistics import median

WANTED_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A median, its interval LOW .. HIGH, and the probability that the interval holds it."""

    median: float
    low: float
    high: float
    confidence: float  # 0 for a single value, which says nothing of its spread
    samples: tuple  # none if only the rest of this was kept
    count: int

    @property
    def is_sure(self):
        """Whether its interval is one of confidence, and not all that was seen."""
        return self.confidence >= WANTED_CONFIDENCE


def _confidence(count, rank):
    """That the true median lies between the RANK-th smallest and the RANK-th largest."""
    return 1 - 2 * sum(comb(count, below) for below in range(rank)) / 2**count


def estimate(samples):
    """The Estimate of one or more numbers."""
    values = sorted(samples)
    count = len(values)
    rank = 1
    while 2 * (rank + 1) <= count and _confidence(count, rank + 1) >= WANTED_CONFIDENCE:
        rank += 1
    return Estimate(
        median(values),
        values[rank - 1],
        values[-rank],
        _confidence(count, rank),
        tuple(samples),
        count,
    )


def exact(value):
    """The Estimate of something that was counted or is known, not measured."""
    return Estimate(value, value, value, 1.0, (value,), 1)


def ratio(values, references):
    """The Estimate of VALUES over REFERENCES, of which equal positions were measured together."""
    return estimate([value / reference for value, reference in zip(values, references)])


def ratio_of_medians(over, under):
    """The Estimate of OVER over UNDER where their repetitions are not known.

    It reaches as far as the two intervals let it, which is further than repetitions would show.
    """
    return Estimate(
        over.median / under.median,
        over.low / under.high,
        over.high / under.low,
        min(over.confidence, under.confidence),
        (),
        min(over.count, under.count),
    )
