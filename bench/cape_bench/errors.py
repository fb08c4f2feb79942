# SPDX-License-Identifier: GPL-2.0-or-later
"""What can go wrong, as cape-bench says it."""


class UserError(Exception):
    """The command line, the output folder or the machine forbids it; the text says what to do."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


class WrongResult(Exception):
    """A run ended, but not with the right result; it counts as failed."""


class NotSupported(Exception):
    """This cannot be run here; the text is the reason that the results show."""
