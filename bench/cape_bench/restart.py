# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what saving a run costs, and going on from there.

Usage: python3 -m cape_bench.restart BYTES cape-run ARGUMENTS...     BYTES: that a step changes

The command runs as it is, then saved after each step, and then goes on from the newest save but
one.  The program has ten steps, before which it fills its memory in a region, and prints a line
after each: "step 0" after the first.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .process import Output, with_parent
from .readers import seconds

INTERVAL = 30  # seconds from save to save, for the share of the run that they add
PAUSE = 0.002  # seconds from one look at the folder to the next


class Watch(threading.Thread):
    """Sees sets begin and become complete in a folder."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder = folder
        self.begun, self.taken = {}, {}
        self.over = threading.Event()

    def look(self):
        """Once; sets may go away meanwhile."""
        now = time.monotonic()
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        for path in found:
            if path.name.isdigit():
                self.begun.setdefault(path.name, now)
                if path.name not in self.taken and (path / "run").exists():
                    self.taken[path.name] = now - self.begun[path.name]

    def run(self):
        while not self.over.wait(PAUSE):
            self.look()


def _run(words):
    """Its Output, its first line, and the seconds until it printed that."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as stderr:
        with subprocess.Popen(
            with_parent(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process:
            line = process.stdout.readline()
            first = time.monotonic() - began
            text = line + process.stdout.read()
        stderr.seek(0)
        said = stderr.read()
    if process.returncode != 0:
        sys.stderr.write(said)
        sys.exit(f"restart: status {process.returncode} of {' '.join(words)}")
    return Output(text, said), line, first


def _read(files):
    """The bytes of all FILES, and the seconds that reading them takes."""
    began = time.monotonic()
    size = sum(len(path.read_bytes()) for path in files)
    return size, time.monotonic() - began


def _files(folders):
    return [path for folder in folders for path in folder.iterdir() if path.is_file()]


def _size(folder):
    return sum(path.stat().st_size for path in _files([folder]))


def _chain(folder, last):
    """The sets that the set LAST needs, and that: the first has all memory."""
    return sorted(path for path in folder.iterdir() if path.name.isdigit() and path <= last)


def _report(chain, step_bytes, line, first):
    """What the sets of CHAIN take, from the last of which the run went on with LINE."""
    changed = (int(line.split()[1]) + 1) * step_bytes  # It was saved behind the step's region.
    size, reading = _read(_files(chain))
    print(f"restart_seconds {first:.6f}")
    print(f"read_seconds {reading:.6f}")
    print(f"restart_reads {first / reading:.6f}")
    print(f"set_bytes {_size(chain[0])}")
    print(f"chain_bytes {size}")
    print(f"increment_ratio {(size - _size(chain[0])) / changed:.6f}")


def main(step_bytes, cape_run, words):
    """Measures the three runs."""
    base = Path(tempfile.mkdtemp(prefix="cape-bench-restart-"))
    folder = base / "saved"
    try:
        plain = seconds(_run([cape_run, *words])[0])["run_seconds"]
        watch = Watch(folder)
        watch.start()
        saving = ["--checkpoint", str(folder), "--every", "1", "--keep", "2"]
        saved = seconds(_run([cape_run, *saving, *words])[0])["run_seconds"]
        watch.over.set()
        watch.join()
        watch.look()
        if len(watch.taken) < 3:
            sys.exit("restart: the run ended before its third save was complete")
        print(f"saves {len(watch.taken)}")
        print(f"added_percent {(saved - plain) / len(watch.taken) / INTERVAL * 100:.6f}")
        print(f"save_seconds {statistics.median(watch.taken.values()):.6f}")
        start = folder / sorted(watch.taken)[-2]
        options = words[: words.index("--")]
        _, line, first = _run([cape_run, *options, "--restart", str(start)])
        _report(_chain(folder, start), step_bytes, line, first)
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
