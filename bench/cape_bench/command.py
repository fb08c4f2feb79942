# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: list, run, report, compare."""

import argparse
import os
import resource
import shlex
import signal
import sys
from dataclasses import asdict, replace

from . import claims, compare, experiments, machine, network, report
from .errors import UserError
from .experiment import Settings
from .progress import Progress
from .runner import Runner, plan
from .store import Store
from .tools import Tools

REPETITIONS = {"quick": 2, "default": 6, "full": 10}
NODES = {"quick": (4,), "default": (4, 8, 16), "full": (4, 8, 16)}
LIMITS = {"quick": 60, "default": 300, "full": 6 * 3600}  # seconds of one run
MOST_NODES = 64


def whole(least, most):
    """A parser of numbers LEAST to MOST."""

    def parse(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be {least} to {most}, not '{text}'")
        return int(text)

    return parse


def node_counts(text):
    """Numbers of nodes, between commas."""
    return tuple(sorted({whole(2, MOST_NODES)(part) for part in text.split(",")}))


def parser():
    main = argparse.ArgumentParser(
        prog="cape-bench", description="Measures CAPE as its papers do; see cape-bench(1)."
    )
    commands = main.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="name the experiments")
    run = commands.add_parser("run", help="measure, or go on measuring")
    run.add_argument("experiment", nargs="+", help="their names, or all")
    scale = run.add_mutually_exclusive_group()
    scale.add_argument(
        "--quick",
        action="store_const",
        dest="scale",
        const="quick",
        help="small sizes: some minutes",
    )
    scale.add_argument(
        "--full",
        action="store_const",
        dest="scale",
        const="full",
        help="the papers' sizes: many hours",
    )
    run.add_argument("--reps", type=whole(1, 1000), metavar="N", help="repetitions of each run")
    run.add_argument("--np", type=node_counts, metavar="N,...", help="numbers of nodes")
    run.add_argument(
        "--net",
        choices=network.RATES,
        help=f"the nodes' network; as root {network.LIMITED}, else shm",
    )
    run.add_argument("--out", required=True, metavar="DIR", help="a new folder, or that of a run")
    show = commands.add_parser("report", help="make tables and plots of a run")
    show.add_argument("folder", metavar="DIR")
    show.add_argument("--publish", metavar="FOLDER", help="copy the tables to FOLDER")
    show.add_argument("--readme", metavar="FILE", help="put the summary between FILE's markers")
    beside = commands.add_parser("compare", help="two runs beside each other")
    beside.add_argument("first", metavar="A", help="the folder of a run")
    beside.add_argument("second", metavar="B", help="that of another one")
    return main


def settings_of(options):
    """The Settings, and what the user should know of them."""
    scale = options.scale or "default"
    rate, note = options.net, ""
    if rate in (None, network.LIMITED, "1gbit"):
        missing = network.why_not()
        if missing and rate:
            raise UserError(f"--net {rate}: {missing}; without it, --net shm", 2)
        if missing:
            note = f"no network between the nodes ({missing}): they share memory"
        rate = rate or ("shm" if missing else network.LIMITED)
    settings = Settings(scale, options.reps or REPETITIONS[scale], options.np or NODES[scale], rate)
    return settings, note


def run(options, tools):
    """Measures what is not measured yet, then reports.  The exit status."""
    chosen = experiments.find(options.experiment)
    settings, note = settings_of(options)
    identity = {
        "experiments": [experiment.name for experiment in chosen],
        "settings": {**asdict(settings), "nodes": list(settings.nodes)},
        "binaries": machine.binaries(tools),
        "machine": machine.truth(tools),
    }
    progress = Progress()
    store = Store.open(options.out, identity)
    chosen = experiments.find(store.identity["experiments"])
    settings = replace(settings, repetitions=store.identity["settings"]["repetitions"])
    for text in (note, machine.why_loaded(identity["machine"])):
        if text:
            progress.say(f"cape-bench: {text}")
    steps = [
        step
        for experiment in chosen
        for step in plan(experiment.name, experiment.cases(tools, settings), settings)
    ]
    most = max((step.case.command.nodes for step in steps), default=0)
    try:
        with network.Network(tools, settings.network, most) as cluster:
            Runner(store, cluster, LIMITS[settings.scale], settings, progress).run(steps)
    finally:
        progress.end()
        store.close()
    return tell(store, tools)


def tell(store, tools):
    """Writes the reports and says where they are; status 1 if anything failed."""
    parts, missing = report.write(store, tools)
    for part in parts:
        for line in part.bad:
            print(f"{part.experiment.name}: {line}")
        for line in claims.open_ones(part.experiment.name, part.claims):
            print(line)
    print(f"Report: {store.folder / ('summary.md' if store.is_published else 'report.html')}")
    if missing:
        print(f"cape-bench: no plots: {missing}", file=sys.stderr)
    failed = any(row.status == "failed" for part in parts for row in part.results.rows)
    return 1 if failed else 0


def show(options, tools):
    """Makes the reports again, or hands them on.  The exit status."""
    store = Store.read(options.folder)
    status = tell(store, tools)
    if options.publish:
        report.publish(store, options.publish)
    if options.readme:
        report.put_into_readme(options.publish or options.folder, options.readme)
    return status


def list_all():
    for experiment in experiments.ALL:
        print(f"{experiment.name:12}{experiment.source}: {experiment.title}")
    return 0


def terminated(*_):
    """SIGTERM ends a run as Ctrl-C does."""
    raise KeyboardInterrupt


def main(prefix):
    """Runs the command line of this process; PREFIX holds bin/ and lib/cape/.  The exit status."""
    options = parser().parse_args()
    signal.signal(signal.SIGTERM, terminated)
    # MATSUM's matrices are on the stack.
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))
    try:
        if options.command == "list":
            return list_all()
        if options.command == "compare":
            print(compare.text(options.first, options.second))
            return 0
        return (run if options.command == "run" else show)(options, Tools(prefix))
    except UserError as error:
        print(f"cape-bench: {error}", file=sys.stderr)
        return error.status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f"cape-bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        again = shlex.join(["cape-bench", *sys.argv[1:]])
        print(f"\ncape-bench: interrupted; to go on: {again}", file=sys.stderr)
        return 130
