# SPDX-License-Identifier: GPL-2.0-or-later
"""trial.py - what the programs that harm runs share: trials in namespaces of their own.

A trial lives in process and mount namespaces of its own, so that all that is there is its own, and
in which /mnt and /dev/shm are empty.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
BUILD = os.path.realpath(os.environ.get("CAPE_BUILD", os.path.join(ROOT, "build")))
sys.path.insert(0, f"{ROOT}/tests")
from tap import Tap

SCRATCH = os.environ.get("CAPE_FAULTS_SCRATCH", "")
LIMIT = 10  # seconds from a fault to the end


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def processes():
    """Of this namespace but this one: pid, name, state; Open MPI 5's prterun is called mpirun."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        text = read(f"/proc/{pid}/stat")
        if text and int(pid) != os.getpid():
            end = text.rindex(")")
            name = text[text.index("(") + 1:end]
            found.append((int(pid), "mpirun" if name == "prterun" else name, text[end + 2]))
    return found


def alive():
    return [found for found in processes() if found[2] not in "ZX"]


class Trial:
    """One of them; FOLDER is empty, is TMPDIR of what it starts, and must be left empty."""

    def __init__(self, seed, number, folder):
        self.choice = random.Random(f"{seed}/{number}")
        self.folder = folder
        self.statuses = {}
        self.hit = None
        self.runner = None

    def reap(self):
        """As the namespace's first process this one inherits what loses its parent."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self.statuses[pid] = os.waitstatus_to_exitcode(status)

    def wait(self, until, seconds, nap=0.02):
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            self.reap()
            if until():
                return True
            time.sleep(nap)
        return False

    def start(self, command):
        """Its process; what it prints goes to stdout and stderr of SCRATCH."""
        with open(f"{SCRATCH}/stdout", "wb") as out, open(f"{SCRATCH}/stderr", "wb") as err:
            # Kept, or subprocess would reap it.
            self.runner = subprocess.Popen(command, env=dict(os.environ, TMPDIR=self.folder),
                                           stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        return self.runner.pid

    def left(self):
        """What is still there a while after the end, as lines; then it is not."""
        wrong = []
        if not self.wait(lambda: not alive(), LIMIT / 2):
            wrong += [f"alive: {name} ({pid}, {state})" for pid, name, state in alive()]
            for pid, _, _ in alive():
                os.kill(pid, signal.SIGKILL)
            self.wait(lambda: not alive(), LIMIT)
        return wrong + [f"left: {path}" for path in self.files()]

    def files(self):
        left = []
        for base in (self.folder, "/dev/shm"):
            for name in os.listdir(base):
                path = os.path.join(base, name)
                left.append(path)
                if os.path.isdir(path):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    os.unlink(path)
        return left


def inside(kind, options):
    for base in ("/dev/shm", "/mnt"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "none", base], check=True)
    os.mkdir("/mnt/tmp")
    hit = 0
    numbers = range(options.first, options.first + options.trials)
    if options.only is not None:
        numbers = [options.only]
    tap = Tap(len(numbers))
    for number in numbers:
        trial = kind(options.seed, number, "/mnt/tmp")
        wrong = trial.run()
        hit += trial.hit is not None
        if wrong:
            wrong.append(f"again: {options.script} --seed {options.seed} --only {number}")
        tap.report(f"{number}: {trial}", "\n".join(wrong))
    print(f"# {hit} of {len(numbers)} trials hit a process")
    return tap.status()


def main(script, usage, kind, sources, switches=()):
    """Runs the trials of class KIND, a Trial, which its SWITCHES may have chosen; SOURCES are built
    for them into SCRATCH."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int)
    parser.add_argument("--inside", action="store_true")
    for switch in switches:
        parser.add_argument(switch, action="store_true")
    options = parser.parse_args()
    options.script = " ".join([os.path.relpath(os.path.realpath(script), ROOT),
                               *(switch for switch in switches if switch in sys.argv)])
    if options.inside:
        return inside(kind, options)
    scratch = tempfile.mkdtemp(prefix="cape-faults-")
    try:
        for source in sources:
            name = os.path.splitext(os.path.basename(source))[0]
            subprocess.run([f"{BUILD}/bin/cape-cc", "-O2", f"{ROOT}/tests/run/{source}", "-o",
                            f"{scratch}/{name}"], check=True)
        return subprocess.run(
            ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc",
             sys.executable, os.path.realpath(script), "--inside", *sys.argv[1:]],
            env=dict(os.environ, CAPE_FAULTS_SCRATCH=scratch), check=False).returncode
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
