# SPDX-License-Identifier: Apache-2.0
"""A policy in Python: the least recently used entry goes, and a walk fetches its line of eight entries.

    ./gmmu replay gen:zipf,footprint=32MiB --engine fast --set policy.file=sim/policy_python/least_recent.py

The class may have any of the methods build, place, fill, prefetch and next; sim/twin/policy.h says what they mean. What it
does not have is the hardware's choice.
"""


class Policy:
    def __init__(self, arguments, seed):
        self.entries = int(arguments or 8)

    def place(self, entries):
        """The place, 0 to len(entries.lines) - 1, for a new entry; None: it is not kept."""
        lines = entries.lines
        return min(range(len(lines)), key=lambda way: (lines[way].valid, lines[way].used_ps))

    def fill(self, miss):
        return self.entries
