# SPDX-License-Identifier: GPL-2.0-or-later
"""What machine, kernel, Open MPI and CAPE the numbers belong to; part of every output."""

import os
import platform
import subprocess
from hashlib import sha256
from pathlib import Path


MOST_LOAD = 0.5  # for each processor, of what else the machine does


def _first_line(*command, cwd=None):
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=cwd, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return lines[0].strip() if lines else ""


def _field(path, name):
    """The value of the first "NAME : value" line of a file in /proc."""
    try:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            if line.partition(":")[0].strip() == name:
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return ""


def _mitigations():
    """What the kernel does against the processor's faults; each costs time at system calls."""
    active = []
    for path in sorted(Path("/sys/devices/system/cpu/vulnerabilities").glob("*")):
        text = path.read_text(encoding="utf-8").strip()
        if text.startswith("Mitigation"):
            active.append(f"{path.name}: {text.partition(':')[2].strip()}")
        elif text.startswith("Vulnerable"):
            active.append(f"{path.name}: none")
    return "; ".join(active) or "none needed"


def _virtual():
    return _first_line("systemd-detect-virt", "--vm") or (
        "yes" if "hypervisor" in _field("/proc/cpuinfo", "flags").split() else "no"
    )


def _commit(tools):
    """Of the sources that the programs were built from."""
    written = tools.library / "commit"
    if written.exists():
        return written.read_text(encoding="utf-8").strip()
    folder = tools.library
    commit = _first_line("git", "rev-parse", "--short=12", "HEAD", cwd=folder)
    changed = _first_line("git", "status", "--porcelain", "--untracked-files=no", cwd=folder)
    return (commit or "unknown") + (", with changes" if changed else "")


def load():
    """Runnable processes, the kernel's average over a minute."""
    return round(os.getloadavg()[0], 2)


def why_loaded(known):
    """What to say of a machine that was busy when a run began, or nothing; KNOWN is its truth()."""
    processors = int(known["processors"])
    if float(known["load"]) <= MOST_LOAD * processors:
        return ""
    return (
        f"its load was {known['load']} on {processors} processors when the run began, more than "
        f"{MOST_LOAD} for each; times are longer than they would be, and not alike."
    )


def binaries(tools):
    """A short hash of everything that is measured, so that a run is continued with the same."""
    digest = sha256()
    for path in tools.measured():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def truth(tools):
    """All of it, as ordered pairs of names and texts."""
    memory = int(_field("/proc/meminfo", "MemTotal").split()[0] or 0) / 2**20
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor(),
        "processors": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory:.1f} GiB",
        "virtual machine": _virtual(),
        "kernel": platform.release(),
        "mitigations": _mitigations(),
        "load": str(load()),
        "Open MPI": _first_line("mpirun", "--version").rpartition(" ")[2] or "not installed",
        "compiler": _first_line("gcc", "--version"),
        "back end": "driver /dev/cape" if os.access("/dev/cape", os.W_OK) else "mprotect",
        "commit": _commit(tools),
        "binaries": binaries(tools),
    }
