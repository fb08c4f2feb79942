# SPDX-License-Identifier: GPL-2.0-or-later
"""All experiments, in the order of the papers."""

from ..errors import UserError
from . import apps, capture, costs, models, programs, saving, sizes, threads, times

ALL = (
    *sizes.EXPERIMENTS,
    *times.EXPERIMENTS,
    *programs.EXPERIMENTS,
    *models.EXPERIMENTS,
    *capture.EXPERIMENTS,
    *costs.EXPERIMENTS,
    *saving.EXPERIMENTS,
    *apps.EXPERIMENTS,
    *threads.EXPERIMENTS,
)


def find(names):
    """The experiments of these names; "all" is every one."""
    known = {experiment.name: experiment for experiment in ALL}
    for name in names:
        if name != "all" and name not in known:
            raise UserError(f'there is no experiment "{name}"; there are: all {" ".join(known)}', 2)
    if "all" in names:
        return list(ALL)
    return [experiment for experiment in ALL if experiment.name in names]
