# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints how much of a core the monitors of a CAPE program use while it computes.

Usage: python3 -m cape_bench.idle SECONDS cape-run ARGUMENTS...      the program must take longer
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SETTLE = 2  # seconds until the program has left its sequential part


def _stat(process):
    """Name, parent and used processor seconds."""
    text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return name, int(fields[1]), used


def _monitors(ancestor):
    """The monitors below ANCESTOR and what each has used."""
    stats = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stats[int(entry.name)] = _stat(entry.name)
            except (FileNotFoundError, ProcessLookupError):
                continue
    found = {}
    for process, (name, parent, used) in stats.items():
        while parent not in (0, ancestor):
            parent = stats[parent][1] if parent in stats else 0
        if parent == ancestor and name == "cape-monitor":
            found[process] = used
    return found


def main(seconds, command):
    """Runs COMMAND, watches it for SECONDS, and ends it."""
    run = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(SETTLE)
        before = _monitors(run.pid)
        time.sleep(seconds)
        after = _monitors(run.pid)
    finally:
        run.send_signal(signal.SIGTERM)
        run.wait()
    shares = [(after[each] - before[each]) / seconds * 100 for each in before if each in after]
    if not shares:
        sys.exit("idle: no monitor was there from begin to end")
    print(f"monitor_percent {max(shares):.3f}")


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
