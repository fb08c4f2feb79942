# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs an MPI program and prints how many bytes its ranks sent to each other.

Usage: python3 -m cape_bench.sent mpirun ARGUMENTS...

Open MPI counts them itself where messages leave it (its component pml_monitoring), those of which
it makes collective operations, too, and writes them down when a rank calls MPI_Finalize().
"""

import re
import sys
import tempfile
from pathlib import Path

from .process import started

# From rank, to rank, bytes.
_SENT = re.compile(r"^E\t(\d+)\t(\d+)\t(\d+) bytes", re.MULTILINE)
# Where only ob1 may be used, as in scripts/cluster, it needs the permission to stand before it.
MODE = (
    ("pml", "ob1,monitoring"),
    ("pml_monitoring_enable", "1"),
    ("pml_monitoring_enable_output", "3"),
)


def options(folder):
    """What mpirun must be told so that the counts are in FOLDER."""
    named = (*MODE, ("pml_monitoring_filename", f"{folder}/rank"))
    return [word for name, value in named for word in ("--mca", name, value)]


def count(folder):
    """The bytes that all ranks sent to others."""
    texts = [path.read_text(encoding="ascii") for path in Path(folder).glob("rank*.prof")]
    if not texts:
        raise FileNotFoundError("Open MPI has counted nothing: has it no pml_monitoring?")
    found = [line for text in texts for line in _SENT.findall(text)]
    return sum(int(size) for source, target, size in found if source != target)


def main(command):
    """Runs COMMAND; its exit status, or a text when nothing was counted."""
    with tempfile.TemporaryDirectory(prefix="cape-bench.") as folder:
        words = [command[0], *options(folder), *command[1:]]
        with started(words) as run:
            status = run.wait()
        if status:
            return status
        try:
            print(f"sent_bytes {count(folder)}")
        except OSError as error:
            return f"sent: {error}"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
