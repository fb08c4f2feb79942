# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one command to its end, or to a time limit, and leaves no process behind."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass

from .errors import NotSupported, WrongResult

GRACE = 10  # seconds from SIGTERM to SIGKILL
SHOWN = 300  # characters of a failed program's last words


@dataclass(frozen=True)
class Output:
    """What a program that ended with status 0 printed."""

    stdout: str
    stderr: str


def with_parent(words):
    """The command WORDS, to end with the process that starts it, even if that is killed."""
    return ["setpriv", "--pdeathsig", "TERM", *words]


@contextmanager
def started(words):
    """WORDS as a process, with this one's streams, that ends when the block is left."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    process = subprocess.Popen(with_parent(words))
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def _end(process):
    """cape-run, mpirun and the cluster end their own on SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
        return


def _last_words(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[-1] if lines else "no message")[:SHOWN]


def _judge(status, output):
    """Raises the exception that belongs to a bad end."""
    if status == 2:
        for line in output.stderr.splitlines():
            if line.startswith("cape-run: --"):
                raise NotSupported(line[:SHOWN])
    if status < 0:
        raise WrongResult(f"killed by signal {-status}")
    if status != 0:
        raise WrongResult(f"status {status}: {_last_words(output.stderr or output.stdout)}")


def run(command, prefix, limit):
    """The Output of COMMAND behind the words of PREFIX.

    Raises WrongResult when it fails or needs more than LIMIT seconds, and NotSupported when
    cape-run does not know what it is asked for.
    """
    words = with_parent([*prefix, *command.words])
    # A program that grows without end must fill the disk, not this process.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=os.environ | command.environment,
            start_new_session=True,
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            raise WrongResult(f"no end within {limit:.0f} s") from None
        finally:
            if process.returncode is None:
                _end(process)
        texts = []
        for stream in (stdout, stderr):
            stream.seek(0)
            texts.append(stream.read(1 << 22).decode(errors="replace"))
    output = Output(*texts)
    _judge(status, output)
    return output
