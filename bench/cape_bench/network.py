# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster that runs are made on: none (shared memory), or one of scripts/cluster."""

import os
import shutil
import subprocess

from .errors import UserError

RATES = ("shm", "100mbit", "1gbit")
LIMITED = "100mbit"  # the papers' network
CALL_LIMIT = 120  # seconds


def why_not():
    """Why this machine can have no network, or nothing."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not (shutil.which("tc") and shutil.which("ip")):
        return "ip and tc are missing (apt-get install iproute2)"
    return ""


class Network:
    """Comes up when it is first needed, and goes with its process, whatever ends that."""

    def __init__(self, tools, rate, nodes):
        self.tools = tools
        self.rate = rate
        self.nodes = nodes  # how many it must have
        self.name = f"bench-{os.getpid()}"
        self.is_up = False

    def _call(self, *words):
        command = [str(self.tools.cluster), "--name", self.name, *words]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=CALL_LIMIT,
            check=False,
        )
        if done.returncode != 0:
            raise UserError(done.stderr.strip() or f"{command} failed")

    def prefix(self, nodes):
        """The words before a command that runs on NODES nodes."""
        if nodes == 0 or self.rate == "shm":
            return ()
        if not self.is_up:
            owner = str(os.getpid())
            self._call("up", str(self.nodes), "--rate", self.rate, "--owner", owner)
            self.is_up = True
        words = ("--name", self.name, "run", "--nodes", str(nodes))
        return (str(self.tools.cluster), *words)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_up:
            self._call("down")
            self.is_up = False
