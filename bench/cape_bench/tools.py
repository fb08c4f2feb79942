# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the measured programs are, and the command lines that run them.

A build and an installation look alike: bin/cape-run and bin/cape-bench, and in lib/cape the program
cluster and bench/{cape,openmp,mpi,micro}/, the benchmark programs in each form.
"""

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .errors import UserError

CAPE_METHODS = ("complete", "dickpt", "tickpt1", "tickpt2")
# Both kinds of programs wait alike.
STATISTICS = ("--stats=json",)
EAGER = (*STATISTICS, "--exchange", "eager")  # as the papers' tickpt2: all goes to all
# Open MPI 5 puts all ranks on the first machine if it is not told how to map them, too.
SHARED = ("--map-by", "slot:OVERSUBSCRIBE") if shutil.which("prterun") else ("--oversubscribe",)
MPIRUN = ("mpirun", *SHARED, "--mca", "mpi_yield_when_idle", "1")
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Open MPI 4's --quiet, which 5 does not know.
    "OMPI_MCA_orte_execute_quiet": "1",
    # Else Open MPI 5 warns, on a machine with IPv6, that it does not reach itself.
    "OMPI_MCA_reachable": "weighted",
}


@dataclass(frozen=True)
class Command:
    """A program to run; with NODES, on that many nodes of the network, if there is one."""

    words: tuple
    nodes: int = 0
    environment: dict = field(default_factory=dict)


class Tools:
    """The folder that holds bin/ and lib/cape/."""

    def __init__(self, prefix):
        self.prefix = Path(prefix)
        self.library = self.prefix / "lib" / "cape"
        self.cape_run = self.prefix / "bin" / "cape-run"
        self.cluster = self.library / "cluster"
        for needed in (self.cape_run, self.library / "bench"):
            if not needed.exists():
                raise UserError(f"{needed} is missing; build CAPE with make, or install all of it")

    def measured(self):
        """Every file whose change would change a measurement."""
        programs = sorted((self.library / "bench").glob("*/*"))
        monitors = [self.cape_run.with_name("cape-monitor"), self.library / "alone/cape-monitor"]
        return [self.cape_run, *monitors, *programs]

    def program(self, form, name):
        """The path of a benchmark program: FORM is cape, openmp, mpi or micro."""
        return str(self.library / "bench" / form / name)

    def cape(self, nodes, name, *arguments, method="tickpt2", model="", options=STATISTICS):
        """NAME on NODES nodes of CAPE; unless OPTIONS say otherwise, it prints its statistics."""
        words = [str(self.cape_run), "-np", str(nodes)]
        # The defaults are not named, so that this runs with every version of cape-run.
        if method != "tickpt2":
            words += ["--method", method]
        if model:
            words += ["--model", model]
        words += [*options, self.program("cape", name), *map(str, arguments)]
        return Command(tuple(words), nodes if nodes > 1 else 0)

    def threads(self, threads, name, *arguments):
        """NAME on one node of CAPE with THREADS threads."""
        words = (str(self.cape_run), "--threads", str(threads), self.program("cape", name))
        return Command((*words, *map(str, arguments)), 0, {"OMP_STACKSIZE": "1G"})

    def mpi(self, nodes, name, *arguments, options=()):
        """The hand-written NAME on NODES ranks."""
        words = (*MPIRUN, "-np", str(nodes), *options, self.program("mpi", name))
        words = (*words, *map(str, arguments))
        return Command(words, nodes if nodes > 1 else 0, MPI_ENVIRONMENT)

    def openmp(self, threads, name, *arguments):
        """NAME as OpenMP runs it, on THREADS threads of this machine."""
        words = (self.program("openmp", name), *map(str, arguments))
        team = {"OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "false", "OMP_STACKSIZE": "1G"}
        return Command(words, 0, team)

    def micro(self, name, *arguments):
        """A benchmark of one part of CAPE."""
        return Command((self.program("micro", name), *map(str, arguments)))

    def module(self, name, *arguments):
        """A measuring program that is a part of this package."""
        words = (sys.executable, "-B", "-m", f"cape_bench.{name}", *map(str, arguments))
        return Command(words, 0, {"PYTHONPATH": os.pathsep.join(sys.path)})

    def watched(self, name, command, *arguments):
        """COMMAND under such a measuring program, which gets ARGUMENTS before it."""
        watcher = self.module(name, *arguments, *command.words)
        return Command(watcher.words, command.nodes, command.environment | watcher.environment)
