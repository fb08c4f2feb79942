# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command and prints the peak resident memory of a program's processes, and of the monitors.

Usage: python3 -m cape_bench.resident PROGRAM COMMAND...

The kernel keeps each process's peak (VmHWM) while it lives; it is looked at again and again, so
only what a process takes in its last moment can be missed.
"""

import sys
import time
from pathlib import Path

from .process import started

PAUSE = 0.02  # seconds from one look to the next


def _parent(process):
    """The process that started this one."""
    text = (process / "stat").read_text(encoding="utf-8", errors="replace")
    return int(text.rpartition(")")[2].split()[1])


def _peak(process):
    """Its greatest resident memory until now, in bytes."""
    for line in (process / "status").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _below(ancestor):
    """The folders in /proc of all processes below ANCESTOR, by number."""
    parents, folders = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = _parent(folder)
                folders[int(folder.name)] = folder
            except (FileNotFoundError, ProcessLookupError):
                continue
    found = {}
    for process, folder in folders.items():
        above = parents[process]
        while above not in (0, ancestor):
            above = parents.get(above, 0)
        if above == ancestor or process == ancestor:
            found[process] = folder
    return found


def look(ancestor, program, peaks):
    """Brings PEAKS up to date: process -> (is it the program or a monitor, bytes)."""
    for process, folder in _below(ancestor).items():
        try:
            path = (folder / "exe").readlink()
            if path == program or path.name == "cape-monitor":
                # One that ends meanwhile has no memory any more.
                before = peaks.get(process, (False, 0))[1]
                peaks[process] = (path == program, max(before, _peak(folder)))
        except (FileNotFoundError, ProcessLookupError):
            continue


def main(program, command):
    """Runs COMMAND; its exit status, or a text when no process of PROGRAM was seen."""
    program = Path(program).resolve()
    peaks = {}
    with started(command) as run:
        while run.poll() is None:
            look(run.pid, program, peaks)
            time.sleep(PAUSE)
    if run.returncode:
        return run.returncode
    programs = [size for is_program, size in peaks.values() if is_program]
    monitors = [size for is_program, size in peaks.values() if not is_program]
    if not programs:
        return f"resident: no process of {program} was seen"
    print(f"processes {len(programs)}")
    print(f"most_bytes {max(programs)}\nleast_bytes {min(programs)}")
    print(f"monitor_bytes {max(monitors, default=0)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
