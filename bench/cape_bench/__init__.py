# SPDX-License-Identifier: GPL-2.0-or-later
"""cape-bench: the papers' tables and figures, measured again (cape-bench(1))."""
