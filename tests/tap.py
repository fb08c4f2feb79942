# SPDX-License-Identifier: GPL-2.0-or-later
"""tap.py - what the tests in Python share: one TAP stream."""


class Tap:
    """Numbers and prints tests; `failed` counts those that did not pass."""

    def __init__(self, planned):
        self.number = self.failed = 0
        print(f"1..{planned}", flush=True)

    def report(self, name, wrong):
        """One test, passed if nothing is WRONG, else a text of what is; whether it passed."""
        self.number += 1
        lines = [f"{'not ok' if wrong else 'ok'} {self.number} - {name.replace('#', '')}"]
        if wrong:
            self.failed += 1
            lines += [f"#   {line}" for line in wrong.splitlines()]
        print("\n".join(lines), flush=True)
        return not wrong

    def status(self):
        """The exit status that says it all."""
        return 1 if self.failed else 0
