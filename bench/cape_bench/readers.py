# SPDX-License-Identifier: GPL-2.0-or-later
"""What the measured programs print, as numbers.

Every program checks its own result, and ends with a status that is not 0 if it is wrong.
"""

import json
import re

from .errors import NotSupported, WrongResult

_RUN_TIME = re.compile(r"^\w+: (\w+) time ([0-9.]+) s$", re.MULTILINE)
_NUMBER = re.compile(r"^([a-z]\w*) (-?[0-9.]+(?:e[-+]?\d+)?)$", re.MULTILINE)


def seconds(output):
    """The times that the program took of its parts; "run" is that of the parallel part."""
    times = {f"{name}_seconds": float(value) for name, value in _RUN_TIME.findall(output.stderr)}
    if "run_seconds" not in times:
        raise WrongResult("the program printed no run time")
    return times


def numbers(output):
    """Lines of a name and a number."""
    found = {name: float(value) for name, value in _NUMBER.findall(output.stdout)}
    if not found:
        raise WrongResult("the program printed no numbers")
    return found


def statistics(output):
    """The nodes' counts that cape-run --stats=json prints: a list of dictionaries."""
    start = output.stderr.find('{"method"')
    try:
        return json.JSONDecoder().raw_decode(output.stderr, start)[0]["nodes"]
    except (ValueError, KeyError, IndexError):
        raise WrongResult("cape-run printed no statistics") from None


def result(output):
    """What two programs must agree on: the lines that name the result, not the team."""
    return [line for line in output.stdout.splitlines() if re.match(r"^\w+: ", line)]


# Counts of cape-run --stats=json that are summed up over the nodes, where this version has them.
SUMS = ("own_bytes", "sent_bytes", "pages_captured", "locks", "capture_seconds")


def cape(output):
    """A program under cape-run --stats=json: its times and its nodes' counts."""
    nodes = statistics(output)
    values = seconds(output)
    for name in SUMS:
        if name in nodes[0]:
            values[name] = sum(node[name] for node in nodes)
    return values


def checkpoint_size(output):
    """The bytes of all nodes' checkpoints as the papers count: in SSD, with 32-bit addresses."""
    nodes = statistics(output)
    if "paper_bytes" not in nodes[0]:
        raise NotSupported("this cape-run does not count checkpoints as the papers do")
    return {"checkpoint_bytes": sum(node["paper_bytes"] for node in nodes)}
