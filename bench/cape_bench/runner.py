# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cases of experiments in turn, again and again, and writes down what they measured.

All cases of an experiment run once before any runs again, so what else the machine does meets all
alike, and a repetition's ratios compare neighbours.  Each repetition begins with another case.
"""

import json
import time
from dataclasses import dataclass

from . import machine, process, readers
from .errors import NotSupported, WrongResult
from .experiment import Case, Results, Row
from .estimate import estimate, exact
from .progress import Progress, time_left

ENOUGH_FAILURES = 2  # then a case is not tried again: it may take its whole time limit


def _id(experiment, key):
    return json.dumps([experiment, key])


@dataclass(frozen=True)
class Step:
    """One run that is to be made."""

    experiment: str
    case: Case
    repetition: int  # 0: the warm-up

    @property
    def id(self):
        return _id(self.experiment, self.case.key)


def plan(name, cases, settings):
    """The steps of one experiment, in their order."""
    steps = []
    for repetition in range(max(map(settings.repetitions_of, cases), default=0) + 1):
        # Counted values need no warm-up.
        due = [
            case
            for case in cases
            if repetition <= settings.repetitions_of(case) and (repetition or not case.counted)
        ]
        first = repetition % len(due) if due else 0
        steps += [Step(name, case, repetition) for case in due[first:] + due[:first]]
    return steps


class Runner:
    """Makes the steps that the store does not hold yet."""

    def __init__(self, store, network, limit, settings, progress=None):
        self.store = store
        self.network = network
        self.limit = limit
        self.settings = settings
        self.progress = progress or Progress()
        self.done = set()
        self.given_up = set()
        self.failures = {}
        self.seconds = {}
        self.results = {}
        for measurement in store.measurements:
            self._learn(measurement)

    def _learn(self, measurement):
        """What a measurement says about the steps to come."""
        which = _id(measurement["experiment"], measurement["key"])
        self.done.add((which, measurement["repetition"]))
        if measurement["status"] == "not run":
            self.given_up.add(which)
        elif measurement["status"] == "failed":
            self.failures[which] = self.failures.get(which, 0) + 1
            if self.failures[which] >= ENOUGH_FAILURES:
                self.given_up.add(which)
        else:
            same = (measurement["experiment"], *measurement["same"])
            self.results.setdefault(same, measurement["result"])
        self.seconds[which] = measurement["seconds"]

    def _is_due(self, step):
        return (step.id, step.repetition) not in self.done and step.id not in self.given_up

    def _check_same(self, step, result):
        """Programs that compute the same must print the same."""
        expected = self.results.get((step.experiment, *step.case.same), result)
        if step.case.same and result != expected:
            raise WrongResult(f"printed {result} where another printed {expected}")

    def _measure(self, step):
        """One run: its measurement."""
        case = step.case
        measurement = {
            "experiment": step.experiment,
            "key": case.key,
            "repetition": step.repetition,
            "status": "good",
            "same": list(case.same),
            "load": machine.load(),
        }
        started = time.monotonic()
        try:
            output = process.run(case.command, self.network.prefix(case.command.nodes), self.limit)
            measurement["values"] = case.read(output)
            measurement["result"] = readers.result(output)
            self._check_same(step, measurement["result"])
        except WrongResult as error:
            measurement |= {"status": "failed", "reason": str(error)}
        except NotSupported as error:
            measurement |= {"status": "not run", "reason": str(error)}
        measurement["seconds"] = round(time.monotonic() - started, 3)
        return measurement

    def _show(self, step, ahead):
        left = time_left([each.id for each in ahead if self._is_due(each)], self.seconds)
        of = self.settings.repetitions_of(step.case)
        self.progress.show(step.experiment, step.repetition, of, step.case.name, left)

    def run(self, steps):
        """Makes all steps; may be interrupted between and during any two."""
        for at, step in enumerate(steps):
            if not self._is_due(step):
                continue
            self._show(step, steps[at:])
            measurement = self._measure(step)
            self.store.add(measurement)
            self._learn(measurement)
            if measurement["status"] != "good":
                said = f"{step.experiment}, {step.case.name}: {measurement['status']}"
                self.progress.say(f"{said}: {measurement['reason']}")
        self.progress.end()


def _status(measurements, repetitions):
    """A case's status and reason: one bad run spoils the row."""
    for measurement in measurements:
        if measurement["status"] == "not run":
            return "not run", measurement["reason"]
        if measurement["status"] == "failed":
            turn = measurement["repetition"]
            when = f"repetition {turn} of {repetitions}" if turn else "the warm-up"
            return "failed", f"in {when}: {measurement['reason']}"
    if not any(measurement["repetition"] for measurement in measurements):
        return "not run", "interrupted before it was its turn"
    return "good", ""


def results(name, cases, measurements, settings):
    """The Results of one experiment, from all measurements of a run."""
    found = {}
    for measurement in measurements:
        if measurement["experiment"] == name:
            found.setdefault(json.dumps(measurement["key"]), []).append(measurement)
    rows = []
    for case in cases:
        own = found.get(json.dumps(case.key), [])
        row = Row(case.key, *_status(own, settings.repetitions_of(case)))
        good = [each for each in own if each["status"] == "good" and each["repetition"]]
        for value in good[0]["values"] if good else ():
            row.samples[value] = [each["values"][value] for each in good]
            make = (lambda samples: exact(samples[0])) if case.counted else estimate
            row.estimates[value] = make(row.samples[value])
        rows.append(row)
    return Results(rows)
