# SPDX-License-Identifier: GPL-2.0-or-later
"""Says what is measured now and how long all will still take."""

import shutil
import sys

FIRST_GUESS = 2.0  # seconds of a run of which nothing is known


def clock(seconds):
    """SECONDS as minutes and seconds, or hours and minutes."""
    seconds = int(seconds + 0.5)
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02} min"
    return f"{seconds // 3600}:{seconds % 3600 // 60:02} h"


class Progress:
    """One line that changes on a terminal; elsewhere one line for each repetition."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.is_terminal = stream.isatty()
        self.last = None

    def show(self, experiment, repetition, repetitions, case, left):
        """REPETITION 0 is the warm-up."""
        step = f"repetition {repetition}/{repetitions}" if repetition else "warm-up"
        text = f"{experiment}, {step}"
        if self.is_terminal:
            line = f"{text}, about {clock(left)} left: {case}"
            self.stream.write("\r\033[K" + line[: shutil.get_terminal_size().columns - 1])
            self.stream.flush()
        elif text != self.last:
            print(f"{text}, about {clock(left)} left", file=self.stream, flush=True)
        self.last = text

    def say(self, text):
        """A line that stays."""
        if self.is_terminal:
            self.stream.write("\r\033[K")
        print(text, file=self.stream, flush=True)

    def end(self):
        if self.is_terminal:
            self.stream.write("\r\033[K")
            self.stream.flush()


def time_left(pending, known):
    """Seconds for the PENDING runs, by what runs of the same case, or of others, took: KNOWN."""
    usual = sum(known.values()) / len(known) if known else FIRST_GUESS
    return sum(known.get(case, usual) for case in pending)
