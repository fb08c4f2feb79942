# SPDX-License-Identifier: GPL-2.0-or-later
"""Text of C with its indentation."""

from contextlib import contextmanager


class Code:
    """Lines of C; block() puts what is added inside it between braces."""

    def __init__(self, depth=0):
        self.lines, self.depth = [], depth

    def add(self, text):
        self.lines.append("\t" * self.depth + text)

    def pragma(self, text):
        self.lines.append("#pragma omp " + text)

    @contextmanager
    def block(self, head="", tail=""):
        self.add((head + " {").lstrip())
        self.depth += 1
        yield self
        self.depth -= 1
        self.add("}" + tail)

    def mark(self):
        return len(self.lines)

    def since(self, mark):
        return "\n".join(self.lines[mark:])

    def text(self):
        return "\n".join(self.lines) + "\n"
